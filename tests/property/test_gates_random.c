/*
 * test_gates_random.c -- what jobs wait for before their first start, compared with a model of the
 * rules that knows nothing of the library's state (docs/semantics.md, 30).
 *
 * Random jobs with begins, expiries and dependencies are submitted, updated, started, ended,
 * completed and removed; time passes, and the cluster is cloned or saved. The model keeps for each
 * job the events of the others. Now and then the run goes on in another cluster, to which each job is
 * submitted from its description: it waits for the same time there. After each cycle:
 *   - a job exists if and only if it does in the model,
 *   - no task of a job has a place while its gate is closed, and the wait code and its time are
 *     those of the model; explain has a text,
 *   - on a large node, each job whose gate is open has a place: nothing is lost,
 *   - the next wake is not later than the first time that the model knows.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one world.
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

#include "property/chance.h"

enum { JOBS = 24, NEEDS = 4, EVENTS = 2600, SECOND = 1000000 };

struct need {
    uint32_t on; /* number of the other job, of all jobs that ever were */
    uint32_t after;
    int64_t delay;
};

/* A job of the model. */
struct past {
    int64_t started, ended; /* 0: not yet */
    int success;
};

struct job {
    lsched_id id; /* 0: the place is free */
    uint32_t number;
    char name[16];
    int closed, confirmed;
    int placed; /* 1: its task was imported while its gate was closed, and holds its place */
    int64_t begin, expires;
    uint32_t n_needs, on_never;
    struct need needs[NEEDS];
};

static struct world {
    struct chance chance;
    uint64_t seed;
    int large;
    lsched_cluster *c;
    lsched_id node, queue;
    int64_t now;
    uint32_t numbers;
    struct past *past; /* by number */
    struct job job[JOBS];
    lsched_error err;
} w;

static struct {
    uint64_t events, starts, closed, opened, expired, nevers, removed, circles, imported, rebuilt;
} all;

#define CHECK(ok, ...)                                                                      \
    do {                                                                                    \
        if (ok) break;                                                                      \
        print_error("seed %llu, now %lld: ", (unsigned long long)w.seed, (long long)w.now); \
        print_error(__VA_ARGS__);                                                           \
        print_error(" (%s)\n", w.err.message);                                              \
        fail();                                                                             \
    } while (0)

static int64_t later(uint32_t seconds) {
    return w.now + (int64_t)chance_below(&w.chance, seconds) * SECOND;
}

/* ---- the model ---- */

enum { WAITS, MET, NEVER };

static int need_state(const struct need *n, int64_t *at) {
    const struct past *p = &w.past[n->on];
    int met = n->after == LSCHED_AFTER_START     ? p->started != 0
              : n->after == LSCHED_AFTER_END     ? p->ended != 0
              : n->after == LSCHED_AFTER_SUCCESS ? p->ended && p->success
                                                 : p->ended && !p->success;
    *at = (n->after == LSCHED_AFTER_START ? p->started : p->ended) + n->delay;
    return met ? MET : p->ended ? NEVER : WAITS;
}

/* Returns the code for which the job waits, LSCHED_WAIT_NONE if it may start at the time `now`. */
static uint32_t model_code(const struct job *j, int64_t *until) {
    uint32_t waits = 0, never = 0;
    int64_t opens = j->begin, at;
    *until = LSCHED_NEVER_US;
    for (uint32_t i = 0; i < j->n_needs; i++) {
        int state = need_state(&j->needs[i], &at);
        waits += state == WAITS;
        never += state == NEVER;
        if (state == MET && at > opens) opens = at;
    }
    if (never) return LSCHED_WAIT_DEPENDENCY_NEVER;
    if (waits) return LSCHED_WAIT_DEPENDENCY;
    *until = opens;
    return opens > w.now ? LSCHED_WAIT_BEGIN : LSCHED_WAIT_NONE;
}

