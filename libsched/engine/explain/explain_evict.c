/* explain_evict.c -- writes for each LSCHED_EVICT_* code why evicting other work did not help;
 * explain_parts.h. */
#include "engine/explain/explain_parts.h"
#include "engine/waits/refused.h"
#include "model/devices/resource_part.h"

/* Returns the minimum run time, microseconds, that the lowest queue on the path from `queue`
 * upward sets, 0 if none sets one. */
static int64_t explain_evict_min_runtime(const struct columns *k, uint32_t queue, uint32_t column) {
    for (uint32_t q = queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        if (k->c[column].i64[q]) return k->c[column].i64[q];
    return 0;
}

static int64_t youngest_start(const struct columns *k, uint32_t job) {
    int64_t last = INT64_MIN;
    for (uint32_t l = k->c[C_JOB_LEAVES].u32[job]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
        for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW; t = k->c[C_TASK_NEXT].u32[t])
            if (k->c[C_TASK_STATE].u8[t] == LSCHED_TASK_RUNNING && k->c[C_TASK_SINCE].i64[t] > last)
                last = k->c[C_TASK_SINCE].i64[t];
    return last;
}

/* Returns the job whose minimum run time ends exactly at `until`, the first by name; NO_ROW if
 * there is none. *least is set to that minimum run time. */
static uint32_t whose_runtime(const struct columns *k, int64_t until, int64_t *least) {
    static const uint16_t columns[] = {C_QUEUE_RECLAIM_MIN, C_QUEUE_PREEMPT_MIN};
    uint32_t best = NO_ROW;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j) || k->c[C_JOB_LEAVES].u32[j] == NO_ROW) continue;
        int64_t start = youngest_start(k, j);
        for (int i = 0; i < 2 && start != INT64_MIN; i++) {
            int64_t m = explain_evict_min_runtime(k, k->c[C_JOB_QUEUE].u32[j], columns[i]);
            if (m == 0 || time_after(start, m) != until) continue;
            if (best != NO_ROW &&
                text_compare(k, k->c[C_JOB_NAME].u32[j], k->c[C_JOB_NAME].u32[best]) >= 0)
                continue;
            best = j;
            *least = m;
        }
    }
    return best;
}

/* Returns the job, first by name, that the orchestrator refused to evict and that is not chosen
 * again before exactly `until`; NO_ROW if there is none. */
static uint32_t whose_refusal(const struct lsched_cluster *c, int64_t until) {
    const struct columns *k = &c->k;
    uint32_t best = NO_ROW;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++)
        if (row_is_live(k, T_JOB, j) && k->c[C_JOB_LEAVES].u32[j] != NO_ROW &&
            refused_stop_until(c, j) == until &&
            (best == NO_ROW ||
             text_compare(k, k->c[C_JOB_NAME].u32[j], k->c[C_JOB_NAME].u32[best]) < 0))
            best = j;
    return best;
}

static void put_min_runtime(const struct lsched_cluster *c, const lsched_waiting *w, int64_t now,
                            struct text_out *o) {
    const struct columns *k = &c->k;
    int64_t least = 0;
    if (w->until_us <= now || w->until_us == LSCHED_NEVER_US) {
        text_put(o, "work that it could stop had to run longer first; the next cycle looks again");
        return;
    }
    uint32_t job = whose_refusal(c, w->until_us);
    if (job != NO_ROW) {
        text_put(o, "the host refused to stop work that it could stop: ");
        put_job(k, o, job);
        text_put(o, " is left alone until ");
        put_moment(o, w->until_us, now);
        return;
    }
    job = whose_runtime(k, w->until_us, &least);
    text_put(o, "work that it could stop must run longer first: ");
    if (job == NO_ROW)
        text_put(o, "the first");
    else
        put_job(k, o, job);
    text_put(o, " until ");
    put_moment(o, w->until_us, now);
    if (job == NO_ROW) return;
    text_put(o, ", a minimum run time of ");
    put_span(o, least);
}

