/*
 * A host whose state is outside of the library: after a crash it builds a new cluster, submits its
 * jobs and imports the tasks that run, with and without their runs. Then late reports of runs of all
 * earlier clusters come, also twice. A model outside the library knows which run each process is:
 *   - if each cluster has an incarnation greater than at any start before, no import is refused, and
 *     no report of a run touches another run, from whichever cluster it comes;
 *   - if not, an import of a run whose id the new cluster could give out again is LSCHED_E_RANGE,
 *     and changes nothing; no cluster ever gives out the id of a run that an import told. An import
 *     without the run is accepted, and so is one with the run in a cluster that has the incarnation
 *     of which the error tells;
 *   - a cluster that lives on accepts each run that it gave out itself, and a loaded image, too.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS replay.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>
#include <libsched/scenario.h>

#include "property/chance.h"
#include "property/seeded_step.h"

#define SECOND ((int64_t)1000000)

enum { STEPS = 200, JOBS = 60, RUNS = 2048 };

struct job {               /* a job of one task, by its number */
    lsched_id run, untold; /* the run of its process, and of one whose import told no run */
    int64_t start_us;
    char node[4];
    int is_over; /* it ended, and the host submits it no more */
};

struct run {
    uint32_t job;
    lsched_id id;
    int is_unsafe; /* the host broke the rule of incarnations since then, and told this run to none */
};

struct host {
    struct chance chance;
    uint64_t seed;
    uint32_t step;
    lsched_cluster *c;
    lsched_cluster_opts opts;
    lsched_error err;
    int64_t now;
    struct job job[JOBS];
    struct run run[RUNS];
    uint32_t n_jobs, n_runs, starts; /* starts: of the orchestrator, over all clusters */
    uint64_t started, late, known, rebuilds, refused, cured, plain, loads, told, ended;
};

static uint64_t image(struct host *h) {
    uint64_t hash = 0;
    CHECK(h, lsched_cluster_hash(h->c, LSCHED_HASH_IMAGE, &hash, NULL) == LSCHED_OK, "hash");
    return hash;
}

static lsched_id job_id(struct host *h, uint32_t job) {
    char name[16];
    snprintf(name, sizeof name, "j%u", job);
    return lsched_find(h->c, LSCHED_KIND_JOB, lsched_cstr(name));
}

/* Reads the task of the job. Returns 0 if it has none. */
static int task_of(struct host *h, uint32_t job, lsched_task_info *t) {
    uint64_t cursor = 0;
    *t = (lsched_task_info){.size = sizeof *t};
    return lsched_tasks_next(h->c, job_id(h, job), 0, &cursor, t, NULL) == 1;
}

static void add(struct host *h, const char *text) {
    CHECK(h, lsched_scenario_add(NULL, lsched_cstr(text), LSCHED_TEXT("world"), h->c, &h->err) >= 0,
          "add");
}

static void submit(struct host *h, uint32_t job) {
    char text[100];
    snprintf(text, sizeof text, "jobs: [{name: j%u, queue: q, tasks: {cpu: %u}}]\n", job,
             1 + job % 2);
    add(h, text);
}

static void make(struct host *h, uint32_t incarnation) {
    h->opts.incarnation = incarnation;
    lsched_cluster_destroy(h->c);
    CHECK(h, lsched_cluster_create(&h->opts, &h->c, &h->err) == LSCHED_OK, "create");
    add(h,
        "nodes: [{name: x, cpu: 4}, {name: y, cpu: 4}, {name: z, cpu: 3}]\nqueues: [{name: q}]\n");
    for (uint32_t j = 0; j < h->n_jobs; j++)
        if (!h->job[j].is_over) submit(h, j);
}

static int32_t import_one(struct host *h, uint32_t job, int with_run) {
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    m.job = job_id(h, job);
    m.node_name = lsched_cstr(h->job[job].node);
    m.start_us = h->job[job].start_us;
    m.run = with_run ? h->job[job].run : 0;
    return lsched_tasks_import(h->c, &m, 1, sizeof m, NULL, NULL, &h->err);
}

static void note_untold(struct host *h, uint32_t job) {
    h->job[job].untold = h->job[job].run;
    h->plain++;
}

/* The incarnation that the error tells is enough for this run. */
static uint32_t incarnation_told(struct host *h) {
    const char *at = strstr(h->err.message, "the incarnation ");
    CHECK(h, at, "the error of an import tells an incarnation");
    return (uint32_t)strtoul(at + strlen("the incarnation "), NULL, 10);
}

