/* Allowances through the public calls: what is refused and changes nothing, what getters say, and
 * damaged states, each of which the verifier names. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "engine/state/cluster.h"
#include "engine/verify/verify.h"
#include "support/api_world.h"

#define HOUR INT64_C(3600000000)
#define UNIT INT64_C(1000000) /* a GPU hour in micro-units */

static struct api_world w;
static lsched_error err;
#define K (&w.cluster->k)

static int open_world(void **unused) {
    (void)unused;
    err = (lsched_error)LSCHED_ERROR_INIT;
    return api_world_make(&w, NULL);
}

static int close_world(void **unused) {
    (void)unused;
    api_world_drop(&w);
    return 0;
}

static const lsched_amount gpu_hours[] = {{LSCHED_GPU, 0, UNIT}};

static lsched_allowance_desc terms(lsched_id queue, int64_t hours, int64_t period) {
    lsched_allowance_desc d = LSCHED_ALLOWANCE_DESC_INIT;
    d.queue = queue;
    d.price = gpu_hours;
    d.n_price = 1;
    d.amount_micro = hours * UNIT;
    d.period_us = period;
    return d;
}

static int32_t set(const lsched_allowance_desc *d) {
    err = (lsched_error)LSCHED_ERROR_INIT;
    return lsched_allowances_set(w.cluster, d, 1, sizeof *d, NULL, NULL, &err);
}

static lsched_allowance_info get(lsched_id queue) {
    lsched_allowance_info i = LSCHED_ALLOWANCE_INFO_INIT;
    assert_int_equal(lsched_allowance_get(w.cluster, queue, &i, &err), LSCHED_OK);
    return i;
}

static void refused(lsched_allowance_desc d, int32_t code, const char *part) {
    uint64_t before = api_image(w.cluster);
    int32_t rc = set(&d);
    if (rc != code || !strstr(err.message, part))
        fail_msg("expected %d and \"%s\", found %d, \"%s\"", code, part, rc, err.message);
    assert_true(api_image(w.cluster) == before);
}

static void what_is_refused_changes_nothing(void **unused) {
    (void)unused;
    lsched_amount none = {LSCHED_GPU, 0, 0}, dear = {LSCHED_GPU, 0, LSCHED_ALLOWANCE_PRICE_MAX + 1},
                  less = {LSCHED_GPU, 0, -1}, endless = {LSCHED_GPU, 0, LSCHED_UNLIMITED};
    lsched_allowance_desc good = terms(w.org, 10, HOUR), d = good;
    d.amount_micro = -1;
    refused(d, LSCHED_E_RANGE, "amount_micro is -1; expected 0 to 2^62");
    d.amount_micro = INT64_MAX;
    refused(d, LSCHED_E_RANGE,
            "amount_micro is LSCHED_UNLIMITED; expected 0 to 2^62 micro-units: a queue that is not "
            "limited has no allowance");
    d.amount_micro = LSCHED_AMOUNT_MAX + 1;
    refused(d, LSCHED_E_RANGE, "expected 0 to 2^62 micro-units");
    d = good, d.carry_micro = -1;
    refused(d, LSCHED_E_RANGE, "carry_micro is -1");
    d = good, d.period_us = -HOUR;
    refused(d, LSCHED_E_RANGE, "period_us is -3600000000; expected 0 to 2^61 microseconds");
    d = good, d.period_us = INT64_MAX;
    refused(d, LSCHED_E_RANGE, "period_us");
    d = good, d.start_us = INT64_MAX;
    refused(d, LSCHED_E_RANGE, "allowance of queue 'org'");
    d = good, d.unknown_us = -1;
    refused(d, LSCHED_E_RANGE, "unknown_us");
    d = good, d.period_us = 0, d.carry_micro = 1;
    refused(d, LSCHED_E_INVAL, "set carry_micro and start_us to 0, or give period_us");
    d = good, d.period_us = 0, d.start_us = 1;
    refused(d, LSCHED_E_INVAL, "set carry_micro and start_us to 0");
    d = good, d.flags = 8;
    refused(d, LSCHED_E_INVAL, "flags is 0x8");
    d = good, d.n_price = 0;
    refused(d, LSCHED_E_INVAL, "no resource has a price");
    d = good, d.price = &none;
    refused(d, LSCHED_E_INVAL, "no resource has a price");
    d = good, d.price = &dear;
    refused(d, LSCHED_E_RANGE, "the price of 'gpu' is 1099511627777; expected 0 to 2^40");
    d = good, d.price = &less;
    refused(d, LSCHED_E_RANGE, "allowance of queue 'org': the price of 'gpu' is -1; expected 0");
    d = good, d.price = &endless;
    refused(d, LSCHED_E_RANGE, "the price of 'gpu' is 9223372036854775807; expected 0 to 2^40");
    d = good, d.price = NULL;
    refused(d, LSCHED_E_NULL, "the list is NULL");
    d = good, d.queue = w.gone_queue;
    refused(d, LSCHED_E_STALE, "");
    d = good, d.queue = 0, d.queue_name = LSCHED_TEXT("nobody");
    refused(d, LSCHED_E_NOENT, "nobody");
    d = good, d.reserved_zero = 1;
    refused(d, LSCHED_E_INVAL, "reserved_zero");
    lsched_allowance_info i = LSCHED_ALLOWANCE_INFO_INIT;
    int64_t price;
    assert_int_equal(lsched_allowance_get(w.cluster, w.org, &i, &err), LSCHED_E_NOENT);
    assert_non_null(strstr(err.message, "give it one with lsched_allowances_set"));
    assert_int_equal(lsched_allowances_remove(w.cluster, &w.org, 1, NULL, NULL, &err),
                     LSCHED_E_NOENT);
    assert_int_equal(set(&good), 1);
    assert_int_equal(lsched_allowance_price(w.cluster, w.org, 99, &price, &err), LSCHED_E_KEY);
    assert_int_equal(lsched_allowance_price(w.cluster, w.org, LSCHED_GPU, &price, &err), LSCHED_OK);
    assert_true(price == UNIT);
}

