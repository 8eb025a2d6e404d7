/* verify_gates.c -- see verify_gates.h. The sums are made again from the dependencies, whose lists
 * columns_check() has proved to be sound. */
#include "engine/verify/verify_gates.h"

enum { NEED_WAITS, NEED_MET, NEED_NEVER, SUCCEEDED = 1, FAILED = 2 };

struct gate_sums {
    uint32_t waits, never;
    int64_t ready;
};

/* Returns the state of a dependency, by the events of the other job; *at: when it is met. */
static uint32_t verify_gates_state(const struct columns *k, uint32_t a, int64_t *at) {
    uint32_t on = k->c[C_AFTER_ON].u32[a], outcome = k->c[C_GATE_OUTCOME].u8[on];
    uint32_t job = k->c[C_GATE_JOB].u32[on];
    int64_t started = job == NO_ROW ? k->c[C_GATE_STARTED].i64[on] : k->c[C_JOB_STARTED].i64[job],
            ended = k->c[C_GATE_ENDED].i64[on];
    int met;
    *at = ended;
    switch (k->c[C_AFTER_KIND].u8[a]) {
    case LSCHED_AFTER_START:
        *at = started;
        met = started != 0;
        break;
    case LSCHED_AFTER_SUCCESS: met = outcome == SUCCEEDED; break;
    case LSCHED_AFTER_FAILURE: met = outcome == FAILED; break;
    default: met = ended != 0; break;
    }
    if (met) return NEED_MET;
    return ended ? NEED_NEVER : NEED_WAITS;
}

static int32_t verify_gates_sum(struct check *c, uint32_t gate, struct gate_sums *s) {
    const struct columns *k = c->k;
    *s = (struct gate_sums){0};
    for (uint32_t a = k->c[C_GATE_FIRST].u32[gate]; a != NO_ROW; a = k->c[C_AFTER_NEXT].u32[a]) {
        uint32_t have = k->c[C_AFTER_STATE].u8[a], on = k->c[C_AFTER_ON].u32[a];
        int64_t at, delay = k->c[C_AFTER_DELAY].i64[a];
        uint32_t wanted = verify_gates_state(k, a, &at);
        if (have != wanted && !(have == NEED_WAITS && k->c[C_GATE_NEWS].u8[on]))
            return check_fail(c, "%s: a dependency of %s is in state %u; expected %u",
                              NAME(T_AFTER, a), NAME(T_GATE, gate), have, wanted);
        s->waits += have == NEED_WAITS;
        s->never += have == NEED_NEVER;
        at = at > LSCHED_AMOUNT_MAX - delay ? LSCHED_AMOUNT_MAX : at + delay;
        if (have == NEED_MET && at > s->ready) s->ready = at;
    }
    return LSCHED_OK;
}

uint32_t verify_gates_code(const struct columns *k, uint32_t gate, int64_t *until) {
    int64_t begin = k->c[C_GATE_BEGIN].i64[gate], ready = k->c[C_GATE_READY].i64[gate];
    *until = LSCHED_NEVER_US;
    if (k->c[C_GATE_NEVER].u32[gate]) return LSCHED_WAIT_DEPENDENCY_NEVER;
    if (k->c[C_GATE_WAITS].u32[gate]) return LSCHED_WAIT_DEPENDENCY;
    *until = begin > ready ? begin : ready;
    return LSCHED_WAIT_BEGIN;
}

int verify_gates_holds(uint32_t code) {
    return code == LSCHED_WAIT_HELD || code == LSCHED_WAIT_HOST_HOLD || code == LSCHED_WAIT_BEGIN ||
           code == LSCHED_WAIT_DEPENDENCY || code == LSCHED_WAIT_DEPENDENCY_NEVER;
}

/* True if the next cycle removes the job: it waits for what can never be, and holds nothing. */
static int verify_gates_goes(const struct columns *k, uint32_t gate, uint32_t job) {
    uint64_t held = 0;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        held += (uint64_t)k->c[C_LEAF_PLACED].u32[l] + k->c[C_LEAF_LEAVING].u32[l];
    return k->c[C_GATE_NEVER].u32[gate] && k->c[C_GATE_ON_NEVER].u8[gate] && held == 0;
}

