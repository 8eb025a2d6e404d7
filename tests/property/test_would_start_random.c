/*
 * test_would_start_random.c -- lsched_would_start() leaves nothing behind, and its answer is what the next cycle does.
 *
 * A cluster gets random changes of every kind (random_changes.h), with a cycle after each. Then everything is repeated from the beginning
 * with a second cluster, which is asked what would start before each cycle: jobs that wait, jobs that run, descriptions, with memory that
 * runs out now and then.
 *   - After each question, both hashes, the saved bytes, the next wake-up and the ids are as before.
 *   - The cycles of both clusters have equal plans, work units, scored nodes and steps: caches, too, are as before.
 *   - The job gets in the next cycle what the answer said: its tasks, nodes, devices, victims and costs, or nothing. A described job gets
 *     it on a clone on which it is submitted.
 *   - A job "has its places" exactly if each task that it wants is placed or done after the cycle.
 *     Else the answer has the code with which the job waits after the cycle: jobs below their
 *     minimum, jobs without a minimum and jobs that wait to grow alike.
 *   - A job that the cycle removes, because of its expiry or of a dependency, never starts, and
 *     the code says which of the two it was.
 *   - Of a job that never starts, no task starts after all other jobs are removed and an hour has passed.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include "api/calls/skip_check.h"
#include "engine/cycle/wake.h"
#include "engine/state/cache_check.h"
#include "property/absence_model.h"
#include "property/random_changes.h"
#include "support/fault_alloc.h"

enum { STEPS = 40, QUESTIONS = 4 };

static struct {
    struct fault_alloc memory;
    uint32_t starve;                   /* which allocation of the next question fails; 0: none */
    struct chance chance;              /* of the questions alone */
    int asks;                          /* 1: the second of the two clusters */
    lsched_plan_info cycle[STEPS + 1]; /* of the first cluster */
    uint64_t image[STEPS + 1];
    uint64_t asked, now, later, never, places, victims, described, starved, cycles, timed, grows,
        budget, resized, members, held, expired, unmet;
    uint64_t absent; /* starts on nodes with an absence */
} all;

static void watch_caches(struct run *r) {
    cache_check_on(r->c);
    skip_check_on(r->c, 0);
    if (r->at.seed % 3) wake_all_max(r->c, (uint32_t)(r->at.seed % 2));
}

/* ---- what a question leaves ---- */

struct bytes_seen {
    uint64_t n, hash;
};

static int32_t add_bytes(void *user, const void *bytes, size_t n) {
    struct bytes_seen *s = user;
    const unsigned char *p = bytes;
    for (size_t i = 0; i < n; i++) s->hash = (s->hash ^ p[i]) * UINT64_C(0x100000001b3);
    s->n += n;
    return 0;
}

struct left {
    uint64_t image, meaning, allocated;
    struct bytes_seen saved;
    int64_t next_wake;
    lsched_cluster_stats stats;
};

static struct left left_of(const struct run *r) {
    struct left l = {.stats = {.size = sizeof l.stats}};
    lsched_error err = LSCHED_ERROR_INIT;
    l.image = image_of(r->c);
    must(r, lsched_cluster_hash(r->c, LSCHED_HASH_MEANING, &l.meaning, NULL), &err);
    must(r, lsched_cluster_save(r->c, add_bytes, &l.saved, &err), &err);
    must(r, lsched_cluster_stats_get(r->c, &l.stats, NULL), &err);
    l.stats.memory_bytes = l.stats.memory_peak_bytes = l.stats.allocations = 0;
    l.next_wake = lsched_next_wake(r->c);
    return l;
}

static void check_left(const struct run *r, const struct left *a, const char *what) {
    struct left b = left_of(r);
    CHECK(&r->at, memcmp(a, &b, sizeof b) == 0, "%s left something behind", what);
}

/* ---- changes ---- */

