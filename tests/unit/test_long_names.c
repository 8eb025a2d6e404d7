/* test_long_names.c -- messages about names of the maximal length: the names are shortened in
 * the middle, and the end of each message, which says what was expected and what to do, still
 * stands. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>
#include <libsched/pack.h>
#include <libsched/scenario.h>

#include "base/short_names.h"
#include "base/utf8_text.h"
#include "support/api_world.h"

enum { LONG = LSCHED_NAME_BYTES_MAX };

/* A name of the maximal length that begins with `head`, has the given filling, and ends with
 * "-17". */
struct long_name {
    char bytes[LONG + 1];
};

static struct long_name long_name(const char *head, const char *filling) {
    struct long_name n;
    size_t at = strlen(head), step = strlen(filling);
    memset(&n, 'x', sizeof n);
    memcpy(n.bytes, head, at);
    for (; at + step <= LONG - 3; at += step) memcpy(n.bytes + at, filling, step);
    memcpy(n.bytes + LONG - 3, "-17", 4);
    return n;
}

static lsched_text text_of_name(const struct long_name *n) {
    return (lsched_text){n->bytes, LONG};
}

/* The message ends as it must, and is whole UTF-8. */
static void ends(int32_t rc, int32_t want, const lsched_error *err, const char *end) {
    size_t len = strlen(err->message), n = strlen(end);
    if (rc != want) fail_msg("%d instead of %d: %s", rc, want, err->message);
    if (len < n || strcmp(err->message + len - n, end) != 0)
        fail_msg("the end is not '%s': %s", end, err->message);
    assert_true(len < sizeof err->message);
    for (size_t i = 0; i < len;) {
        size_t bytes = utf8_bytes(err->message + i, len - i);
        if (bytes == 0) fail_msg("half a character: %s", err->message);
        i += bytes;
    }
}

/* ---- the helper ---- */

static void shortens(const char *text, size_t room, const char *want) {
    char buf[1024], out[1024];
    snprintf(buf, sizeof buf, "%s", text);
    short_names(buf, out, room);
    assert_string_equal(out, want);
}

static void texts_are_shortened_in_the_middle(void **state) {
    (void)state;
    shortens("job 'short' exists already", 27, "job 'short' exists already");
    shortens("job 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH' exists already", 60,
             "job 'abcdefghijklmnopq...0123456789ABCDEFGH' exists already");
    /* no quotes: the end is left out */
    shortens("a long text without any name", 10, "a long te");
    /* an apostrophe behind a letter opens nothing */
    shortens("the job's queue 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH' of it", 60,
             "the job's queue 'abcdefghijklmnop...23456789ABCDEFGH' of it");
}

/* Texts of all kinds of characters and marks: the result ends and fits, whatever is in the text. */
static void hostile_texts_end(void **state) {
    (void)state;
    static const char *const pieces[] = {"'",    "''", "a' 'b", "x", "\xe2\x82\xac",
                                         "\x80", "\n", "' "};
    uint64_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        char text[900] = "";
        size_t len = 0;
        for (int i = 0; i < 200; i++) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            const char *piece = pieces[(seed >> 33) % (2 + (size_t)round % 7)];
            if (round % 3 == 0 && i > 2 && i < 190) piece = "\x80";
            len += (size_t)snprintf(text + len, sizeof text - len, "%s", piece);
        }
        size_t room = 40 + (size_t)(seed >> 40) % 300;
        char out[400];
        short_names(text, out, room);
        if (strlen(out) >= room) fail_msg("round %d: %zu of %zu", round, strlen(out), room);
    }
}

/* ---- the calls ---- */

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

static int32_t add_queue(const struct long_name *name, const struct long_name *parent) {
    lsched_queue_desc d = api_queue("q", NULL);
    d.name = text_of_name(name);
    if (parent) d.parent_name = text_of_name(parent);
    return lsched_queues_add(w.cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err);
}

static int32_t submit(const struct long_name *name, const struct long_name *queue,
                      const lsched_group_desc *g) {
    lsched_job_desc j = api_job("j", g, 1);
    j.name = text_of_name(name);
    if (queue) j.queue_name = text_of_name(queue);
    return lsched_jobs_submit(w.cluster, &j, 1, sizeof j, NULL, NULL, NULL, &err);
}

static int32_t add_node(const struct long_name *name, const lsched_device_desc *devices) {
    lsched_node_desc d = api_node("n");
    d.name = text_of_name(name);
    if (devices) d.devices = devices, d.n_devices = 1;
    return lsched_nodes_add(w.cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err);
}

