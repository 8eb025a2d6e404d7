/* The ready-made policies: each loads under the name of its file and says when to use it; their
 * hooks do what they say. */
#include <math.h>

#include "embedded_text.h"
#include "unit/lua_fixture.h"
#include "policy/eviction.h"

static struct fake fake;

static const struct embedded_text *find(const char *name) {
    for (const struct embedded_text *e = embedded_policies; e->name; e++) {
        if (strcmp(e->name, name) == 0) return e;
    }
    fail_msg("there is no policy %s", name);
    return NULL;
}

static void load_ready_made(struct loaded *l, const char *name) {
    load(l, find(name)->text);
    fake_begin(&fake);
}

static void each_loads_under_its_name(void **unused) {
    (void)unused;
    static const char *const names[] = {"best-fit",
                                        "binpack",
                                        "build-train",
                                        "cheap-hours",
                                        "cohort",
                                        "cost-energy",
                                        "day-night-quotas",
                                        "deadline",
                                        "drf",
                                        "fair-tree",
                                        "fgd",
                                        "fifo",
                                        "first-fit",
                                        "guaranteed-quota",
                                        "least-fragmentation",
                                        "least-peak",
                                        "notebooks",
                                        "plan-ahead",
                                        "priority-ageing",
                                        "short-slowdown",
                                        "shortest-first",
                                        "spot-tolerant",
                                        "spread"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) find(names[i]);
    for (const struct embedded_text *e = embedded_policies; e->name; e++) {
        struct loaded l;
        char head[80];
        load(&l, e->text);
        assert_string_equal(l.policy.desc.name, e->name);
        assert_string_not_equal(l.policy.desc.placement, "");
        snprintf(head, sizeof head, "-- %s: ", e->name);
        assert_int_equal(strncmp(e->text, head, strlen(head)), 0);
        assert_non_null(strstr(e->text, "\n-- When: "));
        unload(&l);
    }
}

static double priority_of(struct loaded *l, double submitted, double waiting, double duration) {
    uint32_t row = 0;
    double out = -1;
    fake_set(&fake, POLICY_F_JOB_PRIORITY, submitted);
    fake_set(&fake, POLICY_F_JOB_WAITING, waiting);
    fake_set(&fake, POLICY_F_JOB_DURATION, duration);
    assert_int_equal(
        l->policy.ops->priority(l->policy.self, &fake.view, &row, &row, 1, &out, &l->err),
        LSCHED_OK);
    return out;
}

static void priority_ageing_grows_by_the_day(void **unused) {
    (void)unused;
    struct loaded l;
    load_ready_made(&l, "priority-ageing");
    assert_true(priority_of(&l, 50, 0, 0) == 50);
    assert_true(priority_of(&l, 50, 86400, 0) == 60);
    unload(&l);
}

static void shortest_first_prefers_short_and_patient_jobs(void **unused) {
    (void)unused;
    struct loaded l;
    load_ready_made(&l, "shortest-first");
    assert_true(priority_of(&l, 9, 0, 3600) == -1);
    assert_true(priority_of(&l, 1, 0, 0) == -24);
    assert_true(priority_of(&l, 1, 0, 3600) > priority_of(&l, 99, 0, 7200));
    assert_true(fabs(priority_of(&l, 1, 36000, 7200) + 1) < 1e-12);
    unload(&l);
}

