/* node_machine.c -- see node_machine.h. */
#include "api/forms/node_machine.h"

#include "api/door/args.h"
#include "base/text_out.h"

struct machine_form_reader {
    const lsched_machine_desc *d;
    struct machine_shape *m;
    lsched_text name;
    lsched_error *err;
};
#define NAMED(r) (int)(r)->name.len, (r)->name.ptr

/* Returns the link with defaults in its missing fields. */
static lsched_link meant(lsched_link l) {
    if (l.kind != LSCHED_LINK_NVLINK || l.count == 0) l.count = 1;
    if (l.bandwidth_mb_per_second == 0)
        l.bandwidth_mb_per_second = machine_default_mbps(l.kind, l.count);
    return l;
}

static int32_t node_machine_check_kind(const struct machine_form_reader *r, lsched_link l,
                                       const char *from, uint32_t i, uint32_t j) {
    if (l.kind <= LSCHED_LINK_NVLINK) return LSCHED_OK;
    return fail(r->err, LSCHED_E_INVAL,
                "node '%.*s': the link from %s %u to device %u is of kind %u; expected "
                "LSCHED_LINK_NONE to LSCHED_LINK_NVLINK",
                NAMED(r), from, i, j, l.kind);
}

static int32_t not_symmetric(const struct machine_form_reader *r, uint32_t i, uint32_t j,
                             lsched_link to, lsched_link back) {
    return fail(r->err, LSCHED_E_INVAL,
                "node '%.*s': links are not symmetric: from device %u to %u it is %s x %u of %u "
                "MB/s, from %u to %u %s x %u of %u MB/s",
                NAMED(r), i, j, machine_link_word(to.kind), to.count, to.bandwidth_mb_per_second, j,
                i, machine_link_word(back.kind), back.count, back.bandwidth_mb_per_second);
}

static int32_t read_links(const struct machine_form_reader *r) {
    uint32_t n = r->d->n_devices;
    if (!r->d->links) return LSCHED_OK;
    for (uint32_t i = 0; i < n; i++) {
        uint16_t self = r->d->links[i * n + i].kind;
        if (self != LSCHED_LINK_NONE && self != LSCHED_LINK_SELF)
            return fail(r->err, LSCHED_E_INVAL,
                        "node '%.*s': device %u is linked to itself by %s; expected none", NAMED(r),
                        i, machine_link_word(self));
        for (uint32_t j = 0; j < i; j++) {
            lsched_link to = meant(r->d->links[j * n + i]), back = meant(r->d->links[i * n + j]);
            int32_t rc = node_machine_check_kind(r, to, "device", j, i);
            if (rc == LSCHED_OK) rc = node_machine_check_kind(r, back, "device", i, j);
            if (rc != LSCHED_OK) return rc;
            if (to.kind != back.kind || to.count != back.count ||
                to.bandwidth_mb_per_second != back.bandwidth_mb_per_second)
                return not_symmetric(r, j, i, to, back);
            struct link_matrix *m = &r->m->links;
            m->kind[i][j] = m->kind[j][i] = (uint8_t)to.kind;
            m->mbps[i][j] = m->mbps[j][i] = to.bandwidth_mb_per_second;
        }
    }
    return LSCHED_OK;
}

static int32_t read_numa_of(const struct machine_form_reader *r, const uint8_t *numa, uint32_t n,
                            const char *what, uint8_t *out) {
    for (uint32_t i = 0; i < n; i++) {
        out[i] = numa ? numa[i] : LSCHED_NO_NUMA;
        if (out[i] < r->m->n_numa || out[i] == LSCHED_NO_NUMA) continue;
        return fail(r->err, LSCHED_E_RANGE,
                    "node '%.*s': %s %u is on NUMA node %u; there are %u, numbered from 0",
                    NAMED(r), what, i, out[i], r->m->n_numa);
    }
    return LSCHED_OK;
}

/* Checks that the sum of one kind over the NUMA nodes does not exceed the capacity of the node. */
static int32_t check_sum(const struct machine_form_reader *r, const int64_t *amount,
                         const char *what, int64_t capacity) {
    int64_t sum = 0;
    for (uint32_t a = 0; a < r->m->n_numa; a++) {
        if (amount[a] < 0 || amount[a] > LSCHED_AMOUNT_MAX)
            return fail(r->err, LSCHED_E_RANGE,
                        "node '%.*s': NUMA node %u has %s %lld; expected 0 to 2^62", NAMED(r), a,
                        what, (long long)amount[a]);
        if (amount[a] > capacity - sum)
            return fail(r->err, LSCHED_E_RANGE,
                        "node '%.*s': its NUMA nodes have more %s than the node, %lld", NAMED(r),
                        what, (long long)capacity);
        sum += amount[a];
    }
    return LSCHED_OK;
}

