/*
 * ts-dpbp on random jobs: never who. On clusters of 1 to 4 nodes of several sizes, with jobs of all sizes, gangs and unknown durations among them,
 *   - with the packer nobody is planned to start later than in the serial schedule of the same jobs (ts_work 0);
 *   - on one node, where no choice of bins comes in, the serial schedule is that of a reference written anew here;
 *   - when jobs run as long as they said, each starts when the serial schedule on one node said first;
 *   - everybody who could ever run runs in the end.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "property/chance.h"

#define JOBS_MAX  24u
#define NODES_MAX 4u
#define HOUR      INT64_C(3600000000)
#define START     INT64_C(1700000000000000)

struct work {
    char name[16];
    lsched_id id;
    int64_t cpu, length; /* length 0: unknown */
    uint32_t gpus, tasks;
    int64_t start, promised;
    int state; /* 0 waits, 1 runs, 2 done */
};

struct site {
    lsched_cluster *c;
    uint32_t n_nodes, n_jobs;
    int64_t cpu[NODES_MAX];
    uint32_t gpus[NODES_MAX];
    struct work job[JOBS_MAX];
};

static uint64_t seed_now;
#define OK(call)                                                                    \
    do {                                                                            \
        int64_t ok_code = (call);                                                   \
        if (ok_code < 0)                                                            \
            fail_msg("seed %llu: %s: %lld %s", (unsigned long long)seed_now, #call, \
                     (long long)ok_code, err.message);                              \
    } while (0)

static void draw(struct site *s, struct chance *r, uint32_t nodes_most) {
    memset(s, 0, sizeof *s);
    s->n_nodes = 1 + chance_below(r, nodes_most);
    s->n_jobs = 2 + chance_below(r, JOBS_MAX - 2);
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        s->cpu[i] = 1000 * chance_between(r, 4, 10);
        s->gpus[i] = chance_below(r, 5);
    }
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        snprintf(w->name, sizeof w->name, "j%02u", j);
        w->cpu = 1000 * chance_between(r, 1, 6);
        w->gpus = chance_one_in(r, 3) ? 0 : chance_below(r, 4);
        w->tasks = chance_one_in(r, 4) ? 1 + chance_below(r, 3) : 1;
        w->length = chance_one_in(r, 12) ? 0 : chance_between(r, 1, 12) * HOUR / 4;
    }
}

static void make(struct site *s, double work) {
    lsched_error err = LSCHED_ERROR_INIT;
    static const char text[] =
        "return { api = 1, name = 'p', order = 'fifo', pipeline = { 'ts-dpbp' },\n"
        "  params = { ts_work = 20000 } }";
    lsched_param param = {.key = LSCHED_TEXT("ts_work"), .number = work};
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.params = &param;
    opts.n_params = 1;
    lsched_cluster_opts cluster = LSCHED_CLUSTER_OPTS_INIT;
    cluster.verify_every_plan = 1;
    OK(lsched_cluster_create(&cluster, &s->c, &err));
    OK(lsched_policy_load(s->c, "p", text, sizeof text - 1, &opts, &err));
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%u", i);
        lsched_amount cpu = {LSCHED_CPU, 0, s->cpu[i]};
        lsched_device_desc devices = {.size = sizeof devices,
                                      .count = s->gpus[i],
                                      .model = LSCHED_TEXT("H100-80GB"),
                                      .memory_bytes = INT64_C(80) << 30};
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        node.name.ptr = name;
        node.capacity = &cpu;
        node.n_capacity = 1;
        node.devices = &devices;
        node.n_devices = s->gpus[i] ? 1 : 0;
        lsched_id id;
        OK(lsched_nodes_add(s->c, &node, 1, sizeof node, &id, NULL, &err));
    }
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    queue.name.ptr = "q";
    lsched_id id;
    OK(lsched_queues_add(s->c, &queue, 1, sizeof queue, &id, NULL, &err));
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        lsched_amount request[] = {{LSCHED_CPU, 0, w->cpu}, {LSCHED_GPU, 0, 1000 * w->gpus}};
        lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
        group.max_count = w->tasks;
        group.request = request;
        group.n_request = w->gpus ? 2 : 1;
        lsched_job_desc job = LSCHED_JOB_DESC_INIT;
        job.name.ptr = w->name;
        job.queue_name.ptr = "q";
        job.groups = &group;
        job.n_groups = 1;
        job.submit_us = START - HOUR + j;
        job.duration_us = w->length;
        OK(lsched_jobs_submit(s->c, &job, 1, sizeof job, &w->id, NULL, &err));
        w->promised = w->start = -1;
        w->state = 0;
    }
}