/* A running task is to have another amount of cpu. */
static void resize_some(struct run *r) {
    uint64_t cursor = 0;
    lsched_task_info t = {.size = sizeof t};
    lsched_id job = some_job(r);
    lsched_amount cpu = {LSCHED_CPU, 0, 500 * chance_between(&r->chance, 1, 12)};
    while (job && lsched_tasks_next(r->c, job, 0, &cursor, &t, NULL) == 1) {
        lsched_task_resize wish = LSCHED_TASK_RESIZE_INIT;
        if (t.state != LSCHED_TASK_RUNNING) continue;
        wish.job = job, wish.task_index = t.task_index, wish.request = &cpu, wish.n_request = 1;
        int32_t rc = lsched_tasks_resize(r->c, &wish, 1, sizeof wish, NULL, NULL, NULL);
        r->refused += rc < 0;
        all.resized += rc > 0;
        return;
    }
}

/* Not all tasks of a job exist yet, or all of them do, or the orchestrator holds it. */
static void hold_back(struct run *r) {
    struct chance *c = &r->chance;
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    lsched_group_count n = LSCHED_GROUP_COUNT_INIT;
    lsched_job_info j = {.size = sizeof j};
    lsched_job_hold h = LSCHED_JOB_HOLD_INIT;
    lsched_id job = some_job(r);
    if (!job) return;
    if (chance_one_in(c, 3)) {
        h.job = job;
        h.until_us = chance_one_in(c, 2) ? 0 : r->w.now_us + chance_between(c, 1, 200) * 1000000;
        r->refused += chance_one_in(c, 2)
                          ? lsched_jobs_release(r->c, &job, 1, NULL, NULL, NULL) < 0
                          : lsched_jobs_hold(r->c, &h, 1, sizeof h, NULL, NULL, NULL) < 0;
        return;
    }
    if (lsched_job_get(r->c, job, &j, NULL) < 0) return;
    u.job = job;
    u.set = LSCHED_JOB_SET_COUNTS;
    n.max_count = j.tasks_wanted;
    n.min_count = j.tasks_min ? j.tasks_min : LSCHED_MIN_NONE;
    n.members = chance_one_in(c, 3) ? 0 : 1 + chance_below(c, j.tasks_wanted);
    u.counts = &n;
    u.n_counts = 1;
    r->refused += lsched_jobs_update(r->c, &u, 1, sizeof u, NULL, NULL, NULL) < 0;
}

/* A job is to expire, or to wait for another one and to go if that was in vain. */
static void gate_some(struct run *r) {
    struct chance *c = &r->chance;
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    lsched_dependency after = LSCHED_DEPENDENCY_INIT;
    u.job = some_job(r);
    after.job = some_job(r);
    after.after = chance_below(c, 4);
    u.on_never = chance_one_in(c, 4) ? LSCHED_ON_NEVER_WAIT : LSCHED_ON_NEVER_REMOVE;
    u.dependencies = &after;
    u.n_dependencies = 1;
    u.expires_us = r->w.now_us + (chance_one_in(c, 2) ? 1 : chance_between(c, 1, 200) * 1000000);
    u.set = chance_one_in(c, 2) ? LSCHED_JOB_SET_EXPIRY : LSCHED_JOB_SET_DEPENDENCIES;
    if (chance_one_in(c, 4)) u.set = LSCHED_JOB_SET_EXPIRY | LSCHED_JOB_SET_DEPENDENCIES;
    if (!u.job) return;
    int32_t rc = lsched_jobs_update(r->c, &u, 1, sizeof u, NULL, NULL, NULL);
    r->refused += rc < 0;
    if (rc == 1 && (u.set & LSCHED_JOB_SET_DEPENDENCIES) && chance_one_in(c, 3))
        lsched_jobs_remove(r->c, &after.job, 1, NULL, NULL, NULL);
}

static void change_more(struct run *r) {
    if (chance_one_in(&r->chance, 3)) gate_some(r);
    if (chance_one_in(&r->chance, 3)) resize_some(r);
    if (chance_one_in(&r->chance, 3)) hold_back(r);
}

/* ---- questions ---- */

struct asked {
    lsched_id job;
    int64_t expires; /* 0: the job does not expire */
    lsched_would_start_answer a;
    lsched_waiting w;
};

static void free_answer(struct asked *q) {
    lsched_plan_destroy(q->a.plan);
    q->a.plan = NULL;
}

