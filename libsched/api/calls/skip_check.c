/* skip_check.c -- see skip_check.h. */
#include "api/calls/skip_check.h"

#include "api/door/args.h"
#include "base/hash.h"
#include "engine/cycle/cycle.h"
#include "engine/plan/plan.h"
#include "engine/state/cache_check.h"
#include "model/told/decision.h"
#include "model/jobs/bundle.h"

/* ---- which cycles are compared ---- */

/* True if the cluster runs an algorithm of the host, which can count its calls. */
static int asks_host(const lsched_cluster *c) {
    for (uint32_t i = 0; i < c->n_algorithms; i++)
        if (c->algorithms[i].of_host) return 1;
    return 0;
}

static int is_chosen(const lsched_cluster *c, const lsched_schedule_opts *opts) {
    const struct columns *k = &c->k;
    uint64_t h = hash_mix(meta(k, M_CYCLE), meta(k, M_GROUP_SERIAL));
    if (opts->work_budget || opts->hooks_off || asks_host(c)) return 0;
    h = hash_mix(hash_mix(h, meta(k, M_PARKED_JOBS)), table_live(k, T_TASK));
    return hash_mix(h, (uint64_t)opts->now_us) % c->skips_one_in == 0;
}

static int plan_is_whole(const lsched_plan *plan) {
    return !(plan->info.flags & (LSCHED_PLAN_PARTIAL | LSCHED_PLAN_INTERRUPTED |
                                 LSCHED_PLAN_POLICY_FAILED | LSCHED_PLAN_POLICY_NOT_DETERMINISTIC));
}

/* Makes a clone with an allocator of its own; NULL if the memory for it is short. */
static lsched_cluster *clone_of(const lsched_cluster *c) {
    lsched_cluster *copy = NULL;
    if (lsched_cluster_create(NULL, &copy, NULL) != LSCHED_OK) return NULL;
    if (lsched_cluster_clone(c, &copy, NULL) == LSCHED_OK) return copy;
    lsched_cluster_destroy(copy);
    return NULL;
}

static void skip_check_begin(const lsched_cluster *c, const lsched_schedule_opts *opts,
                             struct skip_check *s) {
    *s = (struct skip_check){.skipped = c->searches_skipped, .walked = c->nodes_walked};
    if (!is_chosen(c, opts) || meta(&c->k, M_PASS_AT)) return;
    s->cold = clone_of(c);
    if (s->cold) cache_check_search_cold(s->cold);
}

/* ---- comparisons ---- */

static uint64_t bundle_word(const struct columns *k, uint32_t column, uint32_t row) {
    static const uint8_t widths[] = {1, 2, 4, 8, 4, 8}; /* by type */
    size_t width = widths[column_defs[column].type];
    uint64_t word = 0;
    memcpy(&word, k->c[column].u8 + row * width, width);
    return word;
}

/* The two clusters have the same rows, because nothing else happened to the clone. The last
 * N_TOLD columns say why evictions did not help; they are compared if `told` is 1. */
static int32_t compare_bundles(const struct columns *k, const struct columns *cold, int told,
                               lsched_error *err) {
    enum { N_TOLD = 7 };
    static const uint16_t columns[] = {
        C_BUNDLE_STATE,      C_BUNDLE_JOBS,       C_BUNDLE_LIST,       C_BUNDLE_LIST_OF,
        C_BUNDLE_CODE,       C_BUNDLE_RES,        C_BUNDLE_GROUP,      C_BUNDLE_NEED,
        C_BUNDLE_HAVE,       C_BUNDLE_LIMITING,   C_BUNDLE_SHARES,     C_BUNDLE_TRIED,
        C_BUNDLE_LOOKED,     C_BUNDLE_BEHIND,     C_BUNDLE_RIGHT,      C_BUNDLE_EVICT_CODE,
        C_BUNDLE_EVICT_KIND, C_BUNDLE_EVICT_NEED, C_BUNDLE_EVICT_HAVE, C_BUNDLE_EVICT_QUEUE,
        C_BUNDLE_UNTIL,      C_BUNDLE_OWED};
    size_t n = sizeof columns / sizeof *columns - (told ? 0 : N_TOLD);
    uint32_t rows = table_rows(k, T_BUNDLE);
    if (rows != table_rows(cold, T_BUNDLE))
        return fail(err, LSCHED_E_VERIFY, "%u rows of bundles; with cold searches, %u", rows,
                    table_rows(cold, T_BUNDLE));
    for (uint32_t b = 0; b < rows; b++) {
        if (!row_is_live(k, T_BUNDLE, b)) continue;
        for (size_t i = 0; i < n; i++)
            if (bundle_word(k, columns[i], b) != bundle_word(cold, columns[i], b))
                return fail(err, LSCHED_E_VERIFY,
                            "bundle %u: column %u is %llu; with cold searches, it is %llu", b,
                            columns[i], (unsigned long long)bundle_word(k, columns[i], b),
                            (unsigned long long)bundle_word(cold, columns[i], b));
    }
    return LSCHED_OK;
}