static void an_end_without_terms_for_it_is_refused(void **unused) {
    (void)unused;
    lsched_allowance_desc good = terms(w.org, 10, HOUR), d = good;
    d = good, d.grace_us = -1, d.spent = LSCHED_SPENT_END;
    refused(d, LSCHED_E_RANGE, "grace_us is -1; expected 0 to 2^61 microseconds");
    d = good, d.grace_us = 1, d.spent = LSCHED_SPENT_FIRST_VICTIM;
    refused(d, LSCHED_E_INVAL, "set it to 0, or set spent to LSCHED_SPENT_END");
    d = good, d.spent = 9;
    refused(d, LSCHED_E_INVAL, "spent is 9; expected LSCHED_SPENT_*");
}

static void paths_have_a_bound(void **unused) {
    (void)unused;
    const char *names[] = {"l0", "l1", "l2", "l3", "l4"};
    lsched_id id[5];
    for (int q = 0; q < 5; q++) {
        lsched_queue_desc d = api_queue(names[q], q ? names[q - 1] : NULL);
        assert_int_equal(lsched_queues_add(w.cluster, &d, 1, sizeof d, NULL, &id[q], NULL, &err),
                         1);
    }
    for (int q = 4; q >= 0; q--) {
        lsched_allowance_desc d = terms(id[q], 10, HOUR);
        assert_int_equal(set(&d), q ? 1 : LSCHED_E_LIMIT);
    }
    assert_non_null(strstr(err.message, "one path would have 5 allowances, and 4 may be"));
    lsched_allowance_desc again = terms(id[2], 11, HOUR);
    assert_int_equal(set(&again), 1);
    assert_int_equal(verify_state(K, &err), LSCHED_OK);
}

/* The sub-queue of a user is made for its allowance; no refresh removes it, and what does not apply
 * leaves nothing. */
static void a_user_keeps_its_queue(void **unused) {
    (void)unused;
    lsched_queue_desc shared = api_queue("shared", NULL);
    lsched_id queue, user;
    shared.flags = LSCHED_QUEUE_PER_USER;
    assert_int_equal(
        lsched_queues_add(w.cluster, &shared, 1, sizeof shared, NULL, &queue, NULL, &err), 1);
    lsched_allowance_desc d = terms(queue, 10, HOUR), bad;
    d.user = LSCHED_TEXT("ann");
    bad = d, bad.amount_micro = -1;
    refused(bad, LSCHED_E_RANGE, "allowance of queue 'shared/ann': amount_micro is -1");
    assert_int_equal(lsched_find(w.cluster, LSCHED_KIND_QUEUE, LSCHED_TEXT("shared/ann")), 0);
    bad = d, bad.user = LSCHED_TEXT("@ann");
    refused(bad, LSCHED_E_INVAL, "a name that begins with '@' means a group");
    bad = d, bad.user_group = LSCHED_TEXT("ml");
    refused(bad, LSCHED_E_STATE, "queue 'shared' has no sub-queues of groups");
    bad = d, bad.queue = w.org;
    refused(bad, LSCHED_E_STATE, "queue 'org' has no sub-queues of users");
    assert_int_equal(set(&d), 1);
    user = lsched_find(w.cluster, LSCHED_KIND_QUEUE, LSCHED_TEXT("shared/ann"));
    assert_true(user != 0);
    for (int64_t minute = 1; minute < 4; minute++) {
        lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
        lsched_plan *plan = NULL;
        opts.now_us = (int64_t)meta(K, M_NOW) + 60000000;
        assert_int_equal(lsched_schedule(w.cluster, &opts, &plan, &err), LSCHED_OK);
        lsched_plan_destroy(plan);
        lsched_allowance_info i = LSCHED_ALLOWANCE_INFO_INIT;
        if (minute == 2)
            assert_int_equal(lsched_allowances_remove(w.cluster, &user, 1, NULL, NULL, &err), 1);
        assert_int_equal(lsched_allowance_get(w.cluster, user, &i, &err), minute < 2 ? LSCHED_OK
                                                                          : minute == 2
                                                                              ? LSCHED_E_NOENT
                                                                              : LSCHED_E_STALE);
    }
    assert_int_equal(verify_state(K, &err), LSCHED_OK);
}

