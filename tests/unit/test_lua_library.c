/* The libraries of policy text: calendar against the C library's own dates, units, decay, statistics,
 * and the message for every wrong use. */
#define _DEFAULT_SOURCE
#include <math.h>
#include <time.h>

#include "base/fixed.h"
#include "unit/lua_fixture.h"

static struct fake fake;

/* The policy around statements that end in a return. */
static void load_hook(struct loaded *l, const char *statements) {
    char text[2000];
    fake_begin(&fake);
    fake.names[7] = "good";
    snprintf(
        text, sizeof text,
        "return { api = 1, params = { t = 0, east = 0, s = '' }, priority = function(job, queue)\n %s\n end }",
        statements);
    load_with(l, text, NULL);
}

static double value_of(const char *statements) {
    struct loaded l;
    uint32_t row = 7;
    double out = 0;
    load_hook(&l, statements);
    if (l.rc != LSCHED_OK) fail_msg("%s: %s", statements, l.err.message);
    if (l.policy.ops->priority(l.policy.self, &fake.view, &row, &row, 1, &out, &l.err) != LSCHED_OK)
        fail_msg("%s: %s", statements, l.err.message);
    unload(&l);
    return out;
}

static int is_true(const char *expression) {
    char text[1000];
    snprintf(text, sizeof text,
             "local x = %s if x == true then return 1 elseif x == false then return 0 end",
             expression);
    return value_of(text) == 1;
}

static void value_is(const char *expression, double want) {
    char text[1000];
    snprintf(text, sizeof text, "local x = %s return x", expression);
    double got = value_of(text);
    if (got != want) fail_msg("%s\n  got  %.17g\n  want %.17g", expression, got, want);
}

/* The message of a wrong use; at line 2 of the text, where the call is, not where the library is. */
static void message_is(const char *call, const char *want) {
    struct loaded l;
    char text[1000];
    snprintf(text, sizeof text, "local x = %s return 1", call);
    load_hook(&l, text);
    assert_int_equal(l.rc, LSCHED_E_POLICY);
    const char *got = strstr(l.err.message, "'trial': ");
    assert_non_null(got);
    if (strcmp(got + 9, want) != 0) fail_msg("%s\n  got  %s\n  want %s", call, got + 9, want);
    if (strncmp(l.err.message, "p.lua:2:", 8) != 0) fail_msg("%s: %s", call, l.err.message);
    unload(&l);
}

/* ---- calendar -------------------------------------------------------------------------------- */

/* A policy that gives all parts of a moment as one number each, asked by parameters. */
static double parts_of(struct loaded *l, double now) {
    uint32_t row = 7;
    double out = 0;
    fake.numbers[7] = now;
    fake.view.now_s = now;
    if (l->policy.ops->priority(l->policy.self, &fake.view, &row, &row, 1, &out, &l->err) !=
        LSCHED_OK)
        fail_msg("%.0f: %s", now, l->err.message);
    return out;
}

static void dates_are_those_of_the_c_library(void **unused) {
    (void)unused;
    struct loaded l;
    uint64_t seed = 88172645463325252u;
    load_hook(
        &l,
        "local t = job.submitted\n"
        "return ((((calendar.year(t) * 100 + calendar.month(t)) * 100 + calendar.day_of_month(t))\n"
        "  * 10 + calendar.weekday(t)) * 100 + calendar.hour(t)) * 100 + calendar.minute(t)");
    if (l.rc != LSCHED_OK) fail_msg("%s", l.err.message);
    for (int i = 0; i < 20000; i++) {
        seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
        time_t t = (time_t)(seed % 8000000000u) - 2000000000;
        if (i < 400) t = (i - 200) * (time_t)86400 * 365 / 4 + i % 3 - 1; /* around ends of days */
        struct tm tm;
        gmtime_r(&t, &tm);
        double want = tm.tm_year + 1900;
        want = want * 100 + tm.tm_mon + 1;
        want = want * 100 + tm.tm_mday;
        want = want * 10 + (tm.tm_wday ? tm.tm_wday : 7);
        want = want * 100 + tm.tm_hour;
        want = want * 100 + tm.tm_min;
        double got = parts_of(&l, (double)t);
        if (got != want) fail_msg("%lld: got %.0f, want %.0f", (long long)t, got, want);
    }
    unload(&l);
}