static int32_t ask(struct run *r, lsched_id job, const lsched_job_desc *desc,
                   const lsched_schedule_opts *schedule, struct asked *q, lsched_error *err) {
    lsched_would_start_opts o = LSCHED_WOULD_START_OPTS_INIT;
    o.flags = LSCHED_WOULD_START_PLAN;
    o.schedule = schedule;
    *q =
        (struct asked){.job = job, .a = LSCHED_WOULD_START_ANSWER_INIT, .w = {.size = sizeof q->w}};
    q->a.waiting = &q->w;
    struct left before = left_of(r);
    all.memory.fail_at = all.starve ? all.memory.calls + all.starve : 0;
    int32_t rc = lsched_would_start(r->c, job, desc, &o, &q->a, err);
    all.memory.fail_at = 0;
    check_left(r, &before, desc ? "a description" : "a question");
    return rc;
}

static void ask_well(struct run *r, lsched_id job, const lsched_job_desc *desc,
                     const lsched_schedule_opts *schedule, struct asked *q) {
    lsched_error err = LSCHED_ERROR_INIT;
    must(r, ask(r, job, desc, schedule, q, &err), &err);
    all.asked++;
    all.now += q->a.start == LSCHED_START_NOW;
    all.later += q->a.start == LSCHED_START_LATER;
    all.never += q->a.start == LSCHED_START_NEVER;
    all.places += q->a.start == LSCHED_START_HAS_PLACES;
    all.victims += q->a.victims;
    all.timed += q->a.start == LSCHED_START_LATER && q->a.at_us != LSCHED_NEVER_US;
}

/* Memory runs out at every so manieth allocation of a question. */
static void ask_starved(struct run *r, lsched_id job, const lsched_schedule_opts *schedule) {
    struct asked q;
    lsched_error err = LSCHED_ERROR_INIT;
    all.starve = 1 + chance_below(&all.chance, 60);
    all.memory.fail_period = chance_one_in(&all.chance, 2) ? 1 + chance_below(&all.chance, 5) : 0;
    int32_t rc = ask(r, job, NULL, schedule, &q, &err);
    all.starve = 0;
    CHECK(&r->at, rc == LSCHED_OK || rc == LSCHED_E_NOMEM, "%d %s", rc, err.message);
    all.starved += rc == LSCHED_E_NOMEM;
    free_answer(&q);
}

/* ---- what the cycle does ---- */

static int is_about(const lsched_decision *d, lsched_id job) {
    return (d->job == job &&
            (d->kind == LSCHED_DECIDE_PLACE || d->kind == LSCHED_DECIDE_NOMINATE)) ||
           (d->for_job == job && d->job != job &&
            (d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE));
}

static const lsched_decision *next_about(const lsched_plan *p, lsched_id job, size_t *i) {
    while (*i < lsched_plan_size(p)) {
        const lsched_decision *d = lsched_plan_at(p, (*i)++);
        if (is_about(d, job)) return d;
    }
    return NULL;
}

/* job: in the plan of the cycle; told: in the answer, 0 for a described one. */
static void check_told(const struct run *r, const struct asked *q, lsched_id told,
                       const lsched_plan *plan, lsched_id job) {
    size_t i = 0, j = 0;
    uint64_t places = 0, victims = 0;
    int64_t cost = 0;
    for (;;) {
        const lsched_decision *d = next_about(plan, job, &i);
        const lsched_decision *e = next_about(q->a.plan, told, &j);
        CHECK(&r->at, (d != NULL) == (e != NULL), "the answer has %s",
              d ? "too few decisions" : "too many decisions");
        if (!d) break;
        CHECK(&r->at,
              d->kind == e->kind && d->task_index == e->task_index && d->node == e->node &&
                  is_same_set(d->device_words, e->device_words) &&
                  d->device_starts == e->device_starts && d->at_us == e->at_us &&
                  d->cost == e->cost && d->to_node == e->to_node && d->reason == e->reason &&
                  d->alternative == e->alternative && e->id == 0,
              "a decision about task %u differs", d->task_index);
        if (d->for_job == job && d->job != job) {
            victims++;
            cost += d->cost;
        } else {
            places++;
        }
    }
    CHECK(&r->at, (q->a.start == LSCHED_START_NOW) == (places > 0), "start %u, %llu places",
          q->a.start, (unsigned long long)places);
    CHECK(&r->at, q->a.tasks == places && q->a.victims == victims && q->a.cost == cost,
          "%llu tasks, %llu victims", (unsigned long long)places, (unsigned long long)victims);
}