/* The running job of the world has one GPU. */
static void what_runs_is_charged(void **unused) {
    (void)unused;
    lsched_allowance_desc d = terms(w.org, 10, 0);
    assert_int_equal(set(&d), 1);
    int64_t rate = get(w.org).rate_micro;
    assert_true(rate > 0 && rate % UNIT == 0);
    assert_int_equal(api_cycle(w.cluster, w.now_us + HOUR, NULL), LSCHED_OK);
    lsched_allowance_info i = get(w.org);
    assert_true(i.used_micro == rate && i.period_end_us == LSCHED_NEVER_US);
    assert_true(i.exhausted_at_us == w.now_us + 10 * UNIT / rate * HOUR);
    /* nothing is projected to an end that nobody knows */
    assert_true(i.left_micro < 0);
    d.flags = LSCHED_ALLOWANCE_RESET;
    d.unknown_us = 2 * HOUR;
    assert_int_equal(set(&d), 1);
    assert_true(get(w.org).used_micro == 0);
    uint64_t cursor = 0;
    assert_int_equal(lsched_allowances_next(w.cluster, &cursor, &i, &err), 1);
    assert_int_equal(lsched_allowances_next(w.cluster, &cursor, &i, &err), 0);
    assert_int_equal(lsched_allowances_remove(w.cluster, &w.org, 1, NULL, NULL, &err), 1);
    assert_int_equal(table_live(K, T_METER), 0);
    assert_int_equal(verify_state(K, &err), LSCHED_OK);
}

/* The start of the proposed task is reported an hour late: as placed, or on another node. */
static void a_late_start_is_charged_at_any_place(void **unused) {
    (void)unused;
    for (size_t n = 0; n < 2; n++) {
        if (n) {
            close_world(NULL);
            open_world(NULL);
        }
        lsched_allowance_desc d = terms(w.org, 100, 24 * HOUR);
        assert_int_equal(set(&d), 1);
        assert_int_equal(api_cycle(w.cluster, w.now_us + HOUR, NULL), LSCHED_OK);
        lsched_allowance_info before = get(w.org);
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.job = w.open;
        e.event = LSCHED_EVENT_STARTED;
        e.at_us = w.now_us;
        e.node = w.nodes[n];
        assert_int_equal(lsched_tasks_report(w.cluster, &e, 1, sizeof e, NULL, NULL, &err), 1);
        lsched_allowance_info i = get(w.org);
        assert_true(i.rate_micro > before.rate_micro);
        assert_true(i.used_micro - before.used_micro == i.rate_micro - before.rate_micro);
        /* it ended at once: all of it comes back */
        e.event = LSCHED_EVENT_ENDED;
        e.node = 0;
        assert_int_equal(lsched_tasks_report(w.cluster, &e, 1, sizeof e, NULL, NULL, &err), 1);
        assert_true(get(w.org).used_micro == before.used_micro);
        assert_int_equal(verify_state(K, &err), LSCHED_OK);
    }
}

/* Returns how many decisions of a cycle at that time stop work of an allowance. */
static uint32_t stopped(int64_t at) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    uint32_t n = 0;
    opts.now_us = at;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    assert_int_equal(lsched_schedule(w.cluster, &opts, &plan, &err), LSCHED_OK);
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        n += lsched_plan_at(plan, i)->reason == LSCHED_FOR_ALLOWANCE;
    lsched_plan_destroy(plan);
    return n;
}

static int32_t divide(lsched_id queue, uint32_t flags) {
    lsched_queue_update u = {.size = sizeof u, .queue = queue, .priority = 7, .flags = flags};
    u.set = LSCHED_QUEUE_SET_FLAGS | LSCHED_QUEUE_SET_PRIORITY;
    err = (lsched_error)LSCHED_ERROR_INIT;
    return lsched_queues_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err);
}

/* Refuses all decisions of a cycle at that time. Returns how many are evictions. */
static uint32_t all_refused(int64_t at) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_outcome no[16];
    lsched_plan *plan = NULL;
    uint32_t n = 0;
    opts.now_us = at;
    assert_int_equal(lsched_schedule(w.cluster, &opts, &plan, &err), LSCHED_OK);
    assert_true(lsched_plan_size(plan) <= 16);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        n += lsched_plan_at(plan, i)->kind == LSCHED_DECIDE_EVICT;
        no[i] = LSCHED_OUTCOME_REJECTED;
    }
    assert_true(lsched_settle_plan(w.cluster, plan, no, NULL, &err) >= 0);
    lsched_plan_destroy(plan);
    return n;
}

static lsched_job_end end_of(lsched_id job) {
    lsched_job_end e = {.size = sizeof e};
    assert_int_equal(lsched_job_end_get(w.cluster, job, &e, &err), LSCHED_OK);
    return e;
}

