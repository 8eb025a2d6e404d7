/*
 * test_counters.c -- the counters of a cluster, a queue and an action: what each event counts, calls
 * that fail, copies, rows of queues that are used again, wrong arguments, and callbacks.
 * tests/property/test_changes_random.c and test_caches_random.c compare them with the books of a host,
 * and warm with cold.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/counted.h"
#include "support/settle.h"
#include "support/api_case.h"

static void the_world_has_been_counted(void **state) {
    (void)state;
    lsched_counters n = counted(world.cluster);
    lsched_queue_counters q = counted_in(world.cluster, world.research);
    lsched_cluster_stats stats = {.size = sizeof stats};
    assert_int_equal(lsched_cluster_stats_get(world.cluster, &stats, &err), LSCHED_OK);
    assert_int_equal(n.queues_counted, stats.queues);
    assert_true(n.submitted >= 3 && n.submitted == n.removed + stats.jobs);
    assert_true(n.cycles >= 2 && n.started >= 1 && n.confirmed >= 1);
    assert_true(n.decisions[LSCHED_DECIDE_PLACE] >= 2);
    assert_int_equal(n.evictions[LSCHED_FOR_RECLAIM], 0);
    assert_true(n.jobs_tried > 0 && n.steps > 0 && n.search_fills > 0);
    assert_true(n.memory_bytes == stats.memory_bytes && n.memory_peak_bytes >= n.memory_bytes);
    assert_true(q.submitted > 0 && q.submitted <= n.submitted);
}

static void queues_add_up_to_the_cluster(void **state) {
    (void)state;
    lsched_counters n = counted(world.cluster);
    uint64_t sum[COUNTED_WORDS] = {0}, cursor = 0;
    lsched_id queue;
    /* a queue that is gone takes its counters along, but the world counted nothing in such a one */
    while ((queue = lsched_next(world.cluster, LSCHED_KIND_QUEUE, &cursor)) != 0) {
        lsched_queue_counters q = counted_in(world.cluster, queue);
        assert_int_equal(q.size, sizeof q);
        for (size_t i = 0; i < COUNTED_WORDS; i++) sum[i] += counted_events_in(&q)[i];
    }
    for (size_t i = 0; i < COUNTED_WORDS; i++) assert_true(sum[i] <= counted_events(&n)[i]);
    assert_int_equal(sum[LSCHED_DECIDE_PLACE], n.decisions[LSCHED_DECIDE_PLACE]);
}

static void a_report_and_a_settlement_count_once(void **state) {
    (void)state;
    lsched_counters before = counted(world.cluster), after;
    lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
    assert_true(settle_each(world.cluster, &world.proposed, &yes, 1, NULL, &err) >= 0);
    assert_true(api_report(world.cluster, world.open, LSCHED_EVENT_STARTED) >= 0);
    assert_true(api_report(world.cluster, world.busy, LSCHED_EVENT_FAILED) >= 0);
    after = counted(world.cluster);
    assert_int_equal(after.confirmed, before.confirmed + 1);
    assert_true(after.started > before.started);
    assert_true(after.failed > before.failed);
    assert_int_equal(after.ended, before.ended);
    /* the failed task's back-off is a change beyond what the call was asked for */
    assert_int_equal(after.rejected, before.rejected);
}

static void a_call_that_fails_counts_nothing(void **state) {
    (void)state;
    lsched_counters before = counted(world.cluster), after;
    lsched_id jobs[2] = {world.busy, world.gone_job};
    assert_int_equal(lsched_jobs_remove(world.cluster, jobs, 2, NULL, NULL, &err), LSCHED_E_STALE);
    after = counted(world.cluster);
    assert_true(counted_same(&before, &after));
    lsched_task_event events[2] = {LSCHED_TASK_EVENT_INIT, LSCHED_TASK_EVENT_INIT};
    lsched_batch_opts opts = {.size = sizeof opts, .flags = LSCHED_BATCH_IDEMPOTENT};
    events[0].job = events[1].job = world.busy;
    events[0].event = LSCHED_EVENT_STARTED;
    events[1].event = 77;
    assert_true(lsched_tasks_report(world.cluster, events, 2, sizeof *events, NULL, NULL, &err) <
                0);
    assert_int_equal(
        lsched_tasks_report(world.cluster, events, 1, sizeof *events, &opts, NULL, &err), 1);
    after = counted(world.cluster);
    assert_true(counted_same(&before, &after)); /* what was so already is no event */
}