#define TAKEN "exists already; take another name, or update or remove that one"

/* Every kind of object: one that exists, one that is not there, and one with a wrong field. */
static void every_object(const char *filling) {
    struct long_name a = long_name("a", filling), b = long_name("b", filling);
    struct long_name c = long_name("c", filling);
    lsched_group_desc g = api_group(1);
    char end[128];
    assert_int_equal(add_queue(&a, NULL), 1);
    ends(add_queue(&a, NULL), LSCHED_E_EXISTS, &err, TAKEN);
    ends(add_queue(&b, &c), LSCHED_E_NOENT, &err, "does not exist (parents come first in a batch)");
    assert_int_equal(add_node(&a, NULL), 1);
    ends(add_node(&a, NULL), LSCHED_E_EXISTS, &err, TAKEN);
    lsched_device_desc many = LSCHED_DEVICE_DESC_INIT;
    many.model = LSCHED_TEXT("H100-80GB");
    many.count = LSCHED_DEVICES_PER_NODE_MAX + 1;
    snprintf(end, sizeof end, "more than %d devices", LSCHED_DEVICES_PER_NODE_MAX);
    ends(add_node(&b, &many), LSCHED_E_LIMIT, &err, end);
    assert_int_equal(submit(&a, &a, &g), 1);
    ends(submit(&a, &a, &g), LSCHED_E_EXISTS, &err, TAKEN);
    assert_non_null(strstr(err.message, "-17' exists"));
    ends(submit(&b, &c, &g), LSCHED_E_NOENT, &err, "-17'; add it first");
    lsched_job_desc j = api_job("j", &g, 0);
    j.name = text_of_name(&b), j.queue_name = text_of_name(&a);
    snprintf(end, sizeof end, "0 groups; expected 1 to %d", LSCHED_GROUPS_PER_JOB_MAX);
    ends(lsched_jobs_submit(w.cluster, &j, 1, sizeof j, NULL, NULL, NULL, &err), LSCHED_E_RANGE,
         &err, end);
    g.required_level = text_of_name(&b);
    ends(submit(&b, &a, &g), LSCHED_E_KEY, &err, "; its levels are zone, rack");
    lsched_id id = lsched_find(w.cluster, LSCHED_KIND_JOB, text_of_name(&a));
    assert_int_equal(LSCHED_ID_KIND(id), LSCHED_KIND_JOB);
    ends(lsched_jobs_complete(w.cluster, &id, 1, NULL, NULL, &err), LSCHED_E_STATE, &err,
         "so that it has nothing to complete; remove it instead");
    assert_true(strncmp(err.message, "no task of job", 14) == 0); /* the name stands once */
    id = lsched_find(w.cluster, LSCHED_KIND_QUEUE, text_of_name(&a));
    ends(lsched_queues_remove(w.cluster, &id, 1, NULL, NULL, &err), LSCHED_E_BUSY, &err,
         "has 1 job; move or remove them first");
}

static void cures_stand_behind_ascii_names(void **state) {
    (void)state;
    every_object("y");
}

static void cures_stand_behind_wide_names(void **state) {
    (void)state;
    every_object("\xe2\x82\xac");
}

static void cures_stand_behind_names_that_cannot_be_shown(void **state) {
    (void)state;
    every_object("\x80");
}

/* Messages with two long names, with a name that a batch adds, and about levels and labels. */
static void two_names(void **state) {
    (void)state;
    struct long_name a = long_name("a", "y"), b = long_name("b", "y");
    lsched_topology_desc t = LSCHED_TOPOLOGY_DESC_INIT;
    lsched_text levels[2] = {text_of_name(&b), text_of_name(&b)};
    t.name = text_of_name(&a), t.levels = levels, t.n_levels = 2;
    ends(lsched_topologies_add(w.cluster, &t, 1, sizeof t, NULL, NULL, NULL, &err), LSCHED_E_INVAL,
         &err, "is given twice; name each level once");
    lsched_resource_part p = {.size = sizeof p, .kind = LSCHED_GPU};
    p.name = text_of_name(&a), p.pool = text_of_name(&b);
    assert_int_equal(lsched_resource_add_part(w.cluster, &p, &err), LSCHED_E_NOENT);
    assert_true(strstr(err.message, "no pool is called 'b") != NULL);
    assert_true(err.message[strlen(err.message) - 1] == '\'');
    lsched_job_hold h = LSCHED_JOB_HOLD_INIT;
    h.job = w.later, h.reason = text_of_name(&a);
    (void)lsched_jobs_hold(w.cluster, &h, 1, sizeof h, NULL, NULL, &err);
    assert_true(strlen(err.message) < sizeof err.message - 1);
}