/* The time that lsched_job_end_get names after a refusal is that of the next stop: without a
 * policy, too, and before a cycle has seen the refusal. */
static void a_refused_stop_is_told_before_the_next_cycle(void **unused) {
    (void)unused;
    const int64_t spared = INT64_C(120000000); /* the default grace for refusals */
    lsched_allowance_desc d = terms(w.org, 1, 0);
    d.spent = LSCHED_SPENT_END;
    assert_int_equal(set(&d), 1);
    int64_t at = get(w.org).exhausted_at_us;
    assert_true(end_of(w.busy).spent_stop_us == at);
    assert_int_equal(all_refused(at), 1);
    assert_true(end_of(w.busy).spent_stop_us == at + spared);
    assert_int_equal(stopped(at + spared - 1), 0);
    assert_true(end_of(w.busy).spent_stop_us == at + spared);
    assert_int_equal(stopped(at + spared), 1);
}

static void a_refused_stop_moves_the_time_limit(void **unused) {
    (void)unused;
    const char *policy =
        "return { api = 1, name = 'p', pipeline = { 'allocate', 'evict-overdue' } }";
    const int64_t spared = INT64_C(120000000);
    assert_int_equal(
        lsched_policy_load(w.cluster, LSCHED_TEXT("p"), lsched_cstr(policy), NULL, &err),
        LSCHED_OK);
    lsched_job_update u = {.size = sizeof u, .set = LSCHED_JOB_SET_TIME_LIMIT, .job = w.busy};
    u.time_limit_us = HOUR;
    assert_int_equal(lsched_jobs_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err), 1);
    int64_t at = end_of(w.busy).limit_us;
    assert_true(at > w.now_us && at < LSCHED_NEVER_US);
    assert_int_equal(all_refused(at), 1);
    assert_true(end_of(w.busy).limit_us == at + spared);
    assert_int_equal(all_refused(at + spared - 1), 0);
    assert_true(end_of(w.busy).limit_us == at + spared);
    assert_int_equal(all_refused(at + spared), 1);
    assert_true(end_of(w.busy).limit_us == at + 2 * spared);
}

/* Jobs would go past the sub-queue, or would find a queue with a sub-queue that is never removed:
 * the flags change when the allowance is removed. */
static void an_allowance_of_a_user_keeps_the_flags(void **unused) {
    (void)unused;
    enum { USER = LSCHED_QUEUE_PER_USER, GROUP = LSCHED_QUEUE_PER_GROUP, BOTH = USER | GROUP };
    static const struct {
        uint32_t flags;
        const char *user, *group, *below;
    } of[] = {{USER, "ann", "", "q/ann"},
              {GROUP, "", "ml", "q/@ml"},
              {BOTH, "", "ml", "q/@ml"},
              {BOTH, "ann", "ml", "q/@ml/ann"}};
    lsched_queue_desc q = api_queue("q", NULL);
    for (size_t i = 0; i < sizeof of / sizeof of[0]; i++) {
        lsched_id queue, user;
        q.flags = of[i].flags;
        assert_int_equal(lsched_queues_add(w.cluster, &q, 1, sizeof q, NULL, &queue, NULL, &err),
                         1);
        lsched_allowance_desc d = terms(queue, 10, HOUR);
        d.user = lsched_cstr(of[i].user), d.user_group = lsched_cstr(of[i].group);
        assert_int_equal(set(&d), 1);
        user = lsched_find(w.cluster, LSCHED_KIND_QUEUE, lsched_cstr(of[i].below));
        for (uint32_t flags = 0; flags <= BOTH; flags++) {
            if (flags == of[i].flags) continue;
            uint64_t before = api_image(w.cluster);
            assert_int_equal(divide(queue, flags), LSCHED_E_STATE);
            assert_non_null(strstr(err.message, of[i].below));
            assert_non_null(strstr(err.message, "lsched_allowances_remove"));
            assert_true(api_image(w.cluster) == before);
        }
        assert_int_equal(divide(queue, of[i].flags), 1);
        assert_int_equal(lsched_allowances_remove(w.cluster, &user, 1, NULL, NULL, &err), 1);
        assert_int_equal(divide(queue, 0), 1);
        assert_int_equal(stopped(w.now_us + (int64_t)(i + 1) * HOUR), 0); /* with a refresh */
        assert_int_equal(lsched_find(w.cluster, LSCHED_KIND_QUEUE, lsched_cstr(of[i].below)), 0);
        assert_int_equal(verify_state(K, &err), LSCHED_OK);
        assert_int_equal(lsched_queues_remove(w.cluster, &queue, 1, NULL, NULL, &err), 1);
    }
    /* an allowance of the queue itself, and one below a queue further down, keep nothing */
    lsched_queue_desc top = api_queue("top", NULL), low = api_queue("low", "top");
    lsched_id ids[2];
    low.flags = USER;
    assert_int_equal(lsched_queues_add(w.cluster, &top, 1, sizeof top, NULL, &ids[0], NULL, &err),
                     1);
    assert_int_equal(lsched_queues_add(w.cluster, &low, 1, sizeof low, NULL, &ids[1], NULL, &err),
                     1);
    lsched_allowance_desc d = terms(ids[1], 10, HOUR);
    assert_int_equal(set(&d), 1);
    assert_int_equal(divide(ids[1], 0), 1);
    assert_int_equal(divide(ids[1], USER), 1);
    d.user = LSCHED_TEXT("ann");
    assert_int_equal(set(&d), 1);
    assert_int_equal(divide(ids[0], USER), LSCHED_E_STATE);
    assert_non_null(strstr(err.message, "queue 'top' has queues below it"));
}

