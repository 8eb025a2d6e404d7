/* The instruction budget ends a call at the same point: in every state, in every process, whatever the seeds of LuaJIT's
 * string hashes are; and an interrupt from another thread ends it at all.
 *
 * The point is the number of calls of hash() and of labels that a hook got done, told by the label function of the view. With an
 * argument the program prints it and ends; the test runs itself so five times. */
#define _DEFAULT_SOURCE
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "unit/lua_fixture.h"

enum { PROCESSES = 5, STATES = 5 };

/* Tables with string keys, sorting, joining, closures, library calls: all that could depend on a
 * hash or an address. */
static const char text[] =
    "local function churn(n)\n"
    "  local t, names = {}, {}\n"
    "  for i = 1, n do t['key' .. i * 7919 % 1000] = i names[i] = 'n' .. i end\n"
    "  for k, v in pairs(t) do if v % 3 == 0 then t[k] = nil end end\n"
    "  table.sort(names, function(a, b) return a > b end)\n"
    "  return hash(n, names[1], stats.median({ n, 2, 1 })) + calendar.hour(n * units.hour)\n"
    "end\n"
    "return { api = 1, score = function(job, node, now)\n"
    "  if job.name ~= 'evil' then return 42 end\n"
    "  local i, x = 0, 0\n"
    "  while true do i = i + 1 x = x + churn(i % 17 + 1) + string.len(node.labels.zone or '') end\n"
    "end }\n";

static uint64_t labels_asked;

static int count_label(void *engine, uint32_t row, const char *key, size_t len,
                       lsched_text *value) {
    (void)engine, (void)row, (void)key, (void)len, (void)value;
    labels_asked++;
    return 0;
}

static uint64_t kill_point(struct loaded *l, uint64_t *spent) {
    static struct fake fake;
    uint32_t row = 1;
    double out;
    lsched_error err = LSCHED_ERROR_INIT;
    fake_begin(&fake);
    fake.names[1] = "evil";
    fake.view.label = count_label;
    labels_asked = 0;
    l->policy.ops->cycle_begin(l->policy.self);
    if (l->policy.ops->score(l->policy.self, &fake.view, row, &row, 1, &out, &err) !=
        LSCHED_E_BUDGET)
        fail_msg("%s", err.message);
    *spent = l->policy.ops->instructions_spent(l->policy.self);
    return labels_asked;
}

static void the_point_is_that_of_every_state(void **unused) {
    (void)unused;
    uint64_t first = 0, first_spent = 0;
    for (int i = 0; i < STATES; i++) {
        struct loaded l;
        uint64_t spent;
        load(&l, text);
        for (int again = 0; again < 3; again++) {
            uint64_t point = kill_point(&l, &spent);
            if (i == 0 && again == 0) first = point, first_spent = spent;
            assert_int_equal(point, first);
            assert_int_equal(spent, first_spent);
        }
        unload(&l);
    }
    print_message("ended after %llu rounds, %llu instructions\n", (unsigned long long)first,
                  (unsigned long long)first_spent);
    assert_true(first > 100);
}

static char self_path[4096];

static void the_point_is_that_of_every_process(void **unused) {
    (void)unused;
    char command[4200], lines[PROCESSES][64];
    snprintf(command, sizeof command, "'%s' print", self_path);
    for (int i = 0; i < PROCESSES; i++) {
        FILE *p = popen(command, "r");
        assert_non_null(p);
        assert_non_null(fgets(lines[i], sizeof lines[i], p));
        assert_int_equal(pclose(p), 0);
        assert_string_equal(lines[i], lines[0]);
    }
    print_message("%d processes: %s", PROCESSES, lines[0]);
}

/* ---- interrupt ------------------------------------------------------------------------------- */

static atomic_int interrupt;

static int is_interrupted(void *engine) {
    (void)engine;
    return atomic_load(&interrupt);
}

static void *interrupt_soon(void *unused) {
    (void)unused;
    const struct timespec soon = {0, 5000000};
    nanosleep(&soon, NULL);
    atomic_store(&interrupt, 1);
    return NULL;
}

static void an_interrupt_of_another_thread_ends_a_call(void **unused) {
    (void)unused;
    static struct fake fake;
    struct loaded l;
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    uint32_t evil = 1, good = 2;
    double out;
    opts.instructions_per_call = opts.instructions_per_cycle = (uint64_t)1 << 50; /* days */
    load_with(&l, text, &opts);
    assert_int_equal(l.rc, LSCHED_OK);
    fake_begin(&fake);
    fake.names[1] = "evil";
    fake.view.interrupted = is_interrupted;
    for (int i = 0; i < 3; i++) {
        pthread_t thread;
        atomic_store(&interrupt, 0);
        assert_int_equal(pthread_create(&thread, NULL, interrupt_soon, NULL), 0);
        int32_t rc = l.policy.ops->score(l.policy.self, &fake.view, evil, &evil, 1, &out, &l.err);
        assert_int_equal(pthread_join(thread, NULL), 0);
        assert_int_equal(rc, LSCHED_E_INTERRUPTED);
        assert_int_equal(l.err.sub, 1); /* a replay takes it from its record */
        atomic_store(&interrupt, 0);
        rc = l.policy.ops->score(l.policy.self, &fake.view, good, &good, 1, &out, &l.err);
        assert_int_equal(rc, LSCHED_OK);
        assert_true(out == 42);
    }
    unload(&l);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_point_is_that_of_every_state),
        cmocka_unit_test(the_point_is_that_of_every_process),
        cmocka_unit_test(an_interrupt_of_another_thread_ends_a_call),
    };
    if (argc > 1) {
        struct loaded l;
        uint64_t spent, point;
        load(&l, text);
        point = kill_point(&l, &spent);
        unload(&l);
        printf("%llu %llu\n", (unsigned long long)point, (unsigned long long)spent);
        return 0;
    }
    snprintf(self_path, sizeof self_path, "%s", argv[0]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
