/* check_gates.c -- see check_gates.h. Cost: O(watches + gates + dependencies). */
#include "model/check/check_gates.h"

static int32_t check_gates_bad(struct check *c, uint32_t gate, const char *what) {
    return check_fail(c, "%s: %s", NAME(T_GATE, gate), what);
}

static int32_t check_gates_jobs(struct check *c) {
    const struct columns *k = c->k;
    EACH_LIVE(k, T_WATCH, w) {
        uint32_t gate = k->c[C_WATCH_GATE].u32[w];
        if (gate && (!row_is_live(k, T_GATE, gate - 1) ||
                     k->c[C_GATE_JOB].u32[gate - 1] != k->c[C_WATCH_JOB].u32[w]))
            return check_fail(c, "%s: its gate is of another job", NAME(T_WATCH, w));
    }
    EACH_LIVE(k, T_GATE, g) {
        uint32_t job = k->c[C_GATE_JOB].u32[g],
                 w = job == NO_ROW ? NO_ROW : k->c[C_JOB_WATCH].u32[job];
        if (job != NO_ROW && (w == NO_ROW || k->c[C_WATCH_GATE].u32[w] != g + 1))
            return check_gates_bad(c, g, "its job has another gate");
        if (job == NO_ROW && k->c[C_GATE_FIRST].u32[g] != NO_ROW)
            return check_gates_bad(c, g, "it has dependencies, but no job");
    }
    return LSCHED_OK;
}

/* Checks the list of dependencies of each gate. */
static int32_t check_gates_needs(struct check *c) {
    const struct columns *k = c->k;
    uint64_t n = 0, all = table_live(k, T_AFTER);
    EACH_LIVE(k, T_GATE, g) {
        for (uint32_t a = k->c[C_GATE_FIRST].u32[g]; a != NO_ROW; a = k->c[C_AFTER_NEXT].u32[a])
            if (k->c[C_AFTER_OF].u32[a] != g || ++n > all ||
                k->c[C_AFTER_JOB].u32[a] != k->c[C_GATE_JOB].u32[g])
                return check_gates_bad(c, g, "its list has a dependency of another job");
    }
    return n == all ? LSCHED_OK : check_fail(c, "a dependency is in no list of its job");
}

/* Checks the list of the jobs that wait for each gate. */
static int32_t check_gates_followers(struct check *c) {
    const struct columns *k = c->k;
    uint64_t n = 0, all = table_live(k, T_AFTER);
    EACH_LIVE(k, T_GATE, g) {
        uint32_t prev = NO_ROW;
        for (uint32_t a = k->c[C_GATE_FOLLOWER].u32[g]; a != NO_ROW;
             prev = a, a = k->c[C_AFTER_FOLLOWS].u32[a])
            if (k->c[C_AFTER_ON].u32[a] != g || k->c[C_AFTER_LEADS].u32[a] != prev || ++n > all)
                return check_gates_bad(c, g, "the list of the jobs that wait for it is damaged");
    }
    return n == all ? LSCHED_OK : check_fail(c, "a dependency is in no list of the other job");
}

static int32_t check_gates_news(struct check *c) {
    const struct columns *k = c->k;
    uint64_t marked = 0, n = 0;
    uint32_t prev = NO_ROW, g = (uint32_t)meta(k, M_GATE_NEWS);
    EACH_LIVE(k, T_GATE, row) marked += k->c[C_GATE_NEWS].u8[row];
    for (; g != NO_ROW && n <= marked; prev = g, g = k->c[C_GATE_NEWS_NEXT].u32[g], n++)
        if (!row_is_live(k, T_GATE, g) || !k->c[C_GATE_NEWS].u8[g] ||
            k->c[C_GATE_NEWS_PREV].u32[g] != prev)
            break;
    if (g == NO_ROW && n == marked && (uint32_t)meta(k, M_GATE_LAST) == prev) return LSCHED_OK;
    return check_fail(c, "the list of gates with news is damaged");
}

int32_t check_gates(struct check *c) {
    int32_t rc = check_gates_jobs(c);
    if (rc == LSCHED_OK) rc = check_gates_needs(c);
    if (rc == LSCHED_OK) rc = check_gates_followers(c);
    return rc == LSCHED_OK ? check_gates_news(c) : rc;
}
