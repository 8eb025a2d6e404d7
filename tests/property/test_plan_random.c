/*
 * ts-dpbp on random jobs: never who. On clusters of 1 to 4 nodes of several sizes, with jobs of all sizes, gangs and unknown durations among them,
 *   - with the packer nobody is planned to start later than in the serial schedule of the same jobs (ts_work 0);
 *   - on one node, where no choice of bins comes in, the serial schedule is that of a reference written anew here;
 *   - when jobs run as long as they said, each starts when the serial schedule on one node said first;
 *   - the same with devices that MIG cuts and jobs of instances;
 *   - however little work or however few decisions a cycle is allowed, cycle after cycle comes to an end and starts whom there is room for;
 *   - jobs that limits keep out neither hide who comes after them nor overtake who is planned;
 *   - a job with max_tasks_per_node, which a plan over time cannot describe, has no planned start. It
 *     does not delay the planned start of a job before it in the order, each start holds the limit (the verifier), and
 *     what an empty cluster can take starts.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "engine/state/cache_check.h"
#include "property/chance.h"
#include "property/seeded_ok.h"
#include "support/settle.h"

#define JOBS_MAX  24u
#define NODES_MAX 4u
#define HOUR      INT64_C(3600000000)
#define START     INT64_C(1700000000000000)

struct work {
    char name[16];
    lsched_id id;
    int64_t cpu, length; /* length 0: unknown */
    uint32_t gpus, tasks;
    uint32_t node_max; /* max_tasks_per_node; 0: any number */
    const char *mig;   /* profile of its one instance; NULL */
    int64_t start, promised;
    int state; /* 0 waits, 1 runs, 2 done */
};

struct site {
    lsched_cluster *c;
    uint32_t n_nodes, n_jobs, depth; /* of the queue */
    uint64_t budget;                 /* of each cycle; 0: none */
    uint32_t decisions_max;
    int backfill; /* the action: backfill; else ts-dpbp */
    int is_mig[NODES_MAX];
    int64_t cpu[NODES_MAX];
    uint32_t gpus[NODES_MAX];
    struct work job[JOBS_MAX];
};

static uint64_t seed_now;

static void draw(struct site *s, struct chance *r, uint32_t nodes_most) {
    memset(s, 0, sizeof *s);
    s->n_nodes = 1 + chance_below(r, nodes_most);
    s->n_jobs = 2 + chance_below(r, JOBS_MAX - 2);
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        s->cpu[i] = 1000 * chance_between(r, 4, 10);
        s->gpus[i] = chance_below(r, 5);
    }
    s->depth = chance_one_in(r, 3) ? LSCHED_QUEUE_DEPTH_MAX : 1 + chance_below(r, 3);
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        snprintf(w->name, sizeof w->name, "j%02u", j);
        w->cpu = 1000 * chance_between(r, 1, 6);
        w->gpus = chance_one_in(r, 3) ? 0 : chance_below(r, 4);
        w->tasks = chance_one_in(r, 4) ? 1 + chance_below(r, 3) : 1;
        w->length = chance_one_in(r, 12) ? 0 : chance_between(r, 1, 12) * HOUR / 4;
    }
}

/* Some nodes have devices that are cut, some jobs ask for an instance. */
static void draw_mig(struct site *s, struct chance *r) {
    static const char *const profiles[] = {"1g.10gb", "1g.20gb", "2g.20gb",
                                           "3g.40gb", "4g.40gb", "7g.80gb"};
    for (uint32_t i = 0; i < s->n_nodes; i++) s->is_mig[i] = chance_one_in(r, 2);
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        if (chance_one_in(r, 2)) continue;
        s->job[j].mig = profiles[chance_below(r, 6)];
        s->job[j].gpus = 0;
        s->job[j].tasks = 1;
    }
}

static void add_queues(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    char name[2][8] = {"", ""};
    for (uint32_t d = 0; d < s->depth; d++) {
        lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
        snprintf(name[d % 2], sizeof name[0], d + 1 == s->depth ? "q" : "q%u", d);
        queue.name = lsched_cstr(name[d % 2]);
        if (d > 0) queue.parent_name = lsched_cstr(name[(d + 1) % 2]);
        lsched_id id;
        OK(lsched_queues_add(s->c, &queue, 1, sizeof queue, NULL, &id, NULL, &err));
    }
}

