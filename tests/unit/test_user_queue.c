/* Sub-queues of users and groups, by the public calls: where a job goes, what it may there, when
 * they come and go; and that a submission that is refused, or runs out of memory, leaves nothing
 * behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/fault_alloc.h"
#include "support/queue_world.h"

static struct queue_world world;

static int open_world(void **unused) {
    (void)unused;
    queue_world_open(&world, 1, 8, NULL);
    return 0;
}

static int close_world(void **unused) {
    (void)unused;
    queue_world_close(&world);
    return 0;
}

static void queue(struct queue_form form) {
    int32_t code = queue_world_queue(&world, form);
    if (code < 0) print_message("%s\n", world.err.message);
    assert_int_equal(code, 1);
}

static int32_t submit(const char *name, const char *to, const char *user, const char *group) {
    return queue_world_job(
        &world, (struct work_form){.name = name, .queue = to, .user = user, .group = group});
}

static void refuse(const char *to, const char *user, const char *group, int32_t code,
                   const char *says) {
    uint64_t before = 0, after = 1;
    lsched_cluster_hash(world.cluster, LSCHED_HASH_IMAGE, &before, NULL);
    assert_int_equal(submit("refused", to, user, group), code);
    if (!strstr(world.err.message, says)) print_message("%s\n", world.err.message);
    assert_non_null(strstr(world.err.message, says));
    lsched_cluster_hash(world.cluster, LSCHED_HASH_IMAGE, &after, NULL);
    assert_true(before == after);
}

static const char *queue_of(const char *job) {
    static char name[LSCHED_NAME_BYTES_MAX + 1];
    lsched_job_info info = {.size = sizeof info};
    size_t len = 0;
    assert_int_equal(
        lsched_job_get(world.cluster, queue_world_id(&world, LSCHED_KIND_JOB, job), &info, NULL),
        0);
    const char *text = lsched_name(world.cluster, info.queue, &len);
    memcpy(name, text, len);
    name[len] = 0;
    return name;
}

static int exists(const char *name) {
    return queue_world_id(&world, LSCHED_KIND_QUEUE, name) != 0;
}

static void a_job_goes_to_its_user(void **unused) {
    (void)unused;
    queue(QUEUE_FORM(.name = "q", .flags = LSCHED_QUEUE_PER_USER));
    assert_int_equal(submit("one", "q", "ada", "maths"), 1);
    assert_int_equal(submit("two", "q", "ada", NULL), 1);
    assert_int_equal(submit("three", "q", NULL, NULL), 1);
    assert_int_equal(submit("four", "q/ada", "bob", NULL), 1); /* by name: whoever it is */
    assert_string_equal(queue_of("one"), "q/ada");
    assert_string_equal(queue_of("two"), "q/ada");
    assert_string_equal(queue_of("three"), "q/-");
    assert_string_equal(queue_of("four"), "q/ada");
    lsched_queue_info info = {.size = sizeof info};
    lsched_queue_get(world.cluster, queue_world_id(&world, LSCHED_KIND_QUEUE, "q"), &info, NULL);
    assert_int_equal(info.jobs, 4);
    assert_int_equal(queue_world_cycle(&world), 4);
}

static void a_job_goes_to_its_group_and_user(void **unused) {
    (void)unused;
    queue(QUEUE_FORM(.name = "g", .flags = LSCHED_QUEUE_PER_GROUP));
    queue(QUEUE_FORM(.name = "both", .flags = LSCHED_QUEUE_PER_GROUP | LSCHED_QUEUE_PER_USER));
    assert_int_equal(submit("one", "g", "ada", "maths"), 1);
    assert_int_equal(submit("two", "both", "ada", "maths"), 1);
    assert_int_equal(submit("three", "both", "ada", NULL), 1);
    assert_int_equal(submit("four", "both/@maths", "bob", NULL), 1); /* a group divides, too */
    assert_string_equal(queue_of("one"), "g/@maths");
    assert_string_equal(queue_of("two"), "both/@maths/ada");
    assert_string_equal(queue_of("three"), "both/@-/ada");
    assert_string_equal(queue_of("four"), "both/@maths/bob");
    assert_int_equal(queue_world_cycle(&world), 4);
}

