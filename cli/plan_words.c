/*
 * plan_words.c -- see plan_words.h. A number that is not known here comes from a newer library:
 * it stays readable.
 */
#include "plan_words.h"

#include <stddef.h>

const char *decision_word(uint32_t kind) {
    switch (kind) {
    case LSCHED_PLACE: return "place";
    case LSCHED_NOMINATE: return "nominate";
    case LSCHED_EVICT: return "evict";
    case LSCHED_MIGRATE: return "migrate";
    case LSCHED_RESIZE: return "resize";
    case LSCHED_RESERVE: return "reserve";
    case LSCHED_SUSPEND: return "suspend";
    case LSCHED_PAUSE: return "pause";
    case LSCHED_RESUME: return "resume";
    default: return "unknown";
    }
}

bool decision_stops(uint32_t kind) {
    return kind == LSCHED_EVICT || kind == LSCHED_MIGRATE;
}

bool decision_is_mig(const lsched_cluster *cluster, const lsched_decision *decision) {
    lsched_mig_instance instance;
    for (uint32_t i = 0; i < 32; i++) {
        uint32_t cursor = 0;
        if ((decision->device_mask >> i & 1) != 0 &&
            lsched_node_mig_next(cluster, decision->node, i, &cursor, &instance, NULL) == 1)
            return true;
    }
    return decision->device_starts != 0;
}

uint32_t decision_start(const lsched_decision *decision, uint32_t device) {
    return (uint32_t)(decision->device_starts >> (4 * device) & 15);
}

/* All its devices hold the same profile: the first tells. What a nomination names may still be cut
 * into the instances of others, so what stands at its slice says nothing of it. */
const char *decision_profile(const lsched_cluster *cluster, const lsched_decision *decision) {
    lsched_mig_instance instance;
    uint32_t cursor = 0;
    if (decision->device_mask == 0 || decision->kind == LSCHED_NOMINATE) return NULL;
    uint32_t first = (uint32_t)__builtin_ctz(decision->device_mask);
    while (lsched_node_mig_next(cluster, decision->node, first, &cursor, &instance, NULL) == 1)
        if (instance.start == decision_start(decision, first)) return instance.profile.ptr;
    return NULL;
}

const char *reason_word(uint32_t reason) {
    switch (reason) {
    case LSCHED_FOR_NONE: return NULL;
    case LSCHED_FOR_RECLAIM: return "reclaim";
    case LSCHED_FOR_PREEMPT: return "preempt";
    case LSCHED_FOR_CONSOLIDATE: return "consolidate";
    case LSCHED_FOR_STALE_GANG: return "stale-gang";
    case LSCHED_FOR_TIME_LIMIT: return "time-limit";
    case LSCHED_FOR_IDLE: return "idle";
    case LSCHED_FOR_DRAIN: return "drain";
    case LSCHED_FOR_COLLISION: return "collision";
    default: return "unknown";
    }
}

const char *evict_word(uint32_t code) {
    switch (code) {
    case LSCHED_EVICT_NOT_TRIED: return "not-tried";
    case LSCHED_EVICT_NEVER: return "never";
    case LSCHED_EVICT_DELAY: return "delay";
    case LSCHED_EVICT_SHARE: return "share";
    case LSCHED_EVICT_PROTECTED: return "protected";
    case LSCHED_EVICT_MIN_RUNTIME: return "min-runtime";
    case LSCHED_EVICT_IMPOSSIBLE: return "impossible";
    case LSCHED_EVICT_BUDGET: return "budget";
    case LSCHED_EVICT_RATE: return "rate";
    case LSCHED_EVICT_NO_FIT: return "no-fit";
    case LSCHED_EVICT_REFUSED: return "refused";
    default: return "unknown";
    }
}

const char *wait_word(uint32_t code) {
    switch (code) {
    case LSCHED_WAIT_NONE: return "none";
    case LSCHED_WAIT_ROOM: return "room";
    case LSCHED_WAIT_NEVER_FITS: return "never-fits";
    case LSCHED_WAIT_GANG: return "gang";
    case LSCHED_WAIT_LIMIT: return "limit";
    case LSCHED_WAIT_ADMIT: return "admit";
    case LSCHED_WAIT_FILTER: return "filter";
    case LSCHED_WAIT_POLICY: return "policy";
    case LSCHED_WAIT_BUDGET: return "budget";
    case LSCHED_WAIT_TOPOLOGY: return "topology";
    case LSCHED_WAIT_QUOTA: return "quota";
    case LSCHED_WAIT_BACKOFF: return "backoff";
    case LSCHED_WAIT_RETRIES: return "retries";
    case LSCHED_WAIT_JOBS: return "jobs";
    case LSCHED_WAIT_LENDING: return "lending";
    case LSCHED_WAIT_LEAVING: return "leaving";
    case LSCHED_WAIT_NOMINATED: return "nominated";
    case LSCHED_WAIT_HELD: return "held";
    case LSCHED_WAIT_RULES: return "rules";
    case LSCHED_WAIT_PLANNED: return "planned";
    case LSCHED_WAIT_PIPELINE: return "pipeline";
    case LSCHED_WAIT_REFUSED: return "refused";
    default: return "unknown";
    }
}

const char *task_state_word(uint32_t state) {
    switch (state) {
    case LSCHED_TASK_NONE: return "waiting";
    case LSCHED_TASK_PROPOSED: return "proposed";
    case LSCHED_TASK_CONFIRMED: return "confirmed";
    case LSCHED_TASK_RUNNING: return "running";
    case LSCHED_TASK_RELEASING: return "releasing";
    case LSCHED_TASK_DONE: return "done";
    case LSCHED_TASK_NOMINATED: return "nominated";
    default: return "unknown";
    }
}

void plan_flag_words(uint32_t flags, void (*flag)(void *user, const char *word), void *user) {
    static const struct {
        uint32_t bit;
        const char *word;
    } words[] = {
        {LSCHED_PLAN_PARTIAL, "partial"},
        {LSCHED_PLAN_INTERRUPTED, "interrupted"},
        {LSCHED_PLAN_POLICY_FAILED, "policy-failed"},
        {LSCHED_PLAN_POLICY_EJECTED, "policy-ejected"},
        {LSCHED_PLAN_VERIFIED, "verified"},
        {LSCHED_PLAN_POLICY_NOT_DETERMINISTIC, "policy-not-deterministic"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if ((flags & words[i].bit) != 0) flag(user, words[i].word);
    }
}

lsched_text name_of(const lsched_cluster *cluster, lsched_id id) {
    size_t len = 0;
    const char *name = id != 0 ? lsched_name(cluster, id, &len) : NULL;
    return name != NULL ? (lsched_text){name, len} : (lsched_text){"?", 1};
}
