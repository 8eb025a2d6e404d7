/* explain_evict.c -- see explain_evict.h. */
#include "engine/explain/explain_evict.h"

#include "engine/exclusions/explain_print.h"
#include "engine/explain/explain_protection.h"
#include "engine/exclusions/explain_subject.h"
#include "engine/exclusions/explain_supply.h"
#include "engine/waits/refusal_wait.h"
#include "model/devices/resource_part.h"
#include "model/queues/queue.h"

/* Returns the job whose minimum run time ends exactly at the time `until`; of several jobs, the
 * first by name. Returns NO_ROW if there is none. *least is set to the length of that minimum run
 * time in microseconds. */
static uint32_t whose_runtime(const struct columns *k, int64_t until, int64_t *least) {
    static const uint16_t columns[] = {C_QUEUE_RECLAIM_MIN, C_QUEUE_PREEMPT_MIN};
    uint32_t best = NO_ROW;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j) || k->c[C_JOB_LEAVES].u32[j] == NO_ROW) continue;
        int64_t start = job_youngest(k, j);
        for (int i = 0; i < 2 && start != INT64_MIN; i++) {
            int64_t m = queue_min_runtime(k, k->c[C_JOB_QUEUE].u32[j], columns[i]);
            if (m == 0 || time_after(start, m) != until || !name_before(k, C_JOB_NAME, j, best))
                continue;
            best = j;
            *least = m;
        }
    }
    return best;
}

/* Returns the first job by name that is protected until exactly the time `until`, because the
 * orchestrator refused to evict the job. Returns NO_ROW if there is no such job. */
static uint32_t whose_refusal(const struct lsched_cluster *c, int64_t until) {
    const struct columns *k = &c->k;
    uint32_t best = NO_ROW;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++)
        if (row_is_live(k, T_JOB, j) && k->c[C_JOB_LEAVES].u32[j] != NO_ROW &&
            explain_protection_until(c, j) == until && name_before(k, C_JOB_NAME, j, best))
            best = j;
    return best;
}

static void put_min_runtime(const struct lsched_cluster *c, const lsched_waiting *w, int64_t now,
                            struct text_out *o) {
    const struct columns *k = &c->k;
    int64_t least = 0;
    if (w->until_us <= now || w->until_us == LSCHED_NEVER_US) {
        text_put(o, "work that it could stop had to run longer first; the next cycle tries again");
        return;
    }
    uint32_t job = whose_refusal(c, w->until_us);
    if (job != NO_ROW) {
        text_put(o,
                 "the orchestrator refused to stop work that it could stop: %s is not asked "
                 "for again until %s",
                 shown_job(k, job).text, shown_moment(w->until_us, now).text);
        return;
    }
    job = whose_runtime(k, w->until_us, &least);
    text_put(o, "work that it could stop must run longer first: %s until %s",
             job == NO_ROW ? "the first" : shown_job(k, job).text,
             shown_moment(w->until_us, now).text);
    if (job != NO_ROW) text_put(o, ", a minimum run time of %s", shown_span(least).text);
}

static void explain_evict_put_share(const struct columns *k, const lsched_waiting *w, int fresh,
                                    struct text_out *o) {
    int over = fresh && w->evict_kind && w->evict_have >= w->evict_need;
    text_put(o, "%s: %s",
             over ? "when it was last tried, it was not allowed to take anything from others; "
                    "the next try checks this again"
                  : "it is not allowed to take anything from others",
             w->evict_queue ? shown_queue(k, (uint32_t)w->evict_queue).text : "its queue");
    if (w->evict_kind == 0)
        text_put(o, " would exceed its fair share");
    else
        text_put(o, " %s %s left of its fair share%s, and it needs %s", fresh ? "has" : "had",
                 shown_amount(k, w->evict_kind, w->evict_have).text,
                 fresh ? "" : " when it was tried",
                 shown_number(w->evict_kind, w->evict_need).text);
}

static void put_impossible(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    text_put(o, "proved that stopping others cannot help: ");
    if (w->evict_kind == 0) {
        text_put(o, "even if all work were gone that may be stopped, ");
        if (w->evict_need == 1)
            text_put(o, "the task that it lacks would find no place");
        else
            text_put(o,
                     "only %" PRId64 " of the %" PRId64 " tasks that it lacks would find a place",
                     w->evict_have, w->evict_need);
        return;
    }
    text_put(o, "it lacks %s, and %s may be stopped",
             shown_amount(k, w->evict_kind, w->evict_need).text,
             shown_number(w->evict_kind, w->evict_have).text);
}

/* True if a queue other than the job's own is guaranteed an amount of the resource kind. */
static int guarantees_protect(const struct columns *k, const lsched_waiting *w) {
    uint32_t own = k->c[C_JOB_QUEUE].u32[(uint32_t)w->job];
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++)
        if (row_is_live(k, T_QUEUE, q) && k->c[C_QUEUE_QUOTA + w->evict_kind].i64[q] > 0 &&
            !queue_is_below(k, own, q))
            return 1;
    return 0;
}

