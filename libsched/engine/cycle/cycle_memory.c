/* cycle_memory.c -- see cycle_memory.h. */
#include "engine/cycle/cycle_memory.h"

#include "model/store/steps.h"

/* Sets free[] to the amounts that no queue uses. */
static void free_amounts(const struct columns *k, int64_t free[KINDS_MAX]) {
    uint32_t kinds = (uint32_t)meta(k, M_N_KINDS);
    for (uint32_t r = 1; r < kinds; r++) free[r] = (int64_t)meta(k, M_TOTAL_READY + r);
    steps_add(k, table_rows(k, T_QUEUE));
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++)
        for (uint32_t r = 1; r < kinds; r++)
            if (row_is_live(k, T_QUEUE, q) && k->c[C_QUEUE_PARENT].u32[q] == NO_ROW)
                free[r] -= k->c[C_QUEUE_USED + r].i64[q];
}

/* Returns how many tasks of the shape fit into the free amounts, if nodes had no bounds. */
static uint64_t tasks_within(const struct columns *k, uint32_t shape,
                             const int64_t free[KINDS_MAX]) {
    int64_t least = INT64_MAX;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t request = k->c[C_SHAPE_REQ + r].i64[shape], n;
        if (request <= 0) continue;
        n = free[r] > 0 ? free[r] / request : 0;
        if (n < least) least = n;
    }
    return (uint64_t)least;
}

static uint32_t first_leaf_shape(const struct columns *k, uint32_t jobshape) {
    uint32_t g = 0;
    while (group_shape(k, jobshape, g) == NO_ROW) g++;
    return group_shape(k, jobshape, g);
}

struct expected {
    uint64_t tasks, jobs;
};

/* Estimates how many tasks and jobs the bundles in line can start. */
static struct expected expect(const struct columns *k) {
    struct expected all = {0, 0};
    uint64_t most = 0;
    int64_t free[KINDS_MAX] = {0};
    free_amounts(k, free);
    steps_add(k, table_rows(k, T_BUNDLE));
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE); b++) {
        if (!row_is_live(k, T_BUNDLE, b) || k->c[C_BUNDLE_STATE].u8[b] != BUNDLE_ACTIVE) continue;
        uint32_t jobshape = k->c[C_BUNDLE_SHAPE].u32[b], jobs = k->c[C_BUNDLE_JOBS].u32[b];
        uint64_t fit = tasks_within(k, first_leaf_shape(k, jobshape), free);
        all.tasks += (uint64_t)jobs * k->c[C_JOBSHAPE_TASKS].u32[jobshape];
        all.jobs += (uint64_t)jobs * k->c[C_JOBSHAPE_N_LEAVES].u32[jobshape];
        if (fit > most) most = fit;
    }
    if (all.tasks > most) all.tasks = most;
    if (all.jobs > all.tasks) all.jobs = all.tasks;
    return all;
}

/* Enlarges the table by the rows that n new rows need beyond its free rows. A bounded memory is
 * left to those who need it for certain. */
static void enlarge_table(struct columns *k, uint32_t table, uint64_t n) {
    uint64_t rows = table_rows(k, table), unused = rows - table_live(k, table), bytes = 0;
    if (n <= unused || rows + n - unused > LIMIT_ROWS_MAX) return;
    for (uint32_t c = table_first[table]; c < table_first[table + 1]; c++)
        bytes += column_defs[c].stride;
    bytes *= n - unused;
    if (k->alloc->limit_bytes != UINT64_MAX &&
        bytes > (k->alloc->limit_bytes - k->alloc->bytes) / 4)
        return;
    (void)table_reserve(k, table, rows + n - unused);
}

void cycle_memory_reserve(struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    uint64_t aside = meta(k, M_PARKED_JOBS) + meta(k, M_REFUSED_JOBS);
    if (meta(k, M_PENDING_JOBS) < aside + CYCLE_MEMORY_JOBS) return;
    struct expected n = expect(k);
    if (n.tasks > cy->spend.decisions_left) n.tasks = cy->spend.decisions_left;
    if (n.jobs > n.tasks) n.jobs = n.tasks;
    enlarge_table(k, T_TASK, n.tasks);
    enlarge_table(k, T_DECISION, n.tasks);
    enlarge_table(k, T_LEAF, n.jobs);
}