/* An empty text is no user and no group, however it is given. */
static void an_empty_user_is_none(void **unused) {
    (void)unused;
    const lsched_text empty[] = {
        {NULL, 0}, {"ann", 0}, {NULL, 3}, lsched_cstr(""), lsched_cstr(NULL)};
    for (uint32_t flags = 0; flags <= (LSCHED_QUEUE_PER_USER | LSCHED_QUEUE_PER_GROUP); flags++) {
        char name[] = "q0";
        name[1] = (char)('0' + flags);
        lsched_queue_desc q = api_queue(name, NULL);
        lsched_id queue;
        q.flags = flags;
        assert_int_equal(lsched_queues_add(w.cluster, &q, 1, sizeof q, NULL, &queue, NULL, &err),
                         1);
        lsched_allowance_desc d = terms(queue, 10, HOUR);
        uint32_t queues = table_live(K, T_QUEUE);
        for (size_t i = 0; i < sizeof empty / sizeof empty[0]; i++) {
            d.user = empty[i], d.user_group = empty[sizeof empty / sizeof empty[0] - 1 - i];
            assert_int_equal(set(&d), 1);
            assert_true(get(queue).queue == queue);
            assert_int_equal(lsched_allowances_remove(w.cluster, &queue, 1, NULL, NULL, &err), 1);
        }
        assert_true(table_live(K, T_QUEUE) == queues); /* no sub-queue was made */
    }
}

/* The terms decide anew; the grace goes on. What is imported later is stopped, too. */
static void spent_work_ends_after_the_grace(void **unused) {
    (void)unused;
    lsched_allowance_desc d = terms(w.org, 1, 0);
    d.spent = LSCHED_SPENT_END;
    d.grace_us = HOUR;
    assert_int_equal(set(&d), 1);
    lsched_allowance_info i = get(w.org);
    assert_true(i.spent == LSCHED_SPENT_END && i.grace_us == HOUR);
    assert_true(i.spent_since_us == LSCHED_NEVER_US && i.stop_at_us == LSCHED_NEVER_US);
    int64_t spent = i.exhausted_at_us;
    assert_true(spent > w.now_us && spent <= w.now_us + HOUR);
    assert_true(lsched_next_wake(w.cluster) <= spent);
    assert_int_equal(stopped(spent), 0);
    i = get(w.org);
    assert_true(i.spent_since_us == spent && i.stop_at_us == spent + HOUR);
    d.grace_us = 2 * HOUR;
    assert_int_equal(set(&d), 1);
    assert_true(get(w.org).stop_at_us == spent + 2 * HOUR);
    assert_int_equal(stopped(spent + HOUR), 0);
    d.amount_micro = 1000 * UNIT;
    assert_int_equal(set(&d), 1);
    assert_true(get(w.org).spent_since_us == LSCHED_NEVER_US);
    d.amount_micro = UNIT;
    assert_int_equal(set(&d), 1);
    assert_int_equal(stopped(spent + HOUR), 0);
    /* the clock is set back: as much of the grace is left as before */
    assert_int_equal(lsched_clock_set(w.cluster, spent, &err), LSCHED_OK);
    assert_true(get(w.org).stop_at_us == spent + 2 * HOUR);
    assert_int_equal(stopped(spent + 2 * HOUR - 1), 0);
    lsched_change change = {.size = sizeof change};
    uint64_t at = lsched_changes_end(w.cluster);
    uint32_t told = 0;
    assert_true(stopped(spent + 2 * HOUR) > 0);
    while (lsched_changes_next(w.cluster, &at, &change, NULL) == 1)
        told += change.because == LSCHED_BECAUSE_ALLOWANCE;
    assert_true(told > 0); /* the open placement */
    assert_true(get(w.org).stop_at_us == LSCHED_NEVER_US);
    assert_true(get(w.org).spent_since_us == spent + HOUR - HOUR);
}

static void the_clock_goes_back(void **unused) {
    (void)unused;
    lsched_allowance_desc d = terms(w.org, 100, 24 * HOUR);
    assert_int_equal(set(&d), 1);
    assert_int_equal(api_cycle(w.cluster, w.now_us + HOUR, NULL), LSCHED_OK);
    int64_t used = get(w.org).used_micro;
    assert_int_equal(lsched_clock_set(w.cluster, w.now_us, &err), LSCHED_OK);
    assert_true(get(w.org).used_micro == used);
    assert_int_equal(verify_state(K, &err), LSCHED_OK);
    assert_int_equal(api_cycle(w.cluster, w.now_us + HOUR, NULL), LSCHED_OK);
    assert_true(get(w.org).used_micro == 2 * used);
}

