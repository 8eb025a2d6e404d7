/*
 * verify_machines.c -- see verify_machines.h. The check reads everything from the canonical bytes.
 * It does not use the cache or the tables of links. The orchestrator can have pinned an imported
 * task to any NUMA nodes, and can have given it a network card that another task has. The columns
 * mark such a task as excess. The NUMA nodes and the network cards of marked tasks are not checked.
 * All nominations together must take no more than what will be free.
 */
#include "engine/verify/verify_machines.h"

#include "engine/verify/verify_read.h"
#include "model/machine/machine_shape.h"

struct numa_sums {
    wide_i128 cpu[MACHINE_NUMA], memory[MACHINE_NUMA];
};

struct inner_use {
    struct numa_sums held, releasing, claimed;
    /* NUMA nodes, as a bit mask, to which a task marked as excess is pinned */
    uint32_t excess_numa;
    uint32_t nics, excess_nics, staying_nics, claimed_nics;
};

/* Adds the task's cpu and memory in equal portions to the sums of its NUMA nodes. If an amount
 * cannot be divided equally, the first NUMA nodes get one base unit more each. */
static void add_parts(const struct columns *k, uint32_t task, struct numa_sums *s) {
    uint32_t numa = k->c[C_TASK_NUMA].u8[task], shape = verify_shape(k, task), i = 0;
    int64_t n = __builtin_popcount(numa), cpu = k->c[C_SHAPE_REQ + LSCHED_CPU].i64[shape],
            memory = k->c[C_SHAPE_REQ + LSCHED_MEMORY].i64[shape];
    for (uint32_t a = 0; a < MACHINE_NUMA; a++) {
        if (!(numa >> a & 1)) continue;
        s->cpu[a] += cpu / n + (i < cpu % n);
        s->memory[a] += memory / n + (i < memory % n);
        i++;
    }
}

static int32_t count_cards(struct check *c, uint32_t task, struct inner_use *u) {
    const struct columns *k = c->k;
    uint32_t nics = k->c[C_TASK_NICS].u16[task], node = k->c[C_TASK_NODE].u32[task];
    int nominated = verify_state_of(k, task) == LSCHED_TASK_NOMINATED;
    uint32_t *mine = nominated ? &u->claimed_nics : &u->nics;
    if (k->c[C_TASK_EXCESS].u8[task]) u->excess_nics |= nics;
    if (*mine & nics & ~u->excess_nics)
        return check_fail(c, "%s has the network cards %#x of %s, which another task has, too",
                          NAME(T_TASK, task), *mine & nics, NAME(T_NODE, node));
    *mine |= nics;
    if (!nominated && !verify_leaves(k, task)) u->staying_nics |= nics;
    return LSCHED_OK;
}

static int32_t verify_machines_count_task(struct check *c, uint32_t task,
                                          const struct machine_shape *m, struct inner_use *u) {
    const struct columns *k = c->k;
    uint32_t numa = k->c[C_TASK_NUMA].u8[task], nics = k->c[C_TASK_NICS].u16[task];
    if (numa >> m->n_numa || nics >> m->n_nics)
        return check_fail(
            c,
            "%s has the masks %#x of NUMA nodes and %#x of network cards on %s, which "
            "has only %u NUMA nodes and %u network cards",
            NAME(T_TASK, task), numa, nics, NAME(T_NODE, k->c[C_TASK_NODE].u32[task]), m->n_numa,
            m->n_nics);
    if (k->c[C_TASK_EXCESS].u8[task]) u->excess_numa |= numa;
    int nominated = verify_state_of(k, task) == LSCHED_TASK_NOMINATED;
    add_parts(k, task, nominated ? &u->claimed : &u->held);
    if (verify_leaves(k, task)) add_parts(k, task, &u->releasing);
    return count_cards(c, task, u);
}

/* ---- what a task asks for ---- */

/* True if all devices and network cards of the task are on NUMA node `a`. */
static int is_on(const struct columns *k, uint32_t task, const struct machine_shape *m,
                 uint32_t a) {
    struct verify_devices held = verify_devices_of(k, task);
    for (uint32_t i = 0; i < m->links.n; i++)
        if (verify_has_device(&held, i) && m->device_numa[i] != a) return 0;
    for (uint32_t n = 0; n < m->n_nics; n++)
        if ((k->c[C_TASK_NICS].u16[task] >> n & 1) && m->nic_numa[n] != a) return 0;
    return 1;
}

