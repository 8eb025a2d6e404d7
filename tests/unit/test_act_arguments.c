/* An action of a host that is wrong: each call that takes a row, a group or a level is given one
 * that is not there, and refuses with LSCHED_E_INVAL. Nothing is changed, and the cycle goes on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/algorithm.h>

#include "engine/state/cycle_state.h"
#include "support/api_world.h"

static struct {
    uint32_t asked, phases;
    char wrong[200]; /* the first call that was taken */
} seen;

static void refused(int32_t rc, const char *call, uint32_t with) {
    seen.asked++;
    if (rc != LSCHED_E_INVAL && !seen.wrong[0])
        snprintf(seen.wrong, sizeof seen.wrong, "%s with %u: %d", call, with, rc);
}

#define REFUSED(with, call) refused((call), #call, (with))

static const uint64_t on[LSCHED_DEVICE_WORDS] = {1};

/* Rows of a table that are none: the first behind its rows, ones far away, and one that was
 * removed, if there is such a one. */
struct none {
    uint32_t row[4], n;
};

static struct none none_of(const struct columns *k, uint32_t table) {
    struct none x = {{table_rows(k, table), UINT32_MAX / 2, LSCHED_NO_ROW - 1}, 3};
    for (uint32_t i = 0; i < table_rows(k, table) && x.n < 4; i++)
        if (!row_is_live(k, table, i)) x.row[x.n++] = i;
    return x;
}

/* Calls that speak of the current job and one of its leaves. */
static void wrong_jobs(const lsched_act *a, lsched_cycle *cy, uint32_t job, uint32_t group) {
    const lsched_group_view *groups;
    const lsched_part *parts;
    lsched_plan_ask ask;
    const uint8_t *able;
    uint32_t n, node = 0, rows[2];
    REFUSED(job, a->groups(cy, job, &groups, &n));
    REFUSED(job, a->find_node(cy, job, group, LSCHED_NO_ROW, &node));
    REFUSED(job, a->place(cy, job, group, 0));
    REFUSED(job, a->place_on(cy, job, group, 0, on, 0));
    REFUSED(job, a->place_on(cy, job, group, 0, NULL, 0));
    REFUSED(job, a->alternative(cy, job, group, 0));
    REFUSED(job, a->domains(cy, job, group, 0, 0, LSCHED_NO_ROW, 1, 0, rows, 2));
    REFUSED(job, a->divide(cy, job, group, LSCHED_NO_ROW, 1, &parts, &n));
    REFUSED(job, a->full(cy, job, group, LSCHED_NO_ROW));
    REFUSED(job, a->within_limits(cy, job));
    REFUSED(job, a->commit(cy, job));
    REFUSED(job, a->park(cy, job));
    REFUSED(job, a->may_evict(cy, job));
    REFUSED(job, a->untried(cy, job));
    REFUSED(job, a->find_victims(cy, job, group, LSCHED_NO_ROW, &node));
    REFUSED(job, a->evict_on(cy, job, group, 0));
    REFUSED(job, a->relieve(cy, job, group));
    REFUSED(job, a->plan_ask(cy, job, &ask));
    REFUSED(job, a->plan_able(cy, job, &able));
    REFUSED(job, a->plan_defer(cy, job, 0));
    REFUSED(job, a->plan_wait(cy, job, INT64_MAX, LSCHED_NO_ROW, LSCHED_NO_ROW));
    REFUSED(job, a->plan_rest(cy, job, INT64_MAX, 0));
    REFUSED(job, a->plan_offer(cy, job, 1));
    REFUSED(job, a->plan_pick(cy, job));
}

static void wrong_groups(const lsched_act *a, lsched_cycle *cy, uint32_t job, uint32_t group) {
    const lsched_part *parts;
    uint32_t n, node = 0, rows[2];
    REFUSED(group, a->find_node(cy, job, group, LSCHED_NO_ROW, &node));
    REFUSED(group, a->place(cy, job, group, 0));
    REFUSED(group, a->place_on(cy, job, group, 0, on, 0));
    REFUSED(group, a->alternative(cy, job, group, 0));
    REFUSED(group, a->domains(cy, job, group, 0, 0, LSCHED_NO_ROW, 1, 0, rows, 2));
    REFUSED(group, a->divide(cy, job, group, LSCHED_NO_ROW, 1, &parts, &n));
    REFUSED(group, a->full(cy, job, group, LSCHED_NO_ROW));
    REFUSED(group, a->find_victims(cy, job, group, LSCHED_NO_ROW, &node));
    REFUSED(group, a->evict_on(cy, job, group, 0));
    REFUSED(group, a->relieve(cy, job, group));
}