/* Names inside one object: supplies, allowances, labels and levels. */
static void inner_names(void **state) {
    (void)state;
    struct long_name a = long_name("a", "y"), b = long_name("b", "y");
    lsched_group_desc g = api_group(1);
    lsched_supply_need need = {.size = sizeof need, .supply = text_of_name(&b), .amount = 1};
    assert_int_equal(add_queue(&a, NULL), 1);
    g.supplies = &need, g.n_supplies = 1;
    ends(submit(&b, &a, &g), LSCHED_E_NOENT, &err, "-17'; add it with lsched_supplies_add");
    lsched_allowance_desc d = LSCHED_ALLOWANCE_DESC_INIT;
    d.queue_name = text_of_name(&a), d.flags = 1u << 31;
    ends(lsched_allowances_set(w.cluster, &d, 1, sizeof d, NULL, NULL, &err), LSCHED_E_INVAL, &err,
         "-17': flags is 0x80000000; expected LSCHED_ALLOWANCE_*");
    lsched_id id = lsched_find(w.cluster, LSCHED_KIND_QUEUE, text_of_name(&a));
    ends(lsched_allowances_remove(w.cluster, &id, 1, NULL, NULL, &err), LSCHED_E_NOENT, &err,
         "-17' has no allowance; give it one with lsched_allowances_set");
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    assert_int_equal(add_node(&a, NULL), 1);
    u.name = text_of_name(&a), u.set = LSCHED_NODE_SET_LABELS, u.n_labels = 1;
    ends(lsched_nodes_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err), LSCHED_E_NULL, &err,
         "-17': labels is NULL");
}

static void reserved_names(void **state) {
    (void)state;
    struct long_name a = long_name("a", "y"), b = long_name("b", "y"), c = long_name("c", "y");
    lsched_text node = text_of_name(&a);
    lsched_id queue;
    lsched_reservation_desc d = LSCHED_RESERVATION_DESC_INIT;
    assert_int_equal(add_queue(&a, NULL), 1);
    assert_int_equal(add_node(&a, NULL), 1);
    d.name = text_of_name(&b), d.queue_name = text_of_name(&a), d.start_us = INT64_C(1) << 60;
#define SET() lsched_reservations_set(w.cluster, &d, 1, sizeof d, NULL, NULL, &err)
    ends(SET(), LSCHED_E_INVAL, &err,
         "-17': it has no node; expected nodes, or labels that some node has");
    d.node_names = &node, d.n_node_names = 1;
    assert_int_equal(SET(), 1);
    d.name = text_of_name(&c);
    ends(SET(), LSCHED_E_STATE, &err, "-17'; take it out first");
#undef SET
    ends(lsched_reservations_remove(w.cluster, &d.name, 1, NULL, NULL, &err), LSCHED_E_NOENT, &err,
         "-17'");
    queue = lsched_find(w.cluster, LSCHED_KIND_QUEUE, text_of_name(&a));
    ends(lsched_queues_remove(w.cluster, &queue, 1, NULL, NULL, &err), LSCHED_E_BUSY, &err,
         "-17'; end the reservation first");
}