static int is_aligned(const struct columns *k, uint32_t task, const struct machine_shape *m) {
    uint32_t numa = k->c[C_TASK_NUMA].u8[task], wish = k->c[C_SHAPE_NUMA].u8[verify_shape(k, task)];
    if (numa == 0) return wish != LSCHED_NUMA_REQUIRED;
    if (wish != LSCHED_NUMA_REQUIRED && k->c[C_TASK_IMPORTED].u8[task]) return 1;
    for (uint32_t a = 0; a < m->n_numa; a++)
        if (numa == 1u << a) return wish != LSCHED_NUMA_ANY && is_on(k, task, m, a);
    return 0;
}

static int32_t check_wishes(struct check *c, uint32_t task, const struct machine_shape *m) {
    const struct columns *k = c->k;
    uint32_t shape = verify_shape(k, task), least = k->c[C_SHAPE_WEAKEST_LINK].u8[shape];
    struct verify_devices held = verify_devices_of(k, task);
    if (k->c[C_TASK_EXCESS].u8[task]) return LSCHED_OK;
    for (uint32_t i = 0; i < m->links.n; i++)
        for (uint32_t j = 0; j < i; j++)
            if (verify_has_device(&held, i) && verify_has_device(&held, j) &&
                m->links.kind[i][j] < least)
                return check_fail(
                    c, "%s has devices %u and %u of %s, which are linked by %s, but it asks for %s",
                    NAME(T_TASK, task), j, i, NAME(T_NODE, k->c[C_TASK_NODE].u32[task]),
                    machine_link_word(m->links.kind[i][j]), machine_link_word(least));
    if (!is_aligned(k, task, m))
        return check_fail(
            c,
            "%s has devices %s and network cards %#x, which are not aligned to its NUMA "
            "nodes %#x",
            NAME(T_TASK, task), verify_devices_shown(&held).text, k->c[C_TASK_NICS].u16[task],
            k->c[C_TASK_NUMA].u8[task]);
    if ((uint32_t)__builtin_popcount(k->c[C_TASK_NICS].u16[task]) != k->c[C_SHAPE_NICS].u8[shape])
        return check_fail(c, "%s has network cards %#x, but it asks for %u", NAME(T_TASK, task),
                          k->c[C_TASK_NICS].u16[task], k->c[C_SHAPE_NICS].u8[shape]);
    return LSCHED_OK;
}

/* Checks a task on a node whose NUMA nodes, links and network cards the orchestrator has not
 * described. Such a task must not be pinned to NUMA nodes or have network cards. */
static int32_t check_unknown(struct check *c, uint32_t task) {
    const struct columns *k = c->k;
    uint32_t shape = verify_shape(k, task), devices = k->c[C_SHAPE_DEVICES].u32[shape];
    int asks = k->c[C_SHAPE_NUMA].u8[shape] == LSCHED_NUMA_REQUIRED ||
               k->c[C_SHAPE_NICS].u8[shape] ||
               (devices > 1 && k->c[C_SHAPE_WEAKEST_LINK].u8[shape]);
    if (k->c[C_TASK_NUMA].u8[task] || k->c[C_TASK_NICS].u16[task] ||
        (asks && !k->c[C_TASK_EXCESS].u8[task]))
        return check_fail(c,
                          "%s needs to know what is inside its node, but nothing is known about %s",
                          NAME(T_TASK, task), NAME(T_NODE, k->c[C_TASK_NODE].u32[task]));
    return LSCHED_OK;
}

/* ---- nodes ---- */

