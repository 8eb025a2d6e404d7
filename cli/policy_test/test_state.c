/*
 * test_state.c -- see test_state.h. This file creates the Lua state, limits its memory and
 * instructions, and has the functions that policy_tests.lua calls.
 */
#include "cli/policy_test/test_objects.h"
#include "cli/policy_test/test_running.h"
#include "cli/policy_test/test_state.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/did_you_mean.h"
#include "embedded_text.h"
#include "cli/support/time_text.h"
#include "cli/support/cli_errors.h"

extern const struct embedded_text embedded_policy_tests[];

#define STATE_BYTES_MAX ((uint64_t)512 << 20)

enum { HOOK_STEP = 1000 };

/* ---- memory and time ---- */

/* The allocation function of the Lua state (lua_Alloc). Returns NULL if the state would use more
 * than bytes_max bytes. */
static void *resize(void *user, void *old, size_t old_bytes, size_t bytes) {
    struct test_state *state = user;
    if (old == NULL) old_bytes = 0;
    if (bytes == 0) {
        free(old);
        state->bytes -= old_bytes;
        return NULL;
    }
    if (bytes > old_bytes && state->bytes - old_bytes + bytes > state->bytes_max) return NULL;
    void *fresh = realloc(old, bytes);
    if (fresh != NULL) state->bytes = state->bytes - old_bytes + bytes;
    return fresh;
}

/* Raises an error if the test has used up its instructions. LuaJIT calls this function after every
 * HOOK_STEP instructions. After the first error, LuaJIT calls it after every instruction, so that
 * the test cannot continue by catching the error with pcall. */
static void on_count(lua_State *L, lua_Debug *where) {
    static const char text[] =
        "it was still running when the test's budget of instructions was spent; is "
        "it an endless loop? (--instructions sets the budget)";
    struct test_state *state = test_state_now();
    (void)where;
    if (state->steps_left > 0) {
        state->steps_left--;
        return;
    }
    if (!state->expired) state->lua.sethook(L, on_count, LUA_MASKCOUNT, 1);
    state->expired = true;
    state->lua.pushlstring(L, text, sizeof text - 1);
    state->lua.error(L);
}

/* Pushes a list of the lines in the test file at which functions are being called. The innermost
 * call is the first in the list. The function leaves all other values on the Lua stack, because
 * add_places() needs the error message. */
static void push_places(lua_State *L) {
    struct test_state *state = test_state_now();
    lua_Debug frame;
    int n = 0;
    state->lua.createtable(L, 4, 0);
    for (int level = 1; n < TEST_PLACES_MAX && state->lua.getstack(L, level, &frame); level++) {
        if (!state->lua.getinfo(L, "Sl", &frame) || frame.currentline <= 0) continue;
        if (frame.source[0] != '@' || strcmp(frame.source + 1, state->file) != 0) continue;
        state->lua.pushnumber(L, frame.currentline);
        state->lua.rawseti(L, -2, ++n);
    }
}

/* The error handler of host_try(), with the error as argument. Returns a table {error, places},
 * where `places` is the list from push_places(). */
static int add_places(lua_State *L) {
    struct test_state *state = test_state_now();
    state->lua.createtable(L, 0, 2);
    state->lua.pushvalue(L, 1);
    state->lua.setfield(L, -2, "error");
    push_places(L);
    state->lua.setfield(L, -2, "places");
    return 1;
}

static int host_places(lua_State *L) {
    push_places(L);
    return 1;
}

/* Lua function (function, instructions). Calls the given function without arguments, with a limit
 * on its instructions. Returns true, or, after an error, false and a table {error, places}. */
static int host_try(lua_State *L) {
    struct test_state *state = test_state_now();
    state->steps_left = (uint64_t)state->lua.tonumber(L, 2) / HOOK_STEP;
    state->expired = false;
    state->lua.settop(L, 1);
    state->lua.pushcclosure(L, add_places, 0);
    state->lua.insert(L, 1);
    state->lua.sethook(L, on_count, LUA_MASKCOUNT, HOOK_STEP);
    int rc = state->lua.pcall(L, 0, 0, 1);
    state->lua.sethook(L, NULL, 0, 0);
    state->lua.pushboolean(L, rc == 0);
    if (rc == 0) return 1;
    state->lua.insert(L, 2);
    return 2;
}

/* ---- clusters ---- */

