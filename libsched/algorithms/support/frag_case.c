/*
 * frag_case.c -- see frag_case.h. Opening a case takes O(devices) and allocates nothing.
 */
#include "algorithms/support/frag_case.h"

void frag_case_open(struct frag_case *c, const struct frag_table *table, const lsched_view *view,
                    const lsched_task_shape *task, uint32_t node) {
    struct place_pieces *pieces = &c->pieces;
    c->table = table;
    c->task = task;
    c->row = NULL;
    c->usable_before = c->single_after = c->gang_after = 0;
    place_pieces_read(pieces, view, task, node);
    uint32_t n = pieces->n;
    /* no class has devices, or the node has no device: nothing is usable, and F is popularity *
     * idle */
    if (table->mix.n_gpu == 0 || n == 0) return;

    for (uint32_t j = 0; j < n; j++)
        pieces->model[j] = j && pieces->same_model
                               ? pieces->model[0]
                               : frag_model_number(&table->mix.models, pieces->model[j]);
    uint32_t n_kinds = table->mix.n_kinds;
    c->groups = frag_groups(table, n, pieces->free_milli);
    for (uint32_t kind = 1; kind < n_kinds; kind++) c->room[kind] = view->node_free[kind][node];
    if (pieces->same_model) {
        const uint32_t *row = frag_row(table, pieces->model[0], c->room, c->groups);
        c->usable_before = frag_usable_single(table, row, n, pieces->free_milli) +
                           frag_usable_gang(table, row, c->groups, n, pieces->free_milli);
    } else {
        c->usable_before = frag_usable_mixed(table, c->room, pieces);
    }
    for (uint32_t kind = 1; kind < n_kinds; kind++) c->room[kind] -= task->request[kind];
    if (!pieces->same_model) return;
    c->row = frag_row(table, pieces->model[0], c->room, c->groups);
    c->single_after = frag_usable_single(table, c->row, n, pieces->free_milli);
    c->gang_after = frag_usable_gang(table, c->row, c->groups, n, pieces->free_milli);
}

/* Subtracts the task's share from the chosen devices and sorts all devices by free share again. The
 * devices that were not chosen are still sorted, and so are the chosen ones. Therefore it is enough
 * to merge the two lists. */
static void frag_case_take(const struct frag_case *c, const struct piece_set *chosen,
                           struct place_pieces *after) {
    const struct place_pieces *before = &c->pieces;
    uint32_t milli = c->task->device_milli;
    uint32_t kept = 0;
    uint32_t taken = 0;
    after->n = before->n;
    for (uint32_t j = 0; j < before->n; j++) {
        while (kept < before->n && piece_set_has(chosen, kept)) kept++;
        while (taken < before->n && !piece_set_has(chosen, taken)) taken++;
        int from_taken = kept == before->n ||
                         (taken < before->n &&
                          before->free_milli[taken] - milli > (uint32_t)before->free_milli[kept]);
        uint32_t from = from_taken ? taken++ : kept++;
        after->free_milli[j] = (uint16_t)(before->free_milli[from] - (from_taken ? milli : 0));
        after->model[j] = before->model[from];
    }
}

static int64_t usable_after(const struct frag_case *c, const struct piece_set *chosen) {
    const struct frag_table *table = c->table;
    struct place_pieces after;
    int64_t single = c->single_after;
    int64_t gang = c->gang_after;
    int gang_changes = 0;
    for (uint32_t j = 0; c->row && j < c->pieces.n; j++) {
        if (!piece_set_has(chosen, j)) continue;
        uint32_t was = c->pieces.free_milli[j];
        uint32_t is = was - c->task->device_milli;
        single += frag_wanted(table, c->row, is) * is - frag_wanted(table, c->row, was) * was;
        gang_changes |= was >= table->gang_share_min;
    }
    if (c->row && !gang_changes) return single + gang;
    frag_case_take(c, chosen, &after);
    if (!c->row) return frag_usable_mixed(table, c->room, &after);
    uint32_t groups = frag_groups(table, after.n, after.free_milli);
    return single + frag_usable_gang(table, c->row, groups, after.n, after.free_milli);
}

int64_t frag_case_gain(const struct frag_case *c, const struct piece_set *chosen) {
    int64_t taken_milli = (int64_t)c->task->gpu_devices * c->task->device_milli;
    int64_t gain = c->table->mix.popularity * taken_milli - c->usable_before;
    if (c->table->mix.n_gpu == 0 || c->pieces.n == 0) return gain;
    return gain + usable_after(c, chosen);
}

uint32_t frag_case_next(const struct frag_case *c, uint32_t *walk, struct piece_set *chosen) {
    const struct place_pieces *pieces = &c->pieces;
    if (c->task->gpu_devices != 1) {
        *chosen = place_pieces_tightest(pieces, c->task->gpu_devices);
        return (*walk)++ == 0;
    }
    for (uint32_t j = pieces->n - *walk; j > 0; j--) {
        uint32_t at = j - 1;
        *walk = pieces->n - at;
        if (!piece_set_has(&pieces->fits, at)) continue;
        /* skip the device if an equal device that fits was a choice before */
        uint32_t twin = at + 1;
        while (twin < pieces->n && pieces->free_milli[twin] == pieces->free_milli[at] &&
               !(piece_set_has(&pieces->fits, twin) && pieces->model[twin] == pieces->model[at]))
            twin++;
        if (twin < pieces->n && pieces->free_milli[twin] == pieces->free_milli[at]) continue;
        *chosen = (struct piece_set){{0}};
        piece_set_add(chosen, at);
        return 1;
    }
    return 0;
}