static void model_ends(struct job *j, int success, int64_t at) {
    w.past[j->number].ended = at;
    w.past[j->number].success = success;
    j->id = 0;
}

/* What a cycle at the present time does, until nothing changes any more. */
static void model_cycle(void) {
    int changed = 1;
    while (changed) {
        changed = 0;
        for (uint32_t i = 0; i < JOBS; i++) {
            struct job *j = &w.job[i];
            int64_t until;
            if (!j->id) continue;
            if (j->confirmed && j->expires <= w.now) j->expires = 0;
            int expires = j->expires && j->expires <= w.now;
            uint32_t code = j->closed ? model_code(j, &until) : LSCHED_WAIT_NONE;
            int never = code == LSCHED_WAIT_DEPENDENCY_NEVER && j->on_never && !j->placed;
            if (expires || never) {
                all.expired += (uint64_t)expires;
                all.removed += (uint64_t)!expires;
                model_ends(j, 0, w.now);
                changed = 1;
            } else if (j->closed && code == LSCHED_WAIT_NONE) {
                j->closed = j->placed = 0;
                j->begin = 0;
                j->n_needs = 0;
                all.opened++;
            }
        }
    }
}

/* ---- events ---- */

static struct job *random_job(void) {
    struct job *j = &w.job[chance_below(&w.chance, JOBS)];
    return j->id ? j : NULL;
}

/* Fills random dependencies on jobs that exist; each is on another job. */
static uint32_t random_needs(const struct job *self, struct need *needs, lsched_dependency *list) {
    uint32_t n = 0, wanted = chance_below(&w.chance, NEEDS + 1);
    for (uint32_t tries = 0; n < wanted && tries < 12; tries++) {
        const struct job *on = random_job();
        if (!on || on == self) continue;
        uint32_t twice = 0;
        for (uint32_t i = 0; i < n; i++) twice |= needs[i].on == on->number;
        if (twice) continue;
        needs[n] = (struct need){on->number, chance_below(&w.chance, 4),
                                 (int64_t)chance_below(&w.chance, 3) * 20 * SECOND};
        list[n] = (lsched_dependency){
            .size = sizeof *list, .after = needs[n].after, .delay_us = needs[n].delay};
        if (chance_one_in(&w.chance, 2))
            list[n].job = on->id;
        else
            list[n].name = lsched_cstr(on->name);
        n++;
    }
    return n;
}

static void model_close(struct job *j) {
    if (j->begin <= w.now) j->begin = 0;
    j->closed = j->begin || j->n_needs;
}

static void submit(void) {
    struct job *j = &w.job[chance_below(&w.chance, JOBS)];
    if (j->id) return;
    lsched_dependency list[NEEDS];
    lsched_amount request = {LSCHED_CPU, 0, 1000};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_job_desc d = LSCHED_JOB_DESC_INIT;
    *j = (struct job){.number = w.numbers++};
    snprintf(j->name, sizeof j->name, "j%u", (unsigned)(j - w.job));
    w.past[j->number] = (struct past){0};
    j->n_needs = random_needs(j, j->needs, list);
    if (chance_one_in(&w.chance, 3)) j->begin = later(100);
    if (chance_one_in(&w.chance, 3)) j->expires = later(150) + SECOND;
    if (j->begin && j->expires && j->begin >= j->expires) j->begin = 0;
    j->on_never = chance_below(&w.chance, 2);
    group.request = &request;
    group.n_request = 1;
    d.name = lsched_cstr(j->name);
    d.queue = w.queue;
    d.groups = &group;
    d.n_groups = 1;
    d.priority = (int32_t)chance_below(&w.chance, 3);
    d.begin_us = j->begin;
    d.expires_us = j->expires;
    d.dependencies = list;
    d.n_dependencies = j->n_needs;
    d.on_never = j->on_never;
    int32_t rc = lsched_jobs_submit(w.c, &d, 1, sizeof d, NULL, &j->id, NULL, &w.err);
    CHECK(rc == 1, "a job is refused");
    model_close(j);
}

