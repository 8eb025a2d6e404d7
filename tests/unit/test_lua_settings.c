/* The tables `eviction`, `usage`, `contention` and `speeds` of a policy: defaults, values, and what
 * each wrong one is told. */
#include "unit/lua_fixture.h"
#include "policy/eviction.h"

static struct policy_desc desc_of(const char *text) {
    struct loaded l;
    load(&l, text);
    struct policy_desc desc = l.policy.desc;
    unload(&l);
    return desc;
}

static void absent_tables_mean_the_defaults(void **unused) {
    (void)unused;
    const struct policy_desc d = desc_of("return { api = 1 }");
    const struct policy_eviction e = policy_eviction_default();
    assert_memory_equal(&d.eviction, &e, sizeof e);
    assert_int_equal(d.eviction.release_us, 30000000);
    assert_int_equal(d.eviction.grace_us, 120000000);
    assert_int_equal(d.eviction.stale_grace_us, 60000000);
    assert_int_equal(d.eviction.preemption_delay_us, 0);
    assert_int_equal(d.eviction.per_hour, 0);
    assert_int_equal(d.eviction.moves_max, 16);
    assert_int_equal(d.eviction.protection, POLICY_PROTECT_PATH);
    assert_int_equal(d.eviction.victims, POLICY_VICTIMS_CHEAPEST);
    assert_int_equal(d.eviction.collision, POLICY_COLLISION_WAIT);
    assert_int_equal(d.eviction.saturation_milli, 1000);
    assert_int_equal(d.usage_half_life_us, 0);
    assert_int_equal(d.usage_window_us, 0);
    assert_int_equal(d.usage_weight_milli, 1000);
}

static void each_key_reaches_its_member(void **unused) {
    (void)unused;
    const struct policy_desc d = desc_of(
        "return { api = 1,\n"
        "  eviction = { release_seconds = 0.5, grace_seconds = 2, per_hour = 7,\n"
        "    moves_max = 0, protection = 'divergence', victims = 'fewest',\n"
        "    collision = 'swap', saturation = 1.25, preemption_delay_seconds = 90, stale_grace_seconds = 0 },\n"
        "  usage = { half_life = 7 * 86400, window = 3600, weight = 0.0004 } }");
    assert_int_equal(d.eviction.release_us, 500000);
    assert_int_equal(d.eviction.grace_us, 2000000);
    assert_int_equal(d.eviction.per_hour, 7);
    assert_int_equal(d.eviction.moves_max, 0);
    assert_int_equal(d.eviction.protection, POLICY_PROTECT_DIVERGENCE);
    assert_int_equal(d.eviction.victims, POLICY_VICTIMS_FEWEST);
    assert_int_equal(d.eviction.collision, POLICY_COLLISION_SWAP);
    assert_int_equal(d.eviction.saturation_milli, 1250);
    assert_int_equal(d.eviction.preemption_delay_us, 90000000);
    assert_int_equal(d.eviction.stale_grace_us, 0);
    assert_int_equal(d.usage_half_life_us, 604800000000);
    assert_int_equal(d.usage_window_us, 3600000000);
    assert_int_equal(d.usage_weight_milli, 0);
}

static void largest_values_fit(void **unused) {
    (void)unused;
    const struct policy_desc d = desc_of(
        "return { api = 1, eviction = { grace_seconds = 315360000, per_hour = 1e9,\n"
        "  moves_max = 1e6, saturation = 1000 }, usage = { half_life = 1, weight = 1000 } }");
    assert_int_equal(d.eviction.grace_us, 315360000000000);
    assert_int_equal(d.eviction.per_hour, 1000000000);
    assert_int_equal(d.eviction.moves_max, 1000000);
    assert_int_equal(d.eviction.saturation_milli, 1000000);
    assert_int_equal(d.usage_half_life_us, 1000000);
    assert_int_equal(d.usage_weight_milli, 1000000);
}

static void a_function_sees_the_parameters(void **unused) {
    (void)unused;
    const char *text = "return { api = 1, params = { days = 7 },\n"
                       "  usage = function() return { half_life = params.days * 86400 } end }";
    assert_int_equal(desc_of(text).usage_half_life_us, 604800000000);
    struct loaded l;
    const lsched_param param = {LSCHED_TEXT("days"), {NULL, 0}, 2};
    lsched_policy_opts opts = {.size = sizeof opts, .n_params = 1, .params = &param};
    load_with(&l, text, &opts);
    assert_int_equal(l.rc, LSCHED_OK);
    assert_int_equal(l.policy.desc.usage_half_life_us, 172800000000);
    assert_true(l.policy.desc.hash != desc_of(text).hash);
    unload(&l);
}

static void values_are_part_of_the_hash(void **unused) {
    (void)unused;
    assert_true(desc_of("return { api = 1, eviction = { per_hour = 7 } }").hash !=
                desc_of("return { api = 1, eviction = { per_hour = 8 } }").hash);
}

