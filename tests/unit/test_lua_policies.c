/* The ready-made policies: each loads under the name of its file and says when to use it; their
 * hooks do what they say. */
#include <math.h>

#include "embedded_text.h"
#include "unit/lua_fixture.h"

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
                                        "drf",
                                        "fair-tree",
                                        "fgd",
                                        "fifo",
                                        "first-fit",
                                        "least-fragmentation",
                                        "priority-ageing",
                                        "shortest-first",
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_loads_under_its_name),
        cmocka_unit_test(priority_ageing_grows_by_the_day),
        cmocka_unit_test(fair_tree_adds_up_factors),
        cmocka_unit_test(shortest_first_prefers_short_and_patient_jobs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
