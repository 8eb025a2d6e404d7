/* Supplies through the public calls: what is refused and changes nothing, what getters say, that a
 * job is described as it was submitted, and damaged states, each of which the verifier names. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "engine/state/cluster.h"
#include "engine/verify/verify.h"
#include "model/shapes/shape.h"
#include "model/supplies/supply.h"
#include "support/api_world.h"

static struct { lsched_cluster *cluster; } w;
static lsched_error err;
#define K (&w.cluster->k)

static const lsched_label row_a[] = {{LSCHED_TEXT_INIT("zone"), LSCHED_TEXT_INIT("z1")}};

static uint32_t racked; /* 1: jobs go to nodes in racks alone */

static int32_t add(const char *name, int64_t amount) {
    lsched_supply_desc d = LSCHED_SUPPLY_DESC_INIT;
    d.name = lsched_cstr(name);
    d.amount = amount;
    err = (lsched_error)LSCHED_ERROR_INIT;
    return lsched_supplies_add(w.cluster, &d, 1, sizeof d, NULL, NULL, &err);
}

static int32_t set(const char *name, const lsched_label *labels, uint32_t n, int64_t amount,
                   uint32_t flags) {
    lsched_supply_update u = LSCHED_SUPPLY_UPDATE_INIT;
    lsched_batch_opts opts = {sizeof opts, flags};
    u.supply = lsched_cstr(name);
    u.labels = labels;
    u.n_labels = n;
    u.set = LSCHED_SUPPLY_SET_AMOUNT;
    u.amount = amount;
    err = (lsched_error)LSCHED_ERROR_INIT;
    return lsched_supplies_update(w.cluster, &u, 1, sizeof u, &opts, NULL, &err);
}

static int32_t submit(const char *name, const lsched_supply_need *needs, uint32_t n,
                      lsched_id *job) {
    lsched_amount cpu = {LSCHED_CPU, 0, 100};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_selector in_zone = LSCHED_SELECTOR_INIT;
    in_zone.key = LSCHED_TEXT("rack");
    group.request = &cpu;
    group.n_request = 1;
    group.selectors = &in_zone;
    group.n_selectors = racked;
    group.supplies = needs;
    group.n_supplies = n;
    group.supply_elem_size = sizeof *needs;
    lsched_job_desc desc = api_job(name, &group, 1);
    err = (lsched_error)LSCHED_ERROR_INIT;
    return lsched_jobs_submit(w.cluster, &desc, 1, sizeof desc, NULL, job, NULL, &err);
}

static lsched_supply_need need_of(const char *name, int64_t amount) {
    lsched_supply_need need = LSCHED_SUPPLY_NEED_INIT;
    need.supply = lsched_cstr(name);
    need.amount = amount;
    return need;
}

static void run_cycle(void) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan;
    opts.now_us = INT64_C(1700000000000000);
    opts.flags = LSCHED_SCHEDULE_VERIFY;
    assert_int_equal(lsched_schedule(w.cluster, &opts, &plan, &err), LSCHED_OK);
    lsched_plan_destroy(plan);
}

static int open_world(void **unused) {
    (void)unused;
    err = (lsched_error)LSCHED_ERROR_INIT;
    lsched_queue_desc queues[] = {api_queue("org", NULL), api_queue("research", "org")};
    lsched_node_desc node = api_node("plain");
    node.n_labels = 0;
    return lsched_cluster_create(NULL, &w.cluster, NULL) < 0 ||
           lsched_queues_add(w.cluster, queues, 2, sizeof queues[0], NULL, NULL, NULL, NULL) != 2 ||
           lsched_nodes_add(w.cluster, &node, 1, sizeof node, NULL, NULL, NULL, NULL) != 1;
}

static int close_world(void **unused) {
    (void)unused;
    lsched_cluster_destroy(w.cluster);
    return 0;
}

/* ---- calls ---- */