struct wrong {
    const char *text;
    int32_t code;
    const char *message;
};

static void check_wrong(const struct wrong *wrong, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct loaded l;
        load_with(&l, wrong[i].text, NULL);
        if (l.rc != wrong[i].code || strcmp(l.err.message, wrong[i].message) != 0)
            fail_msg("%s\n  want %d %s\n  got  %d %s", wrong[i].text, wrong[i].code,
                     wrong[i].message, l.rc, l.err.message);
        unload(&l);
    }
}

static void wrong_numbers_are_told_what_was_expected(void **unused) {
    (void)unused;
    static const struct wrong wrong[] = {
        {"return { api = 1,\n  eviction = { release_seconds = -1 } }", LSCHED_E_RANGE,
         "p.lua:2:16: eviction.release_seconds must be a number of seconds from 0 to 315360000, "
         "got -1"},
        {"return { api = 1, eviction = { grace_seconds = 0 / 0 } }", LSCHED_E_RANGE,
         "p.lua:1:32: eviction.grace_seconds must be a number of seconds from 0 to 315360000, "
         "got NaN (0/0?)"},
        {"return { api = 1, eviction = { stale_grace_seconds = math.huge } }", LSCHED_E_RANGE,
         "p.lua:1:32: eviction.stale_grace_seconds must be a number of seconds from 0 to "
         "315360000, got infinity (a division by 0?)"},
        {"return { api = 1, eviction = { preemption_delay_seconds = 1e18 } }", LSCHED_E_RANGE,
         "p.lua:1:32: eviction.preemption_delay_seconds must be a number of seconds from 0 to "
         "315360000, got 1e+18"},
        {"return { api = 1, eviction = { per_hour = 1.5 } }", LSCHED_E_RANGE,
         "p.lua:1:32: eviction.per_hour must be a whole number from 0 to 1000000000, got 1.5"},
        {"return { api = 1, eviction = { moves_max = -0.5 } }", LSCHED_E_RANGE,
         "p.lua:1:32: eviction.moves_max must be a whole number from 0 to 1000000, got -0.5"},
        {"return { api = 1, eviction = { saturation = 0.9 } }", LSCHED_E_RANGE,
         "p.lua:1:32: eviction.saturation must be a number from 1 to 1000, got 0.9"},
        {"return { api = 1, usage = { half_life = -3600 } }", LSCHED_E_RANGE,
         "p.lua:1:29: usage.half_life must be a number of seconds that is 0 or from 1 to "
         "315360000, got -3600"},
        {"return { api = 1, usage = { window = 1e-9 } }", LSCHED_E_RANGE,
         "p.lua:1:29: usage.window must be a number of seconds that is 0 or from 1 to "
         "315360000, got 1e-09"},
        {"return { api = 1, usage = { weight = 1001 } }", LSCHED_E_RANGE,
         "p.lua:1:29: usage.weight must be a number from 0 to 1000, got 1001"},
        {"return { api = 1, usage = { weight = '1' } }", LSCHED_E_TYPE,
         "p.lua:1:29: usage.weight must be a number from 0 to 1000, got the string '1'"},
        {"return { api = 1, usage = { weight = '-------------------------------------- \xC3\xA9 \xC3\xA9' } }",
         LSCHED_E_TYPE,
         "p.lua:1:29: usage.weight must be a number from 0 to 1000, got the string "
         "'-------------------------------------- ...'"},
        {"return { api = 1, usage = { weight = { 1 } } }", LSCHED_E_TYPE,
         "p.lua:1:29: usage.weight must be a number from 0 to 1000, got a table"},
        {"return { api = 1, usage = { weight = false } }", LSCHED_E_TYPE,
         "p.lua:1:29: usage.weight must be a number from 0 to 1000, got false"},
        {"return { api = 1, eviction = { victims = 3 } }", LSCHED_E_TYPE,
         "p.lua:1:32: eviction.victims must be 'cheapest', 'newest' or 'fewest', got 3"},
        {"return { api = 1, eviction = { collision = 'swop' } }", LSCHED_E_KEY,
         "p.lua:1:32: eviction.collision must be 'wait', 'evict' or 'swap', got 'swop'; did you "
         "mean 'swap'?"},
    };
    check_wrong(wrong, sizeof wrong / sizeof *wrong);
}

