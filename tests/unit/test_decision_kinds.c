/* The kinds of decisions that an orchestrator asks for: which sets are accepted, that a plan has no
 * other kind, that nothing is searched for in vain, and that a set that changes lets parked jobs
 * evict. docs/semantics.md 26 has the rules. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>

#include "support/api_world.h"

#define BIT(kind) (1u << LSCHED_DECIDE_##kind)

static const char POLICY[] = "return { api = 1, name = \"g\", fair_share = \"quota\", "
                             "pipeline = { \"allocate\", \"reclaim\", \"preempt\" } }";

static struct {
    struct api_world w;
    lsched_plan *plan;
    lsched_error err;
} t;

static lsched_id submit(const char *name, const char *queue, uint32_t gpus) {
    lsched_group_desc group = api_group(gpus);
    lsched_job_desc job = api_job(name, &group, 1);
    lsched_id id = 0;
    job.queue_name = lsched_cstr(queue);
    assert_int_equal(lsched_jobs_submit(t.w.cluster, &job, 1, sizeof job, NULL, &id, NULL, &t.err),
                     1);
    return id;
}

static int32_t cycle(uint32_t kinds) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = t.w.now_us += 1000;
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    opts.decision_kinds = kinds;
    lsched_plan_destroy(t.plan);
    t.plan = NULL;
    t.err = (lsched_error)LSCHED_ERROR_INIT;
    return lsched_schedule(t.w.cluster, &opts, &t.plan, &t.err);
}

static uint32_t kinds_of_plan(void) {
    uint32_t kinds = 0;
    for (size_t i = 0; i < lsched_plan_size(t.plan); i++)
        kinds |= 1u << lsched_plan_at(t.plan, i)->kind;
    return kinds;
}

/* All 16 GPUs run work of a queue without a guarantee; the owner of a guarantee waits. */
static int begin(void **unused) {
    (void)unused;
    memset(&t, 0, sizeof t);
    t.err = (lsched_error)LSCHED_ERROR_INIT;
    if (api_world_make(&t.w, NULL) < 0) return 1;
    lsched_id jobs[] = {t.w.busy, t.w.open, t.w.later};
    lsched_queue_desc queues[] = {api_queue("owners", NULL), api_queue("guests", NULL)};
    queues[1].n_quota = 0;
    if (lsched_jobs_remove(t.w.cluster, jobs, 3, NULL, NULL, NULL) < 0 ||
        lsched_queues_add(t.w.cluster, queues, 2, sizeof queues[0], NULL, NULL, NULL, &t.err) < 0 ||
        lsched_policy_load(t.w.cluster, LSCHED_TEXT("g"), lsched_cstr(POLICY), NULL, &t.err) < 0) {
        print_message("%s\n", t.err.message);
        return 1;
    }
    lsched_id guests[16];
    for (int i = 0; i < 16; i++) {
        const char name[] = {'g', (char)('a' + i), 0};
        guests[i] = submit(name, "guests", 1);
    }
    if (cycle(0) < 0) return 1;
    for (int i = 0; i < 16; i++)
        if (api_report(t.w.cluster, guests[i], LSCHED_EVENT_STARTED) < 0) return 1;
    t.w.now_us += INT64_C(3600000000); /* longer than work is protected after its start */
    submit("owner", "owners", 8);
    return 0;
}

static int end(void **unused) {
    (void)unused;
    lsched_plan_destroy(t.plan);
    api_world_drop(&t.w);
    return 0;
}

static void every_set_holds_and_the_next_set_counts_at_once(void **unused) {
    (void)unused;
    const uint32_t all = LSCHED_DECISION_KINDS_DEFAULT;
    for (uint32_t set = 0; set <= all; set++) {
        if ((set & ~all) || !(set & BIT(PLACE))) continue;
        assert_int_equal(cycle(set), LSCHED_OK);
        assert_int_equal(kinds_of_plan() & ~set, 0);
        if ((set & BIT(EVICT)) && (set & BIT(NOMINATE))) break;
        /* the owner is looked at, but no victim is sought */
        lsched_plan_info info = {.size = sizeof info};
        assert_int_equal(lsched_plan_get(t.plan, &info, &t.err), LSCHED_OK);
        assert_int_equal(info.searches_proven + info.searches_cut + info.evictions, 0);
        assert_true(info.next_wake_us > t.w.now_us);
    }
    assert_int_equal(kinds_of_plan(), BIT(EVICT) | BIT(NOMINATE));
}

static void zero_is_the_seven_kinds_of_version_0_2(void **unused) {
    (void)unused;
    assert_int_equal(LSCHED_DECISION_KINDS_DEFAULT, 0x39e);
    lsched_cluster *copy = NULL;
    uint64_t a = 1, b = 2;
    assert_int_equal(lsched_cluster_clone(t.w.cluster, &copy, &t.err), LSCHED_OK);
    assert_int_equal(cycle(0), LSCHED_OK);
    assert_int_equal(lsched_cluster_hash(t.w.cluster, LSCHED_HASH_IMAGE, &a, &t.err), LSCHED_OK);
    lsched_cluster *first = t.w.cluster;
    t.w.cluster = copy;
    t.w.now_us -= 1000;
    assert_int_equal(cycle(LSCHED_DECISION_KINDS_DEFAULT), LSCHED_OK);
    assert_int_equal(lsched_cluster_hash(copy, LSCHED_HASH_IMAGE, &b, &t.err), LSCHED_OK);
    t.w.cluster = first;
    lsched_cluster_destroy(copy);
    assert_int_equal(a, b);
}

static void a_set_that_cannot_be_is_refused(void **unused) {
    (void)unused;
    static const struct {
        uint32_t kinds;
        const char *text;
    } cases[] = {{BIT(PLACE) | 1u, "unknown bits 0x1"},
                 {BIT(PLACE) | 1u << 5, "unknown bits 0x20"},
                 {BIT(PLACE) | 1u << 31, "unknown bits 0x80000000"},
                 {BIT(EVICT), "lacks 1 << LSCHED_DECIDE_PLACE"}};
    uint64_t before = api_image(t.w.cluster);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(cycle(cases[i].kinds), LSCHED_E_INVAL);
        assert_non_null(strstr(t.err.message, cases[i].text));
    }
    assert_int_equal(api_image(t.w.cluster), before);
}

static void the_reason_names_the_kinds(void **unused) {
    (void)unused;
    lsched_id owner = lsched_find(t.w.cluster, LSCHED_KIND_JOB, LSCHED_TEXT("owner"));
    lsched_waiting why = {.size = sizeof why};
    char text[2048];
    assert_int_equal(cycle(BIT(PLACE) | BIT(EVICT)), LSCHED_OK);
    assert_true(lsched_explain(t.w.cluster, owner, text, sizeof text, &why, &t.err) > 0);
    assert_int_equal(why.evict_code, LSCHED_NO_VICTIM_NOT_ASKED);
    assert_non_null(strstr(text, "did not ask for decisions of the kind nominate in the latest"));
    assert_string_equal(lsched_no_victim_name(LSCHED_NO_VICTIM_NOT_ASKED), "not-asked");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_set_holds_and_the_next_set_counts_at_once, begin,
                                        end),
        cmocka_unit_test_setup_teardown(zero_is_the_seven_kinds_of_version_0_2, begin, end),
        cmocka_unit_test_setup_teardown(a_set_that_cannot_be_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(the_reason_names_the_kinds, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