static void add_nodes(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        lsched_amount cpu = {LSCHED_CPU, 0, s->cpu[i]};
        lsched_device_desc devices = {.size = sizeof devices,
                                      .count = s->gpus[i],
                                      .model = LSCHED_TEXT("H100-80GB"),
                                      .memory_bytes = INT64_C(80) << 30};
        if (s->is_mig[i]) {
            devices.share_mode = LSCHED_SHARING_MIG;
            devices.mig_table = LSCHED_TEXT("h100-80gb");
            devices.mig_table.len = 9;
        }
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        node.name = lsched_cstr(name);
        node.capacity = &cpu;
        node.n_capacity = 1;
        node.devices = &devices;
        node.n_devices = s->gpus[i] ? 1 : 0;
        lsched_id id;
        OK(lsched_nodes_add(s->c, &node, 1, sizeof node, NULL, &id, NULL, &err));
    }
}

static void add_jobs(struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        lsched_amount request[] = {{LSCHED_CPU, 0, w->cpu}, {LSCHED_GPU, 0, 1000 * w->gpus}};
        lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
        group.max_count = w->tasks;
        group.max_tasks_per_node = w->node_max;
        group.request = request;
        group.n_request = w->gpus ? 2 : 1;
        lsched_device_request instance;
        static const lsched_text models[] = {LSCHED_TEXT_INIT("H100-80GB")};
        if (w->mig) {
            lsched_init(&instance, sizeof instance);
            instance.mig_profile = (lsched_text){w->mig, strlen(w->mig)};
            instance.models = models;
            instance.n_models = 1;
            instance.devices = 1;
            group.device_requests = &instance;
            group.n_device_requests = 1;
        }
        lsched_job_desc job = LSCHED_JOB_DESC_INIT;
        job.name = lsched_cstr(w->name);
        job.queue_name = LSCHED_TEXT("q");
        job.groups = &group;
        job.n_groups = 1;
        job.submit_us = START - HOUR + j;
        job.duration_us = w->length;
        OK(lsched_jobs_submit(s->c, &job, 1, sizeof job, NULL, &w->id, NULL, &err));
        w->promised = w->start = -1;
        w->state = 0;
    }
}

static void make(struct site *s, double work) {
    lsched_error err = LSCHED_ERROR_INIT;
    static const char packs[] =
        "return { api = 1, name = 'p', order = 'fifo', pipeline = { 'ts-dpbp' },\n"
        "  params = { ts_work = 20000 } }";
    static const char fills[] = "return { api = 1, name = 'p', order = 'fifo',\n"
                                "  pipeline = { 'backfill' } }";
    lsched_param param = {.key = LSCHED_TEXT("ts_work"), .number = work};
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.params = &param;
    opts.n_params = s->backfill ? 0 : 1;
    lsched_cluster_opts cluster = LSCHED_CLUSTER_OPTS_INIT;
    cluster.verify_every_plan = 1;
    OK(lsched_cluster_create(&cluster, &s->c, &err));
    cache_check_on(s->c);
    OK(lsched_policy_load(s->c, LSCHED_TEXT("p"), lsched_cstr(s->backfill ? fills : packs), &opts,
                          &err));
    add_nodes(s);
    add_queues(s);
    add_jobs(s);
}