static void wrong_words_are_told_what_was_meant(void **unused) {
    (void)unused;
    static const struct wrong wrong[] = {
        {"return { api = 1, eviction = { victims = 'cheapst' } }", LSCHED_E_KEY,
         "p.lua:1:32: eviction.victims must be 'cheapest', 'newest' or 'fewest', got 'cheapst'; did "
         "you mean 'cheapest'?"},
        {"return { api = 1, eviction = { victims = 'random' } }", LSCHED_E_KEY,
         "p.lua:1:32: eviction.victims must be 'cheapest', 'newest' or 'fewest', got 'random'"},
        {"return { api = 1, eviction = { protection = 'lca' } }", LSCHED_E_KEY,
         "p.lua:1:32: eviction.protection must be 'path' or 'divergence', got 'lca'"},
        {"return { api = 1, eviction = { protection = 'path\\0' } }", LSCHED_E_KEY,
         "p.lua:1:32: eviction.protection must be 'path' or 'divergence', got 'path'; did you mean "
         "'path'?"},
        {"return { api = 1, eviction = { release_second = 3 } }", LSCHED_E_KEY,
         "p.lua:1:32: eviction has no 'release_second'; did you mean 'release_seconds'?"},
        {"return { api = 1, usage = { zebra = 3, halflife = 3 } }", LSCHED_E_KEY,
         "p.lua:1:40: usage has no 'halflife'; did you mean 'half_life'?"},
        {"return { api = 1, ['usge'] = {} }", LSCHED_E_KEY,
         "p.lua:1:20: a policy has no 'usge'; did you mean 'usage'?"},
        {"return { api = 1, usge = {} }", LSCHED_E_KEY,
         "p.lua:1:19: a policy has no 'usge'; did you mean 'usage'?"},
        {"return { api = 1, usage = { 3 } }", LSCHED_E_TYPE,
         "p.lua:1:19: usage has only named entries, got a number key"},
        {"return { api = 1, eviction = 3 }", LSCHED_E_TYPE,
         "p.lua:1:19: eviction must be a table such as { release_seconds = 30 }, got a number"},
        {"return { api = 1, usage = math.abs }", LSCHED_E_TYPE,
         "p.lua:1:19: usage must be a table or a function of this text, got a built-in function"},
        {"return { api = 1, usage = function() end }", LSCHED_E_TYPE,
         "p.lua:1:19: usage must be a table such as { half_life = 604800 }, got nothing (is there a "
         "return?)"},
    };
    check_wrong(wrong, sizeof wrong / sizeof *wrong);
}

/* Where a key stands that the text uses elsewhere too, or that is not in a constructor there. */
static void complaints_point_at_the_right_place(void **unused) {
    (void)unused;
    static const struct wrong wrong[] = {
        {"return { api = 1, params = { window = 3 },\n  usage = { weight = 1,\n    window = -1 } }",
         LSCHED_E_RANGE,
         "p.lua:3:5: usage.window must be a number of seconds that is 0 or from 1 to 315360000, "
         "got -1"},
        {"local past = {\n  window = -1 }\nreturn { api = 1, usage = past }", LSCHED_E_RANGE,
         "p.lua:2:3: usage.window must be a number of seconds that is 0 or from 1 to 315360000, "
         "got -1"},
        {"local past = {}\npast.window = -1\nreturn { api = 1,\n usage = past }", LSCHED_E_RANGE,
         "p.lua:4:2: usage.window must be a number of seconds that is 0 or from 1 to 315360000, "
         "got -1"},
        {"return { api = 1, usage = function()\n  return { window = params.days } end }",
         LSCHED_E_POLICY, "p.lua:2:28: params has no 'days'"},
        {"return { api = 1, usage = function()\n  while true do end end }", LSCHED_E_BUDGET,
         "p.lua:2: it was still running after 1000000 instructions; a call may spend no more"},
    };
    check_wrong(wrong, sizeof wrong / sizeof *wrong);
}

static void slow_downs_reach_the_table(void **unused) {
    (void)unused;
    const struct policy_desc d = desc_of(
        "return { api = 1, contention = { max = 1.2, avoid = 1.05, others = 'train', slowdown = {\n"
        "  train = { serve = 1.0004, train = 60 }, serve = { train = 1.2006 } } } }");
    const struct contention_table *t = &d.contention;
    assert_int_equal(t->n, 2);
    assert_string_equal(t->name[0], "serve");
    assert_string_equal(t->name[1], "train");
    assert_int_equal(t->most, 1200);
    assert_int_equal(t->avoid, 1050);
    assert_int_equal(t->others, 2);
    assert_int_equal(t->milli[0][0], 1000);
    assert_int_equal(t->milli[0][1], 1201);
    assert_int_equal(t->milli[1][0], 1000);
    assert_int_equal(t->milli[1][1], 60000);
    assert_int_equal(t->barred[0], 2);
    assert_int_equal(t->barred[1], 3);
    assert_int_equal(desc_of("return { api = 1 }").contention.n, 0);
}