/* True if the job `from` waits, over others, for the job with this number. */
static int model_reaches(uint32_t from, uint32_t number) {
    static uint32_t stack[JOBS * NEEDS + 1], n;
    static uint8_t seen[JOBS];
    memset(seen, 0, sizeof seen);
    n = 0;
    stack[n++] = from;
    while (n) {
        uint32_t at = stack[--n];
        if (at == number) return 1;
        for (uint32_t i = 0; i < JOBS; i++) {
            const struct job *j = &w.job[i];
            int64_t unused;
            if (!j->id || j->number != at || seen[i]) continue;
            seen[i] = 1;
            for (uint32_t k = 0; k < j->n_needs; k++)
                if (need_state(&j->needs[k], &unused) == WAITS) stack[n++] = j->needs[k].on;
        }
    }
    return 0;
}

static void update(void) {
    struct job *j = random_job();
    lsched_dependency list[NEEDS];
    lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
    lsched_job_info info = {.size = sizeof info};
    if (!j) return;
    CHECK(lsched_job_get(w.c, j->id, &info, &w.err) == 0, "no job");
    struct job to = *j;
    u.job = j->id;
    if (chance_one_in(&w.chance, 2)) {
        u.set |= LSCHED_JOB_SET_DEPENDENCIES;
        to.n_needs = random_needs(j, to.needs, list);
        to.on_never = chance_below(&w.chance, 2);
        u.dependencies = list;
        u.n_dependencies = to.n_needs;
        u.on_never = to.on_never;
    }
    if (chance_one_in(&w.chance, 3)) {
        u.set |= LSCHED_JOB_SET_BEGIN;
        u.begin_us = to.begin = chance_one_in(&w.chance, 3) ? 0 : later(100);
    }
    if (chance_one_in(&w.chance, 3)) {
        u.set |= LSCHED_JOB_SET_EXPIRY;
        u.expires_us = to.expires = chance_one_in(&w.chance, 3) ? 0 : later(150) + SECOND;
    }
    int circle = 0;
    int64_t unused;
    for (uint32_t i = 0; u.set & LSCHED_JOB_SET_DEPENDENCIES && i < to.n_needs; i++)
        circle |=
            need_state(&to.needs[i], &unused) == WAITS && model_reaches(to.needs[i].on, j->number);
    int32_t rc = lsched_jobs_update(w.c, &u, 1, sizeof u, NULL, NULL, &w.err);
    all.circles += (uint64_t)(rc == LSCHED_E_CYCLE);
    CHECK(rc != LSCHED_E_CYCLE || circle, "a circle of %s that is none", j->name);
    CHECK(rc < 0 || !circle, "job %s closes a circle", j->name);
    if (rc < 0) { /* what has a place does not change, and times must be in order */
        CHECK(rc == LSCHED_E_CYCLE || rc == LSCHED_E_STATE || rc == LSCHED_E_INVAL ||
                  rc == LSCHED_E_TIME,
              "another error");
        CHECK(rc != LSCHED_E_STATE || info.tasks_placed, "job %s has no places", j->name);
        return;
    }
    if (info.tasks_placed) return; /* nothing changed */
    *j = to;
    if (w.past[j->number].started) j->expires = 0; /* only before the first start */
    model_close(j);
}

/* A report can come late. Returns the time of the event. */
static int64_t past_time(void) {
    int64_t at = w.now - (int64_t)chance_below(&w.chance, 4) * 7 * SECOND;
    return at > 0 ? at : 1;
}

static int64_t report(struct job *j, uint32_t event) {
    lsched_task_event e = LSCHED_TASK_EVENT_INIT;
    int64_t at = past_time();
    e.job = j->id;
    e.event = event;
    e.at_us = at == w.now && chance_one_in(&w.chance, 2) ? 0 : at;
    CHECK(lsched_tasks_report(w.c, &e, 1, sizeof e, NULL, NULL, &w.err) >= 0, "report %u", event);
    return at;
}

