/* test_incarnation.c -- ids after a load of an older image. Two processes go on from the same
 * bytes, as before and after a crash, and do other things; with a later incarnation no id of the
 * first is an id of the second, whatever was issued in between, slots that were free or retired
 * come back, and what was live before keeps its id. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/door/door.h"
#include "model/store/generation.h"
#include "support/api_world.h"
#include "support/settle.h"

struct bytes_of {
    char *p;
    size_t n;
};

static int32_t append(void *user, const void *bytes, size_t n) {
    struct bytes_of *b = user;
    b->p = realloc(b->p, b->n + n);
    if (!b->p) return 1;
    memcpy(b->p + b->n, bytes, n);
    b->n += n;
    return 0;
}

static struct bytes_of save(const lsched_cluster *c) {
    struct bytes_of b = {NULL, 0};
    assert_int_equal(lsched_cluster_save(c, append, &b, NULL), LSCHED_OK);
    return b;
}

static int32_t try_load(struct bytes_of b, uint32_t incarnation, lsched_cluster **out,
                        lsched_error *err) {
    lsched_cluster_opts o = LSCHED_CLUSTER_OPTS_INIT;
    o.incarnation = incarnation;
    *out = NULL;
    return lsched_cluster_load(&o, b.p, b.n, out, err);
}

static lsched_cluster *load(struct bytes_of b, uint32_t incarnation) {
    lsched_cluster *c;
    lsched_error err = LSCHED_ERROR_INIT;
    if (try_load(b, incarnation, &c, &err) != LSCHED_OK) fail_msg("load: %s", err.message);
    return c;
}

static uint32_t incarnation_of(const lsched_cluster *c) {
    lsched_cluster_stats s = {.size = sizeof s};
    assert_int_equal(lsched_cluster_stats_get(c, &s, NULL), LSCHED_OK);
    return s.incarnation;
}

/* ---- ids that were issued -------------------------------------------------------------------- */

enum { IDS_MAX = 20000 };
struct ids {
    lsched_id at[IDS_MAX];
    size_t n;
};

static void note(struct ids *s, lsched_id id) {
    assert_true(id != 0 && s->n < IDS_MAX);
    s->at[s->n++] = id;
}

static int by_number(const void *a, const void *b) {
    lsched_id x = *(const lsched_id *)a, y = *(const lsched_id *)b;
    return x < y ? -1 : x > y;
}

/* How many ids of a stand in b. */
static size_t common(struct ids *a, struct ids *b) {
    size_t i = 0, j = 0, n = 0;
    qsort(a->at, a->n, sizeof *a->at, by_number);
    qsort(b->at, b->n, sizeof *b->at, by_number);
    while (i < a->n && j < b->n)
        if (a->at[i] == b->at[j])
            n++, i++;
        else if (a->at[i] < b->at[j])
            i++;
        else
            j++;
    return n;
}

/* A life of a process: objects of each kind come and go, decisions are made and rejected. All ids
 * go to *out. */
static void live(lsched_cluster *c, const char *who, int rounds, int64_t now, struct ids *out) {
    for (int r = 0; r < rounds; r++) {
        char node[32], queue[32], job[32];
        snprintf(node, sizeof node, "%s-node-%d", who, r);
        snprintf(queue, sizeof queue, "%s-queue-%d", who, r);
        snprintf(job, sizeof job, "%s-job-%d", who, r);
        lsched_node_desc n = api_node(node);
        lsched_queue_desc q = api_queue(queue, NULL);
        lsched_group_desc g = api_group(2);
        lsched_job_desc j = api_job(job, &g, 1);
        lsched_id ids[3];
        assert_int_equal(lsched_nodes_add(c, &n, 1, sizeof n, NULL, &ids[0], NULL, NULL), 1);
        assert_int_equal(lsched_queues_add(c, &q, 1, sizeof q, NULL, &ids[1], NULL, NULL), 1);
        assert_int_equal(lsched_jobs_submit(c, &j, 1, sizeof j, NULL, &ids[2], NULL, NULL), 1);
        for (int i = 0; i < 3; i++) note(out, ids[i]);
        lsched_schedule_opts o = LSCHED_SCHEDULE_OPTS_INIT;
        lsched_plan *plan = NULL;
        o.now_us = now + r;
        o.flags = LSCHED_SCHEDULE_VERIFY;
        assert_int_equal(lsched_schedule(c, &o, &plan, NULL), LSCHED_OK);
        for (size_t i = 0; i < lsched_plan_size(plan); i++) note(out, lsched_plan_at(plan, i)->id);
        lsched_plan_destroy(plan);
        if (r % 3 == 0) continue; /* some stay */
        assert_int_equal(lsched_jobs_remove(c, &ids[2], 1, NULL, NULL, NULL), 1);
        assert_int_equal(lsched_nodes_remove(c, &ids[0], 1, NULL, NULL, NULL), 1);
        assert_int_equal(lsched_queues_remove(c, &ids[1], 1, NULL, NULL, NULL), 1);
    }
    assert_int_equal(lsched_verify(c, NULL, NULL), LSCHED_OK);
}