static void pairs_without_a_number_are_counted(void **unused) {
    (void)unused;
    struct loaded l;
    load(&l,
         "return { api = 1, contention = { max = 1.5, slowdown = {\n a = { a = 2 }, b = {} } } }");
    assert_string_equal(
        l.policy.ops->warning(l.policy.self, 0),
        "p.lua:1:45: contention.slowdown has no number for 3 pairs of kinds: 1.0 (no "
        "slow-down) is used");
    assert_null(l.policy.ops->warning(l.policy.self, 1));
    unload(&l);
}

/* Loads a text and compares the only warning about it; NULL: there is none. */
static void warns(const char *text, const char *warning) {
    struct loaded l;
    load(&l, text);
    const char *got = l.policy.ops->warning(l.policy.self, 0);
    if (warning) {
        assert_non_null(got);
        assert_string_equal(got, warning);
        got = l.policy.ops->warning(l.policy.self, 1);
    }
    if (got) fail_msg("%s", got);
    unload(&l);
}

static void bounds_without_an_effect_are_told(void **unused) {
    (void)unused;
#define SLOW " slowdown = { a = { a = 1.5 } } } }"
    warns("return { api = 1, contention = { max = 1.4, avoid = 1.3," SLOW, NULL);
    warns("return { api = 1, contention = { avoid = 1.4," SLOW, NULL);
    warns("return { api = 1, contention = { estimates = 'alone'," SLOW, NULL);
    warns("return { api = 1, contention = {" SLOW,
          "p.lua:1:19: contention has no effect without a bound: expected max, above which a place "
          "is barred, or avoid, above which another one is preferred");
    warns(
        "return { api = 1, contention = { max = 1.5," SLOW,
        "p.lua:1:34: contention.max bars nothing: expected a number below the greatest slow-down");
    warns("return { api = 1, contention = { avoid = 1.5," SLOW,
          "p.lua:1:34: contention.avoid avoids nothing: expected a number below the greatest "
          "slow-down");
    warns(
        "return { api = 1, contention = { max = 1.3, avoid = 1.3," SLOW,
        "p.lua:1:45: contention.avoid has no effect: what is above it is barred; expected a number "
        "below contention.max");
#undef SLOW
}

static void kinds_of_one_table_alone_are_told(void **unused) {
    (void)unused;
#define BESIDE \
    "return { api = 1, contention = { max = 1.1, slowdown = { a = { a = 1.5 } } },\n speeds = { "
    warns(BESIDE "speed = { a = { T4 = 1 } } } }", NULL);
    warns(BESIDE "speed = { a = { T4 = 1 }, b = { T4 = 1 }, c = { T4 = 1 } } } }",
          "p.lua:2:39: speeds.speed has the kind of work 'b' and 1 more, which contention.slowdown "
          "lacks and counts as no kind: expected the same kinds in both tables");
    warns(
        "return { api = 1, contention = { max = 1.1, slowdown = {\n a = { a = 1.5, b = 1 }, ['b'] = { "
        "a = 1, b = 1 } } }, speeds = { others = 'a', speed = { a = { T4 = 1 } } } }",
        "p.lua:2:27: contention.slowdown has the kind of work 'b', which speeds.speed lacks and "
        "counts as 'a': expected the same kinds in both tables");
#undef BESIDE
}