/* Age up to a week, the priority as submitted; size counts if it is asked for. */
static void fair_tree_adds_up_factors(void **unused) {
    (void)unused;
    struct loaded l;
    load_ready_made(&l, "fair-tree");
    fake_set(&fake, POLICY_F_JOB_GPU_TOTAL, 16);
    assert_true(priority_of(&l, 5, 0, 0) == 5);
    assert_true(priority_of(&l, 5, 7 * 86400 / 2.0, 0) == 505);
    assert_true(priority_of(&l, 5, 7 * 86400, 0) == 1005);
    assert_true(priority_of(&l, 5, 30 * 86400, 0) == 1005);
    assert_int_equal(l.policy.desc.usage_half_life_us, INT64_C(604800000000));
    unload(&l);
    const lsched_param params[] = {{LSCHED_TEXT("weight_size"), {NULL, 0}, 100},
                                   {LSCHED_TEXT("weight_age"), {NULL, 0}, 0},
                                   {LSCHED_TEXT("half_life_days"), {NULL, 0}, 0}};
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.params = params;
    opts.n_params = 3;
    load_with(&l, find("fair-tree")->text, &opts);
    assert_int_equal(l.rc, LSCHED_OK);
    assert_true(priority_of(&l, 5, 86400, 0) == 30);
    fake_set(&fake, POLICY_F_JOB_GPU_TOTAL, 640);
    assert_true(priority_of(&l, 5, 86400, 0) == 105);
    assert_int_equal(l.policy.desc.usage_half_life_us, 0);
    unload(&l);
}

struct admitted {
    int interactive, preemptible;
    double gpus, tasks, tasks_min, hours;
    const char *reason; /* NULL: admitted */
};

static void check_admissions(struct loaded *l, const struct admitted *jobs, size_t n) {
    uint32_t row = 0;
    fake_set(&fake, POLICY_F_QUEUE_GPU_QUOTA, 4);
    fake.names[0] = "desks";
    for (size_t i = 0; i < n; i++) {
        struct policy_admission out;
        fake_set(&fake, POLICY_F_JOB_INTERACTIVE, jobs[i].interactive);
        fake_set(&fake, POLICY_F_JOB_PREEMPTIBLE, jobs[i].preemptible);
        fake_set(&fake, POLICY_F_JOB_GPU_TOTAL, jobs[i].gpus);
        fake_set(&fake, POLICY_F_JOB_TASKS, jobs[i].tasks);
        fake_set(&fake, POLICY_F_JOB_TASKS_MIN, jobs[i].tasks_min);
        fake_set(&fake, POLICY_F_JOB_DURATION, jobs[i].hours * 3600);
        assert_int_equal(
            l->policy.ops->admit(l->policy.self, &fake.view, &row, &row, 1, &out, &l->err),
            LSCHED_OK);
        assert_string_equal(out.reason, jobs[i].reason ? jobs[i].reason : "");
        assert_int_equal(out.admitted, !jobs[i].reason);
    }
}

static void load_with_params(struct loaded *l, const char *name, const lsched_param *params,
                             uint32_t n) {
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.params = params;
    opts.n_params = n;
    load_with(l, find(name)->text, &opts);
    if (l->rc < 0) fail_msg("%s", l->err.message);
    fake_begin(&fake);
}

static void build_train_says_what_to_change(void **unused) {
    (void)unused;
    static const struct admitted usual[] = {
        {0, 1, 64, 8, 8, 0, NULL}, /* training of any size */
        {1, 0, 4, 1, 1, 0, NULL},
        {1, 1, 1, 1, 1, 0, "interactive jobs keep their place: submit it as non-preemptible"},
        {0, 0, 1, 1, 1, 0, "training may be stopped for others: submit it as preemptible"},
        {1, 0, 4.5, 1, 1, 0,
         "it asks for 4.5 GPUs, the quota of 'desks' is 4: what is non-preemptible must fit"},
        {1, 0, 8, 8, 2, 0, NULL}, /* its minimum may fit: that is looked at when it is placed */
    };
    static const struct admitted strict[] = {
        {1, 0, 2, 1, 1, 12, NULL},
        {1, 0, 3, 1, 1, 12, "interactive jobs have at most 2 GPUs"},
        {1, 0, 2, 1, 1, 0, "interactive jobs say when they end, within 12 hours"},
        {1, 0, 2, 1, 1, 12.5, "interactive jobs say when they end, within 12 hours"},
        {0, 0, 3, 1, 1, 0, NULL}, /* safe_training */
        {0, 0, 5, 1, 1, 0,
         "it asks for 5 GPUs, the quota of 'desks' is 4: what is non-preemptible must fit"},
    };
    const lsched_param params[] = {{LSCHED_TEXT("build_gpus"), {NULL, 0}, 2},
                                   {LSCHED_TEXT("build_hours"), {NULL, 0}, 12},
                                   {LSCHED_TEXT("safe_training"), LSCHED_TEXT("true"), 0}};
    struct loaded l;
    load_ready_made(&l, "build-train");
    check_admissions(&l, usual, sizeof usual / sizeof *usual);
    unload(&l);
    load_with_params(&l, "build-train", params, 3);
    check_admissions(&l, strict, sizeof strict / sizeof *strict);
    unload(&l);
}

