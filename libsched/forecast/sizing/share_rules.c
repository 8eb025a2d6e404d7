/*
 * share_rules.c -- which way to share a device suits a job: a list of rules, the first of which
 * that applies decides. docs/right-sizing.md has the same list.
 *
 * Why not a score: an operator must be able to repeat the choice by hand.
 */
#include "base/call_args.h"

#include <libsched/sizing.h>

/* Cutting an instance takes seconds. At one start in five minutes, that is about 2 % of the
 * time. */
#define STARTS_OFTEN 288u
/* A job that computes less than a quarter of the time can wait for its turn. */
#define BUSY_LITTLE 250u

static const char *const mode_names[LSCHED_MODES] = {"whole", "mig", "counters", "mps",
                                                     "time-slice"};
enum { SHARE_RULES = 9 };
static const char *const rule_texts[SHARE_RULES] = {
    "the job needs a whole device or more",
    "a hardware instance is enough, and one is cut for the job on demand",
    "a hardware instance is enough, and the static layout has some",
    "the job must be isolated, and no hardware instance is enough or possible",
    "only its memory or its latency must be protected, which MPS does",
    "its memory or its latency must be protected, which no possible mode but the whole device does",
    "the job seldom computes, and nobody waits for its answers, so it takes turns",
    "nothing must be protected, so jobs run at the same time and leave no part of a device unused",
    "no mode that shares a device is possible",
};

LSCHED_API const char *lsched_forecast_mode_name(uint32_t mode) {
    return mode < LSCHED_MODES ? mode_names[mode] : NULL;
}

static int share_can(const lsched_forecast_mode_query *q, uint32_t mode) {
    return (q->can >> mode & 1) != 0;
}

/* Sets *mode and returns the number of the rule for a job that gets a hardware instance; 0 if
 * none is possible. Instances cut on demand waste nothing, but with many starts the cuts cost
 * too much. */
static uint32_t share_instance(const lsched_forecast_mode_query *q, uint32_t *mode) {
    int some = q->instance_milli > 0 && q->instance_milli < 1000;
    int on_demand = some && share_can(q, LSCHED_MODE_COUNTERS);
    int cut = some && share_can(q, LSCHED_MODE_MIG);
    if (on_demand && (q->starts_per_day <= STARTS_OFTEN || !cut)) {
        *mode = LSCHED_MODE_COUNTERS;
        return 2;
    }
    *mode = cut ? LSCHED_MODE_MIG : LSCHED_MODE_WHOLE;
    return cut ? 3 : 0;
}

/* The rule for a job that needs protection from its neighbours. */
static uint32_t share_protected(const lsched_forecast_mode_query *q, uint32_t *mode) {
    uint32_t rule = share_instance(q, mode);
    if (rule != 0) return rule;
    if (q->isolation == LSCHED_ISOLATE_FULL) return 4;
    if (!share_can(q, LSCHED_MODE_MPS)) return 6;
    *mode = LSCHED_MODE_MPS;
    return 5;
}

static uint32_t share_rule(const lsched_forecast_mode_query *q, uint32_t *mode) {
    *mode = LSCHED_MODE_WHOLE;
    if (q->share_milli >= 1000) return 1;
    if (q->isolation != LSCHED_ISOLATE_NONE || q->timed) return share_protected(q, mode);
    if (q->busy_milli < BUSY_LITTLE && share_can(q, LSCHED_MODE_TIME_SLICE)) {
        *mode = LSCHED_MODE_TIME_SLICE;
        return 7;
    }
    if (share_can(q, LSCHED_MODE_MPS) || share_can(q, LSCHED_MODE_TIME_SLICE)) {
        *mode = share_can(q, LSCHED_MODE_MPS) ? LSCHED_MODE_MPS : LSCHED_MODE_TIME_SLICE;
        return 8;
    }
    uint32_t rule = share_instance(q, mode);
    return rule != 0 ? rule : 9;
}

static int32_t share_check(const lsched_forecast_mode_query *q, lsched_error *err) {
    if (q->isolation > LSCHED_ISOLATE_FULL)
        return fail(err, LSCHED_E_RANGE, "isolation is %u; expected at most %u", q->isolation,
                    (uint32_t)LSCHED_ISOLATE_FULL);
    if (q->can >> LSCHED_MODES != 0)
        return fail(err, LSCHED_E_RANGE, "can is %#x, which has bits of no mode", q->can);
    if (q->timed > 1) return fail(err, LSCHED_E_RANGE, "timed is %u; expected 0 or 1", q->timed);
    if (q->instance_milli > 1000)
        return fail(err, LSCHED_E_RANGE, "instance_milli is %u; expected at most 1000",
                    q->instance_milli);
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_forecast_mode_get(const lsched_forecast_mode_query *query,
                                            lsched_forecast_mode_answer *out, lsched_error *err) {
    lsched_forecast_mode_query q = LSCHED_INIT(lsched_forecast_mode_query);
    lsched_forecast_mode_answer answer = LSCHED_INIT(lsched_forecast_mode_answer);
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (query == NULL || out == NULL)
        return fail(err, LSCHED_E_NULL, "%s is NULL", query == NULL ? "query" : "out");
    rc = arg_struct(&q, sizeof q, query, 0, "the query for a mode", err);
    if (rc == LSCHED_OK) rc = share_check(&q, err);
    if (rc != LSCHED_OK) return rc;
    answer.rule = share_rule(&q, &answer.mode);
    answer.text = rule_texts[answer.rule - 1];
    rc = arg_out(out, &answer, sizeof answer);
    return rc == LSCHED_OK ? rc : fail(err, rc, "lsched_forecast_mode_answer: size is not set");
}