/* A cycle came with a time far ahead. The clock is right again: so are the period and what runs. */
static void a_clock_that_ran_ahead_leaves_no_future(void **unused) {
    (void)unused;
    lsched_allowance_desc d = terms(w.org, 100, 24 * HOUR);
    d.unknown_us = 2 * HOUR;
    assert_int_equal(set(&d), 1);
    lsched_allowance_info before = get(w.org);
    int64_t ahead = w.now_us + 8765 * HOUR;
    assert_int_equal(api_cycle(w.cluster, ahead, NULL), LSCHED_OK);
    int64_t used = get(w.org).used_micro;
    assert_int_equal(lsched_clock_set(w.cluster, w.now_us, &err), LSCHED_OK);
    assert_int_equal(verify_state(K, &err), LSCHED_OK);
    lsched_allowance_info i = get(w.org);
    assert_true(i.period_start_us == before.period_start_us && i.used_micro == used);
    assert_true(i.period_end_us == before.period_end_us);
    EACH_LIVE(K, T_METER, m) {
        assert_true(K->c[C_METER_SINCE].i64[m] <= w.now_us);
        assert_true(K->c[C_METER_FROM].i64[m] <= w.now_us);
        assert_true(K->c[C_METER_END].i64[m] <= w.now_us + 2 * 8765 * HOUR ||
                    K->c[C_METER_END].i64[m] == LSCHED_NEVER_US);
    }
    /* the next period begins when it should */
    assert_int_equal(api_cycle(w.cluster, before.period_end_us, NULL), LSCHED_OK);
    assert_true(get(w.org).period_start_us == before.period_end_us);
    assert_true(get(w.org).used_micro == 0);
}

/* A clone decided with an allowance that has been lowered since: it is named like a limit. */
static void adoption_names_the_allowance(void **unused) {
    (void)unused;
    lsched_id solo, job;
    lsched_queue_desc q = api_queue("solo", NULL);
    assert_int_equal(lsched_queues_add(w.cluster, &q, 1, sizeof q, NULL, &solo, NULL, &err), 1);
    lsched_allowance_desc d = terms(solo, 10, 0);
    assert_int_equal(set(&d), 1);
    lsched_group_desc g = api_group(1);
    lsched_job_desc j = api_job("new", &g, 1);
    j.queue = solo;
    j.queue_name = LSCHED_TEXT("");
    j.duration_us = 2 * HOUR;
    assert_int_equal(lsched_jobs_submit(w.cluster, &j, 1, sizeof j, NULL, &job, NULL, &err), 1);
    lsched_cluster *clone = NULL;
    lsched_plan *plan = NULL, *adopted = NULL;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_adopt_opts adopt = LSCHED_ADOPT_OPTS_INIT;
    opts.now_us = w.now_us;
    assert_int_equal(lsched_cluster_clone(w.cluster, &clone, &err), LSCHED_OK);
    assert_true(lsched_schedule(clone, &opts, &plan, &err) >= 0);
    assert_int_equal(lsched_plan_size(plan), 1);
    d.amount_micro = UNIT;
    assert_int_equal(set(&d), 1);
    assert_true(lsched_adopt(w.cluster, plan, &adopt, &adopted, &err) >= 0);
    assert_int_equal(lsched_adopted_group_size(adopted), 1);
    const lsched_adopted_group *group = lsched_adopted_group_at(adopted, 0);
    assert_int_equal(group->result, LSCHED_ADOPTION_LIMIT);
    assert_true(group->object == solo);
    lsched_plan_destroy(adopted);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(clone);
}

/* A task that was imported before the clock began, with no start, runs from the first cycle on. */
static void an_import_without_a_start_begins_with_the_clock(void **unused) {
    (void)unused;
    close_world(NULL);
    w = (struct api_world){.now_us = 490000 * HOUR};
    assert_int_equal(lsched_cluster_create(NULL, &w.cluster, &err), LSCHED_OK);
    lsched_node_desc n = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc q = api_queue("research", NULL);
    lsched_id node, queue, job;
    lsched_amount room[] = {{LSCHED_CPU, 0, 64000}}, price[] = {{LSCHED_CPU, 0, UNIT}},
                  request[] = {{LSCHED_CPU, 0, 1000}};
    n.name = LSCHED_TEXT("n");
    n.capacity = room;
    n.n_capacity = 1;
    assert_int_equal(lsched_nodes_add(w.cluster, &n, 1, sizeof n, NULL, &node, NULL, &err), 1);
    assert_int_equal(lsched_queues_add(w.cluster, &q, 1, sizeof q, NULL, &queue, NULL, &err), 1);
    lsched_allowance_desc d = terms(queue, 50, 30 * 24 * HOUR);
    d.price = price;
    assert_int_equal(set(&d), 1);
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    g.request = request;
    g.n_request = 1;
    g.min_count = g.max_count = 1;
    lsched_job_desc j = api_job("old", &g, 1);
    j.duration_us = 2 * HOUR;
    assert_int_equal(lsched_jobs_submit(w.cluster, &j, 1, sizeof j, NULL, &job, NULL, &err), 1);
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job = job;
    m.node = node;
    assert_int_equal(lsched_tasks_import(w.cluster, &m, 1, sizeof m, NULL, NULL, &err), 1);
    assert_int_equal(api_cycle(w.cluster, w.now_us, NULL), LSCHED_OK);
    assert_true(get(queue).used_micro == 0 && get(queue).projected_micro == 2 * UNIT);
    assert_int_equal(api_cycle(w.cluster, w.now_us + 3 * HOUR, NULL), LSCHED_OK);
    assert_true(get(queue).used_micro == 3 * UNIT && get(queue).projected_micro == UNIT);
    assert_int_equal(verify_state(K, &err), LSCHED_OK);
}