static void wrong_slow_downs_are_told_where_they_stand(void **unused) {
    (void)unused;
    static const struct wrong wrong[] = {
        {"return { api = 1,\n contention = 3 }", LSCHED_E_TYPE,
         "p.lua:2:2: contention must be a table such as { slowdown = { train = { train = 1.3 } } }, "
         "got 3"},
        {"return { api = 1, contention = {} }", LSCHED_E_TYPE,
         "p.lua:1:19: contention.slowdown must be a table such as { train = { train = 1.3 } }, got "
         "nothing"},
        {"return { api = 1, contention = { 5 } }", LSCHED_E_TYPE,
         "p.lua:1:19: contention has only named entries, got a number key"},
        {"return { api = 1, contention = { slowdown = { a = {} },\n mx = 2 } }", LSCHED_E_KEY,
         "p.lua:2:2: contention has no 'mx'; did you mean 'max'?"},
        {"return { api = 1, params = { max = 1 },\n contention = { slowdown = { a = {} }, max = 0.5 } "
         "}",
         LSCHED_E_RANGE,
         "p.lua:2:40: contention.max must be a number from 1 (no slow-down) to 60, got 0.5"},
        {"return { api = 1, contention = { slowdown = { a = {} }, avoid = 60.1 } }", LSCHED_E_RANGE,
         "p.lua:1:57: contention.avoid must be a number from 1 (no slow-down) to 60, got 60.1"},
        {"return { api = 1, contention = { slowdown = { a = {} }, max = 'x' } }", LSCHED_E_TYPE,
         "p.lua:1:57: contention.max must be a number from 1 (no slow-down) to 60, got the string "
         "'x'"},
        {"return { api = 1, contention = { slowdown = { a = 1.5 } } }", LSCHED_E_TYPE,
         "p.lua:1:47: contention.slowdown.a must be a table such as { train = 1.2 }, got 1.5"},
        {"return { api = 1, contention = { slowdown = {\n a = { a = 1, b = 1 },\n b = { a = 0.99 } } } }",
         LSCHED_E_RANGE,
         "p.lua:3:8: contention.slowdown.b.a must be a number from 1 (no slow-down) to 60, got 0.99"},
        {"return { api = 1, contention = { slowdown = { a = { a = 65 } } } }", LSCHED_E_RANGE,
         "p.lua:1:53: contention.slowdown.a.a must be a number from 1 (no slow-down) to 60, got 65"},
        {"return { api = 1, contention = { slowdown = { a = { a = 0 / 0 } } } }", LSCHED_E_RANGE,
         "p.lua:1:53: contention.slowdown.a.a must be a number from 1 (no slow-down) to 60, got NaN "
         "(0/0?)"},
        {"return { api = 1, contention = { slowdown = { a = { a = math.huge } } } }",
         LSCHED_E_RANGE,
         "p.lua:1:53: contention.slowdown.a.a must be a number from 1 (no slow-down) to 60, got "
         "infinity (a division by 0?)"},
        {"return { api = 1, contention = { slowdown = { a = { a = true } } } }", LSCHED_E_TYPE,
         "p.lua:1:53: contention.slowdown.a.a must be a number from 1 (no slow-down) to 60, got "
         "true"},
        {"return { api = 1, contention = { estimates = 'both', slowdown = { a = { a = 1 } } } }",
         LSCHED_E_KEY, "p.lua:1:34: contention.estimates must be 'alone' or 'beside', got 'both'"},
        {"return { api = 1, contention = { estimates = 1, slowdown = { a = { a = 1 } } } }",
         LSCHED_E_TYPE, "p.lua:1:34: contention.estimates must be 'alone' or 'beside', got 1"},
    };
    check_wrong(wrong, sizeof wrong / sizeof wrong[0]);
}

static void wrong_kinds_of_work_are_told_where_they_stand(void **unused) {
    (void)unused;
    static const struct wrong wrong[] = {
        {"return { api = 1, contention = { slowdown = { train = {},\n serve = { trian = 2 } } } }",
         LSCHED_E_KEY,
         "p.lua:2:12: contention.slowdown.serve has no 'trian'; did you mean 'train'?"},
        {"return { api = 1, contention = { slowdown = { a = { ['a\\0b'] = 2 } } } }", LSCHED_E_KEY,
         "p.lua:1:47: contention.slowdown.a has no 'a'; did you mean 'a'?"},
        {"return { api = 1, contention = { slowdown = { a = { 2 } } } }", LSCHED_E_TYPE,
         "p.lua:1:47: contention.slowdown.a has only named entries, got a number key"},
        {"return { api = 1, contention = { others = 'b', slowdown = { a = {} } } }", LSCHED_E_KEY,
         "p.lua:1:34: contention.others must be a kind of work that contention.slowdown names, got "
         "'b'"},
        {"return { api = 1, contention = { others = 'trai', slowdown = { train = {} } } }",
         LSCHED_E_KEY,
         "p.lua:1:34: contention.others must be a kind of work that contention.slowdown names, got "
         "'trai'; did you mean 'train'?"},
        {"return { api = 1, contention = { others = 1, slowdown = { a = {} } } }", LSCHED_E_TYPE,
         "p.lua:1:34: contention.others must be a kind of work that contention.slowdown names, got "
         "1"},
        {"return { api = 1, contention = { slowdown = {} } }", LSCHED_E_INVAL,
         "p.lua:1:34: contention.slowdown is empty; expected 1 to 32 kinds of work, such as { train "
         "= { train = 1.3 } }"},
        {"return { api = 1, contention = { slowdown = { [''] = {} } } }", LSCHED_E_INVAL,
         "p.lua:1:34: contention.slowdown: the name of a kind of work has 1 to 31 bytes and no NUL, "
         "got ''"},
        {"return { api = 1, contention = { slowdown = { abcdefghijklmnopqrstuvwxyzabcdef = {} } } }",
         LSCHED_E_INVAL,
         "p.lua:1:34: contention.slowdown: the name of a kind of work has 1 to 31 bytes and no NUL, "
         "got 'abcdefghijklmnopqrstuvwxyzabcdef'"},
    };
    check_wrong(wrong, sizeof wrong / sizeof wrong[0]);
}