static void explain_evict_put_share(const struct columns *k, const lsched_waiting *w, int fresh,
                                    struct text_out *o) {
    int over = fresh && w->evict_kind && w->evict_have >= w->evict_need;
    text_put(o, over
                    ? "when it was tried it might take nothing from others, and its next try looks "
                      "again: "
                    : "it may take nothing from others: ");
    if (w->evict_queue)
        put_queue(k, o, (uint32_t)w->evict_queue);
    else
        text_put(o, "its queue");
    if (w->evict_kind == 0) {
        text_put(o, " would pass its fair share");
        return;
    }
    text_put(o, fresh ? " has " : " had ");
    put_amount(k, o, w->evict_kind, w->evict_have);
    text_put(o, fresh ? " left of its fair share, and it needs "
                      : " left of its fair share when it was tried, and it needs ");
    put_number(o, w->evict_kind, w->evict_need);
}

static void put_impossible(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    text_put(o, "proved that stopping others cannot help: ");
    if (w->evict_kind == 0) {
        text_put(o,
                 "with all out that may be stopped, %" PRId64 " of the %" PRId64
                 " tasks that it lacks find a place",
                 w->evict_have, w->evict_need);
        return;
    }
    text_put(o, "it lacks ");
    put_amount(k, o, w->evict_kind, w->evict_need);
    text_put(o, ", and ");
    put_number(o, w->evict_kind, w->evict_have);
    text_put(o, " may be stopped");
}

static void put_protected(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    text_put(o, "guarantees protect the others: it lacks ");
    put_amount(k, o, w->evict_kind, w->evict_need);
    int64_t bound = w->evict_have;
    int device = w->evict_kind == LSCHED_GPU || w->evict_kind == LSCHED_CPU;
    /* a bound that ends in 999 thousandths means: less than the next whole device or core */
    int below = device && bound % 1000 == 999;
    text_put(o, below ? ", and less than " : ", and at most ");
    put_number(o, w->evict_kind, below ? bound + 1 : bound);
    text_put(o, " may be taken from them");
}

/* Writes that other work may not be evicted at all. Guarantees are not the cause. */
static void put_nobody(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    text_put(o, "no other work may be stopped for it: it lacks ");
    put_amount(k, o, w->evict_kind, w->evict_need);
}

void put_evict(const struct lsched_cluster *c, const lsched_waiting *w, int fresh,
               struct text_out *o) {
    const struct columns *k = &c->k;
    int64_t now = (int64_t)meta(k, M_NOW);
    switch (w->evict_code) {
    case LSCHED_EVICT_NEVER: text_put(o, "it never stops others, by its own wish"); break;
    case LSCHED_EVICT_DELAY:
        text_put(o, "it may stop others when its preemption delay is over, at ");
        put_moment(o, w->until_us, now);
        break;
    case LSCHED_EVICT_SHARE: explain_evict_put_share(k, w, fresh, o); break;
    case LSCHED_EVICT_PROTECTED:
        if (explain_others_may_go(c, w))
            put_protected(k, w, o);
        else
            put_nobody(k, w, o);
        break;
    case LSCHED_EVICT_MIN_RUNTIME: put_min_runtime(c, w, now, o); break;
    case LSCHED_EVICT_IMPOSSIBLE: put_impossible(k, w, o); break;
    case LSCHED_EVICT_BUDGET:
        text_put(o, "the search for work to stop was cut off by its bound");
        break;
    case LSCHED_EVICT_RATE:
        text_put(o, "the policy's evictions per hour are fewer than it needs, or spent, until ");
        put_moment(o, w->until_us, now);
        break;
    case LSCHED_EVICT_NO_FIT:
        text_put(o, w->code == LSCHED_WAIT_LIMIT
                        ? "nothing below that limit may be stopped for it"
                        : "no work may be stopped, or moved, that makes room where it needs it");
        break;
    case LSCHED_EVICT_REFUSED: refused_put_nominations(k, w, o); break;
    default: text_put(o, "stopping others was not tried"); break;
    }
    if (w->evict_code == LSCHED_EVICT_SHARE || w->evict_code == LSCHED_EVICT_PROTECTED ||
        w->evict_code == LSCHED_EVICT_IMPOSSIBLE || w->evict_code == LSCHED_EVICT_NO_FIT)
        put_others(c, w, o);
}
