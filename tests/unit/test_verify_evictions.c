/* The verifier takes good evictions and refuses bad ones: protection of guarantees, unit by unit
 * in any order; who may be stopped for whom; moves and what is left of a gang. The mistakes are
 * made on purpose, with sound sums around them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "engine/verify_plan/verify_plan.h"
#include "model/told/decision_life.h"
#include "model/nodes/node.h"
#include "model/jobs/job_cost.h"
#include "model/resizes/resize.h"
#include "model/jobs/stops.h"
#include "model/jobs/job_limits.h"
#include "model/jobs/task_row.h"
#include "model/news/queue_news.h"
#include "support/model_world.h"

static struct model_world world;
static uint32_t queue_a, queue_b, queue_c;
static uint32_t job_flags;                   /* of jobs that are added from here on */
static uint32_t no_cores;                    /* 1: their tasks ask for no cores */
static struct verify_withdrawn withdrawn[4]; /* what the plan withdrew */
static size_t n_withdrawn;

/* Two nodes of 8 A100. Queues a and c below org, b on its own; every quota is 8 GPUs. */
static int open_world(void **unused) {
    (void)unused;
    uint32_t row, org;
    job_flags = 0;
    no_cores = 0;
    n_withdrawn = 0;
    return world_open(&world, NULL) || world_topology(&world) ||
           world_node(&world, "n1", 64000, 8, 0, "r1", &row) ||
           world_node(&world, "n2", 64000, 8, 0, "r2", &row) ||
           world_queue(&world, "org", NO_ROW, &org) || world_queue(&world, "a", org, &queue_a) ||
           world_queue(&world, "c", org, &queue_c) || world_queue(&world, "b", NO_ROW, &queue_b);
}

static int close_world(void **unused) {
    (void)unused;
    world_close(&world);
    return 0;
}

static void quota(uint32_t queue, int64_t gpus) {
    world.k.c[C_QUEUE_QUOTA_NOW + LSCHED_GPU].i64[queue] = gpus * 1000;
    world.k.c[C_QUEUE_QUOTA_NOW + LSCHED_CPU].i64[queue] = 0;
    world.k.c[C_QUEUE_QUOTA_NOW + LSCHED_MEMORY].i64[queue] = 0;
}

static void quotas(int64_t org, int64_t a, int64_t b) {
    quota(world_queue_named(&world, "org"), org);
    quota(queue_a, a);
    quota(queue_b, b);
    quota(queue_c, 0);
}

