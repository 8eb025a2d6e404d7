/* machine.c -- see machine.h. Cost: getting a cached machine is one memory read and one
 * comparison. inside_of() costs O(NUMA nodes), plus O(tasks on the node) for network cards if any
 * task is releasing or nominated. */
#include "model/machine/machine.h"

#include "base/vec.h"

/* ---- the cache ---- */

/* Cached machines, indexed by row of MACHINE. There are few rows, because equal nodes share one. */
struct machine_cache {
    struct machine **of;
    uint32_t n;
    uint64_t bytes; /* memory of all tables of links */
};

int32_t machine_cache_open(struct columns *k) {
    k->machines = alloc_zero(k->alloc, sizeof *k->machines);
    return k->machines ? LSCHED_OK : LSCHED_E_NOMEM;
}

static void machine_forget(const struct columns *k, uint32_t row) {
    struct machine_cache *c = k->machines;
    struct machine *m = c->of[row];
    if (!m) return;
    c->bytes -= m->table.bytes;
    link_table_close(&m->table, k->alloc);
    alloc_free(k->alloc, m, sizeof *m);
    c->of[row] = NULL;
}

void machine_cache_clear(const struct columns *k) {
    struct machine_cache *c = k->machines;
    if (!c) return;
    for (uint32_t i = 0; i < c->n; i++) machine_forget(k, i);
    alloc_free(k->alloc, c->of, c->n * sizeof(struct machine *));
    c->of = NULL;
    c->n = 0;
}

void machine_cache_close(struct columns *k) {
    machine_cache_clear(k);
    alloc_free(k->alloc, k->machines, k->machines ? sizeof *k->machines : 0);
    k->machines = NULL;
}

static void decode(const struct columns *k, uint32_t row, struct machine *m) {
    struct reader r = reader_of(k, intern_text(k, T_MACHINE, row));
    memset(m, 0, sizeof *m);
    machine_decode(&r, &m->s); /* cannot fail: the bytes were checked when the row was made */
    memset(m->s.nic_name, 0, sizeof m->s.nic_name);
    m->serial = k->c[C_MACHINE_SERIAL].u64[row];
    for (uint32_t i = 0; i < m->s.links.n; i++)
        if (m->s.device_numa[i] != LSCHED_NO_NUMA) m->numa_devices[m->s.device_numa[i]] |= 1u << i;
    for (uint32_t c = 0; c < m->s.n_nics; c++)
        if (m->s.nic_numa[c] != LSCHED_NO_NUMA) m->numa_nics[m->s.nic_numa[c]] |= 1u << c;
}

/* Enlarges the list of cached machines so that it has an entry for the row; returns 0 if out of
 * memory. */
static int has_place(const struct columns *k, uint32_t row) {
    struct machine_cache *c = k->machines;
    uint32_t had = c->n;
    /* The elements of the list are pointers.  NOLINTNEXTLINE(bugprone-sizeof-expression) */
    if (!VEC_ROOM(k->alloc, c->of, c->n, row + 1)) return 0;
    for (uint32_t i = had; i < c->n; i++) c->of[i] = NULL;
    return 1;
}

uint32_t machine_cache_wrong(const struct columns *k) {
    const struct machine_cache *c = k->machines;
    struct machine m;
    for (uint32_t row = 0; row < c->n && row < table_rows(k, T_MACHINE); row++) {
        const struct machine *have = c->of[row];
        if (!have || !row_is_live(k, T_MACHINE, row) ||
            have->serial != k->c[C_MACHINE_SERIAL].u64[row])
            continue;
        decode(k, row, &m);
        /* memcmp() is correct, because decode() clears the padding between members */
        const void *warm = &have->s, *cold = &m.s;
        if (memcmp(warm, cold, sizeof m.s) != 0 ||
            memcmp(have->numa_devices, m.numa_devices, sizeof m.numa_devices) != 0 ||
            memcmp(have->numa_nics, m.numa_nics, sizeof m.numa_nics) != 0)
            return row;
    }
    return NO_ROW;
}

int machine_cache_is_counted(const struct columns *k) {
    const struct machine_cache *c = k->machines;
    uint64_t bytes = 0;
    for (uint32_t row = 0; row < c->n; row++)
        if (c->of[row]) bytes += c->of[row]->table.bytes;
    return bytes == c->bytes;
}