int32_t machine_check_capacity(struct machine_shape *m, const int64_t *capacity, lsched_text name,
                               lsched_error *err) {
    struct machine_form_reader r = {NULL, m, name, err};
    int32_t rc = check_sum(&r, m->cpu_milli, "milli-cores", capacity[LSCHED_CPU]);
    if (rc != LSCHED_OK) return rc;
    return check_sum(&r, m->memory_bytes, "bytes of memory", capacity[LSCHED_MEMORY]);
}

static int32_t node_machine_read_numa(const struct machine_form_reader *r,
                                      const int64_t *capacity) {
    const lsched_machine_desc *d = r->d;
    if (d->n_numa > MACHINE_NUMA)
        return fail(r->err, LSCHED_E_LIMIT, "node '%.*s': it has %s; at most %d are allowed",
                    NAMED(r), counted(d->n_numa, "NUMA node").text, MACHINE_NUMA);
    if (d->n_numa && !d->numa)
        return fail(r->err, LSCHED_E_NULL, "node '%.*s': numa is NULL", NAMED(r));
    r->m->n_numa = d->n_numa;
    for (uint32_t a = 0; a < d->n_numa; a++) {
        r->m->cpu_milli[a] = d->numa[a].cpu_milli;
        r->m->memory_bytes[a] = d->numa[a].memory_bytes;
    }
    int32_t rc = machine_check_capacity(r->m, capacity, r->name, r->err);
    if (rc != LSCHED_OK) return rc;
    return read_numa_of(r, d->device_numa, d->n_devices, "device", r->m->device_numa);
}

static int32_t node_machine_read_nics(const struct machine_form_reader *r) {
    const lsched_machine_desc *d = r->d;
    struct machine_shape *m = r->m;
    if (d->n_nics > MACHINE_NICS)
        return fail(r->err, LSCHED_E_LIMIT, "node '%.*s': it has %s; at most %d are allowed",
                    NAMED(r), counted(d->n_nics, "network card").text, MACHINE_NICS);
    if (d->n_nics && !d->nics)
        return fail(r->err, LSCHED_E_NULL, "node '%.*s': nics is NULL", NAMED(r));
    m->n_nics = d->n_nics;
    for (uint32_t c = 0; c < d->n_nics; c++) {
        m->nic_name[c] = d->nics[c];
        int32_t rc = arg_name(&m->nic_name[c], "network card", r->err);
        if (rc != LSCHED_OK) return rc;
        for (uint32_t e = 0; e < c; e++)
            if (text_order(m->nic_name[c], m->nic_name[e]) == 0)
                return fail(r->err, LSCHED_E_INVAL,
                            "node '%.*s': two network cards are named '%.*s'", NAMED(r),
                            (int)m->nic_name[c].len, m->nic_name[c].ptr);
        for (uint32_t i = 0; d->nic_links && i < d->n_devices; i++) {
            lsched_link l = meant(d->nic_links[c * d->n_devices + i]);
            rc = node_machine_check_kind(r, l, "network card", c, i);
            if (rc != LSCHED_OK) return rc;
            m->nic_kind[c][i] = (uint8_t)l.kind;
            m->nic_mbps[c][i] = l.bandwidth_mb_per_second;
        }
    }
    return read_numa_of(r, d->nic_numa, d->n_nics, "network card", m->nic_numa);
}

int32_t machine_read(const lsched_machine_desc *from, uint32_t n_devices, const int64_t *capacity,
                     lsched_text name, struct machine_shape *out, lsched_error *err) {
    lsched_machine_desc d;
    struct machine_form_reader r = {&d, out, name, err};
    memset(out, 0, sizeof *out);
    int32_t rc = arg_struct(&d, sizeof d, from, 0, "machine", err);
    if (rc != LSCHED_OK) return rc;
    if (d.n_devices != n_devices)
        return fail(
            err, LSCHED_E_INVAL,
            "node '%.*s': its machine has %s and the node has %u; the numbers must be equal",
            (int)name.len, name.ptr, counted(d.n_devices, "device").text, n_devices);
    if (n_devices > LSCHED_MACHINE_DEVICES_MAX)
        return fail(err, LSCHED_E_LIMIT,
                    "node '%.*s': it has %s and a machine; the links of at most %d devices can be "
                    "described. Leave 'machine' out, or add the devices as several nodes",
                    (int)name.len, name.ptr, counted(n_devices, "device").text,
                    LSCHED_MACHINE_DEVICES_MAX);
    out->links.n = n_devices;
    rc = read_links(&r);
    if (rc == LSCHED_OK) rc = node_machine_read_numa(&r, capacity);
    return rc == LSCHED_OK ? node_machine_read_nics(&r) : rc;
}