/* Imports all that runs. Returns 0, or the incarnation that the cluster lacks. */
static uint32_t import_all(struct host *h, int is_safe) {
    for (uint32_t j = 0; j < h->n_jobs; j++) {
        struct job *job = &h->job[j];
        job->untold = 0;
        if (!job->run || job->is_over) continue;
        int with_run = !chance_one_in(&h->chance, 6);
        uint64_t was = image(h);
        int32_t rc = import_one(h, j, with_run);
        if (!with_run) note_untold(h, j);
        if (rc == 1) {
            h->told += (uint64_t)with_run;
            continue;
        }
        CHECK(h, rc == LSCHED_E_RANGE && with_run && !is_safe, "an import is refused");
        CHECK(h, image(h) == was, "an import that is refused changes the cluster");
        h->refused++;
        if (chance_one_in(&h->chance, 2)) return incarnation_told(h);
        CHECK(h, import_one(h, j, 0) == 1, "an import without the run");
        note_untold(h, j);
    }
    return 0;
}

/* Runs that no cluster knows any more: their ids can be given out again where the host broke the
 * rule of incarnations. Those that an import told are safe. */
static void forget_runs(struct host *h) {
    for (uint32_t i = 0; i < h->n_runs; i++) {
        const struct job *job = &h->job[h->run[i].job];
        if (job->run != h->run[i].id || job->untold || job->is_over) h->run[i].is_unsafe = 1;
    }
}

/* The host crashes, and builds its cluster anew. */
static void rebuild(struct host *h) {
    int is_safe = chance_one_in(&h->chance, 2);
    uint32_t to = chance_one_in(&h->chance, 2) ? 0 : chance_below(&h->chance, h->starts + 1);
    h->starts++;
    make(h, is_safe ? h->starts : to);
    while ((to = import_all(h, is_safe)) != 0) {
        if (h->starts < to) h->starts = to;
        make(h, to);
        h->cured++;
    }
    if (!is_safe) forget_runs(h);
    h->rebuilds++;
}

static int32_t append(void *user, const void *p, size_t n) {
    struct bytes {
        char *p;
        size_t n;
    } *b = user;
    b->p = realloc(b->p, b->n + n);
    if (!b->p) return 1;
    memcpy(b->p + b->n, p, n);
    b->n += n;
    return 0;
}

/* The host ends in order and loads what it saved. */
static void load(struct host *h) {
    struct {
        char *p;
        size_t n;
    } b = {NULL, 0};
    lsched_cluster *other = NULL;
    h->opts.incarnation = 0;
    CHECK(h, lsched_cluster_save(h->c, append, &b, &h->err) == LSCHED_OK, "save");
    CHECK(h, lsched_cluster_load(&h->opts, b.p, b.n, &other, &h->err) == LSCHED_OK, "load");
    free(b.p);
    lsched_cluster_destroy(h->c);
    h->c = other;
    h->loads++;
}

/* No run that can be named later has the id of the new one. */
static void started(struct host *h, uint32_t job, const lsched_decision *d) {
    for (uint32_t i = 0; i < h->n_runs; i++)
        CHECK(h, h->run[i].id != d->id || h->run[i].is_unsafe, "the id of a run comes again");
    CHECK(h, h->n_runs < RUNS, "too many runs for the test");
    h->run[h->n_runs++] = (struct run){.job = job, .id = d->id};
    h->job[job].run = d->id;
    h->job[job].start_us = h->now;
    snprintf(h->job[job].node, sizeof h->job[job].node, "%s", lsched_name(h->c, d->node, NULL));
    h->started++;
}

static void cycle(struct host *h) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = h->now += SECOND * (1 + chance_below(&h->chance, 60));
    CHECK(h, lsched_schedule(h->c, &opts, &plan, &h->err) == LSCHED_OK, "cycle");
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        uint32_t job = (uint32_t)strtoul(lsched_name(h->c, d->job, NULL) + 1, NULL, 10);
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        started(h, job, d);
        e.job = d->job, e.event = LSCHED_EVENT_STARTED, e.run = d->id;
        CHECK(h, lsched_tasks_report(h->c, &e, 1, sizeof e, NULL, NULL, &h->err) == 1, "start");
    }
    lsched_plan_destroy(plan);
}

