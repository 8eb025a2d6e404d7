/*
 * frag_table.c -- see frag_table.h. Building the table takes O(models * steps * shares + classes).
 */
#include "algorithms/support/frag_table.h"

#include <string.h>

#include "base/sort.h"

/* ---- building ---- */

static void find_steps(struct frag_table *t) {
    const struct frag_mix *mix = &t->mix;
    const int64_t *cpu = frag_requests(mix, LSCHED_CPU);
    size_t stride = mix->n_others;
    t->n_steps = 0;
    t->admitted[0] = 0;
    memset(t->most, 0, stride * sizeof *t->most);
    for (uint32_t i = 0; i < mix->n_gpu; i++) {
        if (t->n_steps == 0 || cpu[i] != t->step[t->n_steps - 1]) {
            t->step[t->n_steps++] = cpu[i];
            memcpy(t->most + t->n_steps * stride, t->most + (t->n_steps - 1) * stride,
                   stride * sizeof *t->most);
        }
        t->admitted[t->n_steps] = i + 1;
        int64_t *most = t->most + t->n_steps * stride;
        for (uint32_t o = 0; o < mix->n_others; o++) {
            int64_t request = frag_requests(mix, mix->other[o])[i];
            if (request > most[o]) most[o] = request;
        }
    }
}

struct requests {
    const int64_t *of; /* by class */
};

static int asks_more(const struct requests *r, uint32_t a, uint32_t b) {
    return r->of[a] != r->of[b] ? r->of[a] > r->of[b] : a < b;
}

SORT_IN_PLACE(sort_requests, uint32_t, const struct requests *, asks_more)

static void find_orders(struct frag_table *t) {
    const struct frag_mix *mix = &t->mix;
    for (uint32_t o = 0; o < mix->n_others; o++) {
        const struct requests requests = {frag_requests(mix, mix->other[o])};
        uint32_t *order = t->by_request + (size_t)o * mix->n_gpu;
        for (uint32_t i = 0; i < mix->n_gpu; i++) order[i] = i;
        sort_requests(&requests, order, mix->n_gpu);
    }
}

/* Numbers the shares and the device counts that occur in the mix. The group of classes with one
 * device exists even if it has no class. */
static void find_ranks(struct frag_table *t) {
    uint8_t share_seen[FRAG_WHOLE_MILLI + 1] = {0};
    uint8_t devices_seen[LSCHED_DEVICES_PER_NODE_MAX + 1] = {0, 1};
    uint16_t group[LSCHED_DEVICES_PER_NODE_MAX + 1] = {0};
    t->gang_share_min = FRAG_WHOLE_MILLI + 1;
    for (uint32_t i = 0; i < t->mix.n_gpu; i++) {
        const struct frag_class *c = &t->mix.classes[i];
        share_seen[c->share_milli] = 1;
        if (c->devices > LSCHED_DEVICES_PER_NODE_MAX) continue;
        devices_seen[c->devices] = 1;
        if (c->devices > 1 && c->share_milli < t->gang_share_min)
            t->gang_share_min = c->share_milli;
    }
    t->n_shares = 0;
    for (uint32_t share = 0; share <= FRAG_WHOLE_MILLI; share++) {
        t->n_shares += share_seen[share];
        t->rank[share] = (uint16_t)t->n_shares;
    }
    t->n_groups = 0;
    for (uint32_t k = 1; k <= LSCHED_DEVICES_PER_NODE_MAX; k++) {
        if (!devices_seen[k]) continue;
        group[k] = (uint16_t)t->n_groups;
        t->group_devices[t->n_groups++] = (uint16_t)k;
    }
    t->row_cells = t->n_groups * (t->n_shares + 1);
    for (uint32_t i = 0; i < t->mix.n_gpu; i++) {
        uint32_t devices = t->mix.classes[i].devices;
        t->group_of[i] = devices > LSCHED_DEVICES_PER_NODE_MAX ? FRAG_GROUPS_MAX : group[devices];
    }
}

static void add_class(const struct frag_table *t, uint32_t class_index, uint32_t *row) {
    const struct frag_class *c = &t->mix.classes[class_index];
    uint32_t group = t->group_of[class_index];
    if (group == FRAG_GROUPS_MAX) return;
    row[group * (t->n_shares + 1) + t->rank[c->share_milli]] += c->popularity;
}

/* Before the call, a cell holds the popularity of the classes with exactly one share. After the
 * call, it holds the popularity of the classes with this share or a smaller one. */
static void sum_up(const struct frag_table *t, uint32_t *row, uint32_t groups) {
    for (uint32_t group = 0; group < groups; group++, row += t->n_shares + 1)
        for (uint32_t share = 1; share <= t->n_shares; share++) row[share] += row[share - 1];
}

