/* machine_shape.c -- see machine_shape.h. Cost: O(devices x (devices + cards)). */
#include "model/machine/machine_shape.h"

const char *machine_link_word(uint32_t kind) {
    static const char *const words[] = {"none", "SYS", "NODE", "PHB", "PXB", "PIX", "NVLINK", "X"};
    return kind < sizeof words / sizeof words[0] ? words[kind] : "?";
}

/* Reasons for the values: one link of NVLink 3 or 4 has 25 GB/s. PCIe of generation 4 has about
 * 24 GB/s over one switch, and less if there are more bridges between the devices. */
uint32_t machine_default_mbps(uint32_t kind, uint32_t count) {
    static const uint32_t mbps[] = {0, 10000, 12000, 16000, 20000, 24000, 25000};
    if (kind >= sizeof mbps / sizeof mbps[0]) return 0;
    return mbps[kind] * (kind == LSCHED_LINK_NVLINK && count > 1 ? count : 1);
}

/* ---- nearness ---- */

static int behind_one_switch(uint32_t kind) {
    return kind == LSCHED_LINK_PIX || kind == LSCHED_LINK_PXB;
}

static int share_a_switch(const struct machine_shape *m, uint32_t i, uint32_t j) {
    if (behind_one_switch(m->links.kind[i][j])) return 1;
    for (uint32_t nic = 0; nic < m->n_nics; nic++)
        if (behind_one_switch(m->nic_kind[nic][i]) && behind_one_switch(m->nic_kind[nic][j]))
            return 1;
    return 0;
}

void machine_set_near(struct machine_shape *m) {
    memset(m->links.near, 0, sizeof m->links.near);
    for (uint32_t i = 0; i < m->links.n; i++)
        for (uint32_t j = 0; j < i; j++) {
            int numa =
                m->device_numa[i] == m->device_numa[j] && m->device_numa[i] != LSCHED_NO_NUMA;
            uint8_t near = (uint8_t)(numa + 2 * share_a_switch(m, i, j));
            m->links.near[i][j] = m->links.near[j][i] = near;
        }
}

/* ---- bytes ---- */

void machine_encode(struct bytes *b, const struct machine_shape *m) {
    uint32_t n = m->links.n;
    bytes_u32(b, n);
    bytes_u32(b, m->n_numa);
    bytes_u32(b, m->n_nics);
    for (uint32_t i = 0; i < n; i++) bytes_u32(b, m->device_numa[i]);
    for (uint32_t a = 0; a < m->n_numa; a++) {
        bytes_i64(b, m->cpu_milli[a]);
        bytes_i64(b, m->memory_bytes[a]);
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) {
            bytes_u32(b, m->links.kind[i][j]);
            bytes_u32(b, m->links.mbps[i][j]);
        }
    for (uint32_t c = 0; c < m->n_nics; c++) {
        bytes_text(b, m->nic_name[c]);
        bytes_u32(b, m->nic_numa[c]);
        for (uint32_t i = 0; i < n; i++) {
            bytes_u32(b, m->nic_kind[c][i]);
            bytes_u32(b, m->nic_mbps[c][i]);
        }
    }
}

static uint8_t read_numa(struct reader *r, const struct machine_shape *m) {
    uint32_t numa = reader_u32(r);
    if (numa >= m->n_numa && numa != LSCHED_NO_NUMA) r->bad = 1;
    return (uint8_t)numa;
}

static uint8_t machine_shape_read_kind(struct reader *r) {
    uint32_t kind = reader_u32(r);
    if (kind > LSCHED_LINK_NVLINK) r->bad = 1;
    return (uint8_t)kind;
}

int32_t machine_decode(struct reader *r, struct machine_shape *m) {
    memset(m, 0, sizeof *m);
    uint32_t n = m->links.n = reader_u32(r);
    m->n_numa = reader_u32(r);
    m->n_nics = reader_u32(r);
    if (r->bad || n > LINK_DEVICES || m->n_numa > MACHINE_NUMA || m->n_nics > MACHINE_NICS)
        return LSCHED_E_CORRUPT;
    for (uint32_t i = 0; i < n; i++) m->device_numa[i] = read_numa(r, m);
    for (uint32_t a = 0; a < m->n_numa; a++) {
        m->cpu_milli[a] = reader_i64(r);
        m->memory_bytes[a] = reader_i64(r);
        if (m->cpu_milli[a] < 0 || m->memory_bytes[a] < 0) r->bad = 1;
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) {
            m->links.kind[i][j] = m->links.kind[j][i] = machine_shape_read_kind(r);
            m->links.mbps[i][j] = m->links.mbps[j][i] = reader_u32(r);
        }
    for (uint32_t c = 0; c < m->n_nics; c++) {
        m->nic_name[c] = reader_text(r);
        m->nic_numa[c] = read_numa(r, m);
        for (uint32_t i = 0; i < n; i++) {
            m->nic_kind[c][i] = machine_shape_read_kind(r);
            m->nic_mbps[c][i] = reader_u32(r);
        }
    }
    if (r->bad || r->p != r->end) return LSCHED_E_CORRUPT;
    machine_set_near(m);
    return LSCHED_OK;
}
