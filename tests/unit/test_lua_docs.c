/* docs/policy-language.md is true: it names every field with its text, every function of the
 * environment, every setting with its default, and each complete example in it loads. */
#include "unit/lua_fixture.h"

static char page[200000];

static int read_page(void **unused) {
    (void)unused;
    FILE *file = fopen("docs/policy-language.md", "rb");
    assert_non_null(file);
    size_t n = fread(page, 1, sizeof page - 1, file);
    fclose(file);
    page[n] = '\0';
    return n == 0;
}

static void every_field_is_described(void **unused) {
    (void)unused;
    static const char *const objects[] = {"job", "queue", "node", "candidate"};
    for (int f = 0; f < POLICY_FIELDS; f++) {
        const struct policy_field_info *info = &policy_field_infos[f];
        char row[100];
        snprintf(row, sizeof row, "\n| `%s.%s` | %s", objects[info->object], info->name,
                 info->unit);
        if (!strstr(page, row)) fail_msg("no row%s", row);
    }
}

static void every_function_is_named(void **unused) {
    (void)unused;
    char names[] =
        "assert error ipairs pairs select tonumber tostring type abs ceil exp floor fmod huge log max min pi "
        "pow sqrt byte contains ends_with format len lower starts_with sub upper params";
    for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
        char quoted[60];
        snprintf(quoted, sizeof quoted, "`%s`", name);
        if (!strstr(page, quoted)) fail_msg("%s is not named", name);
    }
}

/* Each row of the two tables of settings with its default, which must load and change nothing. */
static void every_setting_is_described(void **unused) {
    (void)unused;
    static const char *const settings[][3] = {
        {"eviction", "release_seconds", "30"},
        {"eviction", "grace_seconds", "120"},
        {"eviction", "per_hour", "0"},
        {"eviction", "moves_max", "16"},
        {"eviction", "protection", "\"path\""},
        {"eviction", "victims", "\"cheapest\""},
        {"eviction", "saturation", "1"},
        {"eviction", "preemption_delay_seconds", "0"},
        {"eviction", "stale_grace_seconds", "60"},
        {"usage", "half_life", "0"},
        {"usage", "window", "0"},
        {"usage", "weight", "1"},
    };
    struct policy_desc standard = {.n_pipeline = 0};
    policy_desc_default(&standard);
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        struct loaded l;
        char text[160], row[80], end[40];
        snprintf(text, sizeof text, "return { api = 1, %s = { %s = %s } }", settings[i][0],
                 settings[i][1], settings[i][2]);
        load(&l, text);
        assert_memory_equal(&l.policy.desc.eviction, &standard.eviction, sizeof standard.eviction);
        assert_int_equal(l.policy.desc.usage_half_life_us, standard.usage_half_life_us);
        assert_int_equal(l.policy.desc.usage_window_us, standard.usage_window_us);
        assert_int_equal(l.policy.desc.usage_weight_milli, standard.usage_weight_milli);
        unload(&l);
        snprintf(row, sizeof row, "\n| `%s` | ", settings[i][1]);
        const char *at = strstr(page, row), *value = settings[i][2];
        if (!at) fail_msg("no row%s", row);
        snprintf(end, sizeof end, value[0] == '"' ? " | `%s` | " : " | %s | ", value);
        const char *found = strstr(at, end);
        if (!found || memchr(at + 1, '\n', (size_t)(found - at - 1)))
            fail_msg("%s: its default is %s", settings[i][1], value);
    }
}

static void every_example_loads(void **unused) {
    (void)unused;
    int n = 0;
    for (char *p = page; (p = strstr(p, "\n```lua\n")) != NULL; n++) {
        struct loaded l;
        p += strlen("\n```lua\n");
        char *end = strstr(p, "\n```");
        assert_non_null(end);
        *end = '\0';
        load(&l, p);
        unload(&l);
        *end = '\n';
    }
    assert_true(n >= 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_described),
        cmocka_unit_test(every_function_is_named),
        cmocka_unit_test(every_setting_is_described),
        cmocka_unit_test(every_example_loads),
    };
    return cmocka_run_group_tests(tests, read_page, NULL);
}