static void times_of_dates_come_back(void **unused) {
    (void)unused;
    value_is("calendar.time(1970, 1, 1, '00:00')", 0);
    value_is("calendar.time(2023, 11, 14, '22:13')", 1700000000 - 20);
    value_is("calendar.time(2024, 2, 29, '08:00', 1)", 1709190000);
    value_is("calendar.time(2000, 2, 29, '0:00')", 951782400);
    struct loaded l;
    load_hook(
        &l,
        "local t = job.submitted\n"
        "local d = calendar.time(calendar.year(t), calendar.month(t), calendar.day_of_month(t), '12:00')\n"
        "return d");
    for (int day = 0; day < 60000; day += 7)
        assert_true(parts_of(&l, day * 86400.0) == day * 86400.0 + 43200);
    unload(&l);
}

/* 1700000000 is Tuesday 2023-11-14 22:13:20 UTC. */
static void zones_move_the_day(void **unused) {
    (void)unused;
    value_is("calendar.day_of_month(1700000000, 2)", 15);
    value_is("calendar.weekday(1700000000, 2)", 3);
    value_is("calendar.hour(1700000000, -5)", 17);
    value_is("calendar.minute(1700000000, 5.75)", 58);
    value_is("calendar.hour(1700000000, 5.75)", 3);
    value_is("calendar.year(1704067199)", 2023);
    value_is("calendar.year(1704067199, 1)", 2024);
    value_is("calendar.month(1704067199.5, 1)", 1);
    value_is("calendar.hour(1700000000) - hour(1700000000)", 0);
    value_is("calendar.weekday(1700000000, 3) - weekday(1700000000, 3)", 0);
}

static void windows_may_cross_midnight(void **unused) {
    (void)unused;
    assert_true(is_true("calendar.in_window(1700000000, '22:13', '22:14')"));
    assert_false(is_true("calendar.in_window(1700000000, '22:14', '22:15')"));
    assert_true(is_true("calendar.in_window(8 * 3600, '08:00', '18:00')"));
    assert_false(is_true("calendar.in_window(18 * 3600, '08:00', '18:00')"));
    assert_true(is_true("calendar.in_window(18 * 3600 - 0.5, '8:00', '18:00')"));
    assert_true(is_true("calendar.in_window(1700000000, '20:00', '06:00')"));
    assert_true(is_true("calendar.in_window(3600, '20:00', '06:00')"));
    assert_false(is_true("calendar.in_window(6 * 3600, '20:00', '06:00')"));
    assert_true(is_true("calendar.in_window(6 * 3600, '20:00', '06:00', -1)"));
    assert_true(is_true("calendar.in_window(86399, '00:00', '24:00')"));
    assert_true(is_true("calendar.night(1700000000) and not calendar.night(12 * 3600)"));
    assert_true(is_true("calendar.is_weekday(1700000000) and not calendar.is_weekday(2 * 86400)"));
    assert_true(
        is_true("calendar.working_hours(12 * 3600) and not calendar.working_hours(1700000000)"));
    assert_false(is_true("calendar.working_hours(2 * 86400 + 12 * 3600)")); /* a Saturday */
    assert_true(is_true("calendar.working_hours(1700000000, -6)"));
}

static void the_next_time_is_later_than_now(void **unused) {
    (void)unused;
    value_is("calendar.next(1700000000, '22:14')", 1700000000 + 40);
    value_is("calendar.next(1700000000, '22:13')", 1700000000 - 20 + 86400);
    value_is("calendar.next(0, '00:00')", 86400);
    value_is("calendar.next(0, '20:00', 1)", 19 * 3600);
    value_is("calendar.next(0, '00:30', 1)", 86400 - 1800);
    value_is("calendar.next(0, '08:00', 0, 4)", 8 * 3600);                    /* this Thursday */
    value_is("calendar.next(9 * 3600, '08:00', 0, 4)", 7 * 86400 + 8 * 3600); /* the next */
    value_is("calendar.next(0, '08:00', 0, 1)", 4 * 86400 + 8 * 3600);        /* Monday */
    value_is("calendar.next(-3600, '00:00')", 0);
}

