/*
 * learn_time_table.c -- see learn_time_table.h.
 */
#include "cli/projects/learn_time_table.h"

struct table {
    struct learn_project *p;
    const struct time_table *of;
    uint32_t resource;
    int64_t capacity;
    uint32_t n_steps;
};

/* ---- the table ---- */

/* Sorts activities by a time. The list is nearly in order, because the last call sorted it. */
static void sort_by(uint32_t *list, uint32_t n, const int32_t *time) {
    for (uint32_t at = 1; at < n; at++) {
        uint32_t i = list[at], place = at;
        for (; place > 0 && time[list[place - 1]] > time[i]; place--) list[place] = list[place - 1];
        list[place] = i;
    }
}

static void find_parts(struct table *t) {
    struct learn_project *p = t->p;
    for (uint32_t at = 0; at < t->of->n; at++) {
        uint32_t i = t->of->activity[at];
        p->from[i] = learn_most(&p->learn, i);
        p->to[i] = learn_least(&p->learn, i) + p->project->duration[i];
    }
}

static bool has_part(const struct table *t, uint32_t i) {
    return t->p->from[i] < t->p->to[i];
}

static void make_steps(struct table *t) {
    struct learn_project *p = t->p;
    uint32_t n = t->of->n, a = 0, b = 0;
    int64_t load = 0;
    sort_by(t->of->by_from, n, p->from);
    sort_by(t->of->by_to, n, p->to);
    t->n_steps = 0;
    for (;;) {
        while (a < n && !has_part(t, t->of->by_from[a])) a++;
        while (b < n && !has_part(t, t->of->by_to[b])) b++;
        if (b == n) break;
        int32_t ends = p->to[t->of->by_to[b]];
        int32_t time =
            a < n && p->from[t->of->by_from[a]] < ends ? p->from[t->of->by_from[a]] : ends;
        if (t->n_steps > 0) p->steps[t->n_steps - 1].to = time;
        if (time == ends) {
            load -= project_demand(p->project, t->of->by_to[b++], t->resource);
        } else {
            load += project_demand(p->project, t->of->by_from[a++], t->resource);
        }
        if (t->n_steps > 0 && p->steps[t->n_steps - 1].from == time) t->n_steps--;
        p->steps[t->n_steps++] = (struct table_step){time, time, load};
    }
    p->learn.work += n / 2 + 1;
}

/* Writes to p->reason, from place `n` on, that activities other than `i` must run at the time, with
 * more demand than `room` together. Returns the number of literals there. */
static uint32_t explain(struct table *t, int32_t time, int64_t room, uint32_t i, uint32_t n) {
    struct learn_project *p = t->p;
    int64_t load = 0;
    for (uint32_t at = 0; load <= room && at < t->of->n; at++) {
        uint32_t j = t->of->activity[at];
        if (j == i || p->from[j] > time || p->to[j] <= time) continue;
        load += project_demand(p->project, j, t->resource);
        p->reason[n++] = learn_until(j, time);
        p->reason[n++] = learn_from(j, time - p->project->duration[j] + 1);
    }
    p->learn.work += t->of->n / 4 + 1;
    return n;
}

/* ---- conclusions ---- */

/* Returns the first step that ends after the time. */
static uint32_t find_step(const struct table *t, int32_t time) {
    uint32_t low = 0, high = t->n_steps;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (t->p->steps[middle].to > time) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* True if the step leaves too little for the activity, whose own part is not in the step. */
static bool is_blocked(const struct table *t, const struct table_step *step, uint32_t i,
                       int32_t demand) {
    if (step->load + demand <= t->capacity) return false;
    return !has_part(t, i) || step->from < t->p->from[i] || step->from >= t->p->to[i];
}

static bool push_later(struct table *t, uint32_t i) {
    struct learn_project *p = t->p;
    struct learn *learn = &p->learn;
    int32_t duration = p->project->duration[i];
    int32_t demand = project_demand(p->project, i, t->resource);
    for (uint32_t s = find_step(t, learn_least(learn, i)); s < t->n_steps;) {
        const struct table_step *step = &p->steps[s];
        int32_t least = learn_least(learn, i), until = least + duration;
        if (step->from >= until) break;
        learn->work++;
        if (step->to <= least || !is_blocked(t, step, i, demand)) {
            s++;
            continue;
        }
        int32_t time = (step->to < until ? step->to : until) - 1;
        p->reason[0] = learn_from(i, time - duration + 1);
        uint32_t n = explain(t, time, t->capacity - demand, i, 1);
        if (!learn_imply(learn, learn_from(i, time + 1), p->reason, n, false)) return false;
    }
    return true;
}

static bool push_earlier(struct table *t, uint32_t i) {
    struct learn_project *p = t->p;
    struct learn *learn = &p->learn;
    int32_t duration = p->project->duration[i];
    int32_t demand = project_demand(p->project, i, t->resource);
    uint32_t s = find_step(t, learn_most(learn, i) + duration - 1);
    s = s < t->n_steps ? s + 1 : s;
    while (s > 0) {
        const struct table_step *step = &p->steps[s - 1];
        int32_t most = learn_most(learn, i);
        if (step->to <= most) break;
        learn->work++;
        if (step->from >= most + duration || !is_blocked(t, step, i, demand)) {
            s--;
            continue;
        }
        int32_t time = step->from > most ? step->from : most;
        p->reason[0] = learn_until(i, time);
        uint32_t n = explain(t, time, t->capacity - demand, i, 1);
        if (!learn_imply(learn, learn_until(i, time - duration), p->reason, n, false)) return false;
    }
    return true;
}

bool learn_time_table(struct learn_project *p, uint32_t resource) {
    struct table t = {p, &p->tables[resource], resource, p->project->capacity[resource], 0};
    find_parts(&t);
    make_steps(&t);
    for (uint32_t s = 0; s < t.n_steps; s++) {
        if (p->steps[s].load <= t.capacity) continue;
        uint32_t n = explain(&t, p->steps[s].from, t.capacity, UINT32_MAX, 0);
        return learn_refuse(&p->learn, p->reason, n);
    }
    for (uint32_t at = 0; at < t.of->n; at++) {
        uint32_t i = t.of->activity[at];
        if (learn_least(&p->learn, i) == learn_most(&p->learn, i)) continue;
        if (!push_later(&t, i) || !push_earlier(&t, i)) return false;
    }
    return true;
}