/* True if each task that the job wants has its place or is done, and none is to leave or to come. */
static int has_all(const struct run *r, const lsched_cluster *c, lsched_id job) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_info j = {.size = sizeof j};
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    must(r, lsched_job_get(c, job, &j, &err), &err);
    if (j.tasks_placed + j.tasks_done < j.tasks_wanted) return 0;
    while (lsched_tasks_next(c, job, 0, &cursor, &t, &err) == 1)
        if (t.state == LSCHED_TASK_NOMINATED || t.state == LSCHED_TASK_RELEASING) return 0;
    return 1;
}

/* The cycle removed the job. */
static void check_removed(const struct run *r, const struct asked *q, lsched_id job) {
    uint32_t expired = q->expires && q->expires <= r->w.now_us;
    uint32_t code = expired ? LSCHED_WAIT_NONE : LSCHED_WAIT_DEPENDENCY_NEVER;
    CHECK(&r->at, q->a.start == LSCHED_START_NEVER && q->a.code == code && q->w.code == code,
          "start %u, code %s of a job that is removed, expired: %u", q->a.start,
          lsched_wait_name(q->a.code), expired);
    CHECK(&r->at,
          q->a.at_us == LSCHED_NEVER_US && q->w.starts_us == LSCHED_NEVER_US && q->w.queue != 0 &&
              q->w.job == (q->job ? job : 0),
          "the record of a job that is removed");
    all.expired += expired;
    all.unmet += !expired;
}

/* The cycle gave the job nothing: does the answer say why? */
static void check_wait(const struct run *r, const struct asked *q, const lsched_cluster *c,
                       lsched_id job) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_waiting w = {.size = sizeof w};
    lsched_job_info j = {.size = sizeof j};
    if (q->a.start == LSCHED_START_NOW) return;
    int32_t rc = lsched_job_get(c, job, &j, &err);
    if (rc == LSCHED_E_STALE) {
        check_removed(r, q, job);
        return;
    }
    must(r, rc, &err);
    must(r, lsched_waiting_get(c, job, &w, &err), &err);
    CHECK(&r->at, (q->a.start == LSCHED_START_HAS_PLACES) == has_all(r, c, job),
          "start %u, code %s; %u of %u tasks are placed or done, the minimum is %u", q->a.start,
          lsched_wait_name(w.code), j.tasks_placed + j.tasks_done, j.tasks_wanted, j.tasks_min);
    int untried = q->a.code == LSCHED_WAIT_BUDGET || q->a.code == LSCHED_WAIT_PIPELINE;
    /* as lsched_explain: the refusals may be over, while the room is still taken */
    int room = q->a.code == LSCHED_WAIT_ROOM && w.code == LSCHED_WAIT_REFUSED;
    CHECK(&r->at, q->a.code == w.code || room || (w.code == LSCHED_WAIT_NONE && untried),
          "start %u, code %s; the job waits with %s", q->a.start, lsched_wait_name(q->a.code),
          lsched_wait_name(w.code));
    CHECK(&r->at, (q->a.start == LSCHED_START_HAS_PLACES) == (q->a.code == LSCHED_WAIT_NONE),
          "start %u, code %s", q->a.start, lsched_wait_name(q->a.code));
    all.budget += q->a.code == LSCHED_WAIT_BUDGET;
    all.members += q->a.code == LSCHED_WAIT_MEMBERS;
    all.held += q->a.code == LSCHED_WAIT_HELD || q->a.code == LSCHED_WAIT_HOST_HOLD;
    all.grows += q->a.code != LSCHED_WAIT_NONE && j.tasks_placed + j.tasks_done >= j.tasks_min;
}