/* One cycle; what is placed starts. planned[j]: when the job starts, LSCHED_NEVER_US: no plan says. */
static int64_t cycle(struct site *s, int64_t now, int64_t *planned) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = now;
    opts.work_budget = s->budget;
    opts.decisions_max = s->decisions_max;
    lsched_plan *plan;
    int fresh[JOBS_MAX] = {0};
    OK(lsched_schedule(s->c, &opts, &plan, &err));
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        OK(settle_each(s->c, &d->id, &how, 1, NULL, &err));
        for (uint32_t j = 0; j < s->n_jobs; j++) {
            if (s->job[j].id != d->job || s->job[j].state == 1) continue;
            s->job[j].state = fresh[j] = 1;
            s->job[j].start = now;
        }
    }
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        if (fresh[j]) {
            lsched_task_event e = LSCHED_TASK_EVENT_INIT;
            e.event = LSCHED_EVENT_STARTED;
            e.job = w->id;
            e.at_us = now;
            for (uint32_t t = 0; t < w->tasks; t++) {
                e.task_index = t;
                OK(lsched_tasks_report(s->c, &e, 1, sizeof e, NULL, NULL, &err));
            }
        }
        planned[j] = w->state ? w->start : LSCHED_NEVER_US;
        if (w->state) continue;
        lsched_waiting record = {.size = sizeof record};
        char why[512];
        OK(lsched_explain(s->c, w->id, why, sizeof why, &record, &err));
        if (record.code == LSCHED_WAIT_PLANNED && record.plan_node) planned[j] = record.until_us;
        if (record.plan_node && w->node_max)
            fail_msg("seed %llu: %s has a planned node: %s", (unsigned long long)seed_now, w->name,
                     why);
    }
    int64_t next = lsched_next_wake(s->c);
    lsched_plan_destroy(plan);
    return next;
}

static uint32_t started(const struct site *s) {
    uint32_t n = 0;
    for (uint32_t j = 0; j < s->n_jobs; j++) n += s->job[j].state != 0;
    return n;
}

/* Does the job fit on the one node over [from, to) beside the others' places. */
static int fits(const struct site *s, uint32_t j, int64_t from, const int64_t *start) {
    const struct work *w = &s->job[j];
    int64_t to = w->length ? from + w->length : INT64_MAX;
    for (uint32_t at = 0; at <= j; at++) { /* use rises at starts only */
        int64_t t = at == j ? from : start[at], cpu = w->cpu * w->tasks;
        uint32_t gpus = w->gpus * w->tasks;
        if (t == LSCHED_NEVER_US || t < from || t >= to) continue;
        for (uint32_t i = 0; i < j; i++) {
            const struct work *o = &s->job[i];
            if (start[i] == LSCHED_NEVER_US || start[i] > t ||
                (o->length && start[i] + o->length <= t))
                continue;
            cpu += o->cpu * o->tasks;
            gpus += o->gpus * o->tasks;
        }
        if (cpu > s->cpu[0] || gpus > s->gpus[0]) return 0;
    }
    return 1;
}

static void reference(const struct site *s, int64_t *start) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        start[j] = LSCHED_NEVER_US;
        if (fits(s, j, START, start)) start[j] = START;
        for (uint32_t i = 0; i < j; i++) {
            if (start[i] == LSCHED_NEVER_US || !s->job[i].length) continue;
            int64_t end = start[i] + s->job[i].length;
            if (end < start[j] && fits(s, j, end, start)) start[j] = end;
        }
    }
}

static uint64_t first_seed, rounds;

static void nobody_starts_later(int with_mig) {
    uint64_t earlier = 0, waits = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        static struct site serial, packed;
        int64_t in_order[JOBS_MAX], planned[JOBS_MAX];
        draw(&serial, &r, NODES_MAX);
        if (with_mig) draw_mig(&serial, &r);
        packed = serial;
        make(&serial, 0);
        make(&packed, 20000);
        cycle(&serial, START, in_order);
        cycle(&packed, START, planned);
        for (uint32_t j = 0; j < serial.n_jobs; j++) {
            if (planned[j] > in_order[j])
                fail_msg("seed %llu: %s starts at %lld, in order at %lld",
                         (unsigned long long)seed_now, serial.job[j].name, (long long)planned[j],
                         (long long)in_order[j]);
            earlier += planned[j] < in_order[j];
            waits += in_order[j] > START && in_order[j] != LSCHED_NEVER_US;
        }
        lsched_cluster_destroy(serial.c);
        lsched_cluster_destroy(packed.c);
    }
    print_message(
        "seeds %llu .. +%llu: %llu jobs wait for a planned time, %llu earlier by the packer\n",
        (unsigned long long)first_seed, (unsigned long long)rounds, (unsigned long long)waits,
        (unsigned long long)earlier);
    if (rounds > 100) assert_true(waits > 0 && earlier > 0);
}