struct image {
    uint8_t bytes[1 << 20];
    size_t n;
};

static int32_t append(void *out, const void *bytes, size_t n) {
    struct image *b = out;
    if (n > sizeof b->bytes - b->n) return 1;
    memcpy(b->bytes + b->n, bytes, n);
    b->n += n;
    return 0;
}

/* No cycle is due for an allowance that is gone, removed or with its queue, now or after a load. */
static void the_last_allowance_takes_its_time_along(void **unused) {
    (void)unused;
    static struct image image;
    for (int with_queue = 0; with_queue < 2; with_queue++) {
        lsched_id solo, job;
        lsched_queue_desc q = api_queue(with_queue ? "solo1" : "solo0", NULL);
        assert_int_equal(lsched_queues_add(w.cluster, &q, 1, sizeof q, NULL, &solo, NULL, &err), 1);
        lsched_allowance_desc d = terms(solo, 10, 24 * HOUR);
        d.start_us = w.now_us;
        assert_int_equal(set(&d), 1);
        lsched_group_desc g = api_group(1);
        lsched_job_desc j = api_job(with_queue ? "long1" : "long0", &g, 1);
        j.queue = solo;
        j.queue_name = LSCHED_TEXT("");
        j.duration_us = 23 * HOUR;
        assert_int_equal(lsched_jobs_submit(w.cluster, &j, 1, sizeof j, NULL, &job, NULL, &err), 1);
        assert_int_equal(api_cycle(w.cluster, w.now_us, NULL), LSCHED_OK);
        assert_true(meta(K, M_ALLOWANCE_NEXT) > (uint64_t)w.now_us);
        if (with_queue) {
            assert_int_equal(lsched_jobs_remove(w.cluster, &job, 1, NULL, NULL, &err), 1);
            assert_int_equal(lsched_queues_remove(w.cluster, &solo, 1, NULL, NULL, &err), 1);
        } else {
            assert_int_equal(lsched_allowances_remove(w.cluster, &solo, 1, NULL, NULL, &err), 1);
        }
        assert_true(meta(K, M_ALLOWANCE_NEXT) == 0);
        assert_int_equal(verify_state(K, &err), LSCHED_OK);
        image.n = 0;
        lsched_cluster *loaded = NULL;
        assert_int_equal(lsched_cluster_save(w.cluster, append, &image, &err), LSCHED_OK);
        assert_int_equal(lsched_cluster_load(NULL, image.bytes, image.n, &loaded, &err), LSCHED_OK);
        lsched_cluster_destroy(w.cluster);
        w.cluster = loaded;
        for (int day = 1; day < 4; day++) {
            int64_t now = w.now_us + day * 24 * HOUR;
            assert_int_equal(api_cycle(w.cluster, now, NULL), LSCHED_OK);
            assert_int_equal(api_cycle(w.cluster, now, NULL), LSCHED_OK);
            assert_true(lsched_next_wake(w.cluster) > now);
        }
        w.now_us += 96 * HOUR;
    }
}

/* ---- damage ---- */

static void refused_with(const char *part) {
    lsched_error e = LSCHED_ERROR_INIT;
    int32_t rc = verify_state(K, &e);
    if (rc != LSCHED_E_VERIFY || !strstr(e.message, part))
        fail_msg("expected \"%s\", found %d, \"%s\"", part, rc, e.message);
}

/* Sets a word, expects a message, and sets the word back. */
#define DAMAGED(column, type, row, value, part)                        \
    do {                                                               \
        __typeof__(K->c[column].type[0]) was = K->c[column].type[row]; \
        K->c[column].type[row] = (value);                              \
        refused_with(part);                                            \
        K->c[column].type[row] = was;                                  \
        assert_int_equal(verify_state(K, NULL), LSCHED_OK);            \
    } while (0)