/* ---- the tests ------------------------------------------------------------------------------- */

static void ids_of_the_lost_time_do_not_come_again(void **state) {
    (void)state;
    static struct ids before, lost, again, fresh;
    struct api_world w;
    memset(&w, 0, sizeof w);
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    live(w.cluster, "old", 40, w.now_us + 1, &before);
    struct bytes_of image = save(w.cluster);
    live(w.cluster, "lost", 200, w.now_us + 1000, &lost); /* then it crashes */
    lsched_cluster *same = load(image, 0), *next = load(image, 1);
    live(same, "again", 200, w.now_us + 1000, &again);
    assert_true(common(&lost, &again) > 100); /* this is what is to be prevented */
    for (size_t i = 0; i < lost.n; i++) {     /* late messages of the lost time */
        lsched_outcome no = LSCHED_OUTCOME_REJECTED;
        lsched_job_info info = {.size = sizeof info};
        if (LSCHED_ID_KIND(lost.at[i]) == LSCHED_KIND_DECISION)
            assert_int_equal(settle_each(next, &lost.at[i], &no, 1, NULL, NULL), LSCHED_E_STALE);
        if (LSCHED_ID_KIND(lost.at[i]) == LSCHED_KIND_JOB)
            assert_int_equal(lsched_job_get(next, lost.at[i], &info, NULL), LSCHED_E_STALE);
    }
    live(next, "fresh", 200, w.now_us + 1000, &fresh);
    assert_int_equal(common(&lost, &fresh), 0);
    assert_int_equal(common(&before, &fresh), 0);
    lsched_cluster_destroy(same);
    lsched_cluster_destroy(next);
    api_world_drop(&w);
    free(image.p);
}

static void live_objects_keep_their_ids_and_the_meaning_is_the_same(void **state) {
    (void)state;
    struct api_world w;
    memset(&w, 0, sizeof w);
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    struct bytes_of image = save(w.cluster);
    lsched_cluster *c = load(image, 7), *plain = load(image, 0);
    assert_int_equal(api_meaning(c), api_meaning(w.cluster));
    assert_int_equal(api_image(plain), api_image(w.cluster));
    assert_int_equal(incarnation_of(c), 7);
    assert_int_equal(incarnation_of(plain), 0);
    const lsched_id live_ids[] = {w.nodes[0], w.nodes[1], w.org,  w.research,
                                  w.product,  w.busy,     w.open, w.later};
    for (size_t i = 0; i < sizeof live_ids / sizeof *live_ids; i++)
        assert_non_null(lsched_name(c, live_ids[i], NULL));
    assert_int_equal(lsched_decision_state(c, w.proposed, NULL), LSCHED_DECISION_PROPOSED);
    lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
    assert_int_equal(settle_each(c, &w.proposed, &yes, 1, NULL, NULL), LSCHED_OK);
    assert_int_equal(lsched_verify(c, NULL, NULL), LSCHED_OK);
    lsched_cluster_destroy(c);
    lsched_cluster_destroy(plain);
    api_world_drop(&w);
    free(image.p);
}

static void an_incarnation_only_grows(void **state) {
    (void)state;
    struct api_world w;
    lsched_cluster *c = NULL, *clone = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    memset(&w, 0, sizeof w);
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    struct bytes_of first = save(w.cluster);
    c = load(first, 5);
    struct bytes_of second = save(c);
    assert_int_equal(lsched_cluster_clone(c, &clone, NULL), LSCHED_OK);
    assert_int_equal(incarnation_of(clone), 5);
    lsched_cluster_destroy(clone);
    lsched_cluster_destroy(c);
    assert_int_equal(try_load(second, 5, &c, &err), LSCHED_E_RANGE);
    assert_non_null(strstr(
        err.message,
        "the saved state has incarnation 5; give a greater one, or 0 to keep using its ids"));
    assert_int_equal(try_load(second, 4, &c, &err), LSCHED_E_RANGE);
    assert_int_equal(try_load(second, LSCHED_INCARNATION_MAX + 1, &c, &err), LSCHED_E_RANGE);
    assert_non_null(strstr(err.message, "expected 0 to 16383"));
    c = load(second, LSCHED_INCARNATION_MAX);
    static struct ids last;
    live(c, "last", 50, w.now_us + 1, &last);
    for (size_t i = 0; i < last.n; i++) assert_true(LSCHED_ID_KIND(last.at[i]) <= 5);
    lsched_cluster_destroy(c);
    api_world_drop(&w);
    free(first.p);
    free(second.p);
}