static void test_nobody_starts_later_than_in_order(void **state) {
    (void)state;
    nobody_starts_later(0);
}

static void test_nor_beside_instances(void **state) {
    (void)state;
    nobody_starts_later(1);
}

static void test_one_node_is_the_reference(void **state) {
    (void)state;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        static struct site s;
        int64_t expected[JOBS_MAX], planned[JOBS_MAX];
        draw(&s, &r, 1);
        make(&s, 0);
        cycle(&s, START, planned);
        reference(&s, expected);
        for (uint32_t j = 0; j < s.n_jobs; j++)
            if (planned[j] != expected[j])
                fail_msg("seed %llu: %s starts at +%lld, expected +%lld",
                         (unsigned long long)seed_now, s.job[j].name,
                         (long long)(planned[j] - START), (long long)(expected[j] - START));
        lsched_cluster_destroy(s.c);
    }
}

/* Reports the ends of the runs that said so for `now`. */
static void end_runs(struct site *s, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        if (w->state != 1 || !w->length || w->start + w->length > now) continue;
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.event = LSCHED_EVENT_ENDED;
        e.job = w->id;
        e.at_us = now;
        for (uint32_t t = 0; t < w->tasks; t++) {
            e.task_index = t;
            OK(lsched_tasks_report(s->c, &e, 1, sizeof e, NULL, NULL, &err));
        }
        w->state = 2;
    }
}

/* Runs end as they said; the clock goes from one end or wake-up to the next. first[j]: when the
 * first cycle planned the job. promised: the earliest time that any cycle has planned. */
static void run_out(struct site *s, int64_t *first) {
    int64_t planned[JOBS_MAX], now = START, wake = cycle(s, now, first);
    for (uint32_t j = 0; j < s->n_jobs; j++) s->job[j].promised = first[j];
    for (uint32_t steps = 0; steps < 4 * JOBS_MAX; steps++) {
        int64_t next = wake > now ? wake : LSCHED_NEVER_US;
        for (uint32_t j = 0; j < s->n_jobs; j++)
            if (s->job[j].state == 1 && s->job[j].length &&
                s->job[j].start + s->job[j].length < next)
                next = s->job[j].start + s->job[j].length;
        if (next == LSCHED_NEVER_US) break;
        now = next;
        end_runs(s, now);
        wake = cycle(s, now, planned);
        for (uint32_t j = 0; j < s->n_jobs; j++)
            if (planned[j] < s->job[j].promised) s->job[j].promised = planned[j];
    }
}

static void test_promises_hold(void **state) {
    (void)state;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        static struct site s;
        int64_t first[JOBS_MAX];
        draw(&s, &r, 1);
        make(&s, 0);
        run_out(&s, first);
        for (uint32_t j = 0; j < s.n_jobs; j++) {
            int64_t start = s.job[j].state ? s.job[j].start : LSCHED_NEVER_US;
            if (start != first[j])
                fail_msg("seed %llu: %s started at +%lld, was planned for +%lld",
                         (unsigned long long)seed_now, s.job[j].name, (long long)(start - START),
                         (long long)(first[j] - START));
        }
        lsched_cluster_destroy(s.c);
    }
}

/* ---- a limit of tasks on one node ---- */

/* True if the empty cluster has places for all tasks of the job. */
static int empty_takes(const struct site *s, const struct work *w) {
    int64_t places = 0;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        int64_t n = s->cpu[i] / w->cpu;
        if (w->gpus && n > s->gpus[i] / w->gpus) n = s->gpus[i] / w->gpus;
        places += w->node_max && n > w->node_max ? w->node_max : n;
    }
    return places >= w->tasks;
}