static void what_is_refused_changes_nothing(void **unused) {
    (void)unused;
    assert_int_equal(add("ansys", 10), 1);
    uint64_t before = api_image(w.cluster);
    lsched_supply_need need[9], twice[2] = {need_of("ansys", 1), need_of("ansys", 2)};
    lsched_id job;
    for (int i = 0; i < 9; i++) need[i] = need_of("ansys", 1);
    assert_int_equal(add("ansys", 1), LSCHED_E_EXISTS);
    assert_int_equal(add("", 1), LSCHED_E_INVAL);
    assert_int_equal(add("other", -1), LSCHED_E_RANGE);
    assert_int_equal(add("other", LSCHED_AMOUNT_MAX + 1), LSCHED_E_RANGE);
    assert_int_equal(set("nobody", NULL, 0, 1, 0), LSCHED_E_NOENT);
    assert_int_equal(set("ansys", NULL, 0, -1, 0), LSCHED_E_RANGE);
    assert_int_equal(set("ansys", NULL, 1, 1, 0), LSCHED_E_NULL);
    assert_int_equal(set("ansys", row_a, 1, 1, 0), LSCHED_E_NOENT); /* no topology */
    assert_int_equal(submit("a", need, 9, &job), LSCHED_E_LIMIT);
    assert_int_equal(submit("a", NULL, 1, &job), LSCHED_E_NULL);
    assert_int_equal(submit("a", twice, 2, &job), LSCHED_E_INVAL);
    need[0] = need_of("nobody", 1);
    assert_int_equal(submit("a", need, 1, &job), LSCHED_E_NOENT);
    need[0] = need_of("ansys", 0);
    assert_int_equal(submit("a", need, 1, &job), LSCHED_E_RANGE);
    need[0] = need_of("ansys", LSCHED_SUPPLY_NEED_MAX + 1);
    assert_int_equal(submit("a", need, 1, &job), LSCHED_E_RANGE);
    lsched_supply_update u = LSCHED_SUPPLY_UPDATE_INIT;
    u.supply = LSCHED_TEXT("ansys");
    for (uint32_t bits = 0; bits <= 4; bits += 4) { /* nothing to set, an unknown bit */
        u.set = bits;
        assert_int_equal(lsched_supplies_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err),
                         LSCHED_E_INVAL);
    }
    u.set = LSCHED_SUPPLY_SET_FOREIGN;
    u.foreign = LSCHED_AMOUNT_MAX / 2 + 1;
    assert_int_equal(lsched_supplies_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err),
                     LSCHED_E_RANGE);
    assert_int_equal(api_image(w.cluster), before);
}

static void a_batch_of_amounts_is_applied_whole(void **unused) {
    (void)unused;
    assert_int_equal(add("ansys", 10), 1);
    lsched_supply_update u[2] = {LSCHED_SUPPLY_UPDATE_INIT, LSCHED_SUPPLY_UPDATE_INIT};
    int32_t status[2];
    u[0].supply = LSCHED_TEXT("ansys");
    u[0].set = LSCHED_SUPPLY_SET_AMOUNT;
    u[0].amount = 5;
    u[1] = u[0];
    u[1].supply = LSCHED_TEXT("nobody");
    assert_int_equal(lsched_supplies_update(w.cluster, u, 2, sizeof u[0], NULL, status, &err),
                     LSCHED_E_NOENT);
    assert_int_equal(err.index, 1);
    lsched_supply_info info = LSCHED_SUPPLY_INFO_INIT;
    lsched_text none = {NULL, 0};
    assert_int_equal(lsched_supply_get(w.cluster, LSCHED_TEXT("ansys"), none, NULL, 0, &info, &err),
                     LSCHED_OK);
    assert_int_equal(info.amount, 10);
    lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_IDEMPOTENT};
    u[0].amount = 10;
    assert_int_equal(lsched_supplies_update(w.cluster, u, 1, sizeof u[0], &opts, status, &err), 1);
    assert_int_equal(status[0], LSCHED_UNCHANGED);
    assert_int_equal(lsched_supplies_update(w.cluster, u, 1, sizeof u[0], NULL, status, &err), 1);
    assert_int_equal(status[0], LSCHED_OK);
}

