/*
 * learn_project.c -- see learn_project.h.
 */
#include "cli/projects/learn_project.h"

#include <stdlib.h>
#include <string.h>

#include "cli/projects/learn_time_table.h"
#include "cli/support/cli_errors.h"

/* More pairs than these have no variable; the time tables hold for them, too. */
enum { PAIRS_MAX = 20000 };

/* ---- the variables ---- */

static bool exceed(const struct project *p, uint32_t i, uint32_t j) {
    for (uint32_t k = 0; k < p->n_resources; k++)
        if ((int64_t)project_demand(p, i, k) + project_demand(p, j, k) > p->capacity[k])
            return true;
    return false;
}

/* Writes for each activity the set of all that come after it, as rows of bits. */
static void find_reach(const struct project *p, uint64_t *reach, size_t words) {
    for (uint32_t place = p->n; place-- > 0;) {
        uint32_t i = p->order[place];
        for (uint32_t e = p->next_at[i]; e < p->next_at[i + 1]; e++) {
            uint32_t j = p->next[e];
            for (size_t w = 0; w < words; w++) reach[i * words + w] |= reach[j * words + w];
            reach[i * words + j / 64] |= (uint64_t)1 << (j % 64);
        }
    }
}

static void find_pairs(struct learn_project *p) {
    const struct project *project = p->project;
    uint32_t n = project->n;
    size_t words = n / 64 + 1;
    uint64_t *reach = must_alloc_zero(n * words * sizeof reach[0]);
    find_reach(project, reach, words);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t j = i + 1; j < n && p->n_pairs < PAIRS_MAX; j++) {
            if (project->duration[i] == 0 || project->duration[j] == 0 || !exceed(project, i, j))
                continue;
            if ((reach[i * words + j / 64] >> (j % 64) & 1) != 0) continue;
            if ((reach[j * words + i / 64] >> (i % 64) & 1) != 0) continue;
            p->pairs = must_grow(p->pairs, p->n_pairs, &p->pair_capacity, sizeof p->pairs[0]);
            p->pairs[p->n_pairs++] = (struct pair){i, j};
        }
    }
    free(reach);
}

static void list_pairs(struct learn_project *p) {
    uint32_t n = p->project->n;
    p->pairs_at = must_alloc_zero((n + 2) * sizeof p->pairs_at[0]);
    p->pairs_of = must_alloc((2 * p->n_pairs + 1) * sizeof p->pairs_of[0]);
    for (size_t x = 0; x < p->n_pairs; x++) {
        p->pairs_at[p->pairs[x].first + 2]++;
        p->pairs_at[p->pairs[x].second + 2]++;
    }
    for (uint32_t i = 0; i < n; i++) p->pairs_at[i + 2] += p->pairs_at[i + 1];
    for (size_t x = 0; x < p->n_pairs; x++) {
        p->pairs_of[p->pairs_at[p->pairs[x].first + 1]++] = (uint32_t)x;
        p->pairs_of[p->pairs_at[p->pairs[x].second + 1]++] = (uint32_t)x;
    }
}

static void make_table(const struct project *project, uint32_t k, struct time_table *table) {
    table->activity = must_alloc((project->n + 1) * sizeof table->activity[0]);
    for (uint32_t i = 0; i < project->n; i++) {
        int32_t demand = project_demand(project, i, k);
        if (demand == 0 || project->duration[i] == 0) continue;
        uint32_t place = table->n++;
        while (place > 0 && project_demand(project, table->activity[place - 1], k) < demand) {
            table->activity[place] = table->activity[place - 1];
            place--;
        }
        table->activity[place] = i;
    }
    size_t bytes = (table->n + 1) * sizeof table->activity[0];
    table->by_from = must_alloc(bytes);
    table->by_to = must_alloc(bytes);
    memcpy(table->by_from, table->activity, bytes - sizeof table->activity[0]);
    memcpy(table->by_to, table->activity, bytes - sizeof table->activity[0]);
    table->changed = true;
}

void learn_project_begin(struct learn_project *p, const struct project *project, int32_t horizon) {
    uint32_t n = project->n;
    memset(p, 0, sizeof *p);
    p->project = project;
    find_pairs(p);
    list_pairs(p);
    learn_begin(&p->learn, n + 1 + (uint32_t)p->n_pairs);
    for (uint32_t i = 0; i < n; i++) learn_range(&p->learn, i, 0, horizon - project->duration[i]);
    learn_range(&p->learn, n, 0, horizon);
    for (uint32_t x = 0; x < p->n_pairs; x++) learn_range(&p->learn, n + 1 + x, 0, 1);
    p->tables = must_alloc_zero((project->n_resources + 1) * sizeof p->tables[0]);
    for (uint32_t k = 0; k < project->n_resources; k++) make_table(project, k, &p->tables[k]);
    p->from = must_alloc_zero((n + 1) * sizeof p->from[0]);
    p->to = must_alloc_zero((n + 1) * sizeof p->to[0]);
    p->steps = must_alloc((2 * (size_t)n + 2) * sizeof p->steps[0]);
    p->reason = must_alloc((2 * (size_t)n + 3) * sizeof p->reason[0]);
}

