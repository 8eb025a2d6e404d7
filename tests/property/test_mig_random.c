/* A host with devices that are cut into instances does anything: tasks come, end, fail, are
 * rejected, devices are recut by other hands. After each cycle, from what the public calls tell: no
 * two tasks on one slice, each on an instance that stands, nobody waits whom some device could
 * take, and plans of recuts say as much. In some worlds tasks are imported onto slices that others
 * hold: then no instance that nobody holds lies on held slices, and nothing is placed there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "engine/state/cache_check.h"
#include "property/chance.h"
#include "support/settle.h"

enum { NODES = 2, DEVICES = 2, PROFILES = 7, JOBS = 4000 };

struct host {
    lsched_cluster *c;
    struct chance chance;
    lsched_mig_profile profile[PROFILES];
    lsched_id node[NODES];
    int fixed[NODES];
    uint32_t n_jobs; /* ever */
    int64_t now;
    int preempts; /* work is stopped for others: then somebody may wait for claimed slices */
    int imports;  /* tasks come that run already, on whatever slices */
    uint64_t placed, cuts, waited, stopped, shared;
};

/* What one device is, as tasks and the library tell. */
struct slices {
    uint32_t busy, stands[8]; /* number + 1 of the profile that begins there */
    uint32_t media;
    uint32_t held[8]; /* bit p: a task holds an instance of profile p that begins there */
    uint32_t excess;  /* an import put a task onto slices that others held */
};

static lsched_text wanted[JOBS]; /* profiles of jobs, by the numbers in their names */

static void must(int64_t code, const lsched_error *err) {
    if (code < 0) fail_msg("%lld %s", (long long)code, err->message);
}

static uint32_t number_of(const struct host *h, lsched_text name) {
    for (uint32_t p = 0; p < PROFILES; p++)
        if (h->profile[p].name.len == name.len &&
            memcmp(h->profile[p].name.ptr, name.ptr, (size_t)name.len) == 0)
            return p;
    fail_msg("a profile that is not in the table");
    return 0;
}

static void open_host(struct host *h, uint64_t seed) {
    lsched_error err = LSCHED_ERROR_INIT;
    static const lsched_mig_instance stands[] = {{{"3g.40gb", 7}, 0, 0},
                                                 {{"1g.10gb", 7}, 4, 0},
                                                 {{"2g.20gb", 7}, 4, 0},
                                                 {{"1g.10gb+me", 10}, 6, 0}};
    memset(h, 0, sizeof *h);
    h->chance.state = seed;
    must(lsched_cluster_create(NULL, &h->c, &err), &err);
    cache_check_on(h->c);
    for (uint32_t p = 0; p < PROFILES; p++) {
        h->profile[p].size = sizeof h->profile[p];
        must(lsched_mig_profiles_at(LSCHED_TEXT("h100-80gb"), p, &h->profile[p], &err), &err);
    }
    lsched_queue_desc q = LSCHED_QUEUE_DESC_INIT;
    q.name = LSCHED_TEXT("q");
    must(lsched_queues_add(h->c, &q, 1, sizeof q, NULL, NULL, NULL, &err), &err);
    for (uint32_t n = 0; n < NODES; n++) {
        char name[16];
        lsched_device_desc d = LSCHED_DEVICE_DESC_INIT;
        lsched_node_desc node = LSCHED_NODE_DESC_INIT;
        snprintf(name, sizeof name, "n%u", n);
        h->fixed[n] = chance_one_in(&h->chance, 4);
        d.count = DEVICES;
        d.model = LSCHED_TEXT("H100");
        d.memory_bytes = INT64_C(80) << 30;
        d.share_mode = LSCHED_SHARING_MIG;
        d.mig_static = (uint32_t)h->fixed[n];
        d.instances = chance_one_in(&h->chance, 2) ? stands : stands + 2;
        d.n_instances = chance_below(&h->chance, 3);
        node.name = lsched_cstr(name);
        node.devices = &d;
        node.n_devices = 1;
        must(lsched_nodes_add(h->c, &node, 1, sizeof node, NULL, &h->node[n], NULL, &err), &err);
    }
}

static void load_preemption(struct host *h) {
    static const char text[] =
        "return { api = 1, name = 'p', pipeline = { 'allocate', 'preempt', 'consolidate' } }";
    lsched_error err = LSCHED_ERROR_INIT;
    must(lsched_policy_load(h->c, LSCHED_TEXT("p"), (lsched_text){text, sizeof text - 1}, NULL,
                            &err),
         &err);
    h->preempts = 1;
}