/* Checks what a gate with a job says of its job. */
static int32_t verify_gates_job(struct check *c, uint32_t gate, uint32_t job) {
    const struct columns *k = c->k;
    int64_t opens, due = k->c[C_GATE_EXPIRES].i64[gate];
    uint32_t needs = k->c[C_GATE_FIRST].u32[gate] != NO_ROW;
    uint8_t closed = needs || k->c[C_GATE_BEGIN].i64[gate];
    if (k->c[C_WATCH_CLOSED].u8[k->c[C_JOB_WATCH].u32[job]] != closed)
        return check_fail(c, "the gate of %s is %s; expected the contrary", NAME(T_JOB, job),
                          closed ? "open" : "closed");
    (void)verify_gates_code(k, gate, &opens);
    if (!closed) opens = LSCHED_NEVER_US;
    if (due == 0 || opens < due) due = opens;
    if (verify_gates_goes(k, gate, job)) due = 0;
    if (k->c[C_GATE_DUE].i64[gate] != due)
        return check_fail(c, "the gate of %s is due at %lld; expected %lld", NAME(T_JOB, job),
                          (long long)k->c[C_GATE_DUE].i64[gate], (long long)due);
    if (k->c[C_GATE_ENDED].i64[gate] || k->c[C_GATE_STARTED].i64[gate] ||
        k->c[C_GATE_OUTCOME].u8[gate] || (!needs && k->c[C_GATE_ON_NEVER].u8[gate]))
        return check_fail(c,
                          "the gate of %s has an end or a rule, but the job exists and waits "
                          "for no other",
                          NAME(T_JOB, job));
    return LSCHED_OK;
}

/* Checks a gate that has outlived its job. */
static int32_t verify_gates_ended(struct check *c, uint32_t gate) {
    const struct columns *k = c->k;
    if (k->c[C_GATE_ENDED].i64[gate] && k->c[C_GATE_OUTCOME].u8[gate] &&
        k->c[C_GATE_FOLLOWER].u32[gate] != NO_ROW &&
        k->c[C_GATE_DUE].i64[gate] == LSCHED_NEVER_US && k->c[C_GATE_BEGIN].i64[gate] == 0 &&
        k->c[C_GATE_EXPIRES].i64[gate] == 0 && k->c[C_GATE_ON_NEVER].u8[gate] == 0)
        return LSCHED_OK;
    return check_fail(c, "%s has no job, and is not the outcome for which others wait",
                      NAME(T_GATE, gate));
}

static int32_t verify_gates_watches(struct check *c) {
    const struct columns *k = c->k;
    EACH_LIVE(k, T_WATCH, w) {
        if (k->c[C_WATCH_CLOSED].u8[w] && !k->c[C_WATCH_GATE].u32[w])
            return check_fail(c, "%s is closed, but has no gate", NAME(T_WATCH, w));
    }
    return LSCHED_OK;
}

/* A job that runs or has done a part of its work has started. */
static int32_t verify_gates_started(struct check *c) {
    const struct columns *k = c->k;
    EACH_LIVE(k, T_LEAF, l) {
        uint32_t job = k->c[C_LEAF_JOB].u32[l];
        if (k->c[C_LEAF_RUNNING].u32[l] + k->c[C_LEAF_DONE].u32[l] &&
            k->c[C_JOB_STARTED].i64[job] == 0)
            return check_fail(c, "%s has tasks that run or are done, but it has not started",
                              NAME(T_JOB, job));
    }
    return LSCHED_OK;
}

int32_t verify_gates(struct check *c) {
    const struct columns *k = c->k;
    int32_t rc = verify_gates_watches(c);
    if (rc == LSCHED_OK) rc = verify_gates_started(c);
    EACH_LIVE(k, T_GATE, g) {
        struct gate_sums s;
        uint32_t job = k->c[C_GATE_JOB].u32[g];
        if (rc == LSCHED_OK) rc = verify_gates_sum(c, g, &s);
        if (rc != LSCHED_OK) return rc;
        if (s.waits != k->c[C_GATE_WAITS].u32[g] || s.never != k->c[C_GATE_NEVER].u32[g] ||
            s.ready != k->c[C_GATE_READY].i64[g])
            return check_fail(c, "%s counts other dependencies than it has", NAME(T_GATE, g));
        rc = job == NO_ROW ? verify_gates_ended(c, g) : verify_gates_job(c, g, job);
    }
    return rc;
}
