/* test_error_index.c -- the index in an error: the number of the wrong element where a call has
 * a list, and -1 where it has one object. Also the bounds that messages of such calls name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/constraints.h>
#include <libsched/libsched.h>
#include <libsched/what_if.h>

#include "support/api_world.h"

static struct api_world w;
static lsched_error err = LSCHED_ERROR_INIT;

static int set_up(void **state) {
    (void)state;
    memset(&w, 0, sizeof w);
    return api_world_make(&w, NULL);
}

static int tear_down(void **state) {
    (void)state;
    api_world_drop(&w);
    return 0;
}

/* The call failed with the code and the index, and its message has the words. */
static void failed(int64_t rc, int32_t code, int64_t index, const char *words) {
    if (rc != code || err.index != index || !strstr(err.message, words))
        fail_msg("%d at %d instead of %d at %d: %s", (int)rc, (int)err.index, (int)code, (int)index,
                 err.message);
}

static void one_object_has_no_index(void **state) {
    (void)state;
    failed(lsched_clock_set(w.cluster, -1, &err), LSCHED_E_RANGE, -1, "now_us");
    failed(lsched_clock_set(w.cluster, INT64_MAX, &err), LSCHED_E_RANGE, -1, "now_us");
    failed(lsched_resource_add(w.cluster, LSCHED_TEXT(""), &err), LSCHED_E_INVAL, -1, "resource");
    lsched_resource_part part = LSCHED_RESOURCE_PART_INIT;
    part.name = LSCHED_TEXT("spot");
    part.kind = LSCHED_GPU;
    part.pool = LSCHED_TEXT("nowhere");
    failed(lsched_resource_add_part(w.cluster, &part, &err), LSCHED_E_NOENT, -1, "nowhere");
}

static void an_offer_has_no_index(void **state) {
    (void)state;
    lsched_offer offer = LSCHED_OFFER_INIT;
    offer.change = LSCHED_OFFER_PRIORITY;
    offer.object = w.later;
    offer.amount = INT64_MAX;
    failed(lsched_offer_apply(w.cluster, &offer, &err), LSCHED_E_RANGE, -1,
           "expected -2147483648 to 2147483647");
    offer.amount = 1;
    offer.object = w.gone_job;
    failed(lsched_offer_apply(w.cluster, &offer, &err), LSCHED_E_STALE, -1, "");
    offer.change = LSCHED_OFFER_UNCORDON;
    offer.object = w.gone_node;
    failed(lsched_offer_apply(w.cluster, &offer, &err), LSCHED_E_STALE, -1, "");
}

struct saved {
    size_t n;
    char bytes[1 << 20];
};

static int32_t keep(void *user, const void *bytes, size_t n) {
    struct saved *s = user;
    if (n > sizeof s->bytes - s->n) return 1;
    memcpy(s->bytes + s->n, bytes, n);
    s->n += n;
    return 0;
}

static void a_saved_state_has_no_index(void **state) {
    (void)state;
    static struct saved first, second;
    lsched_cluster *copy = NULL, *again = NULL;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.incarnation = 2;
    first.n = second.n = 0;
    assert_int_equal(lsched_cluster_save(w.cluster, keep, &first, &err), LSCHED_OK);
    assert_int_equal(lsched_cluster_load(&opts, first.bytes, first.n, &copy, &err), LSCHED_OK);
    assert_int_equal(lsched_cluster_save(copy, keep, &second, &err), LSCHED_OK);
    opts.incarnation = 1;
    failed(lsched_cluster_load(&opts, second.bytes, second.n, &again, &err), LSCHED_E_RANGE, -1,
           "incarnation 1: the saved state has incarnation 2");
    lsched_cluster_destroy(copy);
}

static void an_element_of_a_list_has_its_index(void **state) {
    (void)state;
    lsched_queue_desc queues[] = {api_queue("one", NULL), api_queue("one", NULL)};
    failed(lsched_queues_add(w.cluster, queues, 2, sizeof *queues, NULL, NULL, NULL, &err),
           LSCHED_E_EXISTS, 1, "one");
    lsched_param params[] = {{.key = LSCHED_TEXT("a"), .number = 1},
                             {.key = LSCHED_TEXT("b"), .number = 1}};
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.params = params, opts.n_params = 2;
    failed(lsched_policy_load(w.cluster, LSCHED_TEXT("p"),
                              LSCHED_TEXT("return { api = 1, params = { a = 2 } }"), &opts, &err),
           LSCHED_E_KEY, 1, "b");
}

static void a_message_of_a_bound_names_it(void **state) {
    (void)state;
    lsched_group_desc g[] = {LSCHED_GROUP_DESC_INIT, api_group(1), api_group(1)};
    g[1].parent = g[2].parent = 0;
    g[0].min_groups = 3;
    lsched_job_desc job = api_job("new", g, 3);
    failed(lsched_jobs_submit(w.cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err),
           LSCHED_E_RANGE, 0, "a minimum of 3 groups; expected at most 2, the groups in it");
    g[0].min_groups = 1;
    assert_int_equal(lsched_jobs_submit(w.cluster, &job, 1, sizeof job, NULL, NULL, NULL, &err), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_object_has_no_index, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_offer_has_no_index, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_saved_state_has_no_index, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_element_of_a_list_has_its_index, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_message_of_a_bound_names_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