static void submit(struct host *h) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_job_desc job = LSCHED_JOB_DESC_INIT;
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_device_request request = LSCHED_DEVICE_REQUEST_INIT;
    char name[16];
    request.mig_profile = h->profile[chance_below(&h->chance, PROFILES)].name;
    wanted[h->n_jobs] = request.mig_profile;
    snprintf(name, sizeof name, "j%u", h->n_jobs++);
    lsched_text h100 = LSCHED_TEXT("H100"); /* one table: one alternative */
    request.models = &h100;
    request.n_models = 1;
    group.device_requests = &request;
    group.n_device_requests = 1;
    job.name = lsched_cstr(name);
    job.queue_name = LSCHED_TEXT("q");
    job.groups = &group;
    job.n_groups = 1;
    job.submit_us = h->now;
    job.priority = (int32_t)chance_below(&h->chance, 3);
    must(lsched_jobs_submit(h->c, &job, 1, sizeof job, NULL, NULL, NULL, &err), &err);
}

/* A task of a new job runs already: on a device and on slices that the host names, whoever else
 * holds them. */
static void import_one(struct host *h) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_task_import m = LSCHED_TASK_IMPORT_INIT;
    char name[16];
    uint32_t p, d = chance_below(&h->chance, DEVICES), start;
    submit(h);
    snprintf(name, sizeof name, "j%u", h->n_jobs - 1);
    p = number_of(h, wanted[h->n_jobs - 1]);
    do start = chance_below(&h->chance, 8);
    while (!(h->profile[p].starts >> start & 1));
    m.job = lsched_find(h->c, LSCHED_KIND_JOB, lsched_cstr(name));
    m.node = h->node[chance_below(&h->chance, NODES)];
    m.device_mask = 1u << d;
    m.device_starts = (uint64_t)start << 4 * d;
    m.start_us = h->now;
    must(lsched_tasks_import(h->c, &m, 1, sizeof m, NULL, NULL, &err), &err);
    must(lsched_verify(h->c, NULL, &err), &err);
}

/* ---- what is there ---- */

static uint32_t bits_of(const struct host *h, uint32_t p, uint32_t start) {
    return ((1u << h->profile[p].slices) - 1) << start;
}

static lsched_text profile_of(const struct host *h, lsched_id job);

/* Slices of two tasks are an import's; what nobody holds lies beside what somebody does. */
static void check_layout(const struct host *h, const struct slices *s, uint32_t twice) {
    if (!s->excess) assert_true(twice == 0 && s->media <= 1);
    for (uint32_t at = 0; at < 8; at++) {
        uint32_t p = s->stands[at] - 1;
        if (s->stands[at] && !(s->held[at] >> p & 1))
            assert_int_equal(bits_of(h, p, at) & s->busy, 0);
    }
}

static void look(const struct host *h, struct slices s[NODES][DEVICES]) {
    uint32_t twice[NODES][DEVICES] = {{0}};
    memset(s, 0, sizeof(struct slices[NODES][DEVICES]));
    for (uint32_t n = 0; n < NODES; n++) {
        lsched_task_info t = {.size = sizeof t};
        uint64_t cursor = 0;
        for (uint32_t d = 0; d < DEVICES; d++) {
            lsched_mig_instance_info in = {.size = sizeof in};
            uint64_t at = 0;
            uint32_t over = 0;
            while (lsched_mig_instances_next(h->c, h->node[n], d, &at, &in, NULL) == 1) {
                uint32_t p = number_of(h, in.profile), bits = bits_of(h, p, in.start);
                assert_true(h->profile[p].starts >> in.start & 1);
                assert_int_equal(over & bits, 0);
                over |= bits;
                s[n][d].stands[in.start] = p + 1;
            }
        }
        while (lsched_tasks_next(h->c, 0, h->node[n], &cursor, &t, NULL) == 1) {
            if (t.state == LSCHED_TASK_NOMINATED) continue;
            uint32_t d = (uint32_t)__builtin_ctz(t.device_mask);
            uint32_t start = (uint32_t)(t.device_starts >> 4 * d & 15),
                     p = number_of(h, profile_of(h, t.job)), bits = bits_of(h, p, start);
            if (!t.imported_excess) assert_int_equal(s[n][d].stands[start], p + 1);
            assert_int_equal(t.device_milli, h->profile[p].share_milli);
            s[n][d].excess |= t.imported_excess;
            twice[n][d] |= s[n][d].busy & bits;
            s[n][d].busy |= bits;
            s[n][d].held[start] |= 1u << p;
            s[n][d].media += h->profile[p].media;
        }
        for (uint32_t d = 0; d < DEVICES; d++) check_layout(h, &s[n][d], twice[n][d]);
    }
}

/* Could the device take one more, from the definition. */
static int could(const struct host *h, const struct slices *s, int fixed, uint32_t p) {
    for (uint32_t at = 0; at < 8; at++) {
        if (!(h->profile[p].starts >> at & 1) || (s->busy & bits_of(h, p, at))) continue;
        if (s->stands[at] == p + 1) return 1;
        if (!fixed && !(h->profile[p].media && s->media)) return 1;
    }
    return 0;
}