static void fill_rows(struct frag_table *t) {
    uint32_t *row = t->rows;
    for (uint32_t model = 0; model < t->n_models; model++) {
        memset(t->scratch, 0, t->row_cells * sizeof *row);
        uint32_t next = 0;
        for (uint32_t step = 0; step <= t->n_steps; step++, row += t->row_cells) {
            for (; next < t->admitted[step]; next++)
                if (frag_allows(&t->mix, next, model)) add_class(t, next, t->scratch);
            memcpy(row, t->scratch, t->row_cells * sizeof *row);
            sum_up(t, row, t->n_groups);
        }
    }
}

/* Allocates the arrays for n classes. The rows are in a second block, because their size is known
 * only after find_ranks. */
static int32_t frag_table_allocate(struct frag_table *t, const lsched_algorithm_env *env) {
    size_t n = t->mix.n_gpu + (size_t)1;
    size_t each = (1 + t->mix.n_others) * sizeof *t->step + sizeof *t->admitted +
                  t->mix.n_others * sizeof *t->by_request + sizeof *t->group_of;
    if (n > SIZE_MAX / each) return LSCHED_E_NOMEM;
    char *at = env->alloc(env->engine, n * each);
    if (!at) return LSCHED_E_NOMEM;
    t->block = at;
    t->block_bytes = n * each;
    t->step = (void *)at;
    at += n * sizeof *t->step;
    t->most = (void *)at;
    at += n * t->mix.n_others * sizeof *t->most;
    t->admitted = (void *)at;
    at += n * sizeof *t->admitted;
    t->by_request = (void *)at;
    at += n * t->mix.n_others * sizeof *t->by_request;
    t->group_of = (void *)at;
    return LSCHED_OK;
}

static size_t table_cells(const struct frag_table *t) {
    size_t rows = (size_t)t->n_models * (t->n_steps + 1);
    return rows > FRAG_CELLS_MAX / t->row_cells ? 0 : rows * t->row_cells;
}

static int32_t allocate_rows(struct frag_table *t, const lsched_algorithm_env *env) {
    size_t cells = table_cells(t);
    t->scratch = env->alloc(env->engine, (t->row_cells + cells) * sizeof *t->scratch);
    if (!t->scratch) return LSCHED_E_NOMEM;
    t->rows = cells ? t->scratch + t->row_cells : NULL;
    return LSCHED_OK;
}

int32_t frag_table_read(struct frag_table *table, const lsched_algorithm_env *env,
                        const lsched_view *view, const struct frag_rule *rule) {
    struct frag_mix mix = {.n = 0};
    int32_t status = frag_mix_read(&mix, env, view, rule);
    if (status == LSCHED_OK && frag_mix_equals(&mix, &table->mix)) {
        frag_mix_free(&mix, env);
        return LSCHED_PREPARED_SAME;
    }
    frag_table_free(table, env);
    table->mix = mix;
    if (status == LSCHED_OK && table->mix.n_gpu > 0) {
        table->n_models = table->mix.models.n + 1;
        status = frag_table_allocate(table, env);
        if (status == LSCHED_OK) {
            find_steps(table);
            find_ranks(table);
            find_orders(table);
            status = allocate_rows(table, env);
        }
        if (status == LSCHED_OK && table->rows) fill_rows(table);
    }
    if (status < 0) frag_table_free(table, env);
    return status;
}

void frag_table_free(struct frag_table *table, const lsched_algorithm_env *env) {
    size_t cells = table->row_cells + (table->rows ? table_cells(table) : 0);
    env_free(env, table->scratch, cells * sizeof *table->scratch);
    env_free(env, table->block, table->block_bytes);
    frag_mix_free(&table->mix, env);
    memset(table, 0, sizeof *table);
}

/* ---- asking ---- */