static uint32_t add(const char *name, uint32_t queue, uint32_t max, uint32_t min, uint32_t gpus,
                    int32_t priority) {
    struct job_form f = {
        .name = name,
        .queue = queue,
        .n_groups = 1,
        .flags = job_flags,
        .priority = priority,
        .groups = {{.max = max, .min = min, .no_cpu = no_cores, .devices = gpus, .milli = 1000}}};
    uint32_t job = NO_ROW;
    assert_int_equal(world_job(&world, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(&world, job), LSCHED_OK);
    return job;
}

static uint32_t runs(const char *name, uint32_t queue, const char *node, uint32_t max, uint32_t min,
                     uint32_t gpus) {
    uint32_t job = add(name, queue, max, min, gpus, 0);
    assert_int_equal(world_propose(&world, job, 0, world_node_named(&world, node), max), LSCHED_OK);
    for (uint32_t i = 0; i < max; i++) assert_int_equal(world_start(&world, job, i), LSCHED_OK);
    return job;
}

/* ---- a plan: all open decisions ---- */

static lsched_decision plan[32];
static size_t n_plan;

static lsched_id id_of(uint32_t kind, uint32_t gen_column, uint32_t row) {
    return (uint64_t)kind << 60 | (uint64_t)world.k.c[gen_column].u32[row] << 32 | row;
}

static void read_plan(void) {
    const struct columns *k = &world.k;
    n_plan = 0;
    for (uint32_t d = (uint32_t)meta(k, M_OPEN_HEAD); d != NO_ROW;
         d = k->c[C_DECISION_NEXT].u32[d]) {
        uint32_t t = k->c[C_DECISION_TASK].u32[d], job = k->c[C_TASK_JOB].u32[t],
                 node = k->c[C_TASK_NODE].u32[t];
        lsched_decision *p = &plan[n_plan++];
        memset(p, 0, sizeof *p);
        p->size = sizeof *p;
        p->kind = k->c[C_DECISION_KIND].u8[d];
        p->state = k->c[C_DECISION_STATE].u8[d];
        p->proposed_us = k->c[C_DECISION_PROPOSED].i64[d];
        p->until_us = LSCHED_NEVER_US;
        p->id = id_of(LSCHED_KIND_DECISION, C_DECISION_GEN, d);
        p->job = id_of(LSCHED_KIND_JOB, C_JOB_GEN, job);
        p->node = id_of(LSCHED_KIND_NODE, C_NODE_GEN, node);
        p->job_tag = 13;
        p->node_tag = 11;
        p->task_index = k->c[C_TASK_INDEX].u32[t];
        p->device_mask = (uint32_t)k->c[C_TASK_MASK].u64[t];
        p->device_words[0] = k->c[C_TASK_MASK].u64[t];
        p->device_milli = p->device_mask ? 1000 : 0;
        p->device_memory_bytes = p->device_mask ? INT64_C(16) << 30 : 0;
        p->group = k->c[C_DECISION_GROUP].u64[d];
        p->at_us = k->c[C_DECISION_AT].i64[d];
        p->reason = k->c[C_DECISION_REASON].u8[d];
        p->for_job = k->c[C_DECISION_FOR_JOB].u64[d];
        p->cost = k->c[C_DECISION_COST].i64[d];
        p->checkpoint = k->c[C_DECISION_FOLLOWS].u8[d];
        if (p->kind == LSCHED_DECIDE_CHECKPOINT) p->until_us = k->c[C_DECISION_UNTIL].i64[d];
        if (p->kind != LSCHED_DECIDE_MIGRATE) continue;
        uint32_t moved = task_find(k, job, p->task_index);
        p->to_node = id_of(LSCHED_KIND_NODE, C_NODE_GEN, k->c[C_TASK_NODE].u32[moved]);
    }
}

static int32_t judge(uint32_t protection, size_t n, lsched_error *err) {
    const struct verify_under under = {protection, withdrawn, n_withdrawn};
    return verify_plan_under(&world.k, &under, plan, n, sizeof plan[0], err);
}

static void expect(uint32_t protection, const char *refused) {
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = verify_state(&world.k, &err);
    if (rc != LSCHED_OK) print_message("%s\n", err.message);
    assert_int_equal(rc, LSCHED_OK);
    read_plan();
    rc = judge(protection, n_plan, &err);
    if ((rc == LSCHED_OK) != (refused == NULL) || (refused && !strstr(err.message, refused)))
        print_message("expected \"%s\", found \"%s\"\n", refused ? refused : "nothing",
                      err.message);
    assert_int_equal(rc, refused ? LSCHED_E_VERIFY : LSCHED_OK);
    if (refused) assert_non_null(strstr(err.message, refused));
}

static void evict(uint32_t job, uint32_t first, uint32_t n, uint8_t reason, uint32_t for_job) {
    for (uint32_t i = first; i < first + n; i++)
        assert_int_equal(world_evict(&world, job, i, 1000, reason, for_job), LSCHED_OK);
}

static void claim(uint32_t job, const char *node) {
    assert_int_equal(world_nominate(&world, job, 0, world_node_named(&world, node), NO_ROW, 1000),
                     LSCHED_OK);
}

/* ---- guarantees ---- */

static void who_holds_more_than_it_may_can_lose_it(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 8, 1, 1), gets = add("gets", queue_b, 1, 1, 4, 0);
    evict(job, 4, 4, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    quotas(4, 4, 8); /* down to the guarantee */
    expect(VERIFY_PROTECT_PATH, NULL);
    quotas(5, 5, 8); /* one too many */
    expect(VERIFY_PROTECT_PATH, "\"a\" holds no more than its guarantee");
    expect(VERIFY_PROTECT_NONE, NULL);
    quotas(4, 8, 8); /* what the parent has counts: 8 of 4 are 4 */
    expect(VERIFY_PROTECT_PATH, NULL);
    quotas(8, 4, 8); /* the leaf is above its right, the parent is not */
    expect(VERIFY_PROTECT_PATH, "\"org\" holds no more");
    quotas(4, 5, 8);
    quota(queue_c, 5); /* 10 of 4: a has 2 */
    expect(VERIFY_PROTECT_PATH, NULL);
}

static void a_kind_that_is_not_asked_for_is_found(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 8, 1, 1), gets = add("gets", queue_b, 1, 1, 4, 0);
    evict(job, 4, 4, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    quotas(4, 4, 8);
    uint64_t *kinds = &world.k.c[C_META_WORD].u64[M_KINDS];
    expect(VERIFY_PROTECT_PATH, NULL);
    *kinds = 1u << LSCHED_DECIDE_PLACE | 1u << LSCHED_DECIDE_NOMINATE;
    expect(VERIFY_PROTECT_PATH, "did not ask for decisions of its kind");
    *kinds = 1u << LSCHED_DECIDE_PLACE | 1u << LSCHED_DECIDE_EVICT;
    expect(VERIFY_PROTECT_PATH, "did not ask for decisions of its kind");
    *kinds |= 1u << LSCHED_DECIDE_NOMINATE;
    expect(VERIFY_PROTECT_PATH, NULL);
}

/* The tasks of the world stop in a minute. */
static void a_task_that_takes_another_time_to_stop_is_found(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 8, 1, 1), gets = add("gets", queue_b, 1, 1, 4, 0);
    evict(job, 4, 4, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    quotas(4, 4, 8);
    assert_int_equal(undo_begin(&world.k), LSCHED_OK);
    uint32_t cost = job_cost(&world.k, job);
    undo_end(&world.k);
    assert_true(cost != NO_ROW);
    world.k.c[C_COST_RELEASE].i64[cost] = 60000000;
    expect(VERIFY_PROTECT_PATH, NULL);
    world.k.c[C_COST_RELEASE].i64[cost] = 59000000;
    expect(VERIFY_PROTECT_PATH, "its task is gone at another time than");
}

/* The tasks of the world stop in a minute; here, they may write for the first half of it. */
static void who_is_asked_for_a_checkpoint(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", queue_a, "n1", 8, 1, 1), gets = add("gets", queue_b, 1, 1, 4, 0);
    evict(job, 4, 4, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    quotas(4, 4, 8);
    assert_int_equal(undo_begin(k), LSCHED_OK);
    uint32_t cost = job_cost(k, job);
    assert_true(cost != NO_ROW);
    k->c[C_COST_CHECKPOINT_WAIT].i64[cost] = k->c[C_COST_RELEASE].i64[cost] = 30000000;
    k->c[C_META_WORD].u64[M_KINDS] = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_CHECKPOINT;
    expect(VERIFY_PROTECT_PATH, "its task is evicted without time to write a checkpoint");
    for (uint32_t i = 4; i < 8; i++) {
        uint32_t d = k->c[C_TASK_DECISION].u32[releasing_find(k, job, i)];
        set_u8(k, C_DECISION_KIND, d, LSCHED_DECIDE_CHECKPOINT);
        decision_life_begin(k, d, (int64_t)meta(k, M_NOW) + 30000000);
    }
    undo_end(k);
    expect(VERIFY_PROTECT_PATH, NULL);
    quotas(5, 5, 8); /* it is judged as the eviction that it announces */
    expect(VERIFY_PROTECT_PATH, "\"a\" holds no more than its guarantee");
    quotas(4, 4, 8);
    k->c[C_COST_CHECKPOINT_WAIT].i64[cost] = 29000000;
    expect(VERIFY_PROTECT_PATH, "has another time to write a checkpoint than its job says");
    k->c[C_COST_CHECKPOINT_WAIT].i64[cost] = 0;
    expect(VERIFY_PROTECT_PATH, "is asked for a checkpoint that its job cannot write");
}

static void who_gets_more_where_he_runs(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", queue_a, "n1", 2, 1, 1), task = task_find(k, job, 0), d = NO_ROW,
             node = k->c[C_TASK_NODE].u32[task];
    int64_t amount[KINDS_MAX] = {[LSCHED_CPU] = 3000};
    quotas(8, 8, 8);
    assert_int_equal(undo_begin(k), LSCHED_OK);
    assert_int_equal(resize_want(k, task, amount, (int64_t)meta(k, M_NOW)), LSCHED_OK);
    set_meta(k, M_GROUP_SERIAL, meta(k, M_GROUP_SERIAL) + 1);
    assert_int_equal(resize_propose(k, task_size_row(k, task), meta(k, M_GROUP_SERIAL),
                                    (int64_t)meta(k, M_NOW), &d),
                     LSCHED_OK);
    set_meta(k, M_KINDS, LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_RESIZE);
    undo_end(k);
    expect(VERIFY_PROTECT_PATH, NULL);
    assert_int_equal(undo_begin(k), LSCHED_OK);
    assert_int_equal(node_set_capacity(k, node, LSCHED_CPU, 3000), LSCHED_OK);
    undo_end(k);
    expect(VERIFY_PROTECT_PATH, "its task gets more than its node has free");
    assert_int_equal(undo_begin(k), LSCHED_OK);
    assert_int_equal(node_set_capacity(k, node, LSCHED_CPU, 64000), LSCHED_OK);
    undo_end(k);
    int64_t *limit = &k->c[C_QUEUE_LIMIT_NOW + LSCHED_CPU].i64[queue_a];
    *limit = k->c[C_QUEUE_USED + LSCHED_CPU].i64[queue_a] - 1;
    expect(VERIFY_PROTECT_PATH, "its task gets more than the limit of a queue leaves");
    *limit = LSCHED_UNLIMITED;
    /* what a growth took is not what work of the queue held before */
    uint32_t gets = add("gets", queue_b, 1, 1, 1, 0);
    evict(job, 1, 1, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    quotas(1, 1, 8);
    expect(VERIFY_PROTECT_PATH, NULL);
}

static void another_outcome_of_a_checkpoint_is_found(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t job = runs("j", queue_a, "n1", 8, 1, 1), gets = add("gets", queue_b, 1, 1, 4, 0);
    evict(job, 4, 4, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    quotas(8, 8, 8); /* more than the rules allow, but an earlier plan chose the task */
    for (uint32_t i = 4; i < 8; i++)
        k->c[C_DECISION_FOLLOWS].u8[k->c[C_TASK_DECISION].u32[releasing_find(k, job, i)]] =
            LSCHED_CHECKPOINT_WRITTEN;
    expect(VERIFY_PROTECT_PATH, NULL);
    plan[0].checkpoint = LSCHED_CHECKPOINT_UNANSWERED;
    assert_int_equal(judge(VERIFY_PROTECT_PATH, n_plan, &err), LSCHED_E_VERIFY);
    assert_non_null(strstr(err.message, "says another outcome of the checkpoint"));
}

/* What a queue held before something of it was withdrawn is not known; after that it is. */
static void what_was_withdrawn_excuses_nothing_that_comes_after_it(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 8, 1, 1), gets = add("gets", queue_b, 1, 1, 4, 0);
    evict(job, 4, 4, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    quotas(5, 5, 8); /* one too many */
    read_plan();
    n_withdrawn = 1;
    withdrawn[0] = (struct verify_withdrawn){plan[0].group - 1, queue_a};
    expect(VERIFY_PROTECT_PATH, "holds no more than its guarantee");
    withdrawn[0] = (struct verify_withdrawn){plan[n_plan - 1].group, queue_b};
    expect(VERIFY_PROTECT_PATH, "holds no more than its guarantee");
    withdrawn[0] = (struct verify_withdrawn){plan[n_plan - 1].group, queue_c}; /* org alone */
    expect(VERIFY_PROTECT_PATH, "queue \"a\" holds no more than its guarantee");
    withdrawn[0] = (struct verify_withdrawn){plan[n_plan - 1].group, queue_a};
    expect(VERIFY_PROTECT_PATH, NULL);
    n_withdrawn = 2; /* the later of two does not hide the earlier one */
    withdrawn[1] = (struct verify_withdrawn){plan[n_plan - 1].group + 1, queue_b};
    expect(VERIFY_PROTECT_PATH, NULL);
    withdrawn[0].group = plan[0].group - 1;
    expect(VERIFY_PROTECT_PATH, "holds no more than its guarantee");
}

static void only_the_top_counts_where_that_is_the_rule(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 4, 1, 1), gets = add("gets", queue_b, 1, 1, 4, 0);
    runs("other", queue_c, "n2", 4, 1, 1);
    evict(job, 0, 4, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    quotas(4, 4, 8); /* a is within its own, org is above: c has what it has no right to */
    expect(VERIFY_PROTECT_PATH, "\"a\" holds no more");
    expect(VERIFY_PROTECT_DIVERGENCE, NULL);
    quotas(5, 4, 8);
    expect(VERIFY_PROTECT_DIVERGENCE, "\"org\" holds no more");
}

static void the_last_unit_may_cross_the_guarantee(void **unused) {
    (void)unused;
    uint32_t gang = runs("gang", queue_a, "n1", 4, 4, 1), one = runs("one", queue_a, "n1", 1, 1, 1),
             gets = add("gets", queue_b, 1, 1, 5, 0);
    evict(gang, 0, 4, LSCHED_FOR_RECLAIM, gets);
    evict(one, 0, 1, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    quotas(3, 3, 8); /* 5 held: the one, then the gang of four from above 3 to nothing */
    expect(VERIFY_PROTECT_PATH, NULL);
    quotas(4, 4, 8); /* the one leaves 4, which is all its right */
    expect(VERIFY_PROTECT_PATH, "holds no more than its guarantee");
}

static void the_surplus_of_a_gang_goes_before_it(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 6, 2, 1), gets = add("gets", queue_b, 1, 1, 6, 0);
    evict(job, 0, 6, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    quotas(1, 1, 8); /* 6 to 2 one by one, then the two */
    expect(VERIFY_PROTECT_PATH, NULL);
    quotas(3, 3, 8); /* above 3 only down to 3: as a whole it would seem to be above */
    expect(VERIFY_PROTECT_PATH, "holds no more than its guarantee");
}

static void other_kinds_protect_what_has_nothing_else(void **unused) {
    (void)unused;
    int64_t *owned = &world.k.c[C_QUEUE_QUOTA_NOW + LSCHED_CPU].i64[queue_b];
    no_cores = 1;
    uint32_t job = runs("j", queue_a, "n1", 4, 1, 1);
    no_cores = 0;
    runs("more", queue_a, "n2", 1, 1, 0); /* a has more cores than its guarantee */
    uint32_t gets = add("gets", queue_b, 1, 1, 0, 0);
    evict(job, 0, 4, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    quotas(0, 0, 8);
    *owned = 1000;
    expect(VERIFY_PROTECT_PATH, NULL);
    quotas(1, 1, 8); /* the last one is all that is guaranteed */
    *owned = 1000;
    expect(VERIFY_PROTECT_PATH, "\"a\" holds no more than its guarantee");
    quotas(1, 0, 8);
    *owned = 1000;
    expect(VERIFY_PROTECT_PATH, "\"org\" holds no more than its guarantee");
}

/* ---- who is stopped for whom ---- */

static void an_eviction_needs_somebody_who_gains(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 8, 1, 1), gets = add("gets", queue_b, 1, 1, 4, 0);
    quotas(0, 0, 8);
    evict(job, 4, 4, LSCHED_FOR_RECLAIM, gets);
    expect(VERIFY_PROTECT_PATH, "is stopped for a job that gets no place in the plan");
}

static void who_may_be_preempted(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4), gets = add("gets", queue_a, 1, 1, 8, 5);
    evict(job, 0, 2, LSCHED_FOR_PREEMPT, gets);
    claim(gets, "n1");
    expect(VERIFY_PROTECT_PATH, NULL);
    k->c[C_META_WORD].u64[M_RANKED] = 1; /* a hook gave the ranks, which count */
    k->c[C_JOB_RANK].i32[job] = 5;       /* as much as who gets it: surplus only */
    expect(VERIFY_PROTECT_PATH, "is preempted for a job that does not rank before it");
    k->c[C_JOB_RANK].i32[job] = 6;
    expect(VERIFY_PROTECT_PATH, "is preempted for a job that does not rank before it");
    k->c[C_JOB_PRIORITY].i32[job] = 9; /* the submitted priority does not */
    k->c[C_JOB_RANK].i32[job] = 4;
    expect(VERIFY_PROTECT_PATH, NULL);
}

static void preempting_another_queue_is_refused(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_c, "n1", 2, 2, 4), gets = add("gets", queue_a, 1, 1, 8, 5);
    evict(job, 0, 2, LSCHED_FOR_PREEMPT, gets);
    claim(gets, "n1");
    expect(VERIFY_PROTECT_PATH, "for a job of another queue");
}

static void reclaiming_from_the_own_queue_is_refused(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4), gets = add("gets", queue_a, 1, 1, 8, 5);
    evict(job, 0, 2, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    expect(VERIFY_PROTECT_PATH, "for a job of its own queue");
}

static void two_that_were_stopped_do_not_take_turns(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", queue_a, "n1", 8, 1, 1), gets = add("gets", queue_b, 1, 1, 4, 0),
             third = add("third", queue_c, 1, 1, 1, 0);
    evict(job, 4, 4, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    quotas(0, 0, 8);
    assert_int_equal(stops_mark(k, job, third), LSCHED_OK);
    expect(VERIFY_PROTECT_PATH, NULL);
    assert_int_equal(stops_mark(k, gets, third), LSCHED_OK);
    expect(VERIFY_PROTECT_PATH, "was stopped for the victim's job before");
    queue_news(k, queue_b); /* what ends there is no turn */
    expect(VERIFY_PROTECT_PATH, NULL);
    stops_forget(k, gets);
    assert_int_equal(stops_mark(k, gets, third), LSCHED_OK);
    expect(VERIFY_PROTECT_PATH, "was stopped for the victim's job before");
    stops_forget(k, job);
    assert_int_equal(stops_mark(k, job, gets), LSCHED_OK); /* by this plan */
    expect(VERIFY_PROTECT_PATH, NULL);
}

static void half_a_gang_is_not_left_behind(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 4, 4, 2), gets = add("gets", queue_b, 1, 1, 4, 0);
    quotas(0, 0, 8);
    evict(job, 0, 2, LSCHED_FOR_RECLAIM, gets);
    claim(gets, "n1");
    expect(VERIFY_PROTECT_PATH, "that 2 are left, which is below its minimum");
}

static void a_gang_that_stands_is_not_stale(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4);
    evict(job, 0, 2, LSCHED_FOR_STALE_GANG, NO_ROW);
    expect(VERIFY_PROTECT_PATH, "is stopped as part of a stale gang, but its gang has its minimum");
}

/* Its guarantee is no shield, for nobody has the room; but it must be held, and for that. */
static void who_ends_for_its_own_sake_is_held(void **unused) {
    (void)unused;
    struct columns *k = &world.k;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4);
    quotas(16, 8, 8);
    assert_int_equal(job_hold(k, job, LSCHED_HELD_TIME_LIMIT, 5), LSCHED_OK);
    evict(job, 0, 2, LSCHED_FOR_TIME_LIMIT, NO_ROW);
    expect(VERIFY_PROTECT_PATH, NULL);
    set_u8(k, C_WATCH_HELD, k->c[C_JOB_WATCH].u32[job], LSCHED_HELD_IDLE);
    expect(VERIFY_PROTECT_PATH,
           "is stopped because of its own job's limit, but its job is not held for "
           "this reason");
}

static void who_ends_for_its_own_sake_makes_no_room(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4), gets = add("gets", queue_b, 1, 1, 8, 0);
    assert_int_equal(job_hold(&world.k, job, LSCHED_HELD_IDLE, 5), LSCHED_OK);
    evict(job, 0, 2, LSCHED_FOR_IDLE, gets);
    claim(gets, "n1");
    expect(VERIFY_PROTECT_PATH, "but the decision names a job that benefits");
}