/* Returns the number of the first decision in which the plans differ, or -1 if they are equal. */
static int64_t first_difference(const lsched_plan *a, const lsched_plan *b) {
    size_t n = a->n_decisions < b->n_decisions ? a->n_decisions : b->n_decisions;
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *x = &a->decisions[i], *y = &b->decisions[i];
        if (x->kind != y->kind || x->job != y->job || x->task_index != y->task_index ||
            x->node != y->node || x->to_node != y->to_node ||
            memcmp(x->device_words, y->device_words, sizeof x->device_words) != 0 ||
            x->reason != y->reason || x->at_us != y->at_us || x->alternative != y->alternative)
            return (int64_t)i;
    }
    return a->n_decisions == b->n_decisions ? -1 : (int64_t)n;
}

static int32_t differ(const char *what, const lsched_cluster *c, const lsched_plan *plan,
                      const lsched_plan *cold, lsched_error *err) {
    int64_t at = first_difference(plan, cold);
    const lsched_plan *longer = cold->n_decisions > plan->n_decisions ? cold : plan;
    lsched_text name = {"", 0};
    if (at >= 0) name = arg_name_of(&c->k, longer->decisions[at].job);
    return fail(err, LSCHED_E_VERIFY,
                "%s: %zu decisions; repeated without what is remembered, %zu; decision %lld "
                "differs, for job '%.*s'",
                what, plan->n_decisions, cold->n_decisions, (long long)at, (int)name.len, name.ptr);
}

static int32_t compare_searches(lsched_cluster *c, const lsched_schedule_opts *opts,
                                const lsched_plan *plan, struct skip_check *s, lsched_error *err) {
    lsched_plan *cold = NULL;
    lsched_error why = LSCHED_ERROR_INIT;
    int32_t rc = cycle_run(s->cold, opts, &cold, &why);
    if (rc == LSCHED_E_NOMEM) return LSCHED_OK;
    if (rc != LSCHED_OK)
        return fail(err, LSCHED_E_VERIFY, "with cold searches, the cycle fails: %s", why.message);
    if (plan_is_whole(cold)) {
        int told = c->nodes_walked == s->walked;
        c->skips_compared += c->searches_skipped - s->skipped;
        rc = first_difference(plan, cold) >= 0 ? differ("searches for victims", c, plan, cold, err)
                                               : compare_bundles(&c->k, &s->cold->k, told, err);
        if (rc == LSCHED_OK && told && plan->info.next_wake_us != cold->info.next_wake_us)
            rc = fail(err, LSCHED_E_VERIFY,
                      "the next cycle is due at %lld; with cold searches, %lld",
                      (long long)plan->info.next_wake_us, (long long)cold->info.next_wake_us);
        if (rc == LSCHED_OK && told && plan->info.plan_hash != cold->info.plan_hash)
            rc = fail(err, LSCHED_E_VERIFY, "with cold searches, the plan has other wait reasons");
    }
    plan_free(cold);
    return rc;
}

/* True if the two decisions are of one transaction that starts tasks of one job. */
static int are_of_gang(const lsched_decision *a, const lsched_decision *b) {
    return a->group == b->group && a->job == b->job && !decision_stops(a->kind);
}

/* True if the plan can have decisions although no remembered answer is wrong: it starts several
 * tasks of a gang at once, or it stops or moves work. */
static int may_find_more(const lsched_plan *cold) {
    for (size_t i = 1; i < cold->n_decisions; i++)
        if (are_of_gang(&cold->decisions[i - 1], &cold->decisions[i])) return 1;
    return cold->info.evictions + cold->info.moves > 0;
}

/* True if the bundle is parked because a search found nothing. The other reasons hold until a time,
 * until another pass, or depend on the guarantees that are owed to other jobs. */