static void close_clusters(struct test_state *state) {
    while (state->n_clusters > 0) {
        struct test_cluster *last = &state->clusters[--state->n_clusters];
        lsched_cluster_destroy(last->cluster);
        host_allocator_end(&last->memory);
    }
}

static int host_close_all(lua_State *L) {
    (void)L;
    close_clusters(test_state_now());
    return 0;
}

/* Pushes nil and a table {message, code, line, column} about an error. Returns 2, the number of
 * pushed values. */
static int push_failure(struct test_state *state, const lsched_error *err) {
    const char *message = err->message[0] != '\0' ? err->message : lsched_error_text(err->code);
    state->lua.pushnil(state->L);
    state->lua.createtable(state->L, 0, 4);
    test_set_string(state, "message", message);
    test_set_string(state, "code", lsched_error_name(err->code));
    test_set_number(state, "line", err->line);
    test_set_number(state, "column", err->column);
    return 2;
}

/* Reads a policy file that a scenario names. In the scenarios of tests, the name is the path of the
 * file. */
static int32_t read_named(void *user, const char *name, const char **text, size_t *len) {
    struct test_state *state = test_state_now();
    (void)user;
    input_free(&state->named);
    if (input_read(name, &state->named) != EXIT_OK) return LSCHED_E_NOENT;
    *text = state->named.text;
    *len = state->named.len;
    return LSCHED_OK;
}

struct play {
    int bottom;      /* height of the Lua stack before the plan is pushed */
    char **failures; /* owned by this struct */
    int n_failures;
    bool has_plan, /* true if a plan or an error message has been pushed */
        failed;    /* true if the pushed value is an error message instead of a plan */
};

static int32_t play_cycle(void *user, const lsched_scenario_cycle *cycle) {
    struct test_state *state = test_state_now();
    struct play *play = user;
    lsched_scenario_cycle shown = *cycle;
    state->lua.settop(state->L, play->bottom);
    state->lua.pushcclosure(state->L, test_push_plan, 0);
    state->lua.pushlightuserdata(state->L, &shown);
    play->failed = state->lua.pcall(state->L, 1, 1, 0) != 0;
    play->has_plan = true;
    return play->failed;
}

static void play_failure(void *user, const lsched_error *failure) {
    struct play *play = user;
    size_t n = (size_t)play->n_failures;
    play->failures = must_resize(play->failures, (n + 1) * sizeof play->failures[0]);
    play->failures[play->n_failures++] = must_copy(failure->message, strlen(failure->message));
}

static void push_failures(struct test_state *state, struct play *play) {
    state->lua.createtable(state->L, play->n_failures, 0);
    for (int i = 0; i < play->n_failures; i++) {
        state->lua.pushlstring(state->L, play->failures[i], strlen(play->failures[i]));
        state->lua.rawseti(state->L, -2, i + 1);
        free(play->failures[i]);
    }
    free(play->failures);
}

/* Runs a scenario in a cluster and destroys the scenario. Pushes the plan of the last cycle, or
 * false if there was no cycle. Then pushes the list of messages about expectations that do not
 * hold. After an error of the scenario, pushes what push_failure() pushes. */
static int play(struct test_state *state, lsched_scenario *scenario, lsched_cluster *cluster) {
    struct play play = {.bottom = state->lua.gettop(state->L)};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    lsched_scenario_report report = LSCHED_SCENARIO_REPORT_INIT;
    opts.flags = LSCHED_RUN_VERIFY;
    opts.user = &play;
    opts.on_cycle = play_cycle;
    opts.on_failure = play_failure;
    opts.read_file = read_named;
    int32_t rc = lsched_scenario_run(scenario, cluster, &opts, &report, &err);
    lsched_scenario_destroy(scenario);
    if (!play.has_plan) state->lua.pushboolean(state->L, 0);
    push_failures(state, &play);
    if (play.failed) {
        state->lua.settop(state->L, play.bottom + 1);
        return state->lua.error(state->L);
    }
    return rc < 0 ? push_failure(state, &err) : 2;
}

static int32_t parse(struct test_state *state, lsched_scenario **out, lsched_error *err) {
    size_t len = 0;
    const char *text = state->lua.tolstring(state->L, -1, &len);
    return lsched_scenario_parse(NULL, (lsched_text){text != NULL ? text : "", len},
                                 LSCHED_TEXT("scenario"), out, err);
}

/* Lua function (yaml). Creates a cluster from a scenario in YAML. Returns the number of the
 * cluster, counted from 1. After an error, returns nil and a table about the error. */