/* A report of a run, late or in time. It touches this run and no other. */
static void report(struct host *h) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    lsched_batch_opts opts = LSCHED_BATCH_OPTS_INIT;
    lsched_task_info before, after;
    int32_t status = 0;
    if (h->n_runs == 0) return;
    const struct run *run = &h->run[chance_below(&h->chance, h->n_runs)];
    struct job *job = &h->job[run->job];
    if (run->is_unsafe) return;
    e.job = job_id(h, run->job);
    e.run = run->id;
    e.event = chance_one_in(&h->chance, 4) ? LSCHED_EVENT_ENDED : LSCHED_EVENT_FAILED;
    opts.flags = chance_one_in(&h->chance, 2) ? LSCHED_BATCH_IDEMPOTENT : 0;
    if (!e.job) return;
    int runs = task_of(h, run->job, &before), is_now = job->run == run->id;
    int32_t rc = lsched_tasks_report(h->c, &e, 1, sizeof e, &opts, &status, &h->err);
    if (rc >= 0) rc = status;
    CHECK(h, (rc == LSCHED_OK) == (is_now && !job->untold), "status of a report");
    h->late += !is_now && rc == LSCHED_E_STALE;
    h->known += rc == LSCHED_UNCHANGED;
    if (rc != LSCHED_OK) {
        CHECK(h, task_of(h, run->job, &after) == runs, "a late report ended another run");
        CHECK(h, !runs || (after.state == before.state && after.run == before.run),
              "a late report touched another run");
        return;
    }
    job->run = 0;
    job->is_over = e.event == LSCHED_EVENT_ENDED;
    h->ended += (uint64_t)job->is_over;
    CHECK(h, !task_of(h, run->job, &after) || !after.run, "the run goes on after its end");
}

/* The task of each job runs as the model says. */
static void compare(struct host *h) {
    for (uint32_t j = 0; j < h->n_jobs; j++) {
        lsched_task_info t;
        int runs = task_of(h, j, &t) && t.state == LSCHED_TASK_RUNNING;
        CHECK(h, (job_id(h, j) == 0) == h->job[j].is_over, "a job is lost, or lives on");
        CHECK(h, runs == (h->job[j].run != 0 && !h->job[j].is_over), "what runs");
        CHECK(h, !runs || t.run == (h->job[j].untold ? 0 : h->job[j].run), "which run it is");
    }
    CHECK(h, lsched_verify(h->c, NULL, &h->err) == LSCHED_OK, "verify");
}

static void play(struct host *h, uint64_t seed) {
    memset(h, 0, offsetof(struct host, started));
    h->seed = h->chance.state = seed;
    h->err = (lsched_error)LSCHED_ERROR_INIT;
    h->opts = (lsched_cluster_opts)LSCHED_CLUSTER_OPTS_INIT;
    if (seed % 2) h->opts.id_salt = chance_word(&h->chance) >> 8 | 1;
    h->now = INT64_C(1767600000000000);
    make(h, 0);
    for (h->step = 0; h->step < STEPS; h->step++) {
        uint32_t what = chance_below(&h->chance, 20);
        if (what < 3 && h->n_jobs < JOBS)
            submit(h, h->n_jobs++);
        else if (what < 8)
            cycle(h);
        else if (what < 17)
            report(h);
        else if (what == 17)
            load(h);
        else if (what == 18)
            rebuild(h);
        compare(h);
    }
    lsched_cluster_destroy(h->c);
}

static void test_no_late_report_meets_a_run_of_a_new_cluster(void **unused) {
    static struct host h;
    uint64_t seed = chance_seed(1);
    uint32_t rounds = chance_rounds(60);
    (void)unused;
    memset(&h, 0, sizeof h);
    for (uint32_t r = 0; r < rounds; r++) play(&h, seed + r);
    print_message("rebuild: %llu runs started, %llu ended; %llu late reports refused, %llu known; "
                  "%llu clusters made anew, %llu loaded; imports: %llu told a run, %llu none, %llu "
                  "refused, %llu clusters then made with the incarnation of the error\n",
                  (unsigned long long)h.started, (unsigned long long)h.ended,
                  (unsigned long long)h.late, (unsigned long long)h.known,
                  (unsigned long long)h.rebuilds, (unsigned long long)h.loads,
                  (unsigned long long)h.told, (unsigned long long)h.plain,
                  (unsigned long long)h.refused, (unsigned long long)h.cured);
    const uint64_t seen[][2] = {{h.started, 500}, {h.late, 200}, {h.known, 50}, {h.rebuilds, 100},
                                {h.loads, 100},   {h.told, 200}, {h.plain, 50}, {h.refused, 50},
                                {h.cured, 20},    {h.ended, 50}};
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++)
        assert_true(chance_enough(seen[i][0], seen[i][1], 60));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_late_report_meets_a_run_of_a_new_cluster)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