/* Returns the number of steps of cpu that are at most this amount. */
static uint32_t steps_within(const struct frag_table *t, int64_t cpu_milli) {
    uint32_t low = 0;
    uint32_t n = t->n_steps;
    while (n > 0) {
        uint32_t half = n / 2;
        if (t->step[low + half] <= cpu_milli) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

/* True if the class asks for more than the free amount `room` of one of the first n other kinds. */
static int is_short(const struct frag_mix *mix, uint32_t class_index, const int64_t *room,
                    uint32_t n) {
    int is = 0;
    for (uint32_t o = 0; o < n; o++)
        is |= frag_requests(mix, mix->other[o])[class_index] > room[mix->other[o]];
    return is;
}

/* Sums up in t->scratch the row of the classes that the free cpu admits, except for classes that
 * another kind or the device model excludes. */
static void sum_row(const struct frag_table *t, uint32_t model, uint32_t step, const int64_t *room,
                    uint32_t groups) {
    memset(t->scratch, 0, t->row_cells * sizeof *t->scratch);
    for (uint32_t i = 0; i < t->admitted[step]; i++)
        if (!is_short(&t->mix, i, room, t->mix.n_others) && frag_allows(&t->mix, i, model))
            add_class(t, i, t->scratch);
    sum_up(t, t->scratch, groups);
}

/* Sums up in t->scratch the row of the classes that the free cpu admits but another kind excludes.
 * Returns the number of these classes. If several kinds exclude a class, the class is counted only
 * once, for the first of these kinds. */
static uint32_t sum_short(const struct frag_table *t, uint32_t model, uint32_t step,
                          const int64_t *room, uint32_t groups) {
    const struct frag_mix *mix = &t->mix;
    const int64_t *most = t->most + (size_t)step * mix->n_others;
    uint32_t n = 0;
    for (uint32_t o = 0; o < mix->n_others; o++) {
        int64_t enough = room[mix->other[o]];
        if (most[o] <= enough) continue;
        const int64_t *requests = frag_requests(mix, mix->other[o]);
        const uint32_t *order = t->by_request + (size_t)o * mix->n_gpu;
        for (uint32_t at = 0; at < mix->n_gpu && requests[order[at]] > enough; at++) {
            uint32_t i = order[at];
            if (i >= t->admitted[step]) continue;
            if (!frag_allows(mix, i, model) || is_short(mix, i, room, o)) continue;
            if (n++ == 0) memset(t->scratch, 0, t->row_cells * sizeof *t->scratch);
            add_class(t, i, t->scratch);
        }
    }
    if (n > 0) sum_up(t, t->scratch, groups);
    return n;
}

const uint32_t *frag_row(const struct frag_table *table, uint32_t model, const int64_t *room,
                         uint32_t groups) {
    uint32_t step = steps_within(table, room[LSCHED_CPU]);
    if (!table->rows) {
        sum_row(table, model, step, room, groups);
        return table->scratch;
    }
    const uint32_t *row =
        table->rows + ((size_t)model * (table->n_steps + 1) + step) * table->row_cells;
    if (sum_short(table, model, step, room, groups) == 0) return row;
    uint32_t cells = groups * (table->n_shares + 1);
    for (uint32_t i = 0; i < cells; i++) table->scratch[i] = row[i] - table->scratch[i];
    return table->scratch;
}

uint32_t frag_groups(const struct frag_table *table, uint32_t n, const uint16_t *free_milli) {
    uint32_t groups = 1;
    while (groups < table->n_groups && table->group_devices[groups] <= n &&
           free_milli[table->group_devices[groups] - 1] >= table->gang_share_min)
        groups++;
    return groups;
}

int64_t frag_usable_single(const struct frag_table *table, const uint32_t *row, uint32_t n,
                           const uint16_t *free_milli) {
    int64_t usable = 0;
    for (uint32_t j = 0; j < n; j++)
        usable += frag_wanted(table, row, free_milli[j]) * free_milli[j];
    return usable;
}

int64_t frag_usable_gang(const struct frag_table *table, const uint32_t *row, uint32_t groups,
                         uint32_t n, const uint16_t *free_milli) {
    int64_t usable = 0;
    for (uint32_t group = 1; group < groups; group++) {
        uint32_t k = table->group_devices[group];
        const uint32_t *up_to = row + group * (table->n_shares + 1);
        /* popularity of the classes of this group that can use the k devices with the largest free
         * share */
        int64_t wanted = up_to[table->rank[free_milli[k - 1]]];
        if (wanted == 0) continue;
        for (uint32_t j = 0; j < n; j++) {
            if (j >= k) wanted = up_to[table->rank[free_milli[j]]];
            usable += wanted * free_milli[j];
        }
    }
    return usable;
}

int64_t frag_usable_mixed(const struct frag_table *table, const int64_t *room,
                          const struct place_pieces *pieces) {
    int64_t usable = 0;
    uint32_t admitted = table->admitted[steps_within(table, room[LSCHED_CPU])];
    for (uint32_t i = 0; i < admitted; i++) {
        const struct frag_class *c = &table->mix.classes[i];
        if (is_short(&table->mix, i, room, table->mix.n_others)) continue;
        uint32_t able = 0;
        int64_t milli = 0;
        for (uint32_t j = 0; j < pieces->n; j++) {
            if (pieces->free_milli[j] < c->share_milli) continue;
            if (!frag_allows(&table->mix, i, pieces->model[j])) continue;
            able++;
            milli += pieces->free_milli[j];
        }
        if (able >= c->devices) usable += milli * c->popularity;
    }
    return usable;
}