static void wrong_places(const lsched_act *a, lsched_cycle *cy, uint32_t job) {
    const struct columns *k = cy->k;
    struct none node = none_of(k, T_NODE), domain = none_of(k, T_DOMAIN),
                topology = none_of(k, T_TOPOLOGY), jobs = none_of(k, T_JOB);
    const uint32_t levels = k->c[C_TOPOLOGY_N_LEVELS].u32[0],
                   level[] = {levels, levels + 1, UINT32_MAX};
    const lsched_holder *holders;
    const lsched_part *parts;
    uint32_t n, at, rows[2];
    int64_t places;
    for (uint32_t i = 0; i < node.n; i++) {
        uint32_t row = node.row[i];
        REFUSED(row, a->place(cy, job, 0, row));
        REFUSED(row, a->place_on(cy, job, 0, row, on, 0));
        REFUSED(row, a->holders(cy, row, &holders, &n, &places));
        REFUSED(row, a->mig_device(cy, LSCHED_NO_ROW, row, 0, &n, rows, &at));
        REFUSED(row, a->mover_able(cy, 0, row));
        REFUSED(row, a->plan_wait(cy, job, INT64_MAX, row, LSCHED_NO_ROW));
    }
    for (uint32_t i = 0; i < domain.n; i++) {
        uint32_t row = domain.row[i];
        REFUSED(row, a->find_node(cy, job, 0, row, &at));
        REFUSED(row, a->domains(cy, job, 0, 0, 0, row, 1, 0, rows, 2));
        REFUSED(row, a->divide(cy, job, 0, row, 1, &parts, &n));
        REFUSED(row, a->full(cy, job, 0, row));
    }
    for (uint32_t i = 0; i < topology.n; i++)
        REFUSED(topology.row[i],
                a->domains(cy, job, 0, topology.row[i], 0, LSCHED_NO_ROW, 1, 0, rows, 2));
    for (uint32_t i = 0; i < sizeof level / sizeof *level; i++)
        REFUSED(level[i], a->domains(cy, job, 0, 0, level[i], LSCHED_NO_ROW, 1, 0, rows, 2));
    for (uint32_t i = 0; i < jobs.n; i++)
        REFUSED(jobs.row[i], a->plan_wait(cy, job, INT64_MAX, LSCHED_NO_ROW, jobs.row[i]));
    REFUSED(8, a->mig_device(cy, job, 0, 8, &n, rows, &at));
    REFUSED(1, a->alternative(cy, job, 0, 1));
    REFUSED(2, a->look(cy, 2));
    REFUSED(99, a->evict_begin(cy, 99));
    REFUSED(99, a->next_overdue(cy, 99, &at));
    REFUSED(99, a->rollback(cy, UINT64_MAX));
}

static void wrong_tasks(const lsched_act *a, lsched_cycle *cy) {
    struct none task = none_of(cy->k, T_TASK), job = none_of(cy->k, T_JOB);
    for (uint32_t i = 0; i < task.n; i++) {
        REFUSED(task.row[i], a->mover_able(cy, task.row[i], 0));
        REFUSED(task.row[i], a->move_off(cy, task.row[i]));
    }
    for (uint32_t i = 0; i < job.n; i++) REFUSED(job.row[i], a->evict_job(cy, job.row[i]));
}

/* Victims are sought for nobody before may_evict was asked. */
static void too_early(const lsched_act *a, lsched_cycle *cy, uint32_t job) {
    uint32_t node;
    REFUSED(job, a->find_victims(cy, job, 0, LSCHED_NO_ROW, &node));
    REFUSED(job, a->evict_on(cy, job, 0, 0));
    REFUSED(job, a->relieve(cy, job, 0));
    REFUSED(job, a->another_way(cy));
}