static void model_starts(struct job *j, int64_t at) {
    if (!w.past[j->number].started) w.past[j->number].started = at;
    j->expires = 0;
}

static void end_one(void) {
    struct job *j = random_job();
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    if (!j || lsched_tasks_next(w.c, j->id, 0, &cursor, &t, &w.err) != 1) return;
    if (t.state == LSCHED_TASK_PROPOSED && chance_one_in(&w.chance, 2)) {
        lsched_settlement s = {.size = sizeof s, .decision = t.decision};
        s.outcome = LSCHED_OUTCOME_CONFIRMED;
        CHECK(lsched_settle(w.c, &s, 1, sizeof s, NULL, NULL, NULL, &w.err) >= 0, "settle");
        j->confirmed = 1;
    } else if (t.state == LSCHED_TASK_PROPOSED || t.state == LSCHED_TASK_CONFIRMED) {
        model_starts(j, report(j, LSCHED_EVENT_STARTED));
        all.starts++;
    } else if (t.state == LSCHED_TASK_RUNNING) {
        int how = (int)chance_below(&w.chance, 3);
        if (how == 0) model_ends(j, 1, report(j, LSCHED_EVENT_ENDED));
        if (how == 1) {
            CHECK(lsched_jobs_complete(w.c, &j->id, 1, NULL, NULL, &w.err) == 1, "complete");
            model_ends(j, 1, w.now);
        }
        if (how == 2) {
            (void)report(j, LSCHED_EVENT_FAILED);
            j->confirmed = j->placed = 0;
        }
    }
}

/* The orchestrator runs the task of a job that waits. */
static void import_one(void) {
    struct job *j = random_job();
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    if (!j || !j->closed || j->placed) return;
    m.job = j->id;
    m.node = w.node;
    m.start_us = past_time();
    if (lsched_tasks_import(w.c, &m, 1, sizeof m, NULL, NULL, &w.err) < 0) return; /* no room */
    model_starts(j, m.start_us);
    j->placed = 1;
    all.imported++;
}

static void remove_one(void) {
    struct job *j = random_job();
    if (!j) return;
    CHECK(lsched_jobs_remove(w.c, &j->id, 1, NULL, NULL, &w.err) == 1, "remove");
    model_ends(j, 0, w.now);
}

struct image {
    unsigned char *bytes;
    size_t n;
};

static int32_t image_write(void *user, const void *bytes, size_t n) {
    struct image *to = user;
    unsigned char *more = realloc(to->bytes, to->n + n);
    if (!more) return -1;
    memcpy(more + to->n, bytes, n);
    to->bytes = more;
    to->n += n;
    return 0;
}

static int runs_in(lsched_cluster *c, lsched_id job) {
    lsched_task_info t = {.size = sizeof t};
    uint64_t cursor = 0;
    return lsched_tasks_next(c, job, 0, &cursor, &t, &w.err) == 1 && t.state == LSCHED_TASK_RUNNING;
}

/* Submits the jobs that exist in `from`; those that wait for a job that is not there yet come later.
 * Fills their new ids. */
static void submit_described(const lsched_cluster *from, lsched_id *ids) {
    uint32_t left = 1;
    for (uint32_t round = 0; left && round <= JOBS; round++) {
        left = 0;
        for (uint32_t i = 0; i < JOBS; i++) {
            lsched_description *d = NULL;
            if (!w.job[i].id || ids[i]) continue;
            CHECK(lsched_describe(from, w.job[i].id, &d, &w.err) == 0, "describe");
            int32_t rc = lsched_jobs_submit(w.c, lsched_description_job(d), 1, 0, NULL, &ids[i],
                                            NULL, &w.err);
            CHECK(rc == 1 || rc == LSCHED_E_NOENT, "the description of %s", w.job[i].name);
            if (rc != 1) ids[i] = 0;
            left += rc != 1;
            lsched_description_destroy(d);
        }
    }
    CHECK(left == 0, "%u jobs cannot be submitted", left);
}