static void a_consolidation_stops_nobody(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4), gets = add("gets", queue_b, 1, 1, 8, 0);
    evict(job, 0, 2, LSCHED_FOR_CONSOLIDATE, gets);
    claim(gets, "n1");
    expect(VERIFY_PROTECT_PATH, "although it should only move");
}

static void a_move_ends_where_it_says(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4), gets = add("gets", queue_b, 1, 1, 8, 0),
             n2 = world_node_named(&world, "n2");
    evict(job, 0, 2, LSCHED_FOR_CONSOLIDATE, gets);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(world_nominate(&world, job, 0, n2, i, 1000), LSCHED_OK);
    claim(gets, "n1");
    expect(VERIFY_PROTECT_PATH, NULL);
    lsched_error err = LSCHED_ERROR_INIT;
    for (size_t i = 0; i < n_plan; i++)
        if (plan[i].kind == LSCHED_DECIDE_MIGRATE) plan[i].to_node = plan[i].node;
    assert_int_equal(judge(VERIFY_PROTECT_PATH, n_plan, &err), LSCHED_E_VERIFY);
    assert_non_null(strstr(err.message, "moves to a node for which it has no nomination"));
}

/* ---- for whom, and whom not ---- */

static void nobody_is_stopped_for_itself(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 4, 1, 1);
    evict(job, 2, 2, LSCHED_FOR_PREEMPT, job);
    for (uint32_t i = 2; i < 4; i++)
        assert_int_equal(world_nominate(&world, job, 0, world_node_named(&world, "n2"), i, 1000),
                         LSCHED_OK);
    for (uint32_t d = 0; d < table_rows(&world.k, T_DECISION); d++) /* not as moves */
        if (world.k.c[C_DECISION_KIND].u8[d] == LSCHED_DECIDE_MIGRATE)
            world.k.c[C_DECISION_KIND].u8[d] = LSCHED_DECIDE_EVICT;
    expect(VERIFY_PROTECT_PATH, "is stopped for the job that it belongs to");
}