/* While victims are sought. */
static void wrong_victims(const lsched_act *a, lsched_cycle *cy, uint32_t job) {
    struct none node = none_of(cy->k, T_NODE), domain = none_of(cy->k, T_DOMAIN);
    const lsched_mover *movers;
    uint32_t n, stay, at;
    for (uint32_t i = 0; i < node.n; i++) {
        REFUSED(node.row[i], a->evict_on(cy, job, 0, node.row[i]));
        REFUSED(node.row[i], a->empty_node(cy, node.row[i]));
        REFUSED(node.row[i], a->movers(cy, node.row[i], &movers, &n, &stay));
    }
    for (uint32_t i = 0; i < domain.n; i++)
        REFUSED(domain.row[i], a->find_victims(cy, job, 0, domain.row[i], &at));
    REFUSED(0, a->evict_begin(cy, LSCHED_FOR_RECLAIM)); /* one at a time */
    REFUSED(0, a->next_drained(cy, &at));               /* none of the drain */
}

static int32_t wrong_run(void *self, const lsched_act *a, lsched_cycle *cy) {
    (void)self;
    uint32_t job;
    for (uint32_t search = 0; search < 2; search++) {
        int32_t rc = search ? a->evict_begin(cy, LSCHED_FOR_PREEMPT) : 1;
        if (rc != 1) return rc < 0 ? rc : LSCHED_OK;
        rc = a->next_job(cy, &job);
        if (rc == 1) {
            struct none jobs = none_of(cy->k, T_JOB);
            const uint32_t groups =
                cy->k->c[C_JOBSHAPE_N_GROUPS].u32[cy->k->c[C_JOB_SHAPE].u32[job]];
            seen.phases |= 1u << search;
            for (uint32_t i = 0; i < jobs.n; i++) wrong_jobs(a, cy, jobs.row[i], 0);
            wrong_jobs(a, cy, LSCHED_NO_ROW, 0);
            wrong_jobs(a, cy, job ? job - 1 : job + 1, 0); /* another job than the current one */
            wrong_groups(a, cy, job, groups);
            wrong_groups(a, cy, job, LSCHED_NO_ROW);
            wrong_places(a, cy, job);
            wrong_tasks(a, cy);
            if (search) too_early(a, cy, job);
            if (search && a->may_evict(cy, job) >= 0) wrong_victims(a, cy, job);
            rc = a->park(cy, job);
        }
        if (search && rc >= 0) rc = a->evict_end(cy);
        if (rc < 0) return rc;
    }
    return LSCHED_OK;
}

static const lsched_act_ops wrong_ops = {.size = sizeof wrong_ops, .run = wrong_run};
static const lsched_algorithm wrong = {.size = sizeof wrong,
                                       .api = LSCHED_ALGORITHM_API,
                                       .role = LSCHED_ROLE_ACT,
                                       .name = "wrong",
                                       .act = &wrong_ops};

static void what_is_not_there_is_refused(void **unused) {
    (void)unused;
    const char *text =
        "return { api = 1, fair_share = 'quota', pipeline = { 'wrong', 'allocate' } }";
    struct api_world w;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_group_desc group = api_group(1);
    lsched_job_desc job = api_job("urgent", &group, 1);
    lsched_id id, first;
    memset(&seen, 0, sizeof seen);
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    assert_true(lsched_algorithm_register(w.cluster, &wrong, &err) >= 0);
    if (lsched_policy_load(w.cluster, LSCHED_TEXT("p.lua"), lsched_cstr(text), NULL, &err) < 0)
        fail_msg("%s", err.message);
    assert_true(lsched_jobs_submit(w.cluster, &job, 1, sizeof job, NULL, &id, NULL, &err) >= 0);
    assert_int_equal(api_cycle(w.cluster, ++w.now_us, &first), LSCHED_OK);
    if (seen.wrong[0]) fail_msg("%s", seen.wrong);
    print_message("%u calls refused, phases %u\n", seen.asked, seen.phases);
    assert_int_equal(seen.phases, 3);
    api_world_drop(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_not_there_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