static lsched_plan *cycle_of(const struct run *r, lsched_cluster *c,
                             const lsched_schedule_opts *opts) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    must(r, lsched_schedule(c, opts, &plan, &err), &err);
    CHECK(&r->at, !absence_model_wrong(c, plan, opts->now_us, &all.absent), "absence");
    return plan;
}

static lsched_cluster *clone_of(const struct run *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    must(r, lsched_cluster_create(NULL, &copy, &err), &err);
    must(r, lsched_cluster_clone(r->c, &copy, &err), &err);
    return copy;
}

static void check_described(struct run *r, const lsched_schedule_opts *opts) {
    struct asked q;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_desc desc = r->w.jobs[chance_below(&all.chance, r->w.n_jobs)].desc;
    lsched_id job = 0;
    desc.name = world_text("described");
    desc.priority += (int32_t)chance_below(&all.chance, 3);
    desc.submit_us = 0;
    if (chance_one_in(&all.chance, 4)) desc.expires_us = opts->now_us;
    ask_well(r, 0, &desc, opts, &q);
    q.expires = desc.expires_us;
    all.described++;
    lsched_cluster *copy = clone_of(r);
    must(r, lsched_jobs_submit(copy, &desc, 1, sizeof desc, NULL, &job, NULL, &err), &err);
    lsched_plan *plan = cycle_of(r, copy, opts);
    check_told(r, &q, 0, plan, job);
    check_wait(r, &q, copy, job);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(copy);
    free_answer(&q);
}

/* Neither the end of all others nor time helps. */
static void check_never(struct run *r, const struct asked *q, const lsched_schedule_opts *opts) {
    lsched_cluster *copy = clone_of(r);
    lsched_schedule_opts o = *opts;
    uint64_t cursor = 0;
    lsched_id other;
    size_t i = 0;
    lsched_plan_destroy(cycle_of(r, copy, &o));
    while ((other = lsched_next(copy, LSCHED_KIND_JOB, &cursor)) != 0)
        if (other != q->job) (void)lsched_jobs_remove(copy, &other, 1, NULL, NULL, NULL);
    o.now_us += INT64_C(3600000000);
    lsched_plan *plan = cycle_of(r, copy, &o);
    const lsched_decision *d = next_about(plan, q->job, &i);
    CHECK(&r->at, !d, "job %llu that never starts starts alone; it waited with %s",
          (unsigned long long)(d ? d->job_tag : 0), lsched_wait_name(q->a.code));
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(copy);
}

static void check_cycle(const struct run *r, const lsched_plan *plan) {
    lsched_plan_info x = {.size = sizeof x}, *y = &all.cycle[r->at.step];
    lsched_plan_get(plan, &x, NULL);
    if (!all.asks) {
        *y = x;
        all.image[r->at.step] = image_of(r->c);
        return;
    }
    CHECK(&r->at, x.plan_hash == y->plan_hash && image_of(r->c) == all.image[r->at.step],
          "the plans differ");
    CHECK(&r->at,
          x.work_spent == y->work_spent && x.jobs_tried == y->jobs_tried && x.flags == y->flags &&
              x.next_wake_us == y->next_wake_us && x.nodes_scored == y->nodes_scored &&
              x.steps == y->steps,
          "work %llu, scored %llu, steps %llu; without questions: %llu, %llu, %llu",
          (unsigned long long)x.work_spent, (unsigned long long)x.nodes_scored,
          (unsigned long long)x.steps, (unsigned long long)y->work_spent,
          (unsigned long long)y->nodes_scored, (unsigned long long)y->steps);
}

/* A job that exists, without a draw from the chance of the changes. */
static lsched_id any_job(const struct run *r) {
    uint64_t cursor = 0;
    lsched_id id = 0, next;
    uint32_t i = chance_below(&all.chance, 30) + 1;
    while (i-- > 0 && (next = lsched_next(r->c, LSCHED_KIND_JOB, &cursor)) != 0) id = next;
    return id;
}

