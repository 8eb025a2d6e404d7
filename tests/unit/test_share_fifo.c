/* share "fifo": strict order of queues, whatever they hold. */
#include "property/drf_model.h"

#include "algorithms/builtin.h"

static void test_first_created_takes_all_it_can(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_fifo, 1, (const int64_t[]){10});
    uint32_t a = model_queue(&m, LSCHED_NO_ROW, 1, (const int64_t[]){1}, 7);
    uint32_t b = model_queue(&m, LSCHED_NO_ROW, 1000000, (const int64_t[]){1}, MODEL_FOREVER);
    model_begin(&m);
    model_fill(&m);
    assert_int_equal(m.queue[a].placed, 7);
    assert_int_equal(m.queue[b].placed, 3);
    model_end(&m);
}

static void test_higher_priority_goes_before_older(void **state) {
    (void)state;
    struct model m;
    model_init(&m, &share_fifo, 1, (const int64_t[]){10});
    uint32_t old = model_queue(&m, LSCHED_NO_ROW, 1000, (const int64_t[]){1}, MODEL_FOREVER);
    uint32_t high = model_queue(&m, LSCHED_NO_ROW, 1000, (const int64_t[]){1}, 8);
    m.priority[high] = 1;
    model_begin(&m);
    model_fill(&m);
    assert_int_equal(m.queue[high].placed, 8);
    assert_int_equal(m.queue[old].placed, 2);
    model_end(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first_created_takes_all_it_can),
        cmocka_unit_test(test_higher_priority_goes_before_older),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