/* Without parameters they do what policies without the tables do, but for a calmer saturation; each parameter reaches its place. */
static void parameters_set_eviction_and_usage(void **unused) {
    (void)unused;
    static const char *const names[] = {"guaranteed-quota", "build-train", "cohort", "drf"};
    struct loaded l;
    for (size_t i = 0; i < 4; i++) {
        struct policy_eviction standard = policy_eviction_default();
        if (i < 2) standard.saturation_milli = 1500;
        load_ready_made(&l, names[i]);
        assert_memory_equal(&l.policy.desc.eviction, &standard, sizeof standard);
        assert_int_equal(l.policy.desc.usage_half_life_us, 0);
        assert_int_equal(l.policy.desc.usage_weight_milli, 1000);
        unload(&l);
    }
    const lsched_param params[] = {{LSCHED_TEXT("release_seconds"), {NULL, 0}, 1},
                                   {LSCHED_TEXT("grace_seconds"), {NULL, 0}, 2},
                                   {LSCHED_TEXT("evictions_per_hour"), {NULL, 0}, 3},
                                   {LSCHED_TEXT("moves_max"), {NULL, 0}, 4},
                                   {LSCHED_TEXT("protection"), LSCHED_TEXT("divergence"), 0},
                                   {LSCHED_TEXT("victims"), LSCHED_TEXT("newest"), 0},
                                   {LSCHED_TEXT("saturation"), {NULL, 0}, 5},
                                   {LSCHED_TEXT("preemption_delay_seconds"), {NULL, 0}, 6},
                                   {LSCHED_TEXT("stale_grace_seconds"), {NULL, 0}, 7},
                                   {LSCHED_TEXT("half_life_days"), {NULL, 0}, 1},
                                   {LSCHED_TEXT("window_days"), {NULL, 0}, 2},
                                   {LSCHED_TEXT("usage_weight"), {NULL, 0}, 0.5}};
    load_with_params(&l, "guaranteed-quota", params, sizeof params / sizeof *params);
    const struct policy_eviction want = {.release_us = 1000000,
                                         .grace_us = 2000000,
                                         .preemption_delay_us = 6000000,
                                         .stale_grace_us = 7000000,
                                         .per_hour = 3,
                                         .moves_max = 4,
                                         .protection = POLICY_PROTECT_DIVERGENCE,
                                         .victims = POLICY_VICTIMS_NEWEST,
                                         .saturation_milli = 5000};
    assert_memory_equal(&l.policy.desc.eviction, &want, sizeof want);
    assert_int_equal(l.policy.desc.usage_half_life_us, INT64_C(86400000000));
    assert_int_equal(l.policy.desc.usage_window_us, INT64_C(172800000000));
    assert_int_equal(l.policy.desc.usage_weight_milli, 500);
    unload(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_loads_under_its_name),
        cmocka_unit_test(priority_ageing_grows_by_the_day),
        cmocka_unit_test(build_train_says_what_to_change),
        cmocka_unit_test(parameters_set_eviction_and_usage),
        cmocka_unit_test(fair_tree_adds_up_factors),
        cmocka_unit_test(shortest_first_prefers_short_and_patient_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