/* A cluster that is built anew by imports issues from its first id on. */
static void a_cluster_that_is_made_anew_has_ids_of_its_own(void **state) {
    (void)state;
    static struct ids one, two;
    for (uint32_t i = 1; i <= 2; i++) {
        struct api_world w;
        lsched_cluster_opts o = LSCHED_CLUSTER_OPTS_INIT;
        o.incarnation = i;
        memset(&w, 0, sizeof w);
        assert_int_equal(api_world_make(&w, &o), LSCHED_OK);
        live(w.cluster, "x", 50, w.now_us + 1, i == 1 ? &one : &two);
        assert_int_equal(incarnation_of(w.cluster), i);
        api_world_drop(&w);
    }
    assert_int_equal(common(&one, &two), 0);
}

/* A slot retires when its objects of one incarnation are used up, and is there again in the
 * next. */
static void a_retired_slot_comes_back(void **state) {
    (void)state;
    struct api_world w;
    memset(&w, 0, sizeof w);
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    struct columns *k = &w.cluster->k;
    uint32_t free_rows = table_rows(k, T_JOB) - table_live(k, T_JOB);
    uint64_t jobs = (uint64_t)(free_rows + 1) * GENERATIONS, rows = table_rows(k, T_JOB);
    lsched_group_desc g = api_group(1);
    for (uint64_t i = 0; i < jobs; i++) {
        lsched_id id;
        lsched_job_desc j = api_job("one", &g, 1);
        assert_int_equal(lsched_jobs_submit(w.cluster, &j, 1, sizeof j, NULL, &id, NULL, NULL), 1);
        assert_int_equal(lsched_jobs_remove(w.cluster, &id, 1, NULL, NULL, NULL), 1);
    }
    assert_true(table_rows(k, T_JOB) > rows); /* all free ones have retired */
    assert_int_equal(lsched_verify(w.cluster, NULL, NULL), LSCHED_OK);
    struct bytes_of image = save(w.cluster);
    rows = table_rows(k, T_JOB);
    uint32_t live_rows = table_live(k, T_JOB);
    lsched_cluster *c = load(image, 1);
    k = &c->k;
    assert_int_equal(lsched_verify(c, NULL, NULL), LSCHED_OK);
    for (uint32_t i = live_rows; i < rows; i++) { /* every row of the table can be had again */
        char name[32];
        snprintf(name, sizeof name, "job-%u", i);
        lsched_job_desc j = api_job(name, &g, 1);
        assert_int_equal(lsched_jobs_submit(c, &j, 1, sizeof j, NULL, NULL, NULL, NULL), 1);
    }
    assert_int_equal(table_rows(k, T_JOB), rows);
    assert_int_equal(lsched_verify(c, NULL, NULL), LSCHED_OK);
    lsched_cluster_destroy(c);
    api_world_drop(&w);
    free(image.p);
}

/* It goes through the door: a recorder sees it, and its replay gives the same image. */
static void seen(void *user, const struct call *call) {
    *(uint32_t *)user =
        call->kind->op == CALL_INCARNATION_SET ? *(const uint32_t *)call->elements : 0;
}

static void the_door_records_it(void **state) {
    (void)state;
    uint32_t what = 0, three = 3;
    struct api_world w;
    memset(&w, 0, sizeof w);
    assert_int_equal(api_world_make(&w, NULL), LSCHED_OK);
    struct bytes_of image = save(w.cluster);
    lsched_cluster *c = load(image, 3);
    door_watch(w.cluster, seen, &what);
    struct call call = {
        .kind = &call_incarnation_set, .n = 1, .elem_size = sizeof three, .elements = &three};
    assert_int_equal(door_apply(w.cluster, &call, NULL), 1);
    assert_int_equal(what, 3);
    assert_int_equal(api_image(w.cluster), api_image(c));
    lsched_cluster_destroy(c);
    api_world_drop(&w);
    free(image.p);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_of_the_lost_time_do_not_come_again),
        cmocka_unit_test(live_objects_keep_their_ids_and_the_meaning_is_the_same),
        cmocka_unit_test(an_incarnation_only_grows),
        cmocka_unit_test(a_cluster_that_is_made_anew_has_ids_of_its_own),
        cmocka_unit_test(a_retired_slot_comes_back),
        cmocka_unit_test(the_door_records_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