struct machine *machine_get(const struct columns *k, uint32_t row, struct machine *spare) {
    struct machine_cache *c = k->machines;
    if (row < c->n && c->of[row]) {
        if (c->of[row]->serial == k->c[C_MACHINE_SERIAL].u64[row]) return c->of[row];
        machine_forget(k, row);
    }
    decode(k, row, spare);
    struct machine *m = has_place(k, row) ? alloc_new(k->alloc, sizeof *m) : NULL;
    if (!m) {
        link_table_bare(&spare->table, &spare->s.links);
        return spare;
    }
    *m = *spare;
    m->alloc = k->alloc;
    if (c->bytes > LIMIT_MACHINE_TABLE_BYTES)
        for (uint32_t i = 0; i < c->n; i++) machine_forget(k, i);
    if (link_table_open(&m->table, k->alloc, &m->s.links) != LSCHED_OK) m->alloc = NULL;
    c->of[row] = m;
    c->bytes += m->table.bytes;
    return m;
}

/* The memory of a new row is added to machine_cache.bytes. */
uint32_t machine_pick(const struct columns *k, struct machine *m, uint32_t n, uint8_t least,
                      uint32_t free) {
    if (m->alloc) {
        uint64_t before = m->table.bytes;
        link_table_ready(&m->table, m->alloc, n, least);
        k->machines->bytes += m->table.bytes - before;
    }
    return link_pick(&m->table, n, least, free);
}

void machine_counts(struct columns *k, uint32_t row) {
    struct machine m;
    decode(k, row, &m);
    set_u8(k, C_MACHINE_N_NUMA, row, (uint8_t)m.s.n_numa);
    set_u8(k, C_MACHINE_N_NICS, row, (uint8_t)m.s.n_nics);
}

void machine_fill(struct columns *k, uint32_t node) {
    struct machine m;
    /* The machine is not read through the cache, because its row can still be rolled back. */
    decode(k, node_machine(k, node), &m);
    uint32_t first = k->c[C_NODE_NUMA_FIRST].u32[node];
    for (uint32_t a = 0; a < machine_numa_rows(k, node); a++) {
        set_i64(k, C_NUMA_CPU_FREE, first + a, m.s.cpu_milli[a]);
        set_i64(k, C_NUMA_MEM_FREE, first + a, m.s.memory_bytes[a]);
        set_i64(k, C_NUMA_COMING_CPU, first + a, 0);
        set_i64(k, C_NUMA_COMING_MEM, first + a, 0);
        set_u16(k, C_NUMA_NICS, first + a, 0);
    }
}

/* ---- what is free inside ---- */

/* Returns the portion of an amount that counts on one of the NUMA nodes to which a task is
 * pinned. numa: mask of these NUMA nodes. i: position of the one NUMA node among them, from 0. */
static int64_t part(int64_t amount, uint32_t numa, uint32_t i) {
    int64_t n = __builtin_popcount(numa);
    return amount / n + (i < amount % n);
}

/* Masks of network cards of a node, by the tasks that hold or need them. */
struct cards {
    uint32_t stay, leave, claimed;
};

static struct cards cards_of(const struct columns *k, uint32_t node) {
    struct cards c = {0, 0, 0};
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint8_t state = k->c[C_TASK_STATE].u8[t];
        uint32_t nics = k->c[C_TASK_NICS].u16[t];
        if (state == LSCHED_TASK_NOMINATED)
            c.claimed |= nics;
        else if (state == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[t])
            c.leave |= nics;
        else
            c.stay |= nics;
    }
    return c;
}

static uint32_t nics_taken(const struct columns *k, uint32_t node, enum device_when when) {
    uint32_t held = k->c[C_NUMA_NICS].u16[k->c[C_NODE_NUMA_FIRST].u32[node]];
    if (when == DEVICE_EMPTY) return 0;
    if (when == DEVICE_APART) return held;
    if (when == DEVICE_NOW && k->c[C_NODE_FUTURE].u32[node] == 0) return held;
    struct cards c = cards_of(k, node);
    return (when == DEVICE_LATER ? held & ~(c.leave & ~c.stay) : held) | c.claimed;
}

