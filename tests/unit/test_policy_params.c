/* Parameters that reach algorithms: the policy's own, the caller's in their place, all types, in the order of keys; and that the
 * actions which read some plan by them, wherever they were given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/algorithm.h>

#include "policy/action_params.h"
#include "support/api_world.h"

enum { TEXT_MAX = 512 };

static char seen[TEXT_MAX];

static int32_t probe_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    size_t at = 0;
    (void)self, (void)err;
    seen[0] = '\0';
    for (uint32_t i = 0; i < env->n_params; i++) {
        const lsched_param *p = &env->params[i];
        at += (size_t)snprintf(seen + at, sizeof seen - at, "%.*s=", (int)p->key.len, p->key.ptr);
        at += p->text.ptr ? (size_t)snprintf(seen + at, sizeof seen - at, "'%.*s' ",
                                             (int)p->text.len, p->text.ptr)
                          : (size_t)snprintf(seen + at, sizeof seen - at, "%g ", p->number);
    }
    return LSCHED_OK;
}

static int32_t probe_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    (void)self, (void)act, (void)cycle;
    return LSCHED_OK;
}

static const lsched_act_ops probe_ops = {.size = sizeof probe_ops, .run = probe_run};
static const lsched_algorithm probe = {.size = sizeof probe,
                                       .api = LSCHED_ALGORITHM_API,
                                       .role = LSCHED_ROLE_ACT,
                                       .name = "probe",
                                       .create = probe_create,
                                       .act = &probe_ops};

static void load(struct api_world *world, const char *params, const lsched_param *given,
                 uint32_t n) {
    char text[TEXT_MAX];
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    lsched_schedule_opts now = {.size = sizeof now, .now_us = INT64_C(1800000000000000)};
    lsched_plan *plan = NULL;
    opts.params = given;
    opts.n_params = n;
    snprintf(text, sizeof text, "return { api = 1, pipeline = { 'probe' }%s }", params);
    strcpy(seen, "not asked");
    if (lsched_policy_load(world->cluster, LSCHED_TEXT("p.lua"), lsched_cstr(text), &opts, &err) <
            0 ||
        lsched_schedule(world->cluster, &now, &plan, &err) < 0)
        fail_msg("%s", err.message);
    lsched_plan_destroy(plan);
}

static void own_and_given_parameters_reach_algorithms(void **unused) {
    const lsched_param given[] = {{.key = LSCHED_TEXT("b"), .number = 7},
                                  {.key = LSCHED_TEXT("on"), .text = LSCHED_TEXT("true")},
                                  {.key = LSCHED_TEXT("s"), .text = LSCHED_TEXT("given")},
                                  {.key = LSCHED_TEXT("b"), .number = 8}};
    static const char own[] = ", params = { s = 'own', b = 2, a = 1.5, on = false, ab = -3 }";
    struct api_world world;
    (void)unused;
    assert_int_equal(api_world_make(&world, NULL), 0);
    assert_int_equal(lsched_algorithm_register(world.cluster, &probe, NULL), LSCHED_OK);
    load(&world, "", NULL, 0);
    assert_string_equal(seen, "");
    load(&world, own, NULL, 0);
    assert_string_equal(seen, "a=1.5 ab=-3 b=2 on='false' s='own' ");
    load(&world, own, given, 3);
    assert_string_equal(seen, "a=1.5 ab=-3 b=7 on='true' s='given' ");
    load(&world, own, given, 4); /* the last one counts, as it does in the text */
    assert_string_equal(seen, "a=1.5 ab=-3 b=8 on='true' s='given' ");
    lsched_cluster *copy = NULL;
    assert_int_equal(lsched_cluster_clone(world.cluster, &copy, NULL), LSCHED_OK);
    lsched_plan *plan = NULL;
    lsched_schedule_opts now = {.size = sizeof now, .now_us = INT64_C(1800000000000000)};
    strcpy(seen, "not asked");
    assert_int_equal(lsched_schedule(copy, &now, &plan, NULL), LSCHED_OK);
    assert_string_equal(seen, "a=1.5 ab=-3 b=8 on='true' s='given' ");
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(copy);
    api_world_drop(&world);
}