static void users_share_a_queue(void **unused) {
    (void)unused;
    queue(QUEUE_FORM(.name = "q", .flags = LSCHED_QUEUE_PER_USER));
    char name[8] = "a0";
    for (int i = 0; i < 8; i++) {
        name[0] = 'a', name[1] = (char)('0' + i);
        assert_int_equal(submit(name, "q", "ada", NULL), 1);
    }
    for (int i = 0; i < 8; i++) {
        name[0] = 'b', name[1] = (char)('0' + i);
        assert_int_equal(submit(name, "q", "bob", NULL), 1);
    }
    assert_int_equal(queue_world_cycle(&world), 8);
    assert_int_equal(queue_world_share(&world, "q/ada").used, 4000);
    assert_int_equal(queue_world_share(&world, "q/bob").used, 4000);
}

static void limits_of_users_follow_the_queue(void **unused) {
    (void)unused;
    struct queue_form form = QUEUE_FORM(.name = "q", .flags = LSCHED_QUEUE_PER_USER,
                                        .user_limit = 2, .user_submitted_max = 4);
    queue(form);
    char name[3] = "a0";
    for (int i = 0; i < 4; i++, name[1]++) assert_int_equal(submit(name, "q", "ada", NULL), 1);
    refuse("q", "ada", NULL, LSCHED_E_LIMIT, "'q/ada' has 4 jobs; it accepts at most 4");
    assert_int_equal(queue_world_cycle(&world), 2);
    assert_int_equal(queue_world_waits(&world, "a3").code, LSCHED_WAIT_LIMIT);
    form.user_limit = 3;
    assert_int_equal(queue_world_update(&world, form), 1);
    assert_int_equal(queue_world_cycle(&world), 1);
    form.user_limit = 0; /* none */
    form.user_jobs_max = 3;
    assert_int_equal(queue_world_update(&world, form), 1);
    assert_int_equal(queue_world_cycle(&world), 0);
    assert_int_equal(queue_world_waits(&world, "a3").code, LSCHED_WAIT_JOBS);
    assert_int_equal(submit("b0", "q", "bob", NULL), 1); /* another user's own */
    assert_int_equal(queue_world_cycle(&world), 1);
}

static void they_go_when_nobody_needs_them(void **unused) {
    (void)unused;
    queue(QUEUE_FORM(.name = "both", .flags = LSCHED_QUEUE_PER_GROUP | LSCHED_QUEUE_PER_USER));
    assert_int_equal(submit("one", "both", "ada", "maths"), 1);
    assert_int_equal(submit("two", "both", "bob", "maths"), 1);
    queue_world_cycle(&world);
    queue_world_cycle(&world); /* nothing new: no refresh is due */
    queue_world_event(&world, "one", 0, LSCHED_EVENT_ENDED);
    assert_true(exists("both/@maths/ada"));
    world.now_us += 31 * QUEUE_WORLD_S;
    queue_world_cycle(&world);
    assert_false(exists("both/@maths/ada"));
    assert_true(exists("both/@maths/bob"));
    queue_world_remove(&world, "two");
    world.now_us += 31 * QUEUE_WORLD_S;
    queue_world_cycle(&world);
    assert_false(exists("both/@maths/bob"));
    assert_false(exists("both/@maths"));
    assert_true(exists("both"));
    assert_int_equal(submit("three", "both", "ada", "maths"), 1); /* and come back */
}

/* A host need not know them to remove the queue. */
static void they_go_with_their_queue(void **unused) {
    (void)unused;
    queue(QUEUE_FORM(.name = "both", .flags = LSCHED_QUEUE_PER_GROUP | LSCHED_QUEUE_PER_USER));
    assert_int_equal(submit("one", "both", "ada", "maths"), 1);
    assert_int_equal(submit("two", "both", "bob", "maths"), 1);
    assert_int_equal(submit("three", "both", "bob", NULL), 1);
    lsched_id ids[2] = {queue_world_id(&world, LSCHED_KIND_QUEUE, "both"),
                        queue_world_id(&world, LSCHED_KIND_QUEUE, "both/@maths/ada")};
    assert_int_equal(lsched_queues_remove(world.cluster, ids, 1, NULL, NULL, &world.err),
                     LSCHED_E_BUSY);
    assert_non_null(strstr(world.err.message, "has 3 jobs"));
    queue_world_remove(&world, "one");
    queue_world_remove(&world, "two");
    queue_world_remove(&world, "three");
    assert_int_equal(lsched_queues_remove(world.cluster, ids, 2, NULL, NULL, &world.err), 2);
    assert_false(exists("both/@maths/bob") || exists("both/@-") || exists("both"));
    assert_int_equal(lsched_verify(world.cluster, NULL, &world.err), 0);
}