static void cluster_begin(void);

/* The run goes on in a new cluster, made from descriptions and imports. */
static void rebuild(void) {
    lsched_cluster *from = w.c;
    lsched_id ids[JOBS] = {0};
    cluster_begin();
    CHECK(lsched_clock_set(w.c, w.now, &w.err) == 0, "clock");
    submit_described(from, ids);
    for (uint32_t i = 0; i < JOBS; i++) {
        struct job *j = &w.job[i];
        if (!j->id) continue;
        int runs = runs_in(from, j->id);
        j->id = ids[i];
        if (!runs) {
            j->confirmed = 0;
            continue;
        }
        lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
        m.job = j->id;
        m.node = w.node;
        m.start_us = w.past[j->number].started;
        CHECK(lsched_tasks_import(w.c, &m, 1, sizeof m, NULL, NULL, &w.err) == 1, "import");
    }
    lsched_cluster_destroy(from);
    all.rebuilt++;
}

/* The run goes on with a copy. */
static void copy(void) {
    lsched_cluster *to = NULL;
    if (chance_one_in(&w.chance, 3)) {
        rebuild();
        return;
    }
    if (chance_one_in(&w.chance, 2)) {
        CHECK(lsched_cluster_clone(w.c, &to, &w.err) == 0, "clone");
    } else {
        struct image image = {NULL, 0};
        CHECK(lsched_cluster_save(w.c, image_write, &image, &w.err) == 0, "save");
        CHECK(lsched_cluster_load(NULL, image.bytes, image.n, &to, &w.err) == 0, "load");
        free(image.bytes);
    }
    lsched_cluster_destroy(w.c);
    w.c = to;
}

/* ---- a cycle ---- */

static void check_job(const struct job *j) {
    lsched_job_info info = {.size = sizeof info};
    lsched_waiting why = {.size = sizeof why};
    char text[512];
    int64_t until;
    CHECK(lsched_job_get(w.c, j->id, &info, &w.err) == 0, "job %s is gone", j->name);
    CHECK(info.expires_us == j->expires, "job %s expires at %lld, not %lld", j->name,
          (long long)info.expires_us, (long long)j->expires);
    if (!j->closed) {
        CHECK(!w.large || info.tasks_placed || info.tasks_done, "job %s is lost", j->name);
        CHECK(info.begin_us == 0 && info.dependencies == 0, "job %s still waits", j->name);
        return;
    }
    all.closed++;
    CHECK(info.tasks_placed == (uint32_t)j->placed, "job %s has a place too early", j->name);
    if (j->placed) return;
    uint32_t code = model_code(j, &until);
    all.nevers += code == LSCHED_WAIT_DEPENDENCY_NEVER;
    CHECK(lsched_waiting_get(w.c, j->id, &why, &w.err) == 1, "job %s does not wait", j->name);
    CHECK(why.code == code && why.until_us == until,
          "job %s waits with %s until %lld; expected %s until %lld", j->name,
          lsched_wait_name(why.code), (long long)why.until_us, lsched_wait_name(code),
          (long long)until);
    CHECK(lsched_explain(w.c, j->id, text, sizeof text, NULL, &w.err) > 0 && strstr(text, "waits"),
          "no explanation of job %s", j->name);
}