static void more_than_256_are_refused(void **unused) {
    static char text[8192];
    struct api_world world;
    lsched_error err = LSCHED_ERROR_INIT;
    (void)unused;
    assert_int_equal(api_world_make(&world, NULL), 0);
    for (int n = 256; n <= 257; n++) {
        size_t at = (size_t)snprintf(text, sizeof text, "return { api = 1, params = {");
        for (int i = 0; i < n; i++)
            at += (size_t)snprintf(text + at, sizeof text - at, " p%d = %d,", i, i);
        snprintf(text + at, sizeof text - at, " } }");
        assert_int_equal(
            lsched_policy_load(world.cluster, LSCHED_TEXT("p.lua"), lsched_cstr(text), NULL, &err),
            n == 256 ? LSCHED_OK : LSCHED_E_LIMIT);
    }
    assert_non_null(strstr(err.message, "params may have 256 entries, got 257"));
    api_world_drop(&world);
}

/* Loads a policy with the action and the value, in its text or given by the caller. */
static int32_t load_value(struct api_world *world, const char *action, const lsched_param *x,
                          int in_text, lsched_error *err) {
    char text[TEXT_MAX], own[100] = "";
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    if (in_text && x->text.ptr)
        snprintf(own, sizeof own, "%s = '%s'", x->key.ptr, x->text.ptr);
    else
        snprintf(own, sizeof own, "%s = %.17g", x->key.ptr, in_text ? x->number : 1.0);
    if (x->text.ptr && !in_text) snprintf(own, sizeof own, "%s = 'word'", x->key.ptr);
    opts.params = x;
    opts.n_params = in_text ? 0 : 1;
    snprintf(text, sizeof text, "return { api = 1, pipeline = { '%s' }, params = { %s } }", action,
             own);
    return lsched_policy_load(world->cluster, LSCHED_TEXT("p.lua"), lsched_cstr(text), &opts, err);
}

/* What an action reads itself is refused beyond its range, not bent into it. */
static void values_beyond_the_range_of_an_action_are_refused(void **unused) {
    struct api_world world;
    (void)unused;
    assert_int_equal(api_world_make(&world, NULL), 0);
    const struct action_param *p;
    for (uint32_t i = 0; (p = action_params_at(i)) != NULL; i++)
        for (int way = 0; way < 14; way++) {
            const double values[] = {p->least, p->most, p->least - 1, p->most + 1, 1.5, -1e300, 0};
            lsched_error err = LSCHED_ERROR_INIT;
            lsched_param x = {.key = lsched_cstr(p->param), .number = values[way / 2]};
            x.key.len = strlen(p->param);
            if (way / 2 == 6) x.text = LSCHED_TEXT("word");
            int32_t rc = load_value(&world, p->action, &x, way % 2, &err);
            if (rc != (way < 4 ? LSCHED_OK : LSCHED_E_RANGE))
                fail_msg("%s = %g, way %d: %d %s", p->param, x.number, way, rc, err.message);
            char part[200];
            snprintf(part, sizeof part, "the action '%s' takes a whole number from %.0f to %.0f",
                     p->action, p->least, p->most);
            assert_true(way < 4 || (strstr(err.message, part) && strstr(err.message, "p.lua: ") &&
                                    strstr(err.message, p->param)));
            /* a policy without the action means something else by the name */
            assert_int_equal(load_value(&world, "allocate", &x, way % 2, &err), LSCHED_OK);
        }
    api_world_drop(&world);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_and_given_parameters_reach_algorithms),
        cmocka_unit_test(more_than_256_are_refused),
        cmocka_unit_test(values_beyond_the_range_of_an_action_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