static int64_t machine_free_of(int64_t f, int64_t coming, enum device_when when) {
    return when == DEVICE_LATER || (when == DEVICE_NOW && coming < 0) ? f + coming : f;
}

void inside_of(const struct columns *k, uint32_t node, const struct machine *m,
               enum device_when when, struct inside *in) {
    uint32_t first = k->c[C_NODE_NUMA_FIRST].u32[node];
    in->nics = (1u << m->s.n_nics) - 1;
    if (m->s.n_nics) in->nics &= ~nics_taken(k, node, when);
    for (uint32_t a = 0; a < m->s.n_numa; a++) {
        in->cpu_milli[a] = m->s.cpu_milli[a];
        in->memory_bytes[a] = m->s.memory_bytes[a];
        if (when == DEVICE_EMPTY) continue;
        in->cpu_milli[a] = machine_free_of(k->c[C_NUMA_CPU_FREE].i64[first + a],
                                           k->c[C_NUMA_COMING_CPU].i64[first + a], when);
        in->memory_bytes[a] = machine_free_of(k->c[C_NUMA_MEM_FREE].i64[first + a],
                                              k->c[C_NUMA_COMING_MEM].i64[first + a], when);
    }
}

void inside_add(const struct columns *k, uint32_t shape, const struct hold *h, int sign,
                struct inside *in) {
    in->nics = sign > 0 ? in->nics | h->nics : in->nics & ~(uint32_t)h->nics;
    uint32_t i = 0;
    for (uint32_t numa = h->numa; numa; numa &= numa - 1, i++) {
        uint32_t a = (uint32_t)__builtin_ctz(numa);
        in->cpu_milli[a] += sign * part(k->c[C_SHAPE_REQ + LSCHED_CPU].i64[shape], h->numa, i);
        in->memory_bytes[a] +=
            sign * part(k->c[C_SHAPE_REQ + LSCHED_MEMORY].i64[shape], h->numa, i);
    }
}

/* ---- taking ---- */

static void machine_numa_add(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                             int sign, uint32_t cpu_column, uint32_t memory_column) {
    uint32_t first = k->c[C_NODE_NUMA_FIRST].u32[node], i = 0;
    for (uint32_t numa = h->numa; numa; numa &= numa - 1, i++) {
        uint32_t row = first + (uint32_t)__builtin_ctz(numa);
        add_i64(k, cpu_column, row,
                sign * part(k->c[C_SHAPE_REQ + LSCHED_CPU].i64[shape], h->numa, i));
        add_i64(k, memory_column, row,
                sign * part(k->c[C_SHAPE_REQ + LSCHED_MEMORY].i64[shape], h->numa, i));
    }
}

void machine_give(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                  int sign) {
    machine_numa_add(k, node, shape, h, sign, C_NUMA_CPU_FREE, C_NUMA_MEM_FREE);
    if (h->nics == 0) return;
    uint32_t row = k->c[C_NODE_NUMA_FIRST].u32[node], held = k->c[C_NUMA_NICS].u16[row] | h->nics;
    /* an imported task can share a card with another task, so the mask is computed from all
     * tasks */
    if (sign > 0) {
        struct cards c = cards_of(k, node);
        held = c.stay | c.leave;
    }
    set_u16(k, C_NUMA_NICS, row, (uint16_t)held);
}

void machine_coming(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                    int sign) {
    machine_numa_add(k, node, shape, h, sign, C_NUMA_COMING_CPU, C_NUMA_COMING_MEM);
}

int machine_short(const struct columns *k, uint32_t task) {
    uint32_t node = k->c[C_TASK_NODE].u32[task], first = k->c[C_NODE_NUMA_FIRST].u32[node];
    for (uint32_t numa = k->c[C_TASK_NUMA].u8[task]; numa; numa &= numa - 1) {
        uint32_t row = first + (uint32_t)__builtin_ctz(numa);
        if (k->c[C_NUMA_CPU_FREE].i64[row] + k->c[C_NUMA_COMING_CPU].i64[row] < 0 ||
            k->c[C_NUMA_MEM_FREE].i64[row] + k->c[C_NUMA_COMING_MEM].i64[row] < 0)
            return 1;
    }
    /* Such a card can be in use by an imported task, or by an overdue releasing task. */
    return (k->c[C_TASK_NICS].u16[task] & cards_of(k, node).stay) != 0;
}