static void getters_say_what_is_in_use(void **unused) {
    (void)unused;
    lsched_supply_info info = LSCHED_SUPPLY_INFO_INIT;
    lsched_supply_need need[2] = {need_of("watts", 3), need_of("ansys", 2)};
    lsched_text none = {NULL, 0};
    lsched_id job;
    assert_int_equal(add("ansys", 10), 1);
    assert_int_equal(add("watts", LSCHED_UNLIMITED), 1);
    assert_int_equal(submit("a", need, 2, &job), 1);
    run_cycle();
    uint64_t cursor = 0;
    assert_int_equal(lsched_supplies_next(w.cluster, &cursor, &info, &err), 1);
    assert_int_equal(info.used, 2);
    assert_int_equal(info.left, 8);
    assert_int_equal(info.levels, 0);
    assert_int_equal(lsched_supplies_next(w.cluster, &cursor, &info, &err), 1);
    assert_int_equal(info.used, 3);
    assert_int_equal(info.left, LSCHED_UNLIMITED);
    assert_int_equal(lsched_supplies_next(w.cluster, &cursor, &info, &err), 0);
    assert_int_equal(lsched_supply_get(w.cluster, LSCHED_TEXT("steam"), none, NULL, 0, &info, &err),
                     LSCHED_E_NOENT);
    /* the description of the job names what it needs, sorted */
    lsched_description *d;
    assert_int_equal(lsched_describe(w.cluster, job, &d, &err), LSCHED_OK);
    const lsched_group_desc *g = lsched_description_job(d)->groups;
    assert_int_equal(g->n_supplies, 2);
    assert_memory_equal(g->supplies[0].supply.ptr, "ansys", 5);
    assert_int_equal(g->supplies[1].amount, 3);
    lsched_description_destroy(d);
}

/* ---- damage ---- */

static void refused_with(const char *part) {
    lsched_error e = LSCHED_ERROR_INIT;
    int32_t rc = verify_state(K, &e);
    if (rc != LSCHED_E_VERIFY || !strstr(e.message, part))
        fail_msg("expected \"%s\", found %d, \"%s\"", part, rc, e.message);
}

/* Sets a word, expects a message, and sets the word back. */
#define DAMAGED(column, type, row, value, part)                        \
    do {                                                               \
        __typeof__(K->c[column].type[0]) was = K->c[column].type[row]; \
        K->c[column].type[row] = (value);                              \
        refused_with(part);                                            \
        K->c[column].type[row] = was;                                  \
        assert_int_equal(verify_state(K, NULL), LSCHED_OK);            \
    } while (0)

/* Two supplies; the second has a place in a domain, and another in one that is gone. */
static void fill(void) {
    lsched_text levels[] = {LSCHED_TEXT("zone"), LSCHED_TEXT("rack")};
    lsched_topology_desc tree = LSCHED_TOPOLOGY_DESC_INIT;
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_label labels[2] = {{LSCHED_TEXT("rack"), LSCHED_TEXT("r1")}, row_a[0]},
                 others[2] = {{LSCHED_TEXT("rack"), LSCHED_TEXT("r2")}, row_a[0]};
    lsched_amount cpu = {LSCHED_CPU, 0, 8000};
    lsched_supply_need need[2] = {need_of("watts", 3), need_of("ansys", 2)};
    lsched_id job, id;
    tree.name = LSCHED_TEXT("power");
    tree.levels = levels;
    tree.n_levels = 2;
    assert_int_equal(
        lsched_topologies_add(w.cluster, &tree, 1, sizeof tree, NULL, NULL, NULL, &err), 1);
    node.capacity = &cpu;
    node.n_capacity = 1;
    node.n_labels = 2;
    node.name = LSCHED_TEXT("in-r1");
    node.labels = labels;
    assert_int_equal(lsched_nodes_add(w.cluster, &node, 1, sizeof node, NULL, NULL, NULL, &err), 1);
    node.name = LSCHED_TEXT("in-r2");
    node.labels = others;
    assert_int_equal(lsched_nodes_add(w.cluster, &node, 1, sizeof node, NULL, &id, NULL, &err), 1);
    assert_int_equal(add("ansys", 10), 1);
    assert_int_equal(add("watts", 100), 1);
    assert_int_equal(set("watts", labels, 2, 50, 0), 1);
    assert_int_equal(set("watts", others, 2, 50, 0), 1);
    assert_int_equal(lsched_nodes_remove(w.cluster, &id, 1, NULL, NULL, &err), 1);
    racked = 1;
    assert_int_equal(submit("uses", need, 2, &job), 1);
    racked = 0;
    run_cycle();
    assert_int_equal(verify_state(K, &err), LSCHED_OK);
}