static int host_open(lua_State *L) {
    struct test_state *state = test_state_now();
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *scenario = NULL;
    if (state->n_clusters == TEST_CLUSTERS_MAX) {
        state->lua.pushlstring(L, "a test may make at most 64 clusters", 35);
        return state->lua.error(L);
    }
    if (parse(state, &scenario, &err) < 0) return push_failure(state, &err);
    struct test_cluster *fresh = &state->clusters[state->n_clusters++];
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    fresh->cluster = NULL;
    opts.allocator = host_allocator_begin(&fresh->memory);
    err.code = lsched_scenario_cluster_opts(scenario, &opts);
    if (err.code == 0) err.code = lsched_cluster_create(&opts, &fresh->cluster, &err);
    if (err.code < 0) {
        lsched_scenario_destroy(scenario);
        return push_failure(state, &err);
    }
    int results = play(state, scenario, fresh->cluster);
    if (state->lua.type(L, -results) == LUA_TNIL) return results;
    state->lua.pushnumber(L, (double)state->n_clusters);
    return 1;
}

/* Lua function (cluster, yaml). Runs a scenario in a cluster. Returns the plan of its last cycle,
 * or false if there was no cycle, and a list of messages about expectations that do not hold. After
 * an error, returns nil and a table about the error. */
static int host_play(lua_State *L) {
    struct test_state *state = test_state_now();
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario *scenario = NULL;
    lsched_cluster *cluster = test_cluster_of(state);
    (void)L;
    if (parse(state, &scenario, &err) < 0) return push_failure(state, &err);
    return play(state, scenario, cluster);
}

/* ---- time, words and output ---- */

/* Lua function (text, base). The text is a date, or a duration that is added to the time `base`.
 * Returns the time in microseconds, or nothing if the text is neither. */
static int host_time(lua_State *L) {
    struct test_state *state = test_state_now();
    const char *text = state->lua.tolstring(L, 1, NULL);
    int64_t at_us = 0;
    if (text == NULL || !time_parse(text, (int64_t)state->lua.tonumber(L, 2), &at_us)) return 0;
    state->lua.pushnumber(L, (double)at_us);
    return 1;
}

static int host_date(lua_State *L) {
    struct test_state *state = test_state_now();
    char text[TIME_TEXT_BYTES];
    time_format((int64_t)state->lua.tonumber(L, 1), text);
    state->lua.pushlstring(L, text, strlen(text));
    return 1;
}

/* Returns the word with index i of the list that is at index 2 of the Lua stack. The word is valid
 * as long as the list. */
static const char *listed_word(const void *list, size_t i) {
    struct test_state *state = test_state_now();
    (void)list;
    state->lua.rawgeti(state->L, 2, (int)i + 1);
    const char *word = state->lua.tolstring(state->L, -1, NULL);
    state->lua.settop(state->L, 2);
    return word;
}

/* Lua function (word, list). Returns the word of the list that is most similar to the given word,
 * or nothing if none is similar. */
static int host_suggest(lua_State *L) {
    struct test_state *state = test_state_now();
    const char *word = state->lua.tolstring(L, 1, NULL);
    if (word == NULL || state->lua.type(L, 2) != LUA_TTABLE) return 0;
    const char *meant = suggest(word, listed_word, NULL);
    if (meant == NULL) return 0;
    state->lua.pushlstring(L, meant, strlen(meant));
    return 1;
}

/* Lua function (text). Prints the text to stderr. stdout is only for results, and the output of a
 * test is not a result. */
static int host_print(lua_State *L) {
    struct test_state *state = test_state_now();
    size_t len = 0;
    const char *text = state->lua.tolstring(L, 1, &len);
    if (text != NULL) fwrite(text, 1, len, stderr);
    return 0;
}

/* Lua function (name, line, fails_at, message, plan). Calls on_test with the outcome of one
 * test. */
static int host_report(lua_State *L) {
    struct test_state *state = test_state_now();
    struct test_outcome outcome = {
        .name = state->lua.tolstring(L, 1, NULL),
        .line = (uint32_t)state->lua.tonumber(L, 2),
        .fails_at = (uint32_t)state->lua.tonumber(L, 3),
        .message = state->lua.tolstring(L, 4, NULL),
        .plan = state->lua.tolstring(L, 5, NULL),
    };
    if (outcome.name != NULL) state->on_test(state->user, &outcome);
    return 0;
}