static void copies_begin_with_zero(void **state) {
    (void)state;
    lsched_counters none = {.size = sizeof none}, n;
    lsched_cluster *copy = NULL;
    assert_int_equal(lsched_cluster_clone(world.cluster, &copy, &err), LSCHED_OK);
    n = counted(copy);
    assert_true(counted_same(&none, &n) && n.cycles == 0 && n.steps == 0);
    assert_true(api_cycle(copy, world.now_us + 60000000, NULL) >= 0);
    n = counted(copy);
    assert_int_equal(n.cycles, 1);
    assert_int_equal(lsched_cluster_clone(world.cluster, &copy, &err), LSCHED_OK);
    n = counted(copy);
    assert_true(counted_same(&none, &n) && n.cycles == 0);
    lsched_cluster_destroy(copy);
}

static void a_new_queue_in_an_old_row_begins_with_zero(void **state) {
    (void)state;
    lsched_id queue = 0, job = 0, again = 0;
    lsched_group_desc group = api_group(1);
    lsched_job_desc desc = api_job("short", &group, 1);
    lsched_queue_desc fresh = api_queue("fresh", "org");
    assert_true(lsched_queues_add(world.cluster, &fresh, 1, 0, NULL, &queue, NULL, &err) >= 0);
    desc.queue_name = LSCHED_TEXT("fresh");
    assert_true(lsched_jobs_submit(world.cluster, &desc, 1, 0, NULL, &job, NULL, &err) >= 0);
    assert_true(lsched_jobs_remove(world.cluster, &job, 1, NULL, NULL, &err) >= 0);
    assert_int_equal(counted_in(world.cluster, queue).submitted, 1);
    assert_int_equal(counted_in(world.cluster, queue).removed, 1);
    assert_true(lsched_queues_remove(world.cluster, &queue, 1, NULL, NULL, &err) >= 0);
    fresh.name = LSCHED_TEXT("newer");
    assert_true(lsched_queues_add(world.cluster, &fresh, 1, 0, NULL, &again, NULL, &err) >= 0);
    assert_int_equal((uint32_t)again, (uint32_t)queue); /* the row is used again */
    assert_int_equal(counted_in(world.cluster, again).submitted, 0);
    lsched_queue_counters q = {.size = sizeof q};
    assert_int_equal(lsched_queue_counters_get(world.cluster, queue, &q, &err), LSCHED_E_STALE);
}

static void a_wait_goes_to_its_bucket(void **state) {
    (void)state;
    static const int64_t seconds[] = {0, 1, 2, 3600, 700000};
    static const uint32_t bucket[] = {0, 0, 1, 9, 15};
    for (int i = 0; i < 5; i++) {
        lsched_cluster *c = NULL;
        struct api_world w;
        assert_int_equal(api_world_make(&w, NULL), 0);
        c = w.cluster;
        lsched_group_desc group = api_group(1);
        lsched_job_desc desc = api_job("waits", &group, 1);
        lsched_counters before = counted(c);
        desc.submit_us = w.now_us;
        assert_true(lsched_jobs_submit(c, &desc, 1, 0, NULL, NULL, NULL, &err) >= 0);
        assert_true(api_cycle(c, w.now_us + seconds[i] * 1000000, NULL) >= 0);
        lsched_counters after = counted(c);
        uint64_t placed =
            after.decisions[LSCHED_DECIDE_PLACE] - before.decisions[LSCHED_DECIDE_PLACE];
        uint64_t sum = 0;
        for (int b = 0; b < LSCHED_WAIT_BUCKETS; b++) sum += after.wait[b] - before.wait[b];
        assert_int_equal(sum, placed);
        assert_true(after.wait[bucket[i]] > before.wait[bucket[i]]);
        assert_true(after.wait_sum_us - before.wait_sum_us >= (uint64_t)seconds[i] * 1000000);
        api_world_drop(&w);
    }
    for (uint32_t b = 1; b < LSCHED_WAIT_BUCKETS; b++)
        assert_true(lsched_wait_bound_us(b) > lsched_wait_bound_us(b - 1));
    assert_int_equal(lsched_wait_bound_us(LSCHED_WAIT_BUCKETS - 1), LSCHED_NEVER_US);
}