static void wrong_times_are_told(void **unused) {
    (void)unused;
    message_is("calendar.hour('noon')",
               "calendar.hour: expected a time in seconds since 1970, got the string 'noon'");
    message_is("calendar.hour()",
               "calendar.hour: expected a time in seconds since 1970, got nothing");
    message_is("calendar.hour(1700000000000)",
               "calendar.hour: expected a time in seconds since 1970, got 1700000000000");
    message_is("calendar.year(0/0)",
               "calendar.year: expected a time in seconds since 1970, got NaN (0/0?)");
    message_is("calendar.weekday(0, 3600)",
               "calendar.weekday: expected hours east of UTC from -24 to 24, got 3600");
    message_is("calendar.in_window(0, 8, 18)",
               "calendar.in_window: expected a time of day such as \"08:00\", got 8");
    message_is("calendar.in_window(0, '8', '18:00')",
               "calendar.in_window: expected a time of day such as \"08:00\", got the string '8'");
    message_is(
        "calendar.in_window(0, '08:60', '18:00')",
        "calendar.in_window: expected a time of day such as \"08:00\", got the string '08:60'");
    message_is(
        "calendar.in_window(0, '24:00', '18:00')",
        "calendar.in_window: expected a time of day such as \"08:00\", got the string '24:00'");
    message_is(
        "calendar.in_window(0, 'ab:cd', '18:00')",
        "calendar.in_window: expected a time of day such as \"08:00\", got the string 'ab:cd'");
    message_is("calendar.in_window(0, '08:00', '08:00')",
               "calendar.in_window: expected two times that differ (\"00:00\" to \"24:00\" is all "
               "day), got the string '08:00'");
    message_is("calendar.next(0, '08:00', 0, 8)",
               "calendar.next: expected a weekday from 1, Monday, to 7, got 8");
    message_is("calendar.time(2023, 2, 29, '08:00')",
               "calendar.time: expected a day that its month has, got 29");
    message_is("calendar.time(2023, 13, 1, '08:00')",
               "calendar.time: expected a month from 1 to 12, got 13");
    message_is("calendar.sunrise(0)", "calendar has no 'sunrise'");
    message_is("calendar.is_weekdy(0)", "calendar has no 'is_weekdy'; did you mean 'is_weekday'?");
    message_is("calender.hour(0)", "no global 'calender'; did you mean 'calendar'?");
}

/* ---- units, decay ---------------------------------------------------------------------------- */

static void units_are_seconds_and_gib(void **unused) {
    (void)unused;
    value_is("units.second + units.minute + units.hour + units.day + units.week", 694861);
    value_is("units.MiB * 1024 + units.GiB + units.TiB", 1026);
    value_is("units.duration('1h30m')", 5400);
    value_is("units.duration('500ms')", 0.5);
    value_is("units.memory('80Gi')", 80);
    value_is("units.memory('512Mi')", 0.5);
    message_is(
        "units.duration('36')",
        "units.duration: expected a text that is a duration such as 36h, 2h30m or 500ms, got the string '36'");
    message_is(
        "units.duration(36)",
        "units.duration: expected a text that is a duration such as 36h, 2h30m or 500ms, got 36");
    message_is(
        "units.memory('80')",
        "units.memory: expected a text that is a memory size such as 64Gi or 512M, got the string '80'");
    message_is(
        "units.memory('2h')",
        "units.memory: expected a text that is a memory size such as 64Gi or 512M, got the string '2h'");
    message_is("units.hours", "units has no 'hours'; did you mean 'hour'?");
}