static void who_never_preempts_does_not(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4);
    job_flags = LSCHED_JOB_NEVER_PREEMPTS;
    uint32_t gets = add("gets", queue_a, 1, 1, 8, 5);
    evict(job, 0, 2, LSCHED_FOR_PREEMPT, gets);
    claim(gets, "n1");
    expect(VERIFY_PROTECT_PATH, "for a job that never preempts");
}

static void the_minimum_of_who_may_not_be_stopped_stays(void **unused) {
    (void)unused;
    job_flags = LSCHED_JOB_NON_PREEMPTIBLE;
    uint32_t job = runs("j", queue_a, "n1", 4, 2, 2);
    job_flags = 0;
    uint32_t gets = add("gets", queue_a, 1, 1, 8, 5);
    evict(job, 2, 2, LSCHED_FOR_PREEMPT, gets); /* what is beyond the minimum may go */
    claim(add("small", queue_a, 1, 1, 1, 5), "n2");
    expect(VERIFY_PROTECT_PATH, "is stopped for a job that gets no place in the plan");
    evict(job, 0, 2, LSCHED_FOR_PREEMPT, gets);
    claim(gets, "n1");
    expect(VERIFY_PROTECT_PATH, "is part of the minimum of a job that must not be stopped");
}

static void who_is_interactive_does_not_move(void **unused) {
    (void)unused;
    job_flags = LSCHED_JOB_INTERACTIVE;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4), n2 = world_node_named(&world, "n2");
    job_flags = 0;
    uint32_t gets = add("gets", queue_b, 1, 1, 8, 0);
    evict(job, 0, 2, LSCHED_FOR_CONSOLIDATE, gets);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(world_nominate(&world, job, 0, n2, i, 1000), LSCHED_OK);
    claim(gets, "n1");
    expect(VERIFY_PROTECT_PATH, "moves, although its job is interactive or not preemptible");
}

