/* The pages of the policy language are true: they name every field, hook, function, setting and limit that there is, none that
 * there is not, and each complete example in them loads and runs without a warning. */
#include <ctype.h>

#include "embedded_text.h"
#include "libsched/policies.h"
#include "lua/host/lua_library.h"
#include "lua/front/lua_tokens.h"
#include "unit/lua_fixture.h"
#include "policy/eviction.h"

enum { LANGUAGE, HOOKS, LIBRARY, SANDBOX, MISTAKES, PAGES };
static const char *const paths[PAGES] = {"docs/policy-language.md", "docs/policy-hooks.md",
                                         "docs/policy-library.md", "docs/policy-sandbox.md",
                                         "docs/policy-mistakes.md"};
static char pages[PAGES][100000];

static int read_pages(void **unused) {
    (void)unused;
    for (int i = 0; i < PAGES; i++) {
        FILE *file = fopen(paths[i], "rb");
        assert_non_null(file);
        size_t n = fread(pages[i], 1, sizeof pages[i] - 1, file);
        assert_in_range(n, 100, sizeof pages[i] - 2);
        fclose(file);
    }
    return 0;
}

static void must_have(int page, const char *text) {
    if (!strstr(pages[page], text)) fail_msg("%s lacks: %s", paths[page], text);
}

/* Without the marks of Markdown. */
static void plain(char *out, size_t cap, const char *in, size_t len) {
    size_t n = 0;
    for (size_t i = 0; i < len && n + 1 < cap; i++)
        if (in[i] != '`') out[n++] = in[i];
    out[n] = '\0';
}

static void every_field_is_described_as_it_is_defined(void **unused) {
    (void)unused;
    for (int f = 0; f < POLICY_FIELDS; f++) {
        const struct policy_field_info *info = &policy_field_infos[f];
        char begin[80], line[300], want[300], text[300];
        int labels = info->type == POLICY_LABELS;
        snprintf(begin, sizeof begin, "\n| `%s.%s` | ", object_names[info->object], info->name);
        const char *row = strstr(pages[LANGUAGE], begin);
        if (!row) fail_msg("no row%s", begin);
        row += strlen(begin);
        plain(line, sizeof line, row, strcspn(row, "\n"));
        const char *unit = info->type == POLICY_BOOL ? "boolean" : info->unit;
        plain(text, sizeof text, info->text, strlen(info->text));
        snprintf(want, sizeof want, "%s%s| %s |", unit, unit[0] ? " " : "", text);
        if (!labels && strcmp(line, want) != 0) fail_msg("%s: %s\nwant %s", begin, line, want);
    }
}

static void no_other_field_is_described(void **unused) {
    (void)unused;
    int n = 0;
    for (const char *p = pages[LANGUAGE]; (p = strstr(p, "\n| `")) != NULL; p++) {
        for (int o = 0; o < POLICY_OBJECTS; o++) {
            size_t len = strlen(object_names[o]);
            n += strncmp(p + 4, object_names[o], len) == 0 && p[4 + len] == '.';
        }
    }
    assert_int_equal(n, POLICY_FIELDS);
}

static void every_hook_is_described(void **unused) {
    (void)unused;
    for (int h = 0; h < HOST_HOOKS; h++) {
        const struct hook_kind *kind = &hook_kinds[h];
        char call[80], text[160];
        int n = snprintf(call, sizeof call, "%s(", kind->name);
        for (uint32_t i = 0; i < kind->n_objects; i++)
            n +=
                snprintf(call + n, sizeof call - (size_t)n, "%s, ", object_names[kind->objects[i]]);
        snprintf(call + n, sizeof call - (size_t)n, "now)");
        snprintf(text, sizeof text, "\n| [`%s`](#%s) | ", call, kind->name);
        must_have(HOOKS, text);
        snprintf(text, sizeof text, "\n### %s\n\n", kind->name);
        must_have(HOOKS, text);
        snprintf(text, sizeof text, "`%s` →", call);
        if (!strstr(pages[HOOKS], text)) {
            snprintf(text, sizeof text, "`%s` → ", call);
            must_have(HOOKS, text);
        }
        snprintf(text, sizeof text, "[`%s`](policy-hooks.md#%s)", kind->name, kind->name);
        must_have(LANGUAGE, text);
    }
    int n = 0;
    for (const char *p = pages[HOOKS]; (p = strstr(p, "\n### ")) != NULL; p++) n++;
    assert_int_equal(n, HOST_HOOKS);
}

/* ---- functions ----------------------------------------------------------------------------------- */

static int is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* The page names it in a code span, alone or with arguments. */
static void function_is_named(const char *library, const char *word, size_t len) {
    char alone[80], called[80];
    const char *dot = library[0] ? "." : "";
    snprintf(alone, sizeof alone, "`%s%s%.*s`", library, dot, (int)len, word);
    snprintf(called, sizeof called, "`%s%s%.*s(", library, dot, (int)len, word);
    if (!strstr(pages[LIBRARY], alone) && !strstr(pages[LIBRARY], called))
        fail_msg("%s lacks %s", paths[LIBRARY], alone);
}