static void speeds_reach_the_table(void **unused) {
    (void)unused;
    const struct policy_desc d =
        desc_of("return { api = 1, speeds = { prefer = 'price', others = 'train', speed = {\n"
                "  train = { H100 = 3.0004, ['A100-80GB'] = 1000 }, serve = { T4 = 0.0005 + 0.0006 "
                "} } } }");
    const struct speed_table *t = &d.speeds;
    assert_int_equal(t->n, 2);
    assert_int_equal(t->n_models, 3);
    assert_string_equal(t->name[0], "serve");
    assert_string_equal(t->name[1], "train");
    assert_string_equal(t->model[0], "A100-80GB");
    assert_string_equal(t->model[1], "H100");
    assert_string_equal(t->model[2], "T4");
    assert_int_equal(t->others, 2);
    assert_int_equal(t->by_price, 1);
    const uint32_t milli[2][3] = {{1000, 1000, 1}, {1000000, 3000, 1000}};
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 3; b++) assert_int_equal(t->milli[a][b], milli[a][b]);
    assert_int_equal(desc_of("return { api = 1 }").speeds.n, 0);
    const struct policy_desc plain =
        desc_of("return { api = 1, speeds = { speed = { a = {}, b = { T4 = 2 } } } }");
    assert_int_equal(plain.speeds.by_price, 0);
    assert_int_equal(plain.speeds.others, 0);
}

static void points_reach_the_table(void **unused) {
    (void)unused;
    const struct policy_desc d =
        desc_of("return { api = 1, speeds = { speed = { a = { T4 = 1 }, b = {} },\n"
                "  scaling = { b = { [4096] = 1e6, [2] = 0.001, [1] = 7 } } } }");
    const struct speed_table *t = &d.speeds;
    assert_int_equal(t->n_points[0], 0);
    assert_int_equal(t->n_points[1], 3);
    const struct speed_point point[] = {{1, 7000}, {2, 1}, {4096, 1000000000}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(t->point[1][i].devices, point[i].devices);
        assert_int_equal(t->point[1][i].milli, point[i].milli);
    }
}

static void wrong_points_are_told_where_they_stand(void **unused) {
    (void)unused;
#define SCALING "return { api = 1, speeds = { speed = { a = { T4 = 1 } }, scaling = {\n a = "
#define KEYS                                                                                \
    "p.lua:2:2: speeds.scaling.a must have 1 to 16 numbers of devices as its keys, each a " \
    "whole number from 1 to 4096, such as { [1] = 1, [8] = 5.5 }"
    static const struct wrong wrong[] = {
        {"return { api = 1, speeds = { speed = { a = { T4 = 1 } },\n scaling = 3 } }",
         LSCHED_E_TYPE,
         "p.lua:2:2: speeds.scaling must be a table such as { train = { [1] = 1, [8] = 5.5 } }, got "
         "3"},
        {"return { api = 1, speeds = { speed = { train = { T4 = 1 } }, scaling = {\n trai = {} } } }",
         LSCHED_E_KEY, "p.lua:2:2: speeds.scaling has no 'trai'; did you mean 'train'?"},
        {SCALING "3 } } }", LSCHED_E_TYPE,
         "p.lua:2:2: speeds.scaling.a must be a table such as { [1] = 1, [8] = 5.5 }, got 3"},
        {SCALING "{} } } }", LSCHED_E_INVAL, KEYS},
        {SCALING "{ [0] = 1 } } } }", LSCHED_E_INVAL, KEYS},
        {SCALING "{ [1.5] = 1 } } } }", LSCHED_E_INVAL, KEYS},
        {SCALING "{ [4097] = 1 } } } }", LSCHED_E_INVAL, KEYS},
        {SCALING "{ one = 1 } } } }", LSCHED_E_INVAL, KEYS},
        {SCALING "{ 1,1,1,1, 1,1,1,1, 1,1,1,1, 1,1,1,1, 1 } } } }", LSCHED_E_LIMIT, KEYS},
        {SCALING "{ 1, 0, -1 } } } }", LSCHED_E_RANGE,
         "p.lua:2:2: speeds.scaling.a[2] must be a number from 0.001 to 1000000, got 0"},
        {SCALING "{ 0/0 } } } }", LSCHED_E_RANGE,
         "p.lua:2:2: speeds.scaling.a[1] must be a number from 0.001 to 1000000, got NaN (0/0?)"},
        {SCALING "{ '1' } } } }", LSCHED_E_RANGE,
         "p.lua:2:2: speeds.scaling.a[1] must be a number from 0.001 to 1000000, got the string "
         "'1'"},
    };
#undef KEYS
#undef SCALING
    check_wrong(wrong, sizeof wrong / sizeof wrong[0]);
}

static void speeds_without_a_number_are_counted(void **unused) {
    (void)unused;
    struct loaded l;
    load(&l,
         "return { api = 1, speeds = { speed = {\n a = { T4 = 2 }, b = { K80 = 1 }, c = {} } } }");
    assert_string_equal(
        l.policy.ops->warning(l.policy.self, 0),
        "p.lua:1:30: speeds.speed has no number for 4 pairs of kind and model, such as a on K80: "
        "1.0 is used");
    assert_null(l.policy.ops->warning(l.policy.self, 1));
    unload(&l);
}