/* While use is remembered, so is who used it. */
static void who_used_much_is_remembered(void **unused) {
    (void)unused;
    queue_world_policy(&world, "return { api = 1, name = \"t\", usage = { half_life = 60 } }");
    queue(QUEUE_FORM(.name = "q", .flags = LSCHED_QUEUE_PER_USER));
    assert_int_equal(submit("one", "q", "ada", NULL), 1);
    queue_world_cycle(&world);
    world.now_us += 60 * QUEUE_WORLD_S;
    queue_world_event(&world, "one", 0, LSCHED_EVENT_ENDED);
    queue_world_cycle(&world);
    assert_true(exists("q/ada"));
    assert_in_range(queue_world_share(&world, "q/ada").decayed_ppm, 1, 1000000);
    world.now_us += 3600 * QUEUE_WORLD_S;
    queue_world_cycle(&world);
    assert_false(exists("q/ada"));
}

static void names_that_are_refused(void **unused) {
    (void)unused;
    char large[256];
    memset(large, 'x', 255);
    large[255] = 0;
    queue(QUEUE_FORM(.name = "q", .flags = LSCHED_QUEUE_PER_USER));
    queue(QUEUE_FORM(.name = "plain"));
    refuse("q", "a/b", NULL, LSCHED_E_INVAL, "user 'a/b'");
    refuse("plain", "a/b", NULL, LSCHED_E_INVAL, "user 'a/b'");
    refuse("plain", "a", "@b", LSCHED_E_INVAL, "user_group '@b'");
    refuse("q", "-", NULL, LSCHED_E_INVAL,
           "user '-': a name that begins with '@' means a group, and the name '-' means no "
           "user");
    refuse("q", large, NULL, LSCHED_E_INVAL, "more than 255 bytes");
    queue(QUEUE_FORM(.name = "q/eve"));
    refuse("q", "eve", NULL, LSCHED_E_EXISTS, "'q/eve' exists and is not the sub-queue");
}

/* The sub-queue is made, then the job turns out to be bad. */
static void a_refused_job_leaves_no_queue(void **unused) {
    (void)unused;
    queue(QUEUE_FORM(.name = "q", .flags = LSCHED_QUEUE_PER_USER));
    uint64_t before = 0, after = 1;
    lsched_cluster_hash(world.cluster, LSCHED_HASH_IMAGE, &before, NULL);
    struct work_form bad = {.name = "bad", .queue = "q", .user = "ada", .tasks = 2, .min = 3};
    assert_int_equal(queue_world_job(&world, bad), LSCHED_E_RANGE);
    lsched_cluster_hash(world.cluster, LSCHED_HASH_IMAGE, &after, NULL);
    assert_true(before == after);
    assert_false(exists("q/ada"));
}

static void queues_that_cannot_be_divided(void **unused) {
    (void)unused;
    queue(QUEUE_FORM(.name = "inner"));
    queue(QUEUE_FORM(.name = "leaf", .parent = "inner"));
    assert_int_equal(submit("one", "leaf", NULL, NULL), 1);
    struct queue_form form = QUEUE_FORM(.name = "inner", .flags = LSCHED_QUEUE_PER_USER);
    assert_int_equal(queue_world_update(&world, form), LSCHED_E_STATE);
    assert_non_null(strstr(world.err.message, "'inner' has queues below it"));
    form.name = "leaf";
    assert_int_equal(queue_world_update(&world, form), LSCHED_E_BUSY);
    assert_non_null(strstr(world.err.message, "'leaf' has 1 job of its own"));
    queue_world_remove(&world, "one");
    assert_int_equal(queue_world_update(&world, form), 1);
    struct queue_form child = QUEUE_FORM(.name = "child", .parent = "leaf");
    assert_int_equal(queue_world_queue(&world, child), LSCHED_E_STATE);
    assert_non_null(strstr(world.err.message, "divided by users"));
    char name[4] = "d2", parent[4] = "d1";
    queue(QUEUE_FORM(.name = "d1"));
    for (int i = 2; i < LSCHED_QUEUE_DEPTH_MAX; i++) {
        name[1] = (char)('a' + i);
        queue(QUEUE_FORM(.name = name, .parent = parent));
        parent[1] = name[1];
    }
    struct queue_form deep = QUEUE_FORM(.name = "deep", .parent = parent);
    deep.flags = LSCHED_QUEUE_PER_USER;
    assert_int_equal(queue_world_queue(&world, deep), LSCHED_E_LIMIT);
    assert_non_null(strstr(world.err.message, "with the queues of its users"));
    deep.flags = 0;
    assert_int_equal(queue_world_queue(&world, deep), 1);
}