static void test_a_limit_per_node_is_kept(void **state) {
    (void)state;
    uint64_t limited = 0, spread = 0, plans = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        static struct site s;
        int64_t first[JOBS_MAX];
        draw(&s, &r, NODES_MAX);
        s.backfill = chance_one_in(&r, 2);
        for (uint32_t j = 0; j < s.n_jobs; j++) {
            struct work *w = &s.job[j];
            if (w->length == 0) w->length = HOUR;
            if (j > s.n_jobs / 3 && chance_one_in(&r, 2)) w->node_max = 1 + chance_below(&r, 2);
            if (w->node_max) w->tasks = 1 + chance_below(&r, 4);
        }
        make(&s, chance_one_in(&r, 2) ? 0 : 20000);
        run_out(&s, first);
        int ahead = 1; /* no job before this one in the order has a limit */
        for (uint32_t j = 0; j < s.n_jobs; j++) {
            struct work *w = &s.job[j];
            int64_t start = w->state ? w->start : LSCHED_NEVER_US;
            limited += w->node_max > 0;
            spread += w->node_max && w->state && w->tasks > w->node_max;
            plans += ahead && !s.backfill && first[j] > START && first[j] != LSCHED_NEVER_US;
            ahead &= w->node_max == 0;
            if (ahead && !s.backfill && start > w->promised)
                fail_msg("seed %llu: %s started at +%lld, was planned for +%lld",
                         (unsigned long long)seed_now, w->name, (long long)(start - START),
                         (long long)(w->promised - START));
            if ((w->state == 2) != empty_takes(&s, w))
                fail_msg("seed %llu: %s is in state %d", (unsigned long long)seed_now, w->name,
                         w->state);
        }
        lsched_cluster_destroy(s.c);
    }
    print_message("seeds %llu .. +%llu: %llu jobs with a limit, %llu of them on several nodes, and "
                  "%llu planned starts that must hold\n",
                  (unsigned long long)first_seed, (unsigned long long)rounds,
                  (unsigned long long)limited, (unsigned long long)spread,
                  (unsigned long long)plans);
    if (rounds > 100) assert_true(spread > rounds / 4 && plans > rounds / 4);
}

/* A host that obeys next_wake must not be called back at once for ever, and the first in line that fits now must start. */
static void test_small_bounds_do_not_stand_still(void **state) {
    (void)state;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        static struct site s;
        int64_t planned[JOBS_MAX], wake = START;
        draw(&s, &r, NODES_MAX);
        if (chance_one_in(&r, 2)) draw_mig(&s, &r);
        make(&s, chance_one_in(&r, 2) ? 0 : 20000);
        if (chance_one_in(&r, 2))
            s.budget = 1 + chance_below(&r, 60);
        else
            s.decisions_max = 1 + chance_below(&r, 4);
        uint32_t cycles = 0, most = 2 * JOBS_MAX;
        /* what a job costs, and twice as much again until the units of one cycle are enough */
        for (uint32_t j = 0; j < s.n_jobs && s.budget; j++)
            most += (uint32_t)(32 * (1 + s.job[j].tasks) / s.budget);
        while (wake <= START && cycles <= most) {
            wake = cycle(&s, START, planned);
            cycles++;
        }
        if (wake <= START)
            fail_msg("seed %llu: budget %llu, decisions %u: %u cycles, %u jobs started, and again",
                     (unsigned long long)seed_now, (unsigned long long)s.budget, s.decisions_max,
                     cycles, started(&s));
        uint32_t bounded = started(&s);
        s.budget = s.decisions_max = 0;
        lsched_cluster_destroy(s.c);
        for (uint32_t j = 0; j < s.n_jobs; j++) s.job[j].state = 0;
        make(&s, 0);
        cycle(&s, START, planned);
        if (bounded == 0 && started(&s) > 0 && cycles < 2)
            fail_msg("seed %llu: nobody started", (unsigned long long)seed_now);
        lsched_cluster_destroy(s.c);
    }
}

/* ---- limits ---- */

static lsched_id submit(lsched_cluster *c, const char *name, const char *queue, int64_t gpus,
                        int64_t length, int64_t at) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_amount request = {LSCHED_GPU, 0, 1000 * gpus};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    group.max_count = 1;
    group.request = &request;
    group.n_request = 1;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    job.name = lsched_cstr(name);
    job.queue_name = lsched_cstr(queue);
    job.groups = &group;
    job.n_groups = 1;
    job.submit_us = at;
    job.duration_us = length;
    lsched_id id;
    OK(lsched_jobs_submit(c, &job, 1, sizeof job, NULL, &id, NULL, &err));
    return id;
}