enum { ANSYS, WATTS };
enum { OF_ANSYS, OF_WATTS, IN_R1, IN_R2, PLACES };

static void damaged_places_are_refused(void **unused) {
    (void)unused;
    fill();
    assert_int_equal(table_rows(K, T_PLACE), PLACES);
    DAMAGED(C_PLACE_USED, i64, OF_ANSYS, 7, "records 7 in use and 0 to come");
    DAMAGED(C_PLACE_COMING, i64, IN_R1, -1, "to come, but its tasks give");
    DAMAGED(C_PLACE_FOREIGN, i64, OF_ANSYS, LSCHED_AMOUNT_MAX, "others use");
    DAMAGED(C_PLACE_LEVELS, u32, IN_R2, 9, "topology and its levels do not go together");
    DAMAGED(C_PLACE_LEVELS, u32, IN_R1, 1, "its domain is of another topology or level");
    DAMAGED(C_DOMAIN_SUPPLIES, u32, K->c[C_PLACE_DOMAIN].u32[IN_R1], IN_R2 + 1, "which is not one");
    DAMAGED(C_DOMAIN_SUPPLIES, u32, K->c[C_PLACE_DOMAIN].u32[IN_R1], 0, "not in the list of its");
    DAMAGED(C_PLACE_NEXT, u32, IN_R2, IN_R1 + 1, "it is in no list, but has a next place");
    DAMAGED(C_SUPPLY_ROOT, u32, ANSYS, IN_R1, "has another place for the whole cluster");
    DAMAGED(C_META_WORD, u64, M_SUPPLY_LOST, 0, "but the counter says 0");
    DAMAGED(C_META_WORD, u64, M_SUPPLY_NEWS, 2, "the mark for news of supplies");
}

static void two_supplies_of_one_name_are_refused(void **unused) {
    (void)unused;
    assert_int_equal(add("ansys", 10), 1);
    assert_int_equal(add("watts", 10), 1);
    uint32_t name = K->c[C_SUPPLY_NAME].u32[ANSYS];
    K->c[C_TEXT_WORD].u64[name] = K->c[C_TEXT_WORD].u64[K->c[C_SUPPLY_NAME].u32[WATTS]];
    K->c[C_TEXT_WORD].u64[name + 1] = K->c[C_TEXT_WORD].u64[K->c[C_SUPPLY_NAME].u32[WATTS] + 1];
    refused_with("two supplies are called");
}

/* Changes one byte of a text, with its hash. */
static void change_text(uint32_t text, uint32_t at, uint8_t to) {
    uint8_t *p = (uint8_t *)&K->c[C_TEXT_WORD].u64[text + 1];
    p[at] = to;
    K->c[C_TEXT_WORD].u64[text] =
        (uint64_t)text_hash_of(p, text_len(K, text)) << 32 | text_len(K, text);
}

static void names_of_domains_are_compared(void **unused) {
    (void)unused;
    fill();
    uint32_t path = K->c[C_PLACE_PATH].u32[IN_R1], other = K->c[C_PLACE_PATH].u32[IN_R2];
    uint32_t last = text_len(K, path) - 1;
    change_text(path, last, '7');
    refused_with("its values are not those of its domain");
    change_text(path, last, '1');
    assert_int_equal(verify_state(K, NULL), LSCHED_OK);
    change_text(other, last, '1'); /* as the place that has a domain */
    refused_with("another place has the same values");
}

static void needs_are_compared_with_the_bytes(void **unused) {
    (void)unused;
    fill();
    uint32_t shape = 0;
    while (!shape_n_supplies(K, shape)) shape++;
    uint32_t text = K->c[C_SHAPE_SUPPLIES].u32[shape];
    change_text(text, 0, 1); /* the amount of the first need */
    refused_with("its needs of supplies differ from the canonical bytes");
    change_text(text, 0, 2);
    assert_int_equal(verify_state(K, NULL), LSCHED_OK);
    DAMAGED(C_SHAPE_N_SUPPLIES, u8, shape, 1, "its needs of supplies differ");
}