static void who_runs_faster_elsewhere_moves_for_nobody(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4), n2 = world_node_named(&world, "n2");
    uint32_t gets = add("gets", queue_b, 1, 1, 8, 0);
    evict(job, 0, 2, LSCHED_FOR_SPEED, NO_ROW);
    expect(VERIFY_PROTECT_PATH, "is stopped to run faster, although it should only move");
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(world_nominate(&world, job, 0, n2, i, 1000), LSCHED_OK);
    expect(VERIFY_PROTECT_PATH, NULL);
    for (uint32_t d = 0; d < table_rows(&world.k, T_DECISION); d++)
        if (row_is_live(&world.k, T_DECISION, d) &&
            world.k.c[C_DECISION_REASON].u8[d] == LSCHED_FOR_SPEED)
            world.k.c[C_DECISION_FOR_JOB].u64[d] = id_of(LSCHED_KIND_JOB, C_JOB_GEN, gets);
    claim(gets, "n1");
    expect(VERIFY_PROTECT_PATH, "moves to run faster, but the decision names a job that benefits");
}

static void a_move_needs_a_claim(void **unused) {
    (void)unused;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4), gets = add("gets", queue_b, 1, 1, 8, 0),
             n2 = world_node_named(&world, "n2");
    evict(job, 0, 2, LSCHED_FOR_CONSOLIDATE, gets);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(world_nominate(&world, job, 0, n2, i, 1000), LSCHED_OK);
    claim(gets, "n1");
    expect(VERIFY_PROTECT_PATH, NULL);
    size_t n = 0;
    for (size_t i = 0; i < n_plan; i++) /* the claim of task 1 is not in the plan */
        if (plan[i].kind != LSCHED_DECIDE_NOMINATE || (uint32_t)plan[i].job != job ||
            plan[i].task_index != 1)
            plan[n++] = plan[i];
    assert_int_equal(n, n_plan - 1);
    assert_int_equal(judge(VERIFY_PROTECT_PATH, n, &err), LSCHED_E_VERIFY);
    assert_non_null(strstr(err.message, "moves without a nomination in its decision group"));
}

