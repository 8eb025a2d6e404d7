/* Every file of tests/hostile_lua ends with the error that its head promises, the state works
 * afterwards, nothing leaks, and a C stack of 256 KB is enough.
 *
 *   -- expect: load CODE text    the file does not load
 *   -- expect: hook CODE text    it loads; its hook fails for the job "evil" and gives 42 for any other */
#define _DEFAULT_SOURCE
#include <dirent.h>
#include <pthread.h>

#include "unit/lua_fixture.h"

#if defined(__SANITIZE_ADDRESS__)
#define STACK_FACTOR 4 /* its frames are larger */
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STACK_FACTOR 4
#endif
#endif
#ifndef STACK_FACTOR
#define STACK_FACTOR 1
#endif

static const char directory[] = "tests/hostile_lua";
enum { EVIL = 1, GOOD = 2 };

struct attempt {
    char name[256];
    char text[80000];
    size_t len;
    char stage[8], code[24], fragment[128];
    char complaint[800]; /* "" if all is well */
};

static const char *code_name(int32_t code) {
    switch (code) {
#define X(name, value, text) \
    case value:              \
        return #name;
#include <libsched/errors.def>
#undef X
    default: return "?";
    }
}

static int is_expected(struct attempt *a, int32_t rc, const lsched_error *err) {
    if (strcmp(code_name(rc), a->code) == 0 && err->code == rc &&
        strstr(err->message, a->fragment) && !strpbrk(err->message, "\n\r\t\x1b"))
        return 1;
    snprintf(a->complaint, sizeof a->complaint, "%s: want %s '%s', got %s '%s'", a->name, a->code,
             a->fragment, code_name(rc), err->message);
    return 0;
}

static int32_t call(struct policy *policy, struct fake *fake, uint32_t job, double *out,
                    lsched_error *err) {
    policy->ops->cycle_begin(policy->self);
    *out = -1;
    if (policy->desc.hooks & LSCHED_HOOK_PRIORITY)
        return policy->ops->priority(policy->self, &fake->view, &job, &job, 1, out, err);
    if (policy->desc.hooks & LSCHED_HOOK_VICTIM) {
        const struct policy_candidate candidate = {.job = job, .queue = job, .tasks = job};
        return policy->ops->victim(policy->self, &fake->view, job, &candidate, 1, out, err);
    }
    return policy->ops->score(policy->self, &fake->view, job, &job, 1, out, err);
}

/* Fails for "evil" and works for "good", again and again, at the same cost. */
static void attempt_hook(struct attempt *a, struct policy *policy, struct fake *fake) {
    uint64_t spent = 0;
    for (int round = 0; round < 3 && !a->complaint[0]; round++) {
        lsched_error err = LSCHED_ERROR_INIT;
        double out;
        int32_t rc = call(policy, fake, EVIL, &out, &err);
        if (!is_expected(a, rc, &err)) return;
        uint64_t now = policy->ops->instructions_spent(policy->self);
        if (round && err.sub == 0 && now != spent)
            snprintf(a->complaint, sizeof a->complaint, "%s: costs %llu, then %llu", a->name,
                     (unsigned long long)spent, (unsigned long long)now);
        spent = now;
        rc = call(policy, fake, GOOD, &out, &err);
        if (rc != LSCHED_OK || out != 42)
            snprintf(a->complaint, sizeof a->complaint, "%s: unusable afterwards: %s", a->name,
                     err.message);
    }
}

static void *attempt_run(void *user) {
    struct attempt *a = user;
    static struct fake fake;
    struct alloc alloc;
    struct policy policy;
    lsched_error err = LSCHED_ERROR_INIT;
    fake_begin(&fake);
    fake.names[EVIL] = "evil";
    fake.names[GOOD] = "good";
    alloc_init(&alloc, NULL, 0);
    int32_t rc = lua_policy_create(&alloc, a->name, a->text, a->len, NULL, &policy, &err);
    if (strcmp(a->stage, "load") == 0) {
        is_expected(a, rc, &err);
    } else if (rc < 0) {
        snprintf(a->complaint, sizeof a->complaint, "%s: does not load: %s", a->name, err.message);
    } else {
        attempt_hook(a, &policy, &fake);
    }
    if (rc == LSCHED_OK) policy.ops->destroy(policy.self);
    if (!a->complaint[0] && alloc.bytes != 0)
        snprintf(a->complaint, sizeof a->complaint, "%s: %llu bytes are lost", a->name,
                 (unsigned long long)alloc.bytes);
    return NULL;
}

static void attempt_on_small_stack(struct attempt *a) {
    pthread_attr_t attr;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstacksize(&attr, STACK_FACTOR * 256 * 1024), 0);
    assert_int_equal(pthread_create(&thread, &attr, attempt_run, a), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attr);
}

static void read_attempt(struct attempt *a, const char *name) {
    char path[512];
    memset(a, 0, sizeof *a);
    snprintf(a->name, sizeof a->name, "%s", name);
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    a->len = fread(a->text, 1, sizeof a->text - 1, file);
    fclose(file);
    const char *expect = strstr(a->text, "-- expect: ");
    if (!expect ||
        sscanf(expect, "-- expect: %7s %23s %127[^\n]", a->stage, a->code, a->fragment) < 2)
        fail_msg("%s does not say what it expects", name);
}

static int is_lua(const struct dirent *entry) {
    size_t n = strlen(entry->d_name);
    return n > 4 && strcmp(entry->d_name + n - 4, ".lua") == 0;
}

static void hostile_files_end_as_they_promise(void **unused) {
    (void)unused;
    struct dirent **entries;
    static struct attempt a;
    int n = scandir(directory, &entries, is_lua, alphasort), bad = 0;
    assert_true(n >= 40);
    for (int i = 0; i < n; i++) {
        read_attempt(&a, entries[i]->d_name);
        attempt_on_small_stack(&a);
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(hostile_files_end_as_they_promise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