static uint32_t ask_all(struct run *r, const lsched_schedule_opts *opts, struct asked *q) {
    struct chance *c = &all.chance;
    uint32_t n = 0, most = chance_below(c, QUESTIONS + 1);
    lsched_id some = any_job(r);
    while (some && n < most) {
        lsched_job_info j = {.size = sizeof j};
        lsched_job_get(r->c, some, &j, NULL);
        ask_well(r, some, NULL, opts, &q[n]);
        q[n++].expires = j.expires_us;
        some = any_job(r);
    }
    if (some && chance_one_in(c, 3)) ask_starved(r, some, opts);
    if (chance_one_in(c, 3)) check_described(r, opts);
    for (uint32_t i = 0; i < n; i++)
        if (q[i].a.start == LSCHED_START_NEVER && r->steady) check_never(r, &q[i], opts);
    return n;
}

static void ask_and_schedule(struct run *r) {
    struct chance *c = &r->chance;
    struct asked q[QUESTIONS];
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    r->w.now_us += chance_one_in(c, 3) ? chance_between(c, 1, 200) * 1000000 : 1;
    opts.now_us = r->w.now_us;
    opts.moves_max = chance_one_in(c, 4) ? 3 : 0;
    opts.decision_kinds = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_RESIZE;
    opts.decisions_max = chance_one_in(c, 6) ? 1 + chance_below(c, 4) : 0;
    uint64_t budget = chance_one_in(c, 8) ? 1 + chance_below(c, 100) : 0;
    uint32_t n = all.asks ? ask_all(r, &opts, q) : 0;
    opts.work_budget = budget;
    lsched_plan *plan = cycle_of(r, r->c, &opts);
    check_cycle(r, plan);
    for (uint32_t i = 0; i < n; i++) {
        if (!budget) check_told(r, &q[i], q[i].job, plan, q[i].job);
        if (!budget) check_wait(r, &q[i], r->c, q[i].job);
        free_answer(&q[i]);
    }
    lsched_plan_destroy(plan);
    all.cycles++;
}

static void run_once(struct run *r, uint64_t seed, int asks) {
    lsched_allocator hooks = fault_hooks(&all.memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    all.asks = asks;
    all.chance.state = seed ^ 0xa5c;
    memset(r, 0, sizeof *r);
    begin_world(r, seed, &opts, watch_caches);
    ask_and_schedule(r);
    for (r->at.step = 1; r->at.step <= STEPS; r->at.step++) {
        change_some(r);
        change_more(r);
        ask_and_schedule(r);
    }
    lsched_cluster_destroy(r->c);
    CHECK(&r->at, all.memory.live_blocks == 0 && all.memory.wrong_sizes == 0, "memory");
}

static void run_seed(struct run *r, uint64_t seed) {
    run_once(r, seed, 0);
    run_once(r, seed, 1);
}

static void test_questions_change_nothing_and_are_answered_truly(void **state) {
    (void)state;
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(40);
    struct run *r = calloc(1, sizeof *r);
    assert_non_null(r);
    for (uint64_t seed = first; seed < first + rounds; seed++) run_seed(r, seed);
    print_message(
        "seeds %llu .. +%u: %llu cycles, %llu questions (%llu described): %llu start now (%llu victims), %llu later (%llu "
        "with a time), %llu never, %llu have their places; %llu with their minimum wait for more, %llu were not tried, %llu lack members, %llu are held; "
        "%llu expire, %llu wait in vain and are removed; %llu resizes; %llu without memory\n",
        (unsigned long long)first, rounds, (unsigned long long)all.cycles,
        (unsigned long long)all.asked, (unsigned long long)all.described,
        (unsigned long long)all.now, (unsigned long long)all.victims, (unsigned long long)all.later,
        (unsigned long long)all.timed, (unsigned long long)all.never,
        (unsigned long long)all.places, (unsigned long long)all.grows,
        (unsigned long long)all.budget, (unsigned long long)all.members,
        (unsigned long long)all.held, (unsigned long long)all.expired,
        (unsigned long long)all.unmet, (unsigned long long)all.resized,
        (unsigned long long)all.starved);
    assert_true(all.now > 0 && all.later > 0 && all.grows > 0 && all.members > 0 && all.held > 0);
    assert_true(chance_enough(all.expired, 1, 40) && chance_enough(all.absent, 1, 400) &&
                chance_enough(all.unmet, 1, 400));
    free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_questions_change_nothing_and_are_answered_truly)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