static void cycle(void) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan = NULL;
    int64_t wake = LSCHED_NEVER_US, until;
    opts.now_us = w.now;
    opts.flags = chance_one_in(&w.chance, 8) ? LSCHED_SCHEDULE_VERIFY : 0;
    CHECK(lsched_schedule(w.c, &opts, &plan, &w.err) == 0, "schedule");
    CHECK(lsched_plan_get(plan, &info, &w.err) == 0, "plan");
    lsched_plan_destroy(plan);
    model_cycle();
    uint32_t live = 0;
    for (uint32_t i = 0; i < JOBS; i++) {
        const struct job *j = &w.job[i];
        if (!j->id) continue;
        live++;
        check_job(j);
        if (j->expires && j->expires < wake) wake = j->expires;
        if (j->closed && model_code(j, &until) == LSCHED_WAIT_BEGIN && until < wake) wake = until;
    }
    lsched_cluster_stats stats = {.size = sizeof stats};
    CHECK(lsched_cluster_stats_get(w.c, &stats, &w.err) == 0 && stats.jobs == live,
          "%llu jobs, expected %u", (unsigned long long)stats.jobs, live);
    CHECK(info.next_wake_us <= wake, "the next wake is %lld, later than %lld",
          (long long)info.next_wake_us, (long long)wake);
}

static void cluster_begin(void) {
    lsched_amount cpu = {LSCHED_CPU, 0, 0};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_queue_desc queue = LSCHED_QUEUE_DESC_INIT;
    cpu.amount = w.large ? 1000000 : 3000;
    node.name = lsched_cstr("n");
    node.capacity = &cpu;
    node.n_capacity = 1;
    queue.name = lsched_cstr("q");
    CHECK(lsched_cluster_create(NULL, &w.c, &w.err) == 0, "create");
    CHECK(lsched_nodes_add(w.c, &node, 1, sizeof node, NULL, &w.node, NULL, &w.err) == 1, "node");
    CHECK(lsched_queues_add(w.c, &queue, 1, sizeof queue, NULL, &w.queue, NULL, &w.err) == 1,
          "queue");
}

static void world_begin(uint64_t seed) {
    struct past *past = calloc((EVENTS + 1) * (JOBS + 1), sizeof *past);
    w = (struct world){.chance = {seed}, .seed = seed, .now = SECOND, .past = past};
    w.err = (lsched_error)LSCHED_ERROR_INIT;
    w.large = chance_one_in(&w.chance, 2);
    cluster_begin();
    cycle();
}

static void run_world(uint64_t seed) {
    world_begin(seed);
    for (uint32_t e = 0; e < EVENTS; e++, all.events++) {
        uint32_t what = chance_below(&w.chance, 20);
        if (what < 6)
            submit();
        else if (what < 12)
            end_one();
        else if (what < 13)
            remove_one();
        else if (what < 14 && chance_one_in(&w.chance, 2))
            import_one();
        else if (what < 15)
            update();
        else if (what == 15 && chance_one_in(&w.chance, 10))
            copy();
        else {
            w.now = later(20);
            cycle();
        }
    }
    CHECK(lsched_verify(w.c, NULL, &w.err) == 0, "verify");
    lsched_cluster_destroy(w.c);
    free(w.past);
}

static void gates_follow_the_rules(void **unused) {
    (void)unused;
    uint64_t seed = chance_seed(1), n = chance_rounds(40);
    memset(&all, 0, sizeof all);
    for (uint64_t i = 0; i < n; i++) run_world(seed + i);
    print_message("seeds %llu .. +%llu: %llu events, %llu starts, %llu looks at closed gates (%llu "
                  "never), %llu opened, %llu expired, %llu removed, %llu circles, %llu imported, "
                  "%llu rebuilt\n",
                  (unsigned long long)seed, (unsigned long long)n, (unsigned long long)all.events,
                  (unsigned long long)all.starts, (unsigned long long)all.closed,
                  (unsigned long long)all.nevers, (unsigned long long)all.opened,
                  (unsigned long long)all.expired, (unsigned long long)all.removed,
                  (unsigned long long)all.circles, (unsigned long long)all.imported,
                  (unsigned long long)all.rebuilt);
    if (n < 40) return;
    assert_true(all.events >= 100000 && all.starts > 1000 && all.opened > 1000);
    assert_true(all.expired > 100 && all.removed > 100 && all.nevers > 100 && all.circles > 100);
    assert_true(all.imported > 100 && all.rebuilt > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(gates_follow_the_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