static void rows_are_never_free(void **unused) {
    (void)unused;
    fill();
    assert_int_equal(undo_begin(K), LSCHED_OK);
    text_free(K, K->c[C_PLACE_PATH].u32[IN_R2]);
    row_free(K, T_PLACE, IN_R2);
    undo_end(K);
    refused_with("of PLACE is free");
}

static void a_supply_has_a_row(void **unused) {
    (void)unused;
    assert_int_equal(add("ansys", 10), 1);
    assert_int_equal(undo_begin(K), LSCHED_OK);
    text_free(K, K->c[C_PLACE_PATH].u32[0]);
    row_free(K, T_PLACE, 0);
    text_free(K, K->c[C_SUPPLY_NAME].u32[0]);
    row_free(K, T_SUPPLY, 0);
    undo_end(K);
    refused_with("of SUPPLY is free");
}

static void the_cluster_is_one_place(void **unused) {
    (void)unused;
    fill();
    K->c[C_PLACE_LEVELS].u32[IN_R2] = 0;
    K->c[C_PLACE_TOPOLOGY].u32[IN_R2] = NO_ROW;
    refused_with("the supply has two places for the whole cluster");
}

static void supplies_have_a_bound(void **unused) {
    (void)unused;
    char name[16];
    for (int i = 0; i < LSCHED_SUPPLIES_MAX; i++) {
        snprintf(name, sizeof name, "s%d", i);
        assert_int_equal(add(name, 1), 1);
    }
    assert_int_equal(add("one-more", 1), LSCHED_E_LIMIT);
    assert_int_equal(verify_state(K, NULL), LSCHED_OK);
    assert_int_equal(undo_begin(K), LSCHED_OK);
    assert_int_equal(supply_add(K, LSCHED_TEXT("one-more"), 0, 1), LSCHED_OK);
    undo_end(K);
    refused_with("there are 1025 supplies");
}

static void add_tree(const lsched_text *levels, uint32_t n) {
    lsched_topology_desc tree = LSCHED_TOPOLOGY_DESC_INIT;
    tree.name = LSCHED_TEXT("power");
    tree.levels = levels;
    tree.n_levels = n;
    assert_int_equal(
        lsched_topologies_add(w.cluster, &tree, 1, sizeof tree, NULL, NULL, NULL, &err), 1);
}

static lsched_id add_node(const char *name, const lsched_label *labels, uint32_t n) {
    lsched_amount cpu = {LSCHED_CPU, 0, 100000000};
    lsched_node_desc node = LSCHED_NODE_DESC_INIT;
    lsched_id id;
    node.name = lsched_cstr(name);
    node.capacity = &cpu;
    node.n_capacity = 1;
    node.labels = labels;
    node.n_labels = n;
    assert_int_equal(lsched_nodes_add(w.cluster, &node, 1, sizeof node, NULL, &id, NULL, &err), 1);
    return id;
}

/* The last node of domains that have very many places leaves them, by its removal and by other
 * labels, and another node takes the places again. The undo log has room for all records. */
static void very_many_places_are_lost_at_once(void **unused) {
    enum { DEPTH = 4 };
    const lsched_text keys[DEPTH] = {LSCHED_TEXT("hall"), LSCHED_TEXT("row"), LSCHED_TEXT("rack"),
                                     LSCHED_TEXT("shelf")};
    lsched_label labels[DEPTH], other = {LSCHED_TEXT("hall"), LSCHED_TEXT("else")};
    char name[16];
    (void)unused;
    for (int l = 0; l < DEPTH; l++) labels[l] = (lsched_label){keys[l], LSCHED_TEXT("v")};
    add_tree(keys, DEPTH);
    lsched_id id = add_node("only", labels, DEPTH);
    for (int s = 0; s < LSCHED_SUPPLIES_MAX; s++) {
        snprintf(name, sizeof name, "s%d", s);
        assert_int_equal(add(name, 5), 1);
        for (uint32_t l = 1; l <= DEPTH; l++) assert_int_equal(set(name, labels, l, 3, 0), 1);
    }
    lsched_node_update to = LSCHED_NODE_UPDATE_INIT;
    to.node = id;
    to.set = LSCHED_NODE_SET_LABELS;
    to.labels = &other;
    to.n_labels = 1;
    assert_int_equal(lsched_nodes_update(w.cluster, &to, 1, sizeof to, NULL, NULL, &err), 1);
    assert_int_equal(verify_state(K, &err), LSCHED_OK);
    assert_int_equal(meta(K, M_SUPPLY_LOST), DEPTH * LSCHED_SUPPLIES_MAX);
    id = add_node("next", labels, DEPTH);
    assert_int_equal(meta(K, M_SUPPLY_LOST), 0);
    assert_int_equal(lsched_nodes_remove(w.cluster, &id, 1, NULL, NULL, &err), 1);
    assert_int_equal(meta(K, M_SUPPLY_LOST), DEPTH * LSCHED_SUPPLIES_MAX);
    assert_int_equal(verify_state(K, &err), LSCHED_OK);
}

