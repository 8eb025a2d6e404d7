/* One file of tests/hostile_lua and what its head promises. Two tests run them all: the policy alone, and a whole cycle of
 * a cluster. Both on a thread with a small stack.
 *
 *   -- expect: load CODE text    the file does not load
 *   -- expect: hook CODE text    it loads; its hook fails for whatever is called "evil" or, where nothing has a name, at the
 *                                time 666, and gives 42 (where it gives numbers) for all others
 *   -- expect: cycle CODE text   likewise, but it is the engine that refuses the answer
 *   -- puc51: ...                what PUC Lua does instead, if this is something else */
#ifndef HOSTILE_FILE_H
#define HOSTILE_FILE_H

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

enum { HOSTILE_STACK_BYTES = 256 * 1024, HOSTILE_TIME_S = 666 };

struct attempt {
    char name[256];
    char text[80000];
    size_t len;
    char stage[8], code[24], fragment[128];
    char complaint[800]; /* "" if all is well */
};

static inline const char *hostile_code_name(int32_t code) {
    switch (code) {
#define X(name, value, text) \
    case value:              \
        return #name;
#include <libsched/errors.def>
#undef X
    default: return "?";
    }
}

/* Notes a complaint if it is another error than the file promises. */
static inline int hostile_is_expected(struct attempt *a, int32_t rc, const char *message) {
    if (strcmp(hostile_code_name(rc), a->code) == 0 && strstr(message, a->fragment) &&
        !strpbrk(message, "\n\r\t\x1b"))
        return 1;
    snprintf(a->complaint, sizeof a->complaint, "%s: want %s '%s', got %s '%s'", a->name, a->code,
             a->fragment, hostile_code_name(rc), message);
    return 0;
}

static inline void hostile_read(struct attempt *a, const char *name) {
    char path[512];
    memset(a, 0, sizeof *a);
    snprintf(a->name, sizeof a->name, "%s", name);
    snprintf(path, sizeof path, "tests/hostile_lua/%s", name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    a->len = fread(a->text, 1, sizeof a->text - 1, file);
    fclose(file);
    const char *expect = strstr(a->text, "-- expect: ");
#if defined(LSCHED_LUA_PUC)
    if (strstr(a->text, "-- puc51: ")) expect = strstr(a->text, "-- puc51: ");
#endif
    if (!expect || sscanf(expect, "-- %*s %7s %23s %127[^\n]", a->stage, a->code, a->fragment) < 2)
        fail_msg("%s does not say what it expects", name);
}

static inline int hostile_is_lua(const struct dirent *entry) {
    size_t n = strlen(entry->d_name);
    return n > 4 && strcmp(entry->d_name + n - 4, ".lua") == 0;
}

/* run(attempt) for every file, each on a thread of its own. Prints all complaints, then fails. */
static inline void hostile_run_all(void *(*run)(void *attempt)) {
    static struct attempt a;
    struct dirent **entries;
    int n = scandir("tests/hostile_lua", &entries, hostile_is_lua, alphasort), bad = 0;
    assert_true(n >= 40);
    for (int i = 0; i < n; i++) {
        pthread_attr_t attr;
        pthread_t thread;
        hostile_read(&a, entries[i]->d_name);
        assert_int_equal(pthread_attr_init(&attr), 0);
        assert_int_equal(pthread_attr_setstacksize(&attr, HOSTILE_STACK_BYTES), 0);
        assert_int_equal(pthread_create(&thread, &attr, run, &a), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
        pthread_attr_destroy(&attr);
        if (a.complaint[0]) {
            print_error("%s\n", a.complaint);
            bad++;
        }
        free(entries[i]);
    }
    free(entries);
    print_message("%d files\n", n);
    assert_int_equal(bad, 0);
}

#endif