/* Writes the largest amount that the job can take from other queues without breaking their
 * guarantees. If no other work can be evicted for the job, writes that instead. */
static void put_protected(const struct lsched_cluster *c, const lsched_waiting *w,
                          struct text_out *o) {
    int may_go = explain_protection_may_go(c, w);
    text_put(o, "%s: it lacks %s",
             !may_go                        ? "no other work may be stopped for it"
             : guarantees_protect(&c->k, w) ? "guarantees protect the others"
                                            : "the other work can give too little now",
             shown_amount(&c->k, w->evict_kind, w->evict_need).text);
    if (!may_go) return;
    int64_t bound = w->evict_have;
    int device = w->evict_kind == LSCHED_GPU || w->evict_kind == LSCHED_CPU;
    /* A bound such as 3999 milli-GPUs stands for "less than 4 devices". The text then names the
     * next whole number of devices or cores. */
    int below = device && bound % 1000 == 999;
    text_put(o, ", and %s %s may be taken from them", below ? "less than" : "at most",
             shown_number(w->evict_kind, below ? bound + 1 : bound).text);
}

static const struct decision_word {
    uint32_t kind; /* LSCHED_DECIDE_* */
    const char *word;
} decision_words[] = {
#define LSCHED_X_DECISION(name, number, word) {number, word},
#include <libsched/codes.def>
};

static void put_not_asked(const struct columns *k, struct text_out *o) {
    uint32_t lack =
        (uint32_t)meta(k, M_KINDS_LACK) &
        (1u << LSCHED_DECIDE_EVICT | 1u << LSCHED_DECIDE_NOMINATE | 1u << LSCHED_DECIDE_MIGRATE);
    text_put(o, "no work is stopped or moved for it, because the orchestrator did not ask for "
                "decisions of the kind");
    const char *before = " ";
    for (size_t i = 0; i < sizeof decision_words / sizeof *decision_words; i++) {
        if (!(lack >> decision_words[i].kind & 1)) continue;
        text_put(o, "%s%s", before, decision_words[i].word);
        before = ", ";
    }
    text_put(o, " in the latest cycle");
}

void explain_evict_put(const struct lsched_cluster *c, const lsched_waiting *w, int fresh,
                       struct text_out *o) {
    const struct columns *k = &c->k;
    int64_t now = (int64_t)meta(k, M_NOW);
    struct supply_lack most;
    if (w->code == LSCHED_WAIT_SUPPLY && explain_supply_never(k, w, &most)) {
        text_put(o, "stopping others cannot help");
        return;
    }
    switch (w->evict_code) {
    case LSCHED_NO_VICTIM_NEVER:
        text_put(o, "it was submitted as a job that never stops others");
        break;
    case LSCHED_NO_VICTIM_DELAY:
        text_put(o, "it may stop others when its preemption delay is over, at %s",
                 shown_moment(w->until_us, now).text);
        break;
    case LSCHED_NO_VICTIM_SHARE: explain_evict_put_share(k, w, fresh, o); break;
    case LSCHED_NO_VICTIM_PROTECTED: put_protected(c, w, o); break;
    case LSCHED_NO_VICTIM_MIN_RUNTIME: put_min_runtime(c, w, now, o); break;
    case LSCHED_NO_VICTIM_IMPOSSIBLE: put_impossible(k, w, o); break;
    case LSCHED_NO_VICTIM_BUDGET:
        text_put(o, "the search for work to stop was cut off by its bound");
        break;
    case LSCHED_NO_VICTIM_RATE:
        text_put(o,
                 "the policy allows fewer evictions per hour than it needs, or they are used "
                 "up, until %s",
                 shown_moment(w->until_us, now).text);
        break;
    case LSCHED_NO_VICTIM_NO_FIT:
        text_put(o,
                 w->code == LSCHED_WAIT_LIMIT
                     ? "nothing below that limit may be stopped for it"
                     : "no work that may be stopped or moved would make room where it needs room");
        break;
    case LSCHED_NO_VICTIM_NOT_ASKED: put_not_asked(k, o); break;
    case LSCHED_NO_VICTIM_REFUSED: refusal_wait_put_nominations(k, w, o); break;
    default: text_put(o, "stopping others was not tried"); break;
    }
    if (w->evict_code == LSCHED_NO_VICTIM_SHARE || w->evict_code == LSCHED_NO_VICTIM_PROTECTED ||
        w->evict_code == LSCHED_NO_VICTIM_IMPOSSIBLE || w->evict_code == LSCHED_NO_VICTIM_NO_FIT)
        explain_protection_put(c, w, o);
}