/* Every `word = ` of text, up to its end. */
static int keys_are_named(const char *library, const char *text, const char *end) {
    int n = 0;
    for (const char *p = text; (p = strstr(p, " = ")) != NULL && p < end; p += 3) {
        const char *begin = p;
        while (begin > text && is_word(begin[-1])) begin--;
        if (begin == p || (begin > text && begin[-1] == '.')) continue;
        function_is_named(library, begin, (size_t)(p - begin));
        n++;
    }
    return n;
}

static const char *lua_text(const char *name) {
    for (const struct embedded_text *e = embedded_lua; e->name; e++)
        if (strcmp(e->name, name) == 0) return e->text;
    fail_msg("no lua/%s.lua", name);
    return NULL;
}

static void every_function_of_the_libraries_is_described(void **unused) {
    (void)unused;
    int n = 0;
    const char *name;
    for (uint32_t i = 0; (name = library_name(i)) != NULL; i++) {
        char file[64], begin[80], heading[80];
        snprintf(file, sizeof file, "library_%s", name);
        snprintf(begin, sizeof begin, "\nfunction %s.", name);
        snprintf(heading, sizeof heading, "\n## %s\n", name);
        must_have(LIBRARY, heading);
        const char *text = lua_text(file), *table = strstr(text, "\nreturn {");
        for (const char *p = text; (p = strstr(p, begin)) != NULL; p++, n++)
            function_is_named(name, p + strlen(begin), strcspn(p + strlen(begin), "("));
        if (table) n += keys_are_named(name, table, strstr(table, "\n}"));
    }
    assert_in_range(n, 30, 100);
}

static void every_function_of_the_environment_is_described(void **unused) {
    (void)unused;
    const char *text = strstr(lua_text("prelude"), "\nlocal visible = {");
    assert_non_null(text);
    const char *end = strstr(text, "\n}"), *math = strstr(text, "math = library(");
    const char *table = strstr(text, "table = library(\"table\", {");
    const char *table_end = strstr(table, "})"), *math_end = strstr(math, "})");
    assert_true(math < end && table < end);
    assert_int_equal(keys_are_named("math", strchr(math, '{'), math_end), 12);
    assert_int_equal(keys_are_named("table", strchr(table, '{'), table_end), 3);
    static const char *const others[] = {
        "assert", "error", "ipairs",  "pairs", "select", "tonumber", "tostring", "type",
        "hash",   "hour",  "weekday", "log",   "params", "math",     "string",   "table"};
    int n = 0;
    for (const char *p = strchr(text, '{'); (p = strstr(p, " = ")) != NULL && p < end; p += 3) {
        if ((p > table + 8 && p < table_end) || (p > math + 8 && p < math_end)) continue;
        const char *begin = p;
        while (is_word(begin[-1])) begin--;
        if (begin == p) continue; /* [expression] = ...: no name that a text can write */
        if (strncmp(begin, "__lsched", 8) == 0) continue; /* the lexer refuses such names */
        size_t i = 0, known = sizeof others / sizeof *others;
        while (i < known && (strlen(others[i]) != (size_t)(p - begin) ||
                             memcmp(others[i], begin, (size_t)(p - begin)) != 0))
            i++;
        if (i == known) fail_msg("%.*s is new: describe it", (int)(p - begin), begin);
        function_is_named("", begin, (size_t)(p - begin));
        n++;
    }
    assert_int_equal(n, (int)(sizeof others / sizeof *others));
    const char *strings = strstr(lua_text("prelude"), "\nlocal text = {");
    assert_int_equal(keys_are_named("string", strings + 14, strstr(strings, "\n}")), 9);
}

/* What the page shows as library.word can be read in a policy. */
static void every_described_function_exists(void **unused) {
    (void)unused;
    int n = 0;
    char *absent = strstr(pages[LIBRARY], "\n## What is absent");
    assert_non_null(absent);
    for (char *p = pages[LIBRARY]; (p = strchr(p, '`')) != NULL && p < absent; p++) {
        size_t len = 0, dot = 0;
        while (is_word(p[1 + len]) || (p[1 + len] == '.' && dot == 0)) {
            if (p[1 + len] == '.') dot = len;
            len++;
        }
        if (dot == 0 || len < dot + 2 || (p[1 + len] != '`' && p[1 + len] != '(')) continue;
        if (strncmp(p + 1, "queue.", 6) == 0) continue;
        char text[160];
        struct loaded l;
        snprintf(text, sizeof text,
                 "return { api = 1, priority = function() local x = %.*s return 1 end }", (int)len,
                 p + 1);
        load(&l, text);
        unload(&l);
        n++;
    }
    assert_in_range(n, 60, 200);
}