static int is_searched(const struct columns *k, uint32_t b) {
    static const uint8_t codes[] = {
        LSCHED_WAIT_ROOM,     LSCHED_WAIT_NEVER_FITS, LSCHED_WAIT_GANG, LSCHED_WAIT_LIMIT,
        LSCHED_WAIT_TOPOLOGY, LSCHED_WAIT_QUOTA,      LSCHED_WAIT_JOBS, LSCHED_WAIT_RULES,
        LSCHED_WAIT_SUPPLY,   LSCHED_WAIT_ALLOWANCE};
    uint32_t list = k->c[C_BUNDLE_LIST].u8[b];
    if (!row_is_live(k, T_BUNDLE, b) || k->c[C_BUNDLE_STATE].u8[b] != BUNDLE_PARKED ||
        list == PARKED_UNTIL || list == PARKED_PLAN || list == PARKED_PUT_OFF)
        return 0;
    return memchr(codes, k->c[C_BUNDLE_CODE].u8[b], sizeof codes) != NULL;
}

/* True if an amount is owed to a waiting job, or a job waits for planned starts while reservations
 * exist. A bundle that wakes is not counted until it is tried, so waking all changes what others
 * may use, and what the plan is. */
static int any_owed(const struct columns *k) {
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE); b++)
        if (row_is_live(k, T_BUNDLE, b) &&
            (k->c[C_BUNDLE_OWED].u8[b] || k->c[C_BUNDLE_SHARES].u8[b] ||
             (table_live(k, T_RESERVATION) && k->c[C_BUNDLE_LIST].u8[b] == PARKED_PLAN)))
            return 1;
    return 0;
}

/* True if a cycle that wakes all bundles which a search refused must decide what the next cycle
 * decides. Room that comes free wakes nobody, and a hook can read what no event reports. */
static int wakes_are_exact(const lsched_cluster *c, const lsched_plan *plan) {
    const struct policy *p = &c->policy.policy;
    return plan->info.evictions + plan->info.moves == 0 && !(p->ops && p->desc.hooks) &&
           meta(&c->k, M_LEAVING) + meta(&c->k, M_NOMINATED) == 0 && !any_owed(&c->k);
}

static void wake_searched(struct lsched_cluster *c) {
    struct columns *k = &c->k;
    for (uint32_t b = 0; b < table_rows(k, T_BUNDLE); b++)
        if (is_searched(k, b)) bundle_wake(k, b);
    set_meta(k, M_EVICT_SEEN, UINT64_MAX);
}

static int32_t run_next(lsched_cluster *copy, const lsched_schedule_opts *opts,
                        lsched_plan **plan) {
    return copy ? cycle_run(copy, opts, plan, NULL) : LSCHED_E_NOMEM;
}

static int32_t compare_wakes(lsched_cluster *c, const lsched_schedule_opts *opts,
                             lsched_error *err) {
    lsched_cluster *next = clone_of(c), *woken = clone_of(c);
    lsched_plan *plan = NULL, *cold = NULL;
    int32_t rc = LSCHED_OK;
    if (woken) wake_searched(woken);
    if (woken) cache_check_search_cold(woken);
    if (run_next(next, opts, &plan) == LSCHED_OK && run_next(woken, opts, &cold) == LSCHED_OK &&
        plan_is_whole(plan) && plan_is_whole(cold) && !may_find_more(plan) &&
        !may_find_more(cold)) {
        if (cold->info.jobs_tried > plan->info.jobs_tried)
            c->skips_compared += cold->info.jobs_tried - plan->info.jobs_tried;
        if (first_difference(plan, cold) >= 0)
            rc = differ("parked jobs woken by force", c, plan, cold, err);
    }
    plan_free(plan);
    plan_free(cold);
    lsched_cluster_destroy(next);
    lsched_cluster_destroy(woken);
    return rc;
}

static int32_t skip_check_end(lsched_cluster *c, const lsched_schedule_opts *opts,
                              const lsched_plan *plan, struct skip_check *s, lsched_error *err) {
    int32_t rc = LSCHED_OK;
    if (!s->cold) return rc;
    if (plan && plan_is_whole(plan)) {
        rc = compare_searches(c, opts, plan, s, err);
        if (rc == LSCHED_OK && wakes_are_exact(c, plan)) rc = compare_wakes(c, opts, err);
    }
    lsched_cluster_destroy(s->cold);
    return rc;
}

void skip_check_on(lsched_cluster *c, uint32_t one_in) {
    static const struct skip_checks checks = {skip_check_begin, skip_check_end};
    c->check_skips = one_in ? &checks : NULL;
    c->skips_one_in = one_in;
}

uint64_t skip_check_compared(const lsched_cluster *c) {
    return c->skips_compared;
}