static void actions_have_counters(void **state) {
    (void)state;
    lsched_action_counters a = {.size = sizeof a};
    lsched_counters n = counted(world.cluster);
    uint64_t cursor = 0, decisions = 0, places = 0;
    while (lsched_action_counters_next(world.cluster, &cursor, &a, &err) == 1) {
        assert_true(a.runs > 0 && a.runs <= n.cycles * 4);
        assert_true(a.steps <= n.steps && a.jobs_tried <= n.jobs_tried);
        decisions += a.decisions;
        places += strcmp(a.action, "allocate") == 0;
        assert_int_equal(a.size, sizeof a);
    }
    assert_int_equal(places, 1);
    assert_int_equal(decisions, n.decisions[LSCHED_DECIDE_PLACE]);
    assert_int_equal(lsched_action_counters_next(world.cluster, &cursor, &a, &err), 0);
}

static void a_question_counts_nothing(void **state) {
    (void)state;
    lsched_counters before = counted(world.cluster), after;
    lsched_would_start_answer answer = LSCHED_WOULD_START_ANSWER_INIT;
    lsched_offer offer = LSCHED_OFFER_INIT;
    answer.offer = &offer;
    assert_int_equal(lsched_would_start(world.cluster, world.later, NULL, NULL, &answer, &err),
                     LSCHED_OK);
    after = counted(world.cluster);
    assert_true(counted_same(&before, &after) && after.cycles == before.cycles &&
                after.steps == before.steps && after.search_fills == before.search_fills);
}

static int32_t read_inside(void *user, const void *bytes, size_t n) {
    lsched_counters c = {.size = sizeof c};
    (void)bytes;
    (void)n;
    *(int32_t *)user = lsched_counters_get(world.cluster, &c, NULL);
    return 0;
}