/* The job's profile. */
static lsched_text profile_of(const struct host *h, lsched_id job) {
    size_t len = 0;
    const char *name = lsched_name(h->c, job, &len);
    uint32_t number = 0;
    assert_non_null(name);
    for (size_t i = 1; i < len; i++) number = number * 10 + (uint32_t)(name[i] - '0');
    return wanted[number];
}

static void check(struct host *h) {
    struct slices s[NODES][DEVICES];
    look(h, s);
    for (uint32_t j = 0; j < h->n_jobs; j++) {
        char name[16];
        lsched_job_info info = {.size = sizeof info};
        snprintf(name, sizeof name, "j%u", j);
        lsched_id id = lsched_find(h->c, LSCHED_KIND_JOB, lsched_cstr(name));
        if (!id || lsched_job_get(h->c, id, &info, NULL) < 0 || info.tasks_placed || h->preempts)
            continue;
        char why[1000] = "";
        lsched_waiting record = {.size = sizeof record};
        lsched_explain(h->c, id, why, sizeof why, &record, NULL);
        h->waited++;
        if (record.code == LSCHED_WAIT_REFUSED && record.until_us > h->now)
            continue; /* test_refusals_random.c judges these */
        for (uint32_t n = 0; n < NODES; n++)
            for (uint32_t d = 0; d < DEVICES; d++)
                if (!s[n][0].excess && !s[n][1].excess &&
                    could(h, &s[n][d], h->fixed[n], number_of(h, wanted[j])))
                    fail_msg(
                        "step %lld: device %u of n%u%s could take a %s (busy %#x, media %u): %s",
                        (long long)h->now / 1000000, d, n, h->fixed[n] ? " (static)" : "",
                        wanted[j].ptr, s[n][d].busy, s[n][d].media, why);
    }
}

/* What a plan places lies on slices that nobody held before, an import neither. */
static void check_place(struct host *h, struct slices before[NODES][DEVICES],
                        const lsched_decision *d) {
    uint32_t n = 0, i = (uint32_t)__builtin_ctz(d->device_mask);
    while (h->node[n] != d->node) n++;
    uint32_t bits =
        bits_of(h, number_of(h, profile_of(h, d->job)), (uint32_t)(d->device_starts >> 4 * i & 15));
    assert_int_equal(before[n][i].busy & bits, 0);
    before[n][i].busy |= bits;
    h->shared += before[n][i].excess;
}

static void cycle(struct host *h) {
    struct slices before[NODES][DEVICES];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan;
    opts.now_us = h->now;
    look(h, before);
    must(lsched_schedule(h->c, &opts, &plan, &err), &err);
    must(lsched_verify(h->c, plan, &err), &err);
    check(h);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how =
            chance_one_in(&h->chance, 6) ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED;
        assert_int_equal(d->recut_mask & ~d->device_mask, 0);
        if (d->kind == LSCHED_DECIDE_PLACE) check_place(h, before, d);
        h->cuts += d->recut_mask != 0;
        int32_t code = settle_each(h->c, &d->id, &how, 1, NULL, &err);
        if (code == LSCHED_E_STALE) continue; /* it went with one that was rejected */
        must(code, &err);
        if (how == LSCHED_OUTCOME_REJECTED) continue;
        if (d->kind == LSCHED_DECIDE_NOMINATE ||
            (d->kind != LSCHED_DECIDE_PLACE && chance_one_in(&h->chance, 3)))
            continue; /* it takes its time to stop */
        h->placed += d->kind == LSCHED_DECIDE_PLACE;
        h->stopped += d->kind != LSCHED_DECIDE_PLACE;
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.job = d->job;
        e.event = d->kind == LSCHED_DECIDE_PLACE ? LSCHED_EVENT_STARTED : LSCHED_EVENT_FAILED;
        must(lsched_tasks_report(h->c, &e, 1, sizeof e, NULL, NULL, &err), &err);
    }
    lsched_plan_destroy(plan);
    must(lsched_verify(h->c, NULL, &err), &err);
}

static void end_some(struct host *h) {
    lsched_error err = LSCHED_ERROR_INIT;
    for (uint32_t n = 0; n < NODES; n++) {
        lsched_task_info t = {.size = sizeof t};
        uint64_t cursor = 0;
        lsched_id job = 0;
        while (lsched_tasks_next(h->c, 0, h->node[n], &cursor, &t, NULL) == 1)
            if (chance_one_in(&h->chance, 3) &&
                (t.state == LSCHED_TASK_RUNNING || t.state == LSCHED_TASK_RELEASING))
                job = t.job;
        if (!job) continue;
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        e.job = job;
        e.event = chance_one_in(&h->chance, 5) ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED;
        must(lsched_tasks_report(h->c, &e, 1, sizeof e, NULL, NULL, &err), &err);
    }
}