/* ---- settings and limits ------------------------------------------------------------------------- */

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
        {"eviction", "collision", "\"wait\""},
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
        const char *at = strstr(pages[LANGUAGE], row), *value = settings[i][2];
        if (!at) fail_msg("no row%s", row);
        snprintf(end, sizeof end, value[0] == '"' ? " | `%s` | " : " | %s | ", value);
        const char *found = strstr(at, end);
        if (!found || memchr(at + 1, '\n', (size_t)(found - at - 1)))
            fail_msg("%s: its default is %s", settings[i][1], value);
    }
}

/* 32768 as "32,768". */
static const char *grouped(unsigned long long x) {
    static char out[32];
    char digits[32];
    int n = snprintf(digits, sizeof digits, "%llu", x), k = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0) out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = '\0';
    return out;
}

static void every_limit_is_described(void **unused) {
    (void)unused;
    static const struct {
        const char *row;
        unsigned long long value;
    } limits[] = {
        {"a string | %s KiB", HOST_STRING_BYTES_MAX / 1024},
        {"the text | %s KiB", PARSE_TEXT_BYTES_MAX / 1024},
        {"nesting of blocks, functions, tables and parentheses | %s levels", TOKENS_NEST_MAX},
        {"`and`, `or`, `elseif` and `goto` | %s in a text", TOKENS_CHAIN_MAX},
        {"nodes of the syntax tree, locals in scope | %s and ", PARSE_NODES_MAX},
        {"memory allocated by one call (%s elements of a batch)", HOST_CHUNK},
        {"32 lines of %s bytes in a cycle", POLICY_LOG_TEXT_BYTES},
        {"kinds in an answer of `quota` or `limit`, actions of a `pipeline` | %s and ",
         POLICY_QUOTA_ENTRIES_MAX},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        char row[160];
        const char *at = strstr(limits[i].row, "%s");
        snprintf(row, sizeof row, "%.*s%s%s", (int)(at - limits[i].row), limits[i].row,
                 grouped(limits[i].value), at + 2);
        must_have(SANDBOX, row);
    }
    char both[80];
    snprintf(both, sizeof both, "16 and %s | fixed", grouped(POLICY_PIPELINE_MAX));
    must_have(SANDBOX, both);
    snprintf(both, sizeof both, " and %s | fixed", grouped(PARSE_LOCALS_MAX));
    must_have(SANDBOX, both);
}

/* The header says the same defaults. */
static void defaults_are_those_of_the_header(void **unused) {
    (void)unused;
    static char header[100000];
    static const char *const defaults[][2] = {
        {"/* most Lua instructions for each element of a batch; 0: 1,000,000 */\n"
         "    uint64_t instructions_per_call;",
         "| 1,000,000 for each element"},
        {"instructions_per_cycle; /* most Lua instructions in one cycle; 0: 500,000,000 */",
         "| 500,000,000 |"},
        {"memory_limit_bytes;     /* most memory of the policy, at most 64 MiB; 0: 4 MiB */",
         "| 4 MiB | `memory_limit_bytes`, 256 KiB to 64 MiB |"},
        {"/* after this many failed cycles in succession, the policy is ejected; 0: 3 */\n"
         "    uint32_t failures_max;",
         "ejected | 3 | `failures_max` |"},
    };
    FILE *file = fopen("libsched/include/libsched/policies.h", "rb");
    assert_non_null(file);
    header[fread(header, 1, sizeof header - 1, file)] = '\0';
    fclose(file);
    for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) {
        if (!strstr(header, defaults[i][0]))
            fail_msg("the header does not say: %s", defaults[i][0]);
        must_have(SANDBOX, defaults[i][1]);
    }
}

/* ---- examples ------------------------------------------------------------------------------------ */

/* Each is loaded, which runs its hooks on typical and on unusual objects. */
static void every_example_runs(void **unused) {
    (void)unused;
    int n = 0;
    for (int page = 0; page < PAGES; page++) {
        for (char *p = pages[page]; (p = strstr(p, "\n```lua\n")) != NULL; n++) {
            struct loaded l;
            p += strlen("\n```lua\n");
            char *end = strstr(p, "\n```");
            assert_non_null(end);
            *end = '\0';
            load(&l, p);
            const char *warning = l.policy.ops->warning(l.policy.self, 0);
            if (warning) fail_msg("%s\n%s", p, warning);
            unload(&l);
            *end = '\n';
        }
    }
    assert_in_range(n, 16, 100);
    int recipes = 0;
    for (const char *p = strstr(pages[LANGUAGE], "\n## Recipes"); (p = strstr(p, "\n**")); p++)
        recipes++;
    assert_in_range(recipes, 10, 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_described_as_it_is_defined),
        cmocka_unit_test(no_other_field_is_described),
        cmocka_unit_test(every_hook_is_described),
        cmocka_unit_test(every_function_of_the_libraries_is_described),
        cmocka_unit_test(every_function_of_the_environment_is_described),
        cmocka_unit_test(every_described_function_exists),
        cmocka_unit_test(every_setting_is_described),
        cmocka_unit_test(every_limit_is_described),
        cmocka_unit_test(defaults_are_those_of_the_header),
        cmocka_unit_test(every_example_runs),
    };
    return cmocka_run_group_tests(tests, read_pages, NULL);
}
