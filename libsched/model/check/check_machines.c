/*
 * check_machines.c -- checks the machines of nodes: if the canonical bytes are decoded and
 * encoded again, the result must be the same bytes; the rows must be equal to the bytes; a node
 * must have as many devices as its machine.
 */
#include "model/check/check_machines.h"

#include "model/store/intern.h"
#include "model/machine/machine.h"

static int32_t check_machines_bad(struct check *c, uint32_t row, const char *what) {
    return check_fail(c, "%s: %s", NAME(T_MACHINE, row), what);
}

static int names_are_sound(const struct machine_shape *m) {
    for (uint32_t i = 0; i < m->n_nics; i++) {
        if (m->nic_name[i].len == 0 || m->nic_name[i].len > LSCHED_NAME_BYTES_MAX) return 0;
        for (uint32_t j = 0; j < i; j++)
            if (text_order(m->nic_name[i], m->nic_name[j]) == 0) return 0;
    }
    return 1;
}

int32_t check_machine(struct check *c, uint32_t row) {
    const struct columns *k = c->k;
    struct machine_shape m;
    struct reader r = reader_of(k, k->c[C_MACHINE_BLOB].u32[row]);
    lsched_text bytes = text_of(k, k->c[C_MACHINE_BLOB].u32[row]);
    if (machine_decode(&r, &m) != LSCHED_OK)
        return check_machines_bad(c, row, "the canonical bytes cannot be decoded");
    if (!names_are_sound(&m))
        return check_machines_bad(c, row, "the names of network cards are not valid");
    if (m.n_numa != k->c[C_MACHINE_N_NUMA].u8[row] || m.n_nics != k->c[C_MACHINE_N_NICS].u8[row])
        return check_machines_bad(c, row, "N_NUMA or N_NICS differs from the canonical bytes");
    struct bytes b;
    bytes_init(&b, k->alloc);
    machine_encode(&b, &m);
    int failed = b.failed && !b.too_long,
        same = b.n == bytes.len && memcmp(b.p, bytes.ptr, b.n) == 0;
    bytes_close(&b);
    if (failed) return check_nomem(c);
    return same ? LSCHED_OK : check_machines_bad(c, row, "the bytes are not canonical");
}

int32_t check_node_machine(struct check *c, uint32_t node) {
    const struct columns *k = c->k;
    uint32_t row = node_machine(k, node);
    if (row == NO_ROW) return LSCHED_OK;
    struct reader r = reader_of(k, k->c[C_MACHINE_BLOB].u32[row]);
    uint32_t n = reader_u32(&r);
    if (n == k->c[C_NODE_N_DEVICES].u8[node]) return LSCHED_OK;
    return check_fail(c, "%s has %u devices, its machine %u", NAME(T_NODE, node),
                      k->c[C_NODE_N_DEVICES].u8[node], n);
}