/* What stands less some idle instances; refused if one is in use. */
static void recut(struct host *h) {
    struct slices s[NODES][DEVICES];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_mig_instance left[8];
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    uint32_t n = chance_below(&h->chance, NODES), lost = 0;
    look(h, s);
    u.node = h->node[n];
    u.set = LSCHED_NODE_SET_MIG;
    u.mig_device = chance_below(&h->chance, DEVICES);
    const struct slices *d = &s[n][u.mig_device];
    for (uint32_t at = 0; at < 8; at++) {
        if (!d->stands[at]) continue;
        if (chance_one_in(&h->chance, 4))
            lost |= d->busy >> at & 1;
        else
            left[u.n_mig_instances++] =
                (lsched_mig_instance){h->profile[d->stands[at] - 1].name, at, 0};
    }
    u.mig_instances = left;
    int32_t code = lsched_nodes_update(h->c, &u, 1, sizeof u, NULL, NULL, &err);
    assert_int_equal(code < 0 ? code : LSCHED_OK, lost ? LSCHED_E_BUSY : LSCHED_OK);
}

/* A plan over the devices of one node holds a wish iff one after another some order of the wish
 * fits; here: one instance. */
static void plan_one(struct host *h) {
    struct slices s[NODES][DEVICES];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_mig_instance list[DEVICES][8];
    lsched_mig_device devices[DEVICES];
    lsched_mig_step steps[32];
    lsched_mig_info info = {.size = sizeof info};
    uint32_t n = chance_below(&h->chance, NODES), p = chance_below(&h->chance, PROFILES);
    int possible = 0;
    look(h, s);
    for (uint32_t d = 0; d < DEVICES; d++) {
        devices[d] = (lsched_mig_device){list[d], 0, 0};
        for (uint32_t at = 0; at < 8; at++) {
            if (!s[n][d].stands[at]) continue;
            devices[d].busy |= (s[n][d].busy >> at & 1) << devices[d].n_instances;
            list[d][devices[d].n_instances++] =
                (lsched_mig_instance){h->profile[s[n][d].stands[at] - 1].name, at, 0};
        }
        if (s[n][d].excess) return; /* what an import holds need not stand */
        possible |= could(h, &s[n][d], 0, p);
    }
    lsched_mig_request wish = {h->profile[p].name, 1, 0};
    int32_t code = lsched_mig_plan(LSCHED_TEXT("h100-80gb"), devices, DEVICES, &wish, 1, NULL, NULL,
                                   steps, 32, &info, &err);
    assert_int_equal(code > 0, possible);
    if (!possible) assert_int_equal(code, LSCHED_E_STATE);
    if (possible) assert_true(info.exact && steps[code - 1].kind != LSCHED_MIG_DESTROY);
}

static void test_a_host_that_does_anything(void **unused) {
    (void)unused;
    uint64_t seed = chance_variable("LSCHED_TEST_SEED", 1),
             rounds = chance_variable("LSCHED_TEST_ROUNDS", 40), placed = 0, cuts = 0, waited = 0,
             stopped = 0, shared = 0;
    print_message("seeds %llu .. +%llu\n", (unsigned long long)seed, (unsigned long long)rounds);
    for (uint64_t r = 0; r < rounds; r++) {
        struct host h;
        print_message("%s", ""); /* flushes */
        open_host(&h, seed + r);
        if (r % 2) load_preemption(&h);
        h.imports = r % 4 > 1;
        for (uint32_t step = 0; step < 60; step++) {
            h.now += 1000000;
            for (uint32_t i = chance_below(&h.chance, 4); i > 0; i--) submit(&h);
            if (h.imports && chance_one_in(&h.chance, 4)) import_one(&h);
            if (chance_one_in(&h.chance, 2)) end_some(&h);
            if (chance_one_in(&h.chance, 4)) recut(&h);
            cycle(&h);
            plan_one(&h);
        }
        placed += h.placed, cuts += h.cuts, waited += h.waited, stopped += h.stopped;
        shared += h.shared;
        lsched_cluster_destroy(h.c);
    }
    print_message("%llu placed, %llu of them beside imports, %llu cuts, %llu stopped for others, "
                  "%llu times somebody waited\n",
                  (unsigned long long)placed, (unsigned long long)shared, (unsigned long long)cuts,
                  (unsigned long long)stopped, (unsigned long long)waited);
    assert_true(placed > rounds && cuts > 0 && waited > 0 && (stopped > 0 || rounds == 1));
    assert_true(shared > 0 || rounds < 40);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_host_that_does_anything)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