static void damaged_allowances_are_refused(void **unused) {
    (void)unused;
    DAMAGED(C_META_WORD, u64, M_ALLOWANCE_NEXT, 5, "can start at a time, and no queue has one");
    lsched_allowance_desc d = terms(w.org, 10, 24 * HOUR);
    d.unknown_us = HOUR;
    assert_int_equal(set(&d), 1);
    assert_int_equal(verify_state(K, &err), LSCHED_OK);
    uint32_t org = K->c[C_ALLOWANCE_QUEUE].u32[0], m = K->c[C_ALLOWANCE_FIRST].u32[0];
    while (!K->c[C_METER_RUNS].u8[m]) m = K->c[C_METER_AFTER].u32[m];
    uint32_t task = K->c[C_METER_TASK].u32[m];
    DAMAGED(C_QUEUE_ALLOWANCE, u32, org, 0, "the queue names another one");
    DAMAGED(C_QUEUE_ALLOWANCE, u32, org, 9, "has the allowance of another queue");
    DAMAGED(C_ALLOWANCE_AMOUNT, i64, 0, -1, "a term is out of range");
    DAMAGED(C_ALLOWANCE_START, i64, 0, INT64_MAX, "its period begins at no time");
    DAMAGED(C_ALLOWANCE_START, i64, 0, w.now_us + 1, "its period begins at no time");
    DAMAGED(C_ALLOWANCE_SINCE, i64, 0, w.now_us + 1, "its period begins at no time");
    DAMAGED(C_METER_FROM, i64, m, w.now_us + 1, "is charged for a time that cannot be");
    DAMAGED(C_ALLOWANCE_PRICE + LSCHED_CPU, i64, 0, -1, "a price is out of range");
    DAMAGED(C_ALLOWANCE_CARRIED_LO, u64, 0, 1, "more is carried than is allowed");
    DAMAGED(C_ALLOWANCE_BASE_HI, u64, 0, UINT64_C(1) << 63, "less than nothing is used");
    DAMAGED(C_ALLOWANCE_FIRST, u32, 0, NO_ROW, "its tasks have another sum of rates");
    DAMAGED(C_ALLOWANCE_ENDS_LO, u64, 0, 1, "its tasks have another sum of ends");
    DAMAGED(C_ALLOWANCE_HELD_HI, u64, 0, 1, "its tasks hold another sum");
    DAMAGED(C_METER_BEFORE, u32, m, m, "the list of its rows is damaged");
    DAMAGED(C_ALLOWANCE_SPENT, u8, 0, 9, "");
    DAMAGED(C_ALLOWANCE_GRACE, i64, 0, 1, "its grace is out of range");
    DAMAGED(C_ALLOWANCE_SPENT_AT, i64, 0, w.now_us + 1, "it is spent at no time");
    DAMAGED(C_ALLOWANCE_STOP_AT, i64, 0, w.now_us, "it is spent at no time");
    K->c[C_ALLOWANCE_SPENT].u8[0] = LSCHED_SPENT_END;
    DAMAGED(C_ALLOWANCE_SPENT_AT, i64, 0, 1, "it is spent, and nothing will stop its work");
    K->c[C_ALLOWANCE_SPENT].u8[0] = LSCHED_SPENT_RUN_ON;
    DAMAGED(C_TASK_METER, u32, task, 0, "is charged to other allowances than those of its queues");
    DAMAGED(C_ALLOWANCE_PRICE + LSCHED_GPU, i64, 0, 1, "is charged another rate");
    DAMAGED(C_METER_LENGTH, i64, m, 0, "is charged for a time that cannot be");
    DAMAGED(C_META_WORD, u64, M_ALLOWANCE_NEXT, UINT64_MAX, "can start at a time below 0");
    DAMAGED(C_METER_NEXT, u32, m, 77, "is charged to other allowances than those of its queues");
    /* rows that no allowance has, in an allowance that is sound without them */
    static const uint16_t sums[] = {C_ALLOWANCE_RATE,    C_ALLOWANCE_BASE_LO, C_ALLOWANCE_BASE_HI,
                                    C_ALLOWANCE_ENDS_LO, C_ALLOWANCE_ENDS_HI, C_ALLOWANCE_HELD_LO,
                                    C_ALLOWANCE_HELD_HI};
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++) K->c[sums[i]].u64[0] = 0;
    K->c[C_ALLOWANCE_FIRST].u32[0] = NO_ROW;
    refused_with("rows charge allowances; tasks have");
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(what_is_refused_changes_nothing),
        TEST(an_end_without_terms_for_it_is_refused),
        TEST(paths_have_a_bound),
        TEST(a_user_keeps_its_queue),
        TEST(an_allowance_of_a_user_keeps_the_flags),
        TEST(an_empty_user_is_none),
        TEST(a_refused_stop_is_told_before_the_next_cycle),
        TEST(a_refused_stop_moves_the_time_limit),
        TEST(what_runs_is_charged),
        TEST(a_late_start_is_charged_at_any_place),
        TEST(spent_work_ends_after_the_grace),
        TEST(the_clock_goes_back),
        TEST(a_clock_that_ran_ahead_leaves_no_future),
        TEST(the_last_allowance_takes_its_time_along),
        TEST(adoption_names_the_allowance),
        TEST(an_import_without_a_start_begins_with_the_clock),
        TEST(damaged_allowances_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