/* One cycle; what is placed starts. planned[j]: when the job starts, LSCHED_NEVER_US: no plan says. */
static int64_t cycle(struct site *s, int64_t now, int64_t *planned) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = now;
    lsched_plan *plan;
    OK(lsched_schedule(s->c, &opts, &plan, &err));
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_decision(plan, i);
        lsched_outcome how = LSCHED_CONFIRMED;
        OK(lsched_settle(s->c, &d->id, &how, 1, NULL, &err));
        for (uint32_t j = 0; j < s->n_jobs; j++) {
            if (s->job[j].id != d->job || s->job[j].state == 1) continue;
            s->job[j].state = 1;
            s->job[j].start = now;
        }
    }
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        if (w->state == 1 && w->start == now) {
            lsched_task_event e = LSCHED_TASK_EVENT_INIT;
            e.event = LSCHED_EVENT_STARTED;
            e.job = w->id;
            e.at_us = now;
            for (uint32_t t = 0; t < w->tasks; t++) {
                e.task_index = t;
                OK(lsched_tasks_report(s->c, &e, 1, sizeof e, NULL, &err));
            }
        }
        planned[j] = w->state ? w->start : LSCHED_NEVER_US;
        if (w->state) continue;
        lsched_waiting record = {.size = sizeof record};
        char why[512];
        OK(lsched_explain(s->c, w->id, why, sizeof why, &record, &err));
        if (record.code == LSCHED_WAIT_PLANNED && record.plan_node) planned[j] = record.until_us;
    }
    int64_t next = lsched_next_wake(s->c);
    lsched_plan_destroy(plan);
    return next;
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

static void test_nobody_starts_later_than_in_order(void **state) {
    (void)state;
    uint64_t earlier = 0, waits = 0;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        static struct site serial, packed;
        int64_t in_order[JOBS_MAX], planned[JOBS_MAX];
        draw(&serial, &r, NODES_MAX);
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

/* Runs end as they said; the clock goes from one end or wake-up to the next. */
static void test_promises_hold(void **state) {
    (void)state;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        static struct site s;
        int64_t planned[JOBS_MAX], first[JOBS_MAX];
        lsched_error err = LSCHED_ERROR_INIT;
        draw(&s, &r, 1);
        make(&s, 0);
        int64_t now = START, wake = cycle(&s, now, first);
        for (uint32_t steps = 0; steps < 4 * JOBS_MAX; steps++) {
            int64_t next = wake > now ? wake : LSCHED_NEVER_US;
            for (uint32_t j = 0; j < s.n_jobs; j++)
                if (s.job[j].state == 1 && s.job[j].length &&
                    s.job[j].start + s.job[j].length < next)
                    next = s.job[j].start + s.job[j].length;
            if (next == LSCHED_NEVER_US) break;
            now = next;
            for (uint32_t j = 0; j < s.n_jobs; j++) {
                struct work *w = &s.job[j];
                if (w->state != 1 || !w->length || w->start + w->length > now) continue;
                lsched_task_event e = LSCHED_TASK_EVENT_INIT;
                e.event = LSCHED_EVENT_ENDED;
                e.job = w->id;
                e.at_us = now;
                for (uint32_t t = 0; t < w->tasks; t++) {
                    e.task_index = t;
                    OK(lsched_tasks_report(s.c, &e, 1, sizeof e, NULL, &err));
                }
                w->state = 2;
            }
            wake = cycle(&s, now, planned);
        }
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

int main(void) {
    first_seed = chance_variable("LSCHED_TEST_SEED", 1);
    rounds = chance_variable("LSCHED_TEST_ROUNDS", 150);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_starts_later_than_in_order),
        cmocka_unit_test(test_one_node_is_the_reference),
        cmocka_unit_test(test_promises_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