/* Reasons of the victim's own: nobody has the room for it. */
static void who_goes_for_its_own_sake_goes_for_nobody(void **unused) {
    (void)unused;
    static const struct {
        uint8_t reason;
        const char *refused;
    } cases[] = {
        {LSCHED_FOR_STALE_GANG, "stale gang, but the decision names a job that benefits"},
        {LSCHED_FOR_DRAIN, "must leave its node, but the decision names a job that benefits"},
        {LSCHED_FOR_COLLISION, "ran out of memory, but the decision names a job that benefits"},
        {LSCHED_FOR_ALLOWANCE, "allowance is spent, but the decision names a job that benefits"},
        {LSCHED_FOR_TIME_LIMIT, "its own job's limit, but the decision names a job that benefits"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (i) {
            close_world(NULL);
            assert_int_equal(open_world(NULL), 0);
        }
        uint32_t job = runs("j", queue_a, "n1", 2, 2, 4), gets = add("gets", queue_b, 1, 1, 8, 0);
        evict(job, 0, 2, cases[i].reason, gets);
        claim(gets, "n1");
        expect(VERIFY_PROTECT_PATH, cases[i].refused);
    }
}

static void who_drains_is_on_a_node_that_drains(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4);
    evict(job, 0, 2, LSCHED_FOR_DRAIN, NO_ROW);
    expect(VERIFY_PROTECT_PATH, "but the node neither drains nor has a taint that stops it");
    assert_int_equal(undo_begin(&world.k), LSCHED_OK);
    node_set_state(&world.k, world_node_named(&world, "n1"), LSCHED_NODE_DRAINING);
    undo_end(&world.k);
    expect(VERIFY_PROTECT_PATH, NULL);
}

