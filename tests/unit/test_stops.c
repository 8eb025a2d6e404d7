/* Whom a cycle marks, as model/jobs/stops.h says: work that is reclaimed for another queue, and
 * on to whom a marked job preempts; nobody who goes for a job of the own queue that has no mark. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/state/cluster.h"
#include "model/store/index.h"
#include "model/jobs/stops.h"
#include "support/told.h"

#define HEAD                     \
    "start: 2026-01-05T08:00Z\n" \
    "policy: guaranteed-quota\n"

static uint32_t row_of(const lsched_cluster *c, const char *name) {
    const struct columns *k = &c->k;
    uint32_t row = name_find(k, T_IX_JOB, name, strlen(name));
    if (row == NO_ROW) fail_msg("no job is called %s", name);
    return row;
}

/* for_whom NULL: it has no mark. */
static void assert_mark(const lsched_cluster *c, const char *job, const char *for_whom) {
    uint32_t found = stops_for(&c->k, row_of(c, job)),
             wanted = for_whom ? row_of(c, for_whom) : NO_ROW;
    if (found != wanted)
        fail_msg("%s: marked for row %u, expected %s", job, found, for_whom ? for_whom : "no mark");
}

static void who_is_preempted_has_no_mark(void **unused) {
    (void)unused;
    lsched_cluster *c = told_play(
        HEAD "nodes: [{name: n, cpu: 4}]\n"
             "queues: [{name: q, quota: {cpu: 4}}]\n"
             "jobs:\n"
             "  - {name: low, queue: q, running_on: n, running_since: -1h, tasks: {cpu: 4}}\n"
             "  - {name: high, queue: q, priority: 1, tasks: {cpu: 4}}\n"
             "expect: {evict: {low: {reason: preempt, for: high}}}\n");
    assert_mark(c, "low", NULL);
    assert_mark(c, "high", NULL);
    lsched_cluster_destroy(c);
}

/* The guest whose work is reclaimed stops one of its own queue on the other node: that one went for
 * the owner, too. */
static void the_mark_of_the_reclaimed_goes_on(void **unused) {
    (void)unused;
    lsched_cluster *c = told_play(
        HEAD
        "nodes: [{name: x, cpu: 4, labels: {side: x}}, {name: y, cpu: 4, labels: {side: y}}]\n"
        "queues: [{name: own, quota: {cpu: 4}}, {name: guests, quota: {cpu: 4}}]\n"
        "jobs:\n"
        "  - {name: guest, queue: guests, priority: 5, running_on: x, running_since: -1h, tasks: {cpu: 4}}\n"
        "  - {name: low, queue: guests, running_on: y, running_since: -1h, tasks: {cpu: 4}}\n"
        "  - {name: owner, queue: own, tasks: {cpu: 4, select: {side: x}}}\n"
        "expect: {evict: {guest: {reason: reclaim, for: owner}}}\n"
        "events:\n"
        "  - {at: 1m, expect: {placed: {owner: x}, evict: {low: {reason: preempt, for: guest}}}}\n");
    assert_mark(c, "guest", "owner");
    assert_mark(c, "low", "owner");
    assert_mark(c, "owner", NULL);
    lsched_cluster_destroy(c);
}

/* One job may have work of its own queue and of another stopped at once: the other's alone is
 * marked. */
static void of_both_the_other_queue_is_marked(void **unused) {
    (void)unused;
    lsched_cluster *c = told_play(
        "start: 2026-01-05T08:00Z\n"
        "policy: cohort\n"
        "nodes: [{name: n, cpu: 6}]\n"
        "queues:\n"
        "  - {name: all}\n"
        "  - {name: a, parent: all, quota: {cpu: 3}}\n"
        "  - {name: b, parent: all, quota: {cpu: 3}}\n"
        "jobs:\n"
        "  - {name: low, queue: a, priority: -1, running_on: n, running_since: -1h, tasks: {cpu: 1}}\n"
        "  - {name: firm, queue: a, running_on: n, running_since: -1h, tasks: {cpu: 1}}\n"
        "  - {name: 'b-[0-3]', queue: b, tasks: {cpu: 1}}\n"
        "  - {name: in, queue: a, tasks: {cpu: 2}}\n"
        "running: [{task: ['b-[0-3]/0'], node: n, since: -1h}]\n"
        "expect: {evict: {low: {reason: preempt, for: in}, b-3: {reason: reclaim, for: in}}}\n");
    assert_mark(c, "low", NULL);
    assert_mark(c, "b-3", "in");
    assert_mark(c, "b-0", NULL);
    lsched_cluster_destroy(c);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_preempted_has_no_mark),
        cmocka_unit_test(the_mark_of_the_reclaimed_goes_on),
        cmocka_unit_test(of_both_the_other_queue_is_marked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
