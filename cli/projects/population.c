/*
 * population.c -- see population.h.
 */
#include "cli/projects/population.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

/* A new population begins after this many children for each individual without a better one. */
enum { IDLE_MAX = 25, MUTATIONS_PERCENT = 5 };

static void find_tails(const struct project *project, int32_t *tail) {
    for (uint32_t place = project->n; place-- > 0;) {
        uint32_t i = project->order[place];
        tail[i] = 0;
        for (uint32_t e = project->next_at[i]; e < project->next_at[i + 1]; e++)
            if (tail[project->next[e]] > tail[i]) tail[i] = tail[project->next[e]];
        tail[i] += project->duration[i];
    }
}

void population_begin(struct population *p, const struct project *project, uint64_t seed) {
    size_t n = project->n + 1;
    memset(p, 0, sizeof *p);
    p->project = project;
    p->prng.state = seed;
    list_schedule_begin(&p->schedule, project);
    for (size_t i = 0; i <= POPULATION_SIZE; i++)
        p->people[i].list = must_alloc(n * sizeof p->people[i].list[0]);
    p->tail = must_alloc(n * sizeof p->tail[0]);
    p->open = must_alloc(n * sizeof p->open[0]);
    p->may = must_alloc(n * sizeof p->may[0]);
    p->taken = must_alloc_zero(n);
    p->start = must_alloc(n * sizeof p->start[0]);
    p->best_start = must_alloc(n * sizeof p->best_start[0]);
    find_tails(project, p->tail);
    p->best = list_schedule_make(&p->schedule, project->order, p->best_start);
}

void population_end(struct population *p) {
    list_schedule_end(&p->schedule);
    for (size_t i = 0; i <= POPULATION_SIZE; i++) free(p->people[i].list);
    free(p->tail);
    free(p->open);
    free(p->may);
    free(p->taken);
    free(p->start);
    free(p->best_start);
    memset(p, 0, sizeof *p);
}

/* ---- new lists ---- */

/* Makes a random list in which an activity with a long tail is more likely to come early: of a few
 * that may come next, the one with the longest tail comes. */
static void random_list(struct population *p, uint32_t *list) {
    const struct project *project = p->project;
    uint32_t n_may = 0;
    for (uint32_t i = 0; i < project->n; i++) {
        p->open[i] = project->prior_at[i + 1] - project->prior_at[i];
        if (p->open[i] == 0) p->may[n_may++] = i;
    }
    for (uint32_t place = 0; place < project->n; place++) {
        uint32_t pick = (uint32_t)prng_below(&p->prng, n_may);
        for (int other = 0; other < 2; other++) {
            uint32_t rival = (uint32_t)prng_below(&p->prng, n_may);
            if (p->tail[p->may[rival]] > p->tail[p->may[pick]]) pick = rival;
        }
        uint32_t i = p->may[pick];
        p->may[pick] = p->may[--n_may];
        list[place] = i;
        for (uint32_t e = project->next_at[i]; e < project->next_at[i + 1]; e++)
            if (--p->open[project->next[e]] == 0) p->may[n_may++] = project->next[e];
    }
}

/* Writes the activities of `from` that are not taken yet to the list, until it has `until`. */
static uint32_t inherit(struct population *p, const uint32_t *from, uint32_t *list, uint32_t have,
                        uint32_t until) {
    for (uint32_t place = 0; have < until; place++) {
        if (p->taken[from[place]]) continue;
        p->taken[from[place]] = 1;
        list[have++] = from[place];
    }
    return have;
}

static bool is_link(const struct project *project, uint32_t before, uint32_t after) {
    for (uint32_t e = project->next_at[before]; e < project->next_at[before + 1]; e++)
        if (project->next[e] == after) return true;
    return false;
}

static void cross(struct population *p, const uint32_t *mother, const uint32_t *father,
                  uint32_t *child) {
    uint32_t n = p->project->n;
    uint32_t one = (uint32_t)prng_below(&p->prng, n), two = (uint32_t)prng_below(&p->prng, n);
    memset(p->taken, 0, n);
    uint32_t have = inherit(p, mother, child, 0, one < two ? one : two);
    have = inherit(p, father, child, have, one < two ? two : one);
    inherit(p, mother, child, have, n);
    for (uint32_t place = 0; place + 1 < n; place++) {
        uint32_t i = child[place], j = child[place + 1];
        if (prng_below(&p->prng, 100) >= MUTATIONS_PERCENT || is_link(p->project, i, j)) continue;
        child[place] = j;
        child[place + 1] = i;
    }
}

/* ---- the search ---- */

/* Schedules the list of the child. Returns true if its schedule is the best one. */
static bool judge_child(struct population *p) {
    struct individual *child = &p->people[POPULATION_SIZE];
    list_schedule_make(&p->schedule, child->list, p->start);
    child->makespan = list_schedule_justify(&p->schedule, p->start, child->list);
    if (child->makespan >= p->best) return false;
    p->best = child->makespan;
    memcpy(p->best_start, p->start, p->project->n * sizeof p->start[0]);
    return true;
}

static void swap_child(struct population *p, uint32_t place) {
    struct individual *child = &p->people[POPULATION_SIZE];
    struct individual old = p->people[place];
    p->people[place] = *child;
    *child = old;
}

static bool grow(struct population *p) {
    random_list(p, p->people[POPULATION_SIZE].list);
    bool better = judge_child(p);
    swap_child(p, p->alive++);
    return better;
}

/* Makes a child of two winners of small contests. The child takes the place of a loser, unless the
 * loser is better. */
static bool breed(struct population *p) {
    uint32_t pick[4];
    for (int i = 0; i < 4; i++) pick[i] = (uint32_t)prng_below(&p->prng, POPULATION_SIZE);
    for (int i = 0; i < 4; i += 2) {
        if (p->people[pick[i]].makespan <= p->people[pick[i + 1]].makespan) continue;
        uint32_t old = pick[i];
        pick[i] = pick[i + 1];
        pick[i + 1] = old;
    }
    cross(p, p->people[pick[0]].list, p->people[pick[2]].list, p->people[POPULATION_SIZE].list);
    bool better = judge_child(p);
    uint32_t loser = p->people[pick[1]].makespan >= p->people[pick[3]].makespan ? pick[1] : pick[3];
    int32_t rival = p->people[loser].makespan, child = p->people[POPULATION_SIZE].makespan;
    p->idle = child < rival ? 0 : p->idle + 1;
    if (child <= rival) swap_child(p, loser);
    if (p->idle > IDLE_MAX * POPULATION_SIZE) p->alive = p->idle = 0;
    return better;
}

bool population_run(struct population *p, uint64_t work, int32_t enough) {
    uint64_t until = p->schedule.work + work;
    bool better = false;
    while (p->schedule.work < until && p->best > enough && p->project->n > 0) {
        p->schedule.work += p->project->n;
        better |= p->alive < POPULATION_SIZE ? grow(p) : breed(p);
    }
    return better;
}

void population_take(struct population *p, const int32_t *start, int32_t makespan) {
    struct individual *child = &p->people[POPULATION_SIZE];
    if (makespan >= p->best) return;
    memcpy(p->start, start, p->project->n * sizeof start[0]);
    p->best = list_schedule_justify(&p->schedule, p->start, child->list);
    child->makespan = p->best;
    memcpy(p->best_start, p->start, p->project->n * sizeof start[0]);
    if (p->alive == POPULATION_SIZE) swap_child(p, 0);
}