static const struct {
    const char *name;
    lua_CFunction function;
} host_functions[] = {
    {"try", host_try},
    {"places", host_places},
    {"close_all", host_close_all},
    {"open", host_open},
    {"play", host_play},
    {"time", host_time},
    {"date", host_date},
    {"suggest", host_suggest},
    {"print", host_print},
    {"report", host_report},
    {"job", test_push_job},
    {"queue", test_push_queue},
    {"node", test_push_node},
    {"policy", test_push_policy},
    {"running", test_push_running},
    {"explain", test_explain},
    {"ask", test_ask},
};

/* ---- a file ---- */

static void open_library(struct test_state *state, lua_CFunction open, const char *name) {
    state->lua.pushcclosure(state->L, open, 0);
    state->lua.pushlstring(state->L, name, strlen(name));
    state->lua.call(state->L, 1, 0);
}

static void push_host(struct test_state *state, const struct input_file *file,
                      const struct test_options *options) {
    state->lua.createtable(state->L, 0, 24);
    for (size_t i = 0; i < sizeof host_functions / sizeof host_functions[0]; i++) {
        state->lua.pushcclosure(state->L, host_functions[i].function, 0);
        state->lua.setfield(state->L, -2, host_functions[i].name);
    }
    test_set_text(state, "source", file->text, file->len);
    test_set_string(state, "file", file->name);
    test_set_string(state, "directory", state->directory);
    test_set_string(state, "filter", options->filter);
    test_set_bool(state, "list", options->list);
    test_set_number(state, "instructions", (double)options->instructions_max);
}

struct boot {
    const struct input_file *file;
    const struct test_options *options;
};

/* Loads one of the embedded Lua files and pushes it as a function. */
static void load_part(struct test_state *state, const char *name) {
    const struct embedded_text *part = embedded_policy_tests;
    while (strcmp(part->name, name) != 0) part++;
    if (state->lua.loadbuffer(state->L, part->text, part->len, "=lsched") != 0)
        state->lua.error(state->L);
}

/* Lua function (struct boot as light userdata). Runs the embedded Lua files, which run the tests.
 * Returns nothing, or a message about an error in the test file. */
static int boot(lua_State *L) {
    struct test_state *state = test_state_now();
    const struct boot *args = state->lua.touserdata(L, 1);
    open_library(state, state->lua.open_base, "");
    open_library(state, state->lua.open_table, LUA_TABLIBNAME);
    open_library(state, state->lua.open_string, LUA_STRLIBNAME);
    open_library(state, state->lua.open_math, LUA_MATHLIBNAME);
    load_part(state, "policy_tests");
    push_host(state, args->file, args->options);
    load_part(state, "policy_test_words");
    state->lua.pushvalue(L, -2);
    state->lua.call(L, 1, 1);
    state->lua.setfield(L, -2, "words");
    state->lua.call(L, 1, 1);
    return 1;
}

static int run_file(struct test_state *state, const struct boot *args) {
    state->L = state->lua.newstate(resize, state);
    if (state->L == NULL) {
        complain("out of memory");
        return EXIT_INTERNAL;
    }
    state->lua.pushcclosure(state->L, boot, 0);
    state->lua.pushlightuserdata(state->L, (void *)(uintptr_t)args);
    int rc = state->lua.pcall(state->L, 1, 1, 0);
    const char *wrong = state->lua.tolstring(state->L, -1, NULL);
    if (wrong != NULL) fprintf(stderr, "%s\n", wrong);
    close_clusters(state);
    state->lua.close(state->L);
    return rc != 0 ? EXIT_INTERNAL : wrong != NULL ? EXIT_INPUT : EXIT_OK;
}

int test_file_run(const char *path, const struct test_options *options,
                  void (*on_test)(void *user, const struct test_outcome *outcome), void *user) {
    struct test_state state = {.on_test = on_test, .user = user, .bytes_max = STATE_BYTES_MAX};
    struct input_file file;
    int rc = input_read(path, &file);
    if (rc != EXIT_OK) return rc;
    const char *slash = strrchr(file.name, '/');
    state.file = file.name;
    state.directory = must_copy(file.name, slash != NULL ? (size_t)(slash - file.name) + 1 : 0);
    rc = lua_door_open(&state.lua);
    if (rc == EXIT_OK) {
        test_state_run(&state);
        rc = run_file(&state, &(struct boot){&file, options});
        test_state_run(NULL);
        lua_door_close(&state.lua);
    }
    input_free(&state.named);
    free(state.directory);
    input_free(&file);
    return rc;
}