static int32_t check_numa(struct check *c, uint32_t node, uint32_t a, const struct machine_shape *m,
                          const struct inner_use *u) {
    const struct columns *k = c->k;
    uint32_t row = k->c[C_NODE_NUMA_FIRST].u32[node] + a;
    wide_i128 cpu = m->cpu_milli[a] - u->held.cpu[a],
              memory = m->memory_bytes[a] - u->held.memory[a];
    wide_i128 coming_cpu = u->releasing.cpu[a] - u->claimed.cpu[a],
              coming_memory = u->releasing.memory[a] - u->claimed.memory[a];
    if (k->c[C_NUMA_CPU_FREE].i64[row] != cpu || k->c[C_NUMA_MEM_FREE].i64[row] != memory)
        return check_fail(
            c,
            "NUMA node %u of %s records %lld milli-cores and %lld bytes as free, but its "
            "tasks leave %lld and %lld free",
            a, NAME(T_NODE, node), (long long)k->c[C_NUMA_CPU_FREE].i64[row],
            (long long)k->c[C_NUMA_MEM_FREE].i64[row], verify_shown(cpu), verify_shown(memory));
    if (k->c[C_NUMA_COMING_CPU].i64[row] != coming_cpu ||
        k->c[C_NUMA_COMING_MEM].i64[row] != coming_memory)
        return check_fail(c,
                          "NUMA node %u of %s has %lld milli-cores and %lld bytes coming free, but "
                          "its releasing tasks less its nominated tasks give %lld and %lld",
                          a, NAME(T_NODE, node), (long long)k->c[C_NUMA_COMING_CPU].i64[row],
                          (long long)k->c[C_NUMA_COMING_MEM].i64[row], verify_shown(coming_cpu),
                          verify_shown(coming_memory));
    if (u->excess_numa >> a & 1) return LSCHED_OK;
    if (cpu < 0 || memory < 0 || (u->claimed.cpu[a] && cpu + coming_cpu < 0) ||
        (u->claimed.memory[a] && memory + coming_memory < 0))
        return check_fail(
            c, "NUMA node %u of %s is overfull: %lld milli-cores and %lld bytes are free", a,
            NAME(T_NODE, node), verify_shown(cpu + coming_cpu),
            verify_shown(memory + coming_memory));
    return LSCHED_OK;
}

static int32_t check_cards(struct check *c, uint32_t node, const struct machine_shape *m,
                           const struct inner_use *u) {
    const struct columns *k = c->k;
    uint32_t first = k->c[C_NODE_NUMA_FIRST].u32[node],
             rows = m->n_numa ? m->n_numa : m->n_nics > 0;
    for (uint32_t a = 0; a < rows; a++)
        if (k->c[C_NUMA_NICS].u16[first + a] != (a ? 0 : u->nics))
            return check_fail(
                c, "%s records the network cards %#x as taken (row %u), but its tasks have %#x",
                NAME(T_NODE, node), k->c[C_NUMA_NICS].u16[first + a], a, u->nics);
    if (u->claimed_nics & u->staying_nics & ~u->excess_nics)
        return check_fail(c, "network cards %#x of %s are nominated, but they will not come free",
                          u->claimed_nics & u->staying_nics, NAME(T_NODE, node));
    return LSCHED_OK;
}

static int32_t verify_machines_check_node(struct check *c, uint32_t node) {
    const struct columns *k = c->k;
    uint32_t row = k->c[C_CLASS_MACHINE].u32[k->c[C_NODE_CLASS].u32[node]];
    struct machine_shape m;
    struct inner_use u;
    int32_t rc = LSCHED_OK;
    memset(&u, 0, sizeof u);
    if (row != NO_ROW) {
        struct reader r = reader_of(k, k->c[C_MACHINE_BLOB].u32[row]);
        if (machine_decode(&r, &m) != LSCHED_OK)
            return check_fail(c, "the machine of %s cannot be decoded", NAME(T_NODE, node));
    }
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW && rc == LSCHED_OK;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        if (row == NO_ROW) {
            rc = check_unknown(c, t);
            continue;
        }
        rc = verify_machines_count_task(c, t, &m, &u);
        if (rc == LSCHED_OK) rc = check_wishes(c, t, &m);
    }
    if (rc != LSCHED_OK || row == NO_ROW) return rc;
    rc = check_cards(c, node, &m, &u);
    for (uint32_t a = 0; a < m.n_numa && rc == LSCHED_OK; a++) rc = check_numa(c, node, a, &m, &u);
    return rc;
}

static int32_t check_without_node(struct check *c, uint32_t task) {
    const struct columns *k = c->k;
    if (k->c[C_TASK_NODE].u32[task] != NO_ROW ||
        (k->c[C_TASK_NUMA].u8[task] == 0 && k->c[C_TASK_NICS].u16[task] == 0))
        return LSCHED_OK;
    return check_fail(c, "%s has no place, but it holds something inside a node",
                      NAME(T_TASK, task));
}

int32_t verify_machines(struct check *c) {
    int32_t rc = verify_each(c, T_TASK, check_without_node);
    return rc == LSCHED_OK ? verify_each(c, T_NODE, verify_machines_check_node) : rc;
}