void learn_project_end(struct learn_project *p) {
    for (uint32_t k = 0; k < p->project->n_resources; k++) {
        free(p->tables[k].activity);
        free(p->tables[k].by_from);
        free(p->tables[k].by_to);
    }
    learn_end(&p->learn);
    free(p->tables);
    free(p->pairs);
    free(p->pairs_at);
    free(p->pairs_of);
    free(p->from);
    free(p->to);
    free(p->steps);
    free(p->reason);
    memset(p, 0, sizeof *p);
}

/* ---- rules ---- */

/* `second` starts when `first` has ended, or later. `order` is the literal that demands this, and
 * is NULL if precedence does. */
static bool come_before(struct learn_project *p, uint32_t first, uint32_t second,
                        const struct literal *order) {
    struct learn *learn = &p->learn;
    int32_t duration = p->project->duration[first];
    int32_t least = learn_least(learn, first), most = learn_most(learn, second);
    struct literal why[2] = {learn_from(first, least)};
    uint32_t n = order != NULL ? 2 : 1;
    if (order != NULL) why[1] = *order;
    learn->work++;
    if (!learn_imply(learn, learn_from(second, least + duration), why, n, true)) return false;
    why[0] = learn_until(second, most);
    return learn_imply(learn, learn_until(first, most - duration), why, n, true);
}

/* Forbids that `first` comes before `second` if there is no time for it. */
static bool forbid_order(struct learn_project *p, uint32_t first, uint32_t second,
                         struct literal other_order) {
    struct learn *learn = &p->learn;
    int32_t duration = p->project->duration[first], most = learn_most(learn, second);
    if (learn_least(learn, first) + duration <= most) return true;
    struct literal why[2] = {learn_from(first, most - duration + 1), learn_until(second, most)};
    return learn_imply(learn, other_order, why, 2, false);
}

static bool keep_apart(struct learn_project *p, uint32_t x) {
    struct learn *learn = &p->learn;
    uint32_t variable = p->project->n + 1 + x, i = p->pairs[x].first, j = p->pairs[x].second;
    struct literal before = learn_from(variable, 1), after = learn_until(variable, 0);
    learn->work++;
    if (learn_least(learn, variable) == learn_most(learn, variable))
        return learn_least(learn, variable) == 1 ? come_before(p, i, j, &before)
                                                 : come_before(p, j, i, &after);
    return forbid_order(p, i, j, after) && forbid_order(p, j, i, before);
}

static bool start_changed(struct learn_project *p, uint32_t i) {
    const struct project *project = p->project;
    struct literal why = learn_from(i, learn_least(&p->learn, i));
    bool fine = learn_imply(&p->learn, learn_from(project->n, why.value + project->duration[i]),
                            &why, 1, true);
    for (uint32_t e = project->next_at[i]; fine && e < project->next_at[i + 1]; e++)
        fine = come_before(p, i, project->next[e], NULL);
    for (uint32_t e = project->prior_at[i]; fine && e < project->prior_at[i + 1]; e++)
        fine = come_before(p, project->prior[e], i, NULL);
    for (uint32_t e = p->pairs_at[i]; fine && e < p->pairs_at[i + 1]; e++)
        fine = keep_apart(p, p->pairs_of[e]);
    for (uint32_t k = 0; k < project->n_resources; k++)
        p->tables[k].changed |= project_demand(project, i, k) > 0;
    return fine;
}

static bool end_changed(struct learn_project *p) {
    const struct project *project = p->project;
    int32_t most = learn_most(&p->learn, project->n);
    struct literal why = learn_until(project->n, most);
    bool fine = true;
    for (uint32_t i = 0; fine && i < project->n; i++)
        fine = learn_imply(&p->learn, learn_until(i, most - project->duration[i]), &why, 1, true);
    return fine;
}

static bool propagate(struct learn_project *p) {
    struct learn *learn = &p->learn;
    uint32_t k = 0;
    while (k < p->project->n_resources) {
        while (learn->seen < learn->n_trail) {
            struct change change = learn->trail[learn->seen++];
            uint32_t variable = change.slot / 2, n = p->project->n;
            k = 0;
            if (!learn_visit(learn, &change)) return false;
            bool fine = variable < n    ? start_changed(p, variable)
                        : variable == n ? end_changed(p)
                                        : keep_apart(p, variable - n - 1);
            if (!fine) return false;
        }
        if (p->tables[k].changed) {
            p->tables[k].changed = false;
            if (!learn_time_table(p, k)) return false;
        }
        /* a time table that changed a start begins again with the first resource */
        if (learn->seen == learn->n_trail) k++;
    }
    return learn->seen == learn->n_trail;
}

bool learn_project_propagate(struct learn_project *p) {
    bool fine = propagate(p);
    /* what a conflict interrupts is done again after the search has gone back */
    for (uint32_t k = 0; !fine && k < p->project->n_resources; k++) p->tables[k].changed = true;
    return fine;
}

void learn_project_limit(struct learn_project *p, int32_t most) {
    struct learn *learn = &p->learn;
    bool fine = learn_imply(learn, learn_until(p->project->n, most), NULL, 0, false);
    learn->broken |= !fine || !learn_project_propagate(p);
}