/* Lists of nodes, devices and jobs: the message begins with the name of the object. */
static void lists(void **state) {
    (void)state;
    struct long_name a = long_name("a", "y"), b = long_name("b", "y");
    lsched_group_desc g = api_group(1);
    lsched_node_desc d = api_node("n");
    d.name = text_of_name(&a), d.n_taints = 1;
    ends(lsched_nodes_add(w.cluster, &d, 1, sizeof d, NULL, NULL, NULL, &err), LSCHED_E_NULL, &err,
         "-17': taints is NULL");
    d = api_node("n");
    lsched_device_desc one = {.size = sizeof one, .count = 1, .model = LSCHED_TEXT("H100-80GB")};
    d.name = text_of_name(&a), d.devices = &one, d.n_devices = 1;
    assert_int_equal(lsched_nodes_add(w.cluster, &d, 1, sizeof d, NULL, NULL, NULL, NULL), 1);
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.name = text_of_name(&a), u.set = LSCHED_NODE_SET_TAINTS, u.n_taints = 1;
    ends(lsched_nodes_update(w.cluster, &u, 1, sizeof u, NULL, NULL, &err), LSCHED_E_NULL, &err,
         "-17': taints is NULL");
    lsched_device_update v = LSCHED_DEVICE_UPDATE_INIT;
    v.node_name = text_of_name(&a), v.set = LSCHED_DEVICE_SET_TAINTS, v.n_taints = 1;
    ends(lsched_devices_update(w.cluster, &v, 1, sizeof v, NULL, NULL, &err), LSCHED_E_NULL, &err,
         "-17': taints is NULL");
    assert_non_null(strstr(err.message, "device 0 of node 'ay"));
    assert_int_equal(add_queue(&a, NULL), 1);
    lsched_job_desc j = api_job("j", &g, 1);
    j.name = text_of_name(&b), j.queue_name = text_of_name(&a), j.n_labels = 1;
    ends(lsched_jobs_submit(w.cluster, &j, 1, sizeof j, NULL, NULL, NULL, &err), LSCHED_E_NULL,
         &err, "-17': labels is NULL");
}

/* Names of attributes in claims, which the text of a selector and two lists have. */
static void attributes(void **state) {
    (void)state;
    struct long_name a = long_name("a", "y"), b = long_name("b", "y");
    char selector[LONG + 32];
    lsched_group_desc g = api_group(1);
    lsched_text match = text_of_name(&b);
    assert_int_equal(add_queue(&a, NULL), 1);
    snprintf(selector, sizeof selector, "device.attributes.%s == 1", b.bytes);
    lsched_device_request claim = LSCHED_DEVICE_REQUEST_INIT;
    claim.selector = lsched_cstr(selector);
    g.request = NULL, g.n_request = 0, g.device_requests = &claim, g.n_device_requests = 1;
    ends(submit(&b, &a, &g), LSCHED_E_KEY, &err,
         "yyy'; an attribute that some devices lack is read as device.attributes[\"x\"]");
    claim.selector = (lsched_text){NULL, 0};
    claim.match = &match, claim.n_match = 1;
    ends(submit(&b, &a, &g), LSCHED_E_KEY, &err, "-17'");
    assert_non_null(strstr(err.message, "match: no device has an attribute 'by"));
}

static void levels(void **state) {
    (void)state;
    struct long_name a = long_name("a", "y"), b = long_name("b", "y");
    lsched_topology_desc t = LSCHED_TOPOLOGY_DESC_INIT;
    lsched_text level = text_of_name(&b);
    lsched_group_desc g = api_group(1);
    lsched_slice slice = {text_of_name(&b), 0, 0};
    t.name = text_of_name(&a), t.levels = &level, t.n_levels = 1;
    assert_int_equal(lsched_topologies_add(w.cluster, &t, 1, sizeof t, NULL, NULL, NULL, &err), 1);
    assert_int_equal(add_queue(&a, NULL), 1);
    g.topology = text_of_name(&a), g.slices = &slice, g.n_slices = 1;
    ends(submit(&b, &a, &g), LSCHED_E_RANGE, &err, "-17' has 0 tasks; expected at least 1");
}

static void scenarios(void **state) {
    (void)state;
    struct long_name a = long_name("a", "y");
    char text[1200];
    lsched_scenario *s = NULL;
    lsched_cluster *c = NULL;
    snprintf(text, sizeof text, "nodes: [{name: %s, cpu: 1}, {name: %s, cpu: 1}]\n", a.bytes,
             a.bytes);
    assert_int_equal(lsched_cluster_create(NULL, &c, NULL), LSCHED_OK);
    int32_t rc = lsched_scenario_parse(NULL, (lsched_text){text, strlen(text)},
                                       LSCHED_TEXT("long.yaml"), &s, &err);
    if (rc == LSCHED_OK) rc = lsched_scenario_run(s, c, NULL, NULL, &err);
    ends(rc, LSCHED_E_EXISTS, &err, "or update or remove that one");
    lsched_scenario_destroy(s);
    lsched_cluster_destroy(c);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_are_shortened_in_the_middle),
        cmocka_unit_test(hostile_texts_end),
        CASE(cures_stand_behind_ascii_names),
        CASE(cures_stand_behind_wide_names),
        CASE(cures_stand_behind_names_that_cannot_be_shown),
        CASE(two_names),
        CASE(inner_names),
        CASE(reserved_names),
        CASE(lists),
        CASE(attributes),
        CASE(levels),
        CASE(scenarios),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
