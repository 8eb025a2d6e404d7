/* gate_circle.c -- see gate_circle.h. */
#include "model/dependencies/gate_circle.h"

/* from[g]: 0 if the gate was not reached, else 1 + the gate before it, or NO_ROW for a start. */
struct circle_search {
    const struct columns *k;
    uint32_t *from, *stack, n;
};

static void circle_reach(struct circle_search *s, uint32_t gate, uint32_t before) {
    if (gate == NO_ROW || s->from[gate]) return;
    s->from[gate] = before == NO_ROW ? NO_ROW : before + 1;
    s->stack[s->n++] = gate;
}

/* Fills the circle from the gate that waits for the job back to a start. */
static void circle_tell(const struct circle_search *s, uint32_t job, uint32_t last,
                        struct gate_circle *circle) {
    uint32_t n = 1, g = last;
    for (; s->from[g] != NO_ROW; g = s->from[g] - 1) n++;
    circle->n = n + 1;
    circle->job[0] = job;
    for (uint32_t at = n, i = last;; i = s->from[i] - 1, at--) {
        if (at < GATE_CIRCLE_NAMES) circle->job[at] = s->k->c[C_GATE_JOB].u32[i];
        if (s->from[i] == NO_ROW) break;
    }
}

/* Returns a gate that is reached and waits for `gate`; NO_ROW if there is none. */
static uint32_t circle_walk(struct circle_search *s, uint32_t gate) {
    const struct columns *k = s->k;
    while (s->n > 0) {
        uint32_t g = s->stack[--s->n];
        for (uint32_t a = k->c[C_GATE_FIRST].u32[g]; a != NO_ROW; a = k->c[C_AFTER_NEXT].u32[a]) {
            if (!gate_after_waits(k, a)) continue;
            if (k->c[C_AFTER_ON].u32[a] == gate) return g;
            circle_reach(s, k->c[C_AFTER_ON].u32[a], g);
        }
    }
    return NO_ROW;
}

/* True if one of the jobs waits for others. */
static int circle_has_next(const struct columns *k, const uint32_t *on, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        uint32_t gate = on[i] == NO_ROW ? NO_ROW : gate_row(k, on[i]);
        if (gate != NO_ROW && k->c[C_GATE_FIRST].u32[gate] != NO_ROW) return 1;
    }
    return 0;
}

int32_t gate_circle_find(const struct columns *k, uint32_t job, const uint32_t *on, uint32_t n,
                         struct gate_circle *circle) {
    uint32_t gate = gate_row(k, job), rows = table_rows(k, T_GATE);
    for (uint32_t i = 0; i < n; i++)
        if (on[i] == job) {
            *circle = (struct gate_circle){.n = 1, .job = {job}};
            return 1;
        }
    if (gate == NO_ROW || k->c[C_GATE_FOLLOWER].u32[gate] == NO_ROW || !circle_has_next(k, on, n))
        return 0;
    struct circle_search s = {.k = k};
    size_t bytes = 2 * (size_t)rows * sizeof *s.from;
    s.from = alloc_new(k->alloc, bytes);
    if (!s.from) return LSCHED_E_NOMEM;
    memset(s.from, 0, bytes);
    s.stack = s.from + rows;
    for (uint32_t i = 0; i < n; i++)
        if (on[i] != NO_ROW) circle_reach(&s, gate_row(k, on[i]), NO_ROW);
    uint32_t last = circle_walk(&s, gate);
    if (last != NO_ROW) circle_tell(&s, job, last, circle);
    alloc_free(k->alloc, s.from, bytes);
    return last != NO_ROW;
}