static void values_fade_by_halves(void **unused) {
    (void)unused;
    value_is("decay.half_life(80, 0, 10)", 80);
    value_is("decay.half_life(80, 10, 10)", 40);
    value_is("decay.half_life(80, 30, 10)", 10);
    value_is("decay.half_life(-8, 5, 10)", -8 * fixed_pow(2, -0.5));
    value_is("decay.half_life(80, -5, 10)", 80);
    value_is("decay.half_life(80, 1e300, 1)", 0);
    value_is("decay.half_life(80, 5, math.huge)", 80);
    value_is("decay.linear(80, 5, 10)", 40);
    value_is("decay.linear(80, 10, 10) + decay.linear(80, 11, 10)", 0);
    value_is("decay.linear(80, -1, 10)", 80);
    value_is("decay.rise(0, 10)", 0);
    value_is("decay.rise(20, 10)", 0.75);
    message_is("decay.half_life(1, 1, 0)", "decay.half_life: expected a half-life above 0, got 0");
    message_is("decay.half_life(1, 1)",
               "decay.half_life: expected a half-life above 0, got nothing");
    message_is("decay.half_life(1, '1', 1)",
               "decay.half_life: expected an age, got the string '1'");
    message_is("decay.half_life(math.huge, 1, 1)",
               "decay.half_life: expected a value, got infinity (a division by 0?)");
    message_is("decay.linear(1, 1, -3)", "decay.linear: expected a life above 0, got -3");
}

/* ---- statistics ------------------------------------------------------------------------------ */

static void statistics_are_of_a_list(void **unused) {
    (void)unused;
    value_is("stats.count({ 4, 1, 3, 2 })", 4);
    value_is("stats.sum({ 4, 1, 3, 2 })", 10);
    value_is("stats.mean({ 4, 1, 3, 2 })", 2.5);
    value_is("stats.min({ 4, 1, 3, 2 }) * 10 + stats.max({ 4, 1, 3, 2 })", 14);
    value_is("stats.median({ 4, 1, 3, 2 })", 2.5);
    value_is("stats.median({ 5, 1, 3 })", 3);
    value_is("stats.quantile({ 4, 1, 3, 2 }, 0) * 10 + stats.quantile({ 4, 1, 3, 2 }, 1)", 14);
    value_is("stats.quantile({ 10, 20, 30, 40, 50 }, 0.9)", 46);
    value_is("stats.deviation({ 2, 4, 4, 4, 5, 5, 7, 9 })", 2);
    value_is("stats.fairness({ 5, 5, 5, 5 })", 1);
    value_is("stats.fairness({ 8, 0, 0, 0 })", 0.25);
    value_is("stats.fairness({ 0, 0 })", 1);
    assert_true(value_of("local t = { 3, 1, 2 } local m = stats.median(t) "
                         "return m * 1000 + t[1] * 100 + t[2] * 10 + t[3]") ==
                2312); /* a copy is sorted */
    message_is("stats.mean({})",
               "stats.mean: expected a list of numbers that is not empty, got a table");
    message_is("stats.mean(5)", "stats.mean: expected a list of numbers that is not empty, got 5");
    message_is("stats.sum({ 1, 'a' })",
               "stats.sum: expected finite numbers only, got the string 'a'");
    message_is("stats.max({ 1, 1/0 })",
               "stats.max: expected finite numbers only, got infinity (a division by 0?)");
    message_is("stats.quantile({ 1 }, 90)",
               "stats.quantile: expected a quantile from 0 to 1, got 90");
    message_is("stats.fairness({ 1, -1 })", "stats.fairness: expected numbers from 0, got -1");
}

static void usage_is_held_against_a_guarantee(void **unused) {
    (void)unused;
    value_is("usage.over(10, 8) * 10 + usage.over(8, 10)", 20);
    value_is("usage.under(8, 10) * 10 + usage.under(10, 8)", 20);
    value_is("usage.over(10, math.huge)", 0);
    value_is("usage.ratio(4, 16)", 0.25);
    value_is("usage.ratio(4, 0)", 1);
    value_is("usage.ratio(4, 0, 7)", 7);
    value_is("usage.ratio(4, math.huge)", 0);
    message_is("usage.over(nil, 8)", "usage.over: expected the amount used, got nothing");
    message_is("usage.over(queue, 8)", "usage.over: expected the amount used, got a table");
    message_is("usage.ratio(8, -1)", "usage.ratio: expected a guarantee from 0, got -1");
}