/* One node of eight devices, and a queue with a limit beside one without. */
static lsched_cluster *limited(int64_t limit_gpus) {
    struct site s = {.n_nodes = 1, .depth = 1, .cpu = {64000}, .gpus = {8}};
    lsched_error err = LSCHED_ERROR_INIT;
    make(&s, 0);
    lsched_amount limit = {LSCHED_GPU, 0, 1000 * limit_gpus};
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name = LSCHED_TEXT("limited");
    queue.limit = &limit;
    queue.n_limit = 1;
    lsched_id id;
    OK(lsched_queues_add(s.c, &queue, 1, sizeof queue, NULL, &id, NULL, &err));
    return s.c;
}

static lsched_waiting look(lsched_cluster *c, lsched_id job) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_waiting record = {.size = sizeof record};
    char why[512];
    OK(lsched_explain(c, job, why, sizeof why, &record, &err));
    return record;
}

/* `old` runs; returns how many decisions the cycle after that made. */
static size_t run_old_then(lsched_cluster *c, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = now;
    lsched_plan *plan;
    OK(lsched_schedule(c, &opts, &plan, &err));
    size_t n = lsched_plan_size(plan);
    for (size_t i = 0; i < n; i++) {
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        OK(settle_each(c, &lsched_plan_at(plan, i)->id, &how, 1, NULL, &err));
    }
    lsched_plan_destroy(plan);
    return n;
}

static void test_limited_jobs_hide_nobody(void **state) {
    (void)state;
    static const uint32_t counts[] = {0, 63, 64, 65, 5000};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        lsched_cluster *c = limited(0);
        submit(c, "old", "q", 6, HOUR, START - HOUR);
        assert_int_equal(run_old_then(c, START), 1);
        for (uint32_t j = 0; j < counts[i]; j++) {
            char name[16];
            snprintf(name, sizeof name, "l%u", j);
            submit(c, name, "limited", 1, HOUR, START + j);
        }
        lsched_id wide = submit(c, "wide", "q", 8, HOUR, START + HOUR),
                  late = submit(c, "late", "q", 2, 10 * HOUR, START + HOUR + 1);
        assert_int_equal(run_old_then(c, START), 0);
        assert_int_equal(look(c, wide).code, LSCHED_WAIT_PLANNED);
        assert_int_equal(look(c, wide).until_us, START + HOUR);
        assert_int_equal(look(c, late).until_us, START + 2 * HOUR);
        lsched_cluster_destroy(c);
    }
}

static void test_limits_count_what_is_planned(void **state) {
    (void)state;
    lsched_cluster *c = limited(6);
    lsched_error err = LSCHED_ERROR_INIT;
    submit(c, "old", "q", 4, HOUR, START - HOUR);
    assert_int_equal(run_old_then(c, START), 1);
    lsched_id wide = submit(c, "wide", "limited", 6, HOUR, START),
              late = submit(c, "late", "limited", 2, 10 * HOUR, START + 1);
    assert_int_equal(run_old_then(c, START), 0); /* late would keep wide out at its time */
    assert_int_equal(look(c, wide).until_us, START + HOUR);
    submit(c, "brief", "limited", 2, HOUR / 2, START + 2);
    assert_int_equal(run_old_then(c, START), 1); /* it ends before */
    OK(lsched_jobs_remove(c, &wide, 1, NULL, NULL, &err));
    assert_true(lsched_next_wake(c) <= START);
    assert_int_equal(run_old_then(c, START + 1), 1); /* nothing is planned any more */
    assert_int_equal(look(c, late).code, 0);
    lsched_cluster_destroy(c);
}

int main(void) {
    first_seed = chance_variable("LSCHED_TEST_SEED", 1);
    rounds = chance_variable("LSCHED_TEST_ROUNDS", 150);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_starts_later_than_in_order),
        cmocka_unit_test(test_nor_beside_instances),
        cmocka_unit_test(test_small_bounds_do_not_stand_still),
        cmocka_unit_test(test_limited_jobs_hide_nobody),
        cmocka_unit_test(test_limits_count_what_is_planned),
        cmocka_unit_test(test_one_node_is_the_reference),
        cmocka_unit_test(test_promises_hold),
        cmocka_unit_test(test_a_limit_per_node_is_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