static void wrong_speeds_are_told_where_they_stand(void **unused) {
    (void)unused;
    static const struct wrong wrong[] = {
        {"return { api = 1,\n speeds = 3 }", LSCHED_E_TYPE,
         "p.lua:2:2: speeds must be a table such as { speed = { train = { [\"H100-80GB\"] = 3 } } "
         "}, got 3"},
        {"return { api = 1, speeds = {} }", LSCHED_E_TYPE,
         "p.lua:1:19: speeds.speed must be a table such as { train = { [\"H100-80GB\"] = 3 } }, got "
         "nothing"},
        {"return { api = 1, speeds = { sped = {} } }", LSCHED_E_KEY,
         "p.lua:1:30: speeds has no 'sped'; did you mean 'speed'?"},
        {"return { api = 1, speeds = { speed = {} } }", LSCHED_E_INVAL,
         "p.lua:1:30: speeds.speed is empty; expected 1 to 32 kinds of work, such as { train = { "
         "[\"H100-80GB\"] = 3 } }"},
        {"return { api = 1, speeds = { speed = { a = {} } } }", LSCHED_E_INVAL,
         "p.lua:1:30: no row of speeds.speed names a model; expected 1 to 32 models, such as { "
         "train = { [\"H100-80GB\"] = 3 } }"},
        {"return { api = 1, speeds = { speed = {\n a = 3 } } }", LSCHED_E_TYPE,
         "p.lua:2:2: speeds.speed.a must be a table such as { [\"H100-80GB\"] = 3 }, got 3"},
        {"return { api = 1, speeds = { speed = {\n a = { 3 } } } }", LSCHED_E_TYPE,
         "p.lua:2:2: speeds.speed.a has only named entries, got a number key"},
        {"return { api = 1, speeds = { speed = { a = {\n T4 = 0 } } } }", LSCHED_E_RANGE,
         "p.lua:2:2: speeds.speed.a.T4 must be a number from 0.001 to 1000, got 0"},
        {"return { api = 1, speeds = { speed = { a = {\n T4 = -1 } } } }", LSCHED_E_RANGE,
         "p.lua:2:2: speeds.speed.a.T4 must be a number from 0.001 to 1000, got -1"},
        {"return { api = 1, speeds = { speed = { a = {\n T4 = 1001 } } } }", LSCHED_E_RANGE,
         "p.lua:2:2: speeds.speed.a.T4 must be a number from 0.001 to 1000, got 1001"},
        {"return { api = 1, speeds = { speed = { a = {\n T4 = 0 / 0 } } } }", LSCHED_E_RANGE,
         "p.lua:2:2: speeds.speed.a.T4 must be a number from 0.001 to 1000, got NaN (0/0?)"},
        {"return { api = 1, speeds = { speed = { a = {\n T4 = math.huge } } } }", LSCHED_E_RANGE,
         "p.lua:2:2: speeds.speed.a.T4 must be a number from 0.001 to 1000, got infinity "
         "(a division by 0?)"},
        {"return { api = 1, speeds = { speed = { a = {\n T4 = '1' } } } }", LSCHED_E_TYPE,
         "p.lua:2:2: speeds.speed.a.T4 must be a number from 0.001 to 1000, got the string '1'"},
        {"return { api = 1, speeds = { speed = { a = {\n [''] = 1 } } } }", LSCHED_E_INVAL,
         "p.lua:1:40: speeds.speed.a: the name of a model has 1 to 255 bytes and no NUL, got ''"},
        {"return { api = 1, speeds = { speed = {\n a = { ['T4\\0'] = 1 } } } }", LSCHED_E_INVAL,
         "p.lua:2:2: speeds.speed.a: the name of a model has 1 to 255 bytes and no NUL, got 'T4'"},
        {"return { api = 1, speeds = { speed = { a = {\n ['NVIDIA RTX PRO 6000 Blackwell Server "
         "Edition'] = 0 } } } }",
         LSCHED_E_RANGE,
         "p.lua:2:3: speeds.speed.a.NVIDIA RTX PRO 6000 Blackwell Server Edi must be a number from "
         "0.001 to 1000, got 0"},
        {"return { api = 1, speeds = { prefer = 'prize', speed = { a = { T4 = 1 } } } }",
         LSCHED_E_KEY,
         "p.lua:1:30: speeds.prefer must be 'speed' or 'price', got 'prize'; did you mean 'price'?"},
        {"return { api = 1, speeds = { prefer = 'cost', speed = { a = { T4 = 1 } } } }",
         LSCHED_E_KEY, "p.lua:1:30: speeds.prefer must be 'speed' or 'price', got 'cost'"},
        {"return { api = 1, speeds = { prefer = 1, speed = { a = { T4 = 1 } } } }", LSCHED_E_TYPE,
         "p.lua:1:30: speeds.prefer must be 'speed' or 'price', got 1"},
        {"return { api = 1, speeds = { others = 'b', speed = { a = { T4 = 1 } } } }", LSCHED_E_KEY,
         "p.lua:1:30: speeds.others must be a kind of work that speeds.speed names, got 'b'"},
    };
    check_wrong(wrong, sizeof wrong / sizeof wrong[0]);
}