/* The first amount of a domain counts more tasks of one node than the undo log of a clone has
 * records. */
static void very_many_tasks_are_counted(void **unused) {
    enum { TASKS = 20000 };
    const lsched_text key = LSCHED_TEXT("rack");
    const lsched_label rack = {LSCHED_TEXT("rack"), LSCHED_TEXT("r1")};
    lsched_supply_need need = need_of("watts", 2);
    lsched_amount cpu = {LSCHED_CPU, 0, 1};
    lsched_group_desc group = LSCHED_GROUP_DESC_INIT;
    lsched_cluster *first = w.cluster;
    lsched_id job;
    (void)unused;
    add_tree(&key, 1);
    add_node("large", &rack, 1);
    assert_int_equal(add("watts", LSCHED_UNLIMITED), 1);
    lsched_selector in_rack = LSCHED_SELECTOR_INIT;
    in_rack.key = key;
    group.request = &cpu;
    group.n_request = 1;
    group.selectors = &in_rack;
    group.n_selectors = 1;
    group.max_count = group.min_count = TASKS;
    group.supplies = &need;
    group.n_supplies = 1;
    group.supply_elem_size = sizeof need;
    lsched_job_desc desc = api_job("many", &group, 1);
    assert_int_equal(lsched_jobs_submit(first, &desc, 1, sizeof desc, NULL, &job, NULL, &err), 1);
    run_cycle();
    w.cluster = NULL;
    assert_int_equal(lsched_cluster_clone(first, &w.cluster, &err), LSCHED_OK);
    assert_int_equal(set("watts", &rack, 1, 3, 0), 1);
    assert_int_equal(K->c[C_PLACE_USED].i64[1], 2 * TASKS);
    assert_int_equal(verify_state(K, &err), LSCHED_OK);
    lsched_cluster_destroy(first);
}

static void a_plan_beyond_the_amount_is_refused(void **unused) {
    (void)unused;
    lsched_supply_need need = need_of("ansys", 2);
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan;
    lsched_id job;
    assert_int_equal(add("ansys", 10), 1);
    assert_int_equal(submit("a", &need, 1, &job), 1);
    opts.now_us = INT64_C(1700000000000000);
    assert_int_equal(lsched_schedule(w.cluster, &opts, &plan, &err), LSCHED_OK);
    assert_int_equal(lsched_verify(w.cluster, plan, &err), LSCHED_OK);
    K->c[C_PLACE_AMOUNT].i64[OF_ANSYS] = 1;
    assert_int_equal(lsched_verify(w.cluster, plan, &err), LSCHED_E_VERIFY);
    assert_non_null(strstr(err.message, "is placed, but a place of supply \"ansys\" then has -1"));
    lsched_plan_destroy(plan);
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
    const struct CMUnitTest tests[] = {
        TEST(what_is_refused_changes_nothing),
        TEST(a_batch_of_amounts_is_applied_whole),
        TEST(getters_say_what_is_in_use),
        TEST(damaged_places_are_refused),
        TEST(names_of_domains_are_compared),
        TEST(needs_are_compared_with_the_bytes),
        TEST(rows_are_never_free),
        TEST(a_supply_has_a_row),
        TEST(the_cluster_is_one_place),
        TEST(supplies_have_a_bound),
        TEST(two_supplies_of_one_name_are_refused),
        TEST(a_plan_beyond_the_amount_is_refused),
        TEST(very_many_places_are_lost_at_once),
        TEST(very_many_tasks_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