static void the_flags_may_go_again(void **unused) {
    (void)unused;
    queue(QUEUE_FORM(.name = "q", .flags = LSCHED_QUEUE_PER_USER));
    assert_int_equal(submit("one", "q", "ada", NULL), 1);
    assert_int_equal(queue_world_update(&world, QUEUE_FORM(.name = "q")), 1);
    refuse("q", "bob", NULL, LSCHED_E_STATE, "has children");
    queue_world_remove(&world, "one");
    queue_world_cycle(&world);
    assert_int_equal(submit("two", "q", "bob", NULL), 1);
    assert_string_equal(queue_of("two"), "q");
}

/* ---- memory ---- */

static lsched_cluster *small_cluster(struct fault_alloc *f) {
    lsched_allocator hooks = fault_hooks(f);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    lsched_cluster *c = NULL;
    assert_int_equal(lsched_cluster_create(&opts, &c, NULL), 0);
    lsched_queue_desc d = LSCHED_QUEUE_DESC_INIT;
    d.name = LSCHED_TEXT("q");
    d.flags = LSCHED_QUEUE_PER_GROUP | LSCHED_QUEUE_PER_USER;
    assert_int_equal(lsched_queues_add(c, &d, 1, sizeof d, NULL, NULL, NULL, NULL), 1);
    return c;
}

static int32_t submit_many(lsched_cluster *c, uint32_t n) {
    static char names[40][8], users[40][8];
    lsched_job_desc jobs[40];
    lsched_group_desc g = LSCHED_GROUP_DESC_INIT;
    lsched_amount request = {LSCHED_CPU, 0, 1000};
    g.request = &request;
    g.n_request = 1;
    for (uint32_t i = 0; i < n; i++) {
        snprintf(names[i], sizeof names[i], "j%u", i);
        snprintf(users[i], sizeof users[i], "u%u", i);
        lsched_init(&jobs[i], sizeof jobs[i]);
        jobs[i].name = lsched_cstr(names[i]);
        jobs[i].queue_name = LSCHED_TEXT("q");
        jobs[i].user = lsched_cstr(users[i]);
        jobs[i].user_group = lsched_cstr(users[i / 4 * 4]);
        jobs[i].groups = &g;
        jobs[i].n_groups = 1;
    }
    return lsched_jobs_submit(c, jobs, n, sizeof jobs[0], NULL, NULL, NULL, NULL);
}

static void every_allocation_may_fail(void **unused) {
    (void)unused;
    struct fault_alloc f;
    memset(&f, 0, sizeof f);
    for (uint64_t at = 1;; at++) {
        lsched_cluster *c = small_cluster(&f);
        uint64_t before = 0, after = 1, calls = f.calls;
        lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &before, NULL);
        f.fail_at = calls + at;
        int32_t code = submit_many(c, 40);
        int failed = f.calls >= f.fail_at;
        f.fail_at = 0;
        if (failed) {
            assert_int_equal(code, LSCHED_E_NOMEM);
            lsched_cluster_hash(c, LSCHED_HASH_IMAGE, &after, NULL);
            assert_true(before == after);
            assert_int_equal(submit_many(c, 40), 40);
        }
        assert_int_equal(lsched_verify(c, NULL, NULL), 0);
        lsched_cluster_destroy(c);
        assert_int_equal(f.live_blocks, 0);
        assert_int_equal(f.wrong_sizes, 0);
        if (!failed) break;
    }
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, open_world, close_world)
int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_job_goes_to_its_user),
        TEST(a_job_goes_to_its_group_and_user),
        TEST(users_share_a_queue),
        TEST(limits_of_users_follow_the_queue),
        TEST(they_go_when_nobody_needs_them),
        TEST(they_go_with_their_queue),
        TEST(who_used_much_is_remembered),
        TEST(names_that_are_refused),
        TEST(a_refused_job_leaves_no_queue),
        TEST(queues_that_cannot_be_divided),
        TEST(the_flags_may_go_again),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