static void who_ends_with_an_allowance_has_one_that_is_spent(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 2, 2, 4);
    evict(job, 0, 2, LSCHED_FOR_ALLOWANCE, NO_ROW);
    expect(VERIFY_PROTECT_PATH, "no allowance that pays for it is spent and past its grace");
}

static void who_may_not_be_stopped_does_not_give_way(void **unused) {
    (void)unused;
    job_flags = LSCHED_JOB_NON_PREEMPTIBLE;
    uint32_t job = runs("j", queue_a, "n1", 4, 2, 2);
    evict(job, 2, 2, LSCHED_FOR_COLLISION, NO_ROW);
    expect(VERIFY_PROTECT_PATH, NULL);
    evict(job, 0, 2, LSCHED_FOR_COLLISION, NO_ROW);
    expect(VERIFY_PROTECT_PATH, "ran out of memory, but it must not be stopped");
}

static void who_makes_room_makes_it_for_somebody(void **unused) {
    (void)unused;
    uint32_t job = runs("j", queue_a, "n1", 8, 1, 1), gets = add("gets", queue_b, 1, 1, 4, 0);
    quotas(0, 0, 8);
    evict(job, 6, 2, LSCHED_FOR_RECLAIM, NO_ROW);
    expect(VERIFY_PROTECT_PATH, "is stopped for nobody");
    for (uint32_t d = 0; d < table_rows(&world.k, T_DECISION); d++)
        if (row_is_live(&world.k, T_DECISION, d))
            world.k.c[C_DECISION_FOR_JOB].u64[d] = id_of(LSCHED_KIND_JOB, C_JOB_GEN, gets);
    assert_int_equal(world_remove_job(&world, gets), LSCHED_OK);
    expect(VERIFY_PROTECT_PATH, "for a job that does not exist any more");
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(a_kind_that_is_not_asked_for_is_found),
        TEST(a_task_that_takes_another_time_to_stop_is_found),
        TEST(who_is_asked_for_a_checkpoint),
        TEST(who_gets_more_where_he_runs),
        TEST(another_outcome_of_a_checkpoint_is_found),
        TEST(who_holds_more_than_it_may_can_lose_it),
        TEST(what_was_withdrawn_excuses_nothing_that_comes_after_it),
        TEST(only_the_top_counts_where_that_is_the_rule),
        TEST(the_last_unit_may_cross_the_guarantee),
        TEST(the_surplus_of_a_gang_goes_before_it),
        TEST(other_kinds_protect_what_has_nothing_else),
        TEST(an_eviction_needs_somebody_who_gains),
        TEST(who_may_be_preempted),
        TEST(preempting_another_queue_is_refused),
        TEST(reclaiming_from_the_own_queue_is_refused),
        TEST(two_that_were_stopped_do_not_take_turns),
        TEST(half_a_gang_is_not_left_behind),
        TEST(a_gang_that_stands_is_not_stale),
        TEST(who_ends_for_its_own_sake_is_held),
        TEST(who_ends_for_its_own_sake_makes_no_room),
        TEST(a_consolidation_stops_nobody),
        TEST(a_move_ends_where_it_says),
        TEST(nobody_is_stopped_for_itself),
        TEST(who_never_preempts_does_not),
        TEST(the_minimum_of_who_may_not_be_stopped_stays),
        TEST(who_is_interactive_does_not_move),
        TEST(who_runs_faster_elsewhere_moves_for_nobody),
        TEST(a_move_needs_a_claim),
        TEST(who_goes_for_its_own_sake_goes_for_nobody),
        TEST(who_drains_is_on_a_node_that_drains),
        TEST(who_ends_with_an_allowance_has_one_that_is_spent),
        TEST(who_may_not_be_stopped_does_not_give_way),
        TEST(who_makes_room_makes_it_for_somebody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