/* A name of a model can be as long as that of a node's, and all its bytes count. */
static void long_names_of_models_fit(void **unused) {
    (void)unused;
    for (size_t len = LSCHED_NAME_BYTES_MAX; len <= LSCHED_NAME_BYTES_MAX + 1; len++) {
        struct loaded l;
        char name[LSCHED_NAME_BYTES_MAX + 2] = "", text[1024];
        memset(name, 'm', len);
        snprintf(text, sizeof text,
                 "return { api = 1, speeds = { speed = { a = { ['%s'] = 3, ['%.*sn'] = 2 } } } }",
                 name, (int)len - 1, name);
        load_with(&l, text, NULL);
        assert_int_equal(l.rc, len == LSCHED_NAME_BYTES_MAX ? LSCHED_OK : LSCHED_E_INVAL);
        if (l.rc == LSCHED_OK) {
            const struct speed_table *t = &l.policy.desc.speeds;
            assert_int_equal(t->n_models, 2);
            assert_string_equal(t->model[0], name);
            assert_int_equal(t->milli[0][0], 3000);
            assert_int_equal(t->milli[0][1], 2000);
        }
        unload(&l);
    }
}

/* 32 models in all rows together fit, 33 do not. */
static void a_table_has_at_most_32_models(void **unused) {
    (void)unused;
    for (int models = 32; models <= 33; models++) {
        struct loaded l;
        char text[1024] = "return { api = 1, speeds = { speed = {";
        for (int i = 0; i < models; i++)
            sprintf(text + strlen(text), " %s m%d = 1,",
                    i == 0    ? "a = {"
                    : i == 20 ? "}, b = {"
                              : "",
                    i);
        strcat(text, " } } } }");
        load_with(&l, text, NULL);
        assert_int_equal(l.rc, models == 32 ? LSCHED_OK : LSCHED_E_LIMIT);
        if (models == 33)
            assert_string_equal(
                l.err.message,
                "p.lua:1:30: the rows of speeds.speed name more than 32 models in all; leave out "
                "models that are 1 for each kind of work");
        unload(&l);
    }
}

/* 32 kinds fit, 33 do not. */
static void a_table_has_at_most_32_kinds(void **unused) {
    (void)unused;
    for (int kinds = 32; kinds <= 33; kinds++) {
        struct loaded l;
        char text[1024] = "return { api = 1, contention = { slowdown = {";
        for (int i = 0; i < kinds; i++) sprintf(text + strlen(text), " k%d = {},", i);
        strcat(text, " } } }");
        load_with(&l, text, NULL);
        assert_int_equal(l.rc, kinds == 32 ? LSCHED_OK : LSCHED_E_LIMIT);
        if (kinds == 33)
            assert_string_equal(
                l.err.message,
                "p.lua:1:34: contention.slowdown has more than 32 kinds of work; let "
                "contention.others stand for some");
        unload(&l);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absent_tables_mean_the_defaults),
        cmocka_unit_test(each_key_reaches_its_member),
        cmocka_unit_test(largest_values_fit),
        cmocka_unit_test(a_function_sees_the_parameters),
        cmocka_unit_test(values_are_part_of_the_hash),
        cmocka_unit_test(wrong_numbers_are_told_what_was_expected),
        cmocka_unit_test(wrong_words_are_told_what_was_meant),
        cmocka_unit_test(complaints_point_at_the_right_place),
        cmocka_unit_test(slow_downs_reach_the_table),
        cmocka_unit_test(pairs_without_a_number_are_counted),
        cmocka_unit_test(bounds_without_an_effect_are_told),
        cmocka_unit_test(kinds_of_one_table_alone_are_told),
        cmocka_unit_test(wrong_slow_downs_are_told_where_they_stand),
        cmocka_unit_test(wrong_kinds_of_work_are_told_where_they_stand),
        cmocka_unit_test(a_table_has_at_most_32_kinds),
        cmocka_unit_test(speeds_reach_the_table),
        cmocka_unit_test(speeds_without_a_number_are_counted),
        cmocka_unit_test(wrong_speeds_are_told_where_they_stand),
        cmocka_unit_test(points_reach_the_table),
        cmocka_unit_test(wrong_points_are_told_where_they_stand),
        cmocka_unit_test(long_names_of_models_fit),
        cmocka_unit_test(a_table_has_at_most_32_models),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