/* A tail call drops its caller's line from the stack; it is found in the text. */
static void a_call_at_the_end_keeps_its_line(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"return { api = 1,\n  weight = function(queue, now)\n    local x = 1\n"
         "    return calendar.hour(queue)\n  end }",
         "p.lua:4:21: weight of queue 'trial': calendar.hour: expected a time in seconds since 1970, got a table"},
        {"local function late(t)\n  return calendar.hour(t * 1000)\nend\n"
         "return { api = 1, weight = function(queue, now)\n  return late(now)\nend }",
         "p.lua:2:19: weight of queue 'trial': calendar.hour: expected a time in seconds since 1970, got 1700000000000"},
        {"return { api = 1, weight = function(queue, now)\n  if now < 0 then return decay.rise(now, 1) end\n"
         "  return usage.ratio('x', 1)\nend }",
         "p.lua:3:16: weight of queue 'trial': usage.ratio: expected the amount used, got the string 'x'"},
        {"return { api = 1, weight = function(queue, now)\n  return (hour('x'))\nend }",
         "p.lua:2: weight of queue 'trial': hour: expected a time in seconds, got the string 'x'"},
        {"return { api = 1, weight = function(queue, now)\n  return queue.name:starts_with(1)\nend }",
         "p.lua:2:21: weight of queue 'trial': string.starts_with: argument 2 must be a string, got 1"},
        {"return { api = 1,\n  weight = function(queue, now)\n  if now < 0 then return hour(now) end\n"
         "  return hour('x')\nend }", /* which of two: it cannot be told */
         "p.lua:2:12: weight of queue 'trial': hour: expected a time in seconds, got the string 'x'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct loaded l;
        load_with(&l, wrong[i].text, NULL);
        if (l.rc == LSCHED_OK || strcmp(l.err.message, wrong[i].message) != 0)
            fail_msg("%s\n  got  %s\n  want %s", wrong[i].text, l.err.message, wrong[i].message);
        unload(&l);
    }
}

/* ---- the tables ------------------------------------------------------------------------------ */

static void libraries_are_read_only_and_there_only_when_named(void **unused) {
    (void)unused;
    struct loaded l;
    load_hook(&l, "calendar.hour = nil return 1");
    assert_int_equal(l.rc, LSCHED_E_POLICY);
    assert_non_null(strstr(l.err.message, "calendar is read-only: 'hour' cannot be set"));
    load_hook(&l, "for k in pairs(units) do return 1 end");
    assert_int_equal(l.rc, LSCHED_E_POLICY);
    assert_non_null(strstr(l.err.message, "the fields of units cannot be listed"));
    load_with(&l, "calendar = nil return { api = 1 }", NULL);
    assert_int_equal(l.rc, LSCHED_E_POLICY);
    load(&l, "return { api = 1 }");
    uint64_t bare = l.alloc.bytes;
    unload(&l);
    load(&l, "return { api = 1 } -- calendar units decay stats usage");
    print_message("%llu bytes, %llu with all libraries\n", (unsigned long long)bare,
                  (unsigned long long)l.alloc.bytes);
    assert_true(l.alloc.bytes > bare);
    assert_true(l.alloc.bytes < bare + 48 * 1024);
    unload(&l);
}

/* Work in a library is paid for like any other. */
static void libraries_are_metered(void **unused) {
    (void)unused;
    struct loaded l;
    load_hook(&l, "local t = {} for i = 1, 3000 do t[i] = -i end\n"
                  "for i = 1, 1000 do local x = stats.median(t) end return 1");
    assert_int_equal(l.rc, LSCHED_E_BUDGET);
    load_hook(&l, "while true do local x = units.duration('1h') end return 1");
    assert_int_equal(l.rc, LSCHED_E_BUDGET);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dates_are_those_of_the_c_library),
        cmocka_unit_test(times_of_dates_come_back),
        cmocka_unit_test(zones_move_the_day),
        cmocka_unit_test(windows_may_cross_midnight),
        cmocka_unit_test(the_next_time_is_later_than_now),
        cmocka_unit_test(wrong_times_are_told),
        cmocka_unit_test(units_are_seconds_and_gib),
        cmocka_unit_test(values_fade_by_halves),
        cmocka_unit_test(statistics_are_of_a_list),
        cmocka_unit_test(usage_is_held_against_a_guarantee),
        cmocka_unit_test(libraries_are_read_only_and_there_only_when_named),
        cmocka_unit_test(libraries_are_metered),
        cmocka_unit_test(a_call_at_the_end_keeps_its_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