static void wrong_arguments(void **state) {
    (void)state;
    lsched_counters n = {.size = sizeof n};
    lsched_queue_counters q = {.size = sizeof q};
    lsched_action_counters a = {.size = sizeof a};
    uint64_t cursor = 0;
    int32_t inside = 0;
    assert_int_equal(lsched_counters_get(NULL, &n, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_counters_get(world.cluster, NULL, &err), LSCHED_E_NULL);
    n.size = 0;
    assert_int_equal(lsched_counters_get(world.cluster, &n, &err), LSCHED_E_SIZE);
    n.size = 16;
    assert_int_equal(lsched_counters_get(world.cluster, &n, &err), LSCHED_OK);
    assert_int_equal(lsched_queue_counters_get(world.cluster, world.busy, &q, &err), LSCHED_E_KIND);
    assert_int_equal(lsched_queue_counters_get(world.cluster, 0, &q, &err) < 0, 1);
    assert_int_equal(lsched_action_counters_next(world.cluster, NULL, &a, &err), LSCHED_E_NULL);
    a.size = 3;
    assert_int_equal(lsched_action_counters_next(world.cluster, &cursor, &a, &err), LSCHED_E_SIZE);
    assert_int_equal(lsched_cluster_save(world.cluster, read_inside, &inside, &err), LSCHED_OK);
    assert_int_equal(inside, LSCHED_E_BUSY);
}

static struct {
    char text[65536];
    size_t n, calls;
    size_t refuse_at; /* the call that is refused; 0: none */
    int32_t inside;
} written;

static int32_t write_text(void *user, const void *bytes, size_t n) {
    (void)user;
    lsched_counters c = {.size = sizeof c};
    written.inside = lsched_counters_get(world.cluster, &c, NULL);
    if (++written.calls == written.refuse_at) return 7;
    assert_true(written.n + n < sizeof written.text);
    memcpy(written.text + written.n, bytes, n);
    written.n += n;
    written.text[written.n] = 0;
    return 0;
}

/* The codes from LSCHED_COUNTED_CODES on are counted, too, and the text has them. */
static void changes_with_later_codes_are_counted(void **state) {
    const uint32_t ready = LSCHED_CHANGE_READY - LSCHED_COUNTED_CODES;
    lsched_dependency d = LSCHED_DEPENDENCY_INIT;
    lsched_group_desc g = api_group(1);
    lsched_job_desc j = api_job("after", &g, 1);
    (void)state;
    d.job = world.busy;
    j.dependencies = &d;
    j.n_dependencies = 1;
    assert_int_equal(lsched_jobs_submit(world.cluster, &j, 1, sizeof j, NULL, NULL, NULL, &err), 1);
    lsched_counters before = counted(world.cluster), after;
    lsched_queue_counters queue = counted_in(world.cluster, world.research);
    assert_true(api_report(world.cluster, world.busy, LSCHED_EVENT_ENDED) >= 0);
    assert_int_equal(api_cycle(world.cluster, world.now_us + 1000000, NULL), LSCHED_OK);
    after = counted(world.cluster);
    assert_int_equal(after.changes_more[ready], before.changes_more[ready] + 1);
    assert_int_equal(counted_in(world.cluster, world.research).changes_more[ready],
                     queue.changes_more[ready] + 1);
    memset(&written, 0, sizeof written);
    assert_int_equal(lsched_metrics_write(world.cluster, 0, write_text, NULL, &err), LSCHED_OK);
    assert_non_null(strstr(written.text, "lsched_changes_total{kind=\"ready\"} 1\n"));
    assert_non_null(strstr(written.text, "lsched_changes_total{kind=\"firm-lost\"} 0\n"));
}

static void text_has_every_queue_and_ends(void **state) {
    (void)state;
    memset(&written, 0, sizeof written);
    lsched_queue_desc odd = api_queue("a\"\\\n\xff", "org");
    assert_true(lsched_queues_add(world.cluster, &odd, 1, 0, NULL, NULL, NULL, &err) >= 0);
    uint64_t image = api_image(world.cluster);
    lsched_counters before = counted(world.cluster), after;
    assert_int_equal(
        lsched_metrics_write(world.cluster, LSCHED_METRICS_QUEUES, write_text, NULL, &err),
        LSCHED_OK);
    after = counted(world.cluster);
    assert_int_equal(written.inside, LSCHED_E_BUSY);
    assert_true(after.allocations == before.allocations); /* it needs no memory */
    assert_true(api_image(world.cluster) == image);
    assert_string_equal(written.text + written.n - 6, "# EOF\n");
    assert_non_null(strstr(written.text, "{queue=\"research\",kind=\"place\"}"));
    assert_non_null(strstr(written.text, "{queue=\"a\\\"\\\\\\n\xef\xbf\xbd\",le=\"1.0\"}"));
    assert_non_null(strstr(written.text, "# UNIT lsched_wait_seconds seconds\n"));
    size_t calls = written.calls;
    for (size_t at = 1; at <= calls; at++) {
        memset(&written, 0, sizeof written);
        written.refuse_at = at;
        assert_int_equal(
            lsched_metrics_write(world.cluster, LSCHED_METRICS_QUEUES, write_text, NULL, &err),
            LSCHED_E_STATE);
        assert_int_equal(written.calls, at);
        assert_non_null(strstr(err.message, "returned 7"));
    }
    assert_int_equal(lsched_metrics_write(world.cluster, 2, write_text, NULL, &err),
                     LSCHED_E_INVAL);
    assert_int_equal(lsched_metrics_write(world.cluster, 0, NULL, NULL, &err), LSCHED_E_NULL);
    assert_int_equal(lsched_metrics_write(NULL, 0, write_text, NULL, &err), LSCHED_E_NULL);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(the_world_has_been_counted),
        TEST(queues_add_up_to_the_cluster),
        TEST(a_report_and_a_settlement_count_once),
        TEST(a_call_that_fails_counts_nothing),
        TEST(copies_begin_with_zero),
        TEST(a_new_queue_in_an_old_row_begins_with_zero),
        TEST(a_wait_goes_to_its_bucket),
        TEST(actions_have_counters),
        TEST(a_question_counts_nothing),
        TEST(changes_with_later_codes_are_counted),
        TEST(text_has_every_queue_and_ends),
        TEST(wrong_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
