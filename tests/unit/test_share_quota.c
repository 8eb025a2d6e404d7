/*
 * share "quota" on small trees with known answers: guarantees and fair shares down the tree, and
 * the order of queues, one rule after the other.
 */
#include "property/quota_world.h"

#define GPU INT64_C(1000)

static struct world w;

static int start(void **state) {
    (void)state;
    world_init(&w, &share_quota);
    return 0;
}

static int end(void **state) {
    (void)state;
    world_end(&w);
    return 0;
}

static uint32_t gpu_queue(uint32_t parent, int64_t quota, int64_t weight) {
    uint32_t q = world_queue(&w, parent);
    w.quota[LSCHED_GPU][q] = quota;
    w.weight[LSCHED_GPU][q] = weight;
    return q;
}

/* ---- rights ---------------------------------------------------------------------------------- */

/* Two departments, each with two projects; one project asks for nothing, so its sibling gets the
 * department's quota before the other department does. */
static void test_two_levels(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 16 * GPU;
    uint32_t a = gpu_queue(ROOT, 8 * GPU, 1000), b = gpu_queue(ROOT, 4 * GPU, 1000);
    uint32_t a1 = gpu_queue(a, 4 * GPU, 1000), a2 = gpu_queue(a, 4 * GPU, 1000);
    uint32_t b1 = gpu_queue(b, 1 * GPU, 1000), b2 = gpu_queue(b, 1 * GPU, 3000);
    world_load(&w, a1, LSCHED_GPU, 0, 20 * GPU);
    world_load(&w, b1, LSCHED_GPU, 0, 20 * GPU);
    world_load(&w, b2, LSCHED_GPU, 0, 20 * GPU);
    world_begin(&w);
    assert_int_equal(world_guarantee(&w, a, LSCHED_GPU), 8 * GPU);
    assert_int_equal(world_guarantee(&w, a2, LSCHED_GPU), 4 * GPU);
    assert_int_equal(world_share(&w, a, LSCHED_GPU), 10 * GPU);
    assert_int_equal(world_share(&w, b, LSCHED_GPU), 6 * GPU);
    assert_int_equal(world_share(&w, a1, LSCHED_GPU), 10 * GPU);
    assert_int_equal(world_share(&w, a2, LSCHED_GPU), 0);
    assert_int_equal(world_share(&w, b1, LSCHED_GPU), 2 * GPU);
    assert_int_equal(world_share(&w, b2, LSCHED_GPU), 4 * GPU);
}

/* Children with more quota than their parent share its guarantee; what the configured quotas
 * come to is the fair share still, and the parent's is checked where work is taken. */
static void test_guarantees_above_the_parents(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 16 * GPU;
    uint32_t a = gpu_queue(ROOT, 6 * GPU, 0), b = gpu_queue(ROOT, 10 * GPU, 0);
    uint32_t a1 = gpu_queue(a, 8 * GPU, 0), a2 = gpu_queue(a, 4 * GPU, 0);
    uint32_t c = gpu_queue(gpu_queue(ROOT, 0, 0), 5 * GPU, 0);
    world_load(&w, a1, LSCHED_GPU, 0, 20 * GPU);
    world_begin(&w);
    assert_int_equal(world_guarantee(&w, a, LSCHED_GPU), 6 * GPU);
    assert_int_equal(world_guarantee(&w, b, LSCHED_GPU), 10 * GPU);
    assert_int_equal(world_guarantee(&w, a1, LSCHED_GPU), 4 * GPU);
    assert_int_equal(world_guarantee(&w, a2, LSCHED_GPU), 2 * GPU);
    assert_int_equal(world_guarantee(&w, c, LSCHED_GPU), 0); /* below a queue without a quota */
    assert_int_equal(world_share(&w, a, LSCHED_GPU), 6 * GPU);
    assert_int_equal(world_share(&w, a1, LSCHED_GPU), 8 * GPU);
}

/* Quotas of the roots are as they are, whatever the cluster has today: nobody above them promised
 * less. So are those below an unlimited queue. */
static void test_quotas_above_the_cluster(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 9 * GPU;
    uint32_t a = gpu_queue(ROOT, 8 * GPU, 1000), b = gpu_queue(ROOT, 8 * GPU, 1000);
    world_load(&w, a, LSCHED_GPU, 0, 20 * GPU);
    world_load(&w, b, LSCHED_GPU, 0, 20 * GPU);
    for (int below = 0; below < 2; below++) {
        world_begin(&w);
        assert_int_equal(world_guarantee(&w, a, LSCHED_GPU), 8 * GPU);
        assert_int_equal(world_guarantee(&w, b, LSCHED_GPU), 8 * GPU);
        assert_int_equal(world_share(&w, a, LSCHED_GPU), 8 * GPU);
        if (below) break;
        w.parent[a] = w.parent[b] = gpu_queue(ROOT, ANY, 1000);
        w.demand[LSCHED_GPU][w.parent[a]] = 40 * GPU;
    }
}

/* Below a queue that keeps account they come to what it has; the older one has the odd device. */
static void test_quotas_above_the_parents_scale(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 20 * GPU;
    uint32_t top = gpu_queue(ROOT, 9 * GPU, 1000);
    uint32_t a = gpu_queue(top, 8 * GPU, 1000), b = gpu_queue(top, 8 * GPU, 1000);
    world_begin(&w);
    assert_int_equal(world_guarantee(&w, a, LSCHED_GPU), 5 * GPU);
    assert_int_equal(world_guarantee(&w, b, LSCHED_GPU), 4 * GPU);
    w.created[a] = 1; /* b is the older one */
    world_begin(&w);
    assert_int_equal(world_guarantee(&w, a, LSCHED_GPU), 4 * GPU);
    assert_int_equal(world_guarantee(&w, b, LSCHED_GPU), 5 * GPU);
}

static void test_quota_above_the_limit_counts_up_to_it(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 16 * GPU;
    uint32_t a = gpu_queue(ROOT, 8 * GPU, 1000), b = gpu_queue(ROOT, 2 * GPU, 1000);
    w.limit[LSCHED_GPU][a] = 3 * GPU;
    world_load(&w, a, LSCHED_GPU, 0, 20 * GPU);
    world_load(&w, b, LSCHED_GPU, 0, 20 * GPU);
    world_begin(&w);
    assert_int_equal(world_guarantee(&w, a, LSCHED_GPU), 3 * GPU);
    assert_int_equal(world_share(&w, a, LSCHED_GPU), 3 * GPU);
    assert_int_equal(world_share(&w, b, LSCHED_GPU), 13 * GPU);
}

/* A limit of a child bounds what its parent can use. */
static void test_need_of_a_parent_is_what_children_can_use(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 16 * GPU;
    uint32_t a = gpu_queue(ROOT, 0, 1000), b = gpu_queue(ROOT, 0, 1000);
    uint32_t a1 = gpu_queue(a, 0, 1000);
    w.limit[LSCHED_GPU][a1] = 2 * GPU;
    world_load(&w, a1, LSCHED_GPU, 0, 20 * GPU);
    world_load(&w, b, LSCHED_GPU, 0, 20 * GPU);
    world_begin(&w);
    assert_int_equal(world_share(&w, a, LSCHED_GPU), 2 * GPU);
    assert_int_equal(world_share(&w, b, LSCHED_GPU), 14 * GPU);
}

/* What a1 does not lend to a2, a does not lend to b either, whatever a's own lend limit is. */
static void test_lend_limits_hold_at_every_level(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 20 * GPU;
    uint32_t a = gpu_queue(ROOT, 10 * GPU, 1000), b = gpu_queue(ROOT, 10 * GPU, 1000);
    uint32_t a1 = gpu_queue(a, 5 * GPU, 1000), a2 = gpu_queue(a, 5 * GPU, 1000);
    w.lend[LSCHED_GPU][a1] = 2 * GPU;
    world_load(&w, b, LSCHED_GPU, 0, 50 * GPU);
    world_begin(&w);
    assert_int_equal(world_share(&w, b, LSCHED_GPU), 17 * GPU);
    world_load(&w, a2, LSCHED_GPU, 0, 50 * GPU);
    world_begin(&w); /* a: 10, of which a1 keeps 3 */
    assert_int_equal(world_share(&w, b, LSCHED_GPU), 10 * GPU);
    assert_int_equal(world_share(&w, a2, LSCHED_GPU), 7 * GPU);
    assert_int_equal(world_share(&w, a1, LSCHED_GPU), 0);
    assert_int_equal(world_share(&w, a, LSCHED_GPU), 7 * GPU); /* what it can use */
}

/* Whole devices where all that is asked for is whole; one part of a device, and milli-units count. */
static void test_whole_devices(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 7 * GPU;
    uint32_t a = gpu_queue(ROOT, 0, 1000), b = gpu_queue(ROOT, 0, 1000);
    world_load(&w, a, LSCHED_GPU, 0, 20 * GPU);
    world_load(&w, b, LSCHED_GPU, 0, 20 * GPU);
    world_begin(&w);
    assert_int_equal(world_share(&w, a, LSCHED_GPU), 4 * GPU);
    assert_int_equal(world_share(&w, b, LSCHED_GPU), 3 * GPU);
    world_load(&w, a, LSCHED_GPU, 0, 500);
    world_begin(&w);
    assert_int_equal(world_share(&w, a, LSCHED_GPU), 3500);
    assert_int_equal(world_share(&w, b, LSCHED_GPU), 3500);
}

static void test_decayed_use(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 9 * GPU;
    uint32_t a = gpu_queue(ROOT, 0, 1000), b = gpu_queue(ROOT, 0, 1000);
    world_load(&w, a, LSCHED_GPU, 0, 20 * GPU);
    world_load(&w, b, LSCHED_GPU, 0, 20 * GPU);
    w.decayed[LSCHED_GPU][a] = 500000;
    world_begin(&w);
    assert_int_equal(world_share(&w, a, LSCHED_GPU), 3 * GPU);
    assert_int_equal(world_share(&w, b, LSCHED_GPU), 6 * GPU);
    w.view.usage_weight_milli = 0;
    world_begin(&w);
    assert_int_equal(world_share(&w, a, LSCHED_GPU), 5 * GPU);
}

/* CPUs that nobody has a quota of do not put GPU work beyond its guarantee. */
static void test_kinds_nobody_has_a_quota_of(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 8 * GPU;
    w.view.total_capacity[LSCHED_CPU] = 80;
    uint32_t a = gpu_queue(ROOT, 4 * GPU, 1000), b = gpu_queue(ROOT, 0, 1000);
    w.want[a][LSCHED_GPU] = w.want[b][LSCHED_GPU] = 1 * GPU;
    w.want[a][LSCHED_CPU] = 70;
    w.want[b][LSCHED_CPU] = 10;
    w.priority[b] = 9;
    world_load(&w, b, LSCHED_GPU, 0, 1 * GPU);
    world_begin(&w);
    assert_int_equal(world_guarantee(&w, a, LSCHED_CPU), ANY);
    assert_int_equal(world_guarantee(&w, b, LSCHED_CPU), ANY);
    assert_true(world_before(&w, a, b));
    w.quota[LSCHED_CPU][b] = 5; /* somebody has */
    world_begin(&w);
    assert_int_equal(world_guarantee(&w, a, LSCHED_CPU), 0);
    assert_int_equal(world_guarantee(&w, b, LSCHED_CPU), 5);
    assert_true(world_before(&w, b, a));
    w.quota[LSCHED_CPU][b] = w.quota[LSCHED_GPU][a] = 0; /* nobody of anything: weights alone */
    world_begin(&w);
    assert_int_equal(world_guarantee(&w, a, LSCHED_CPU), 0);
    assert_int_equal(world_guarantee(&w, a, LSCHED_GPU), 0);
}

/* ---- order ----------------------------------------------------------------------------------- */

static void test_guarantee_then_fair_share_then_the_rest(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 12 * GPU;
    uint32_t beyond = gpu_queue(ROOT, 1 * GPU, 0);
    uint32_t fair = gpu_queue(ROOT, 1 * GPU, 1000);
    uint32_t sure = gpu_queue(ROOT, 9 * GPU, 0);
    w.priority[beyond] = 3; /* decides only within each of the three */
    w.priority[fair] = 1;
    w.priority[sure] = 1;
    for (uint32_t q = 0; q < 3; q++) w.want[q][LSCHED_GPU] = 1 * GPU;
    world_load(&w, beyond, LSCHED_GPU, 1 * GPU, 5 * GPU);
    world_load(&w, fair, LSCHED_GPU, 1 * GPU, 1 * GPU);
    world_load(&w, sure, LSCHED_GPU, 8 * GPU, 5 * GPU);
    world_begin(&w);
    assert_int_equal(world_share(&w, fair, LSCHED_GPU), 2 * GPU);
    assert_true(world_before(&w, sure, fair));
    assert_true(world_before(&w, fair, beyond));
    w.want[sure][LSCHED_GPU] = 2 * GPU; /* its next job alone does not fit its guarantee */
    assert_true(world_before(&w, fair, sure));
    assert_true(world_before(&w, beyond, sure)); /* both beyond: priority */
}

/* Every kind that the job needs must be within; kinds that it does not need do not matter. */
static void test_every_kind_that_is_needed(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = w.view.total_capacity[LSCHED_CPU] = 10 * GPU;
    uint32_t a = gpu_queue(ROOT, 5 * GPU, 0), b = gpu_queue(ROOT, 5 * GPU, 0);
    w.quota[LSCHED_CPU][a] = w.quota[LSCHED_CPU][b] = 100;
    w.weight[LSCHED_CPU][a] = w.weight[LSCHED_CPU][b] = 0;
    world_load(&w, a, LSCHED_CPU, 200, 0);
    world_load(&w, b, LSCHED_GPU, 1 * GPU, 1 * GPU);
    w.want[a][LSCHED_GPU] = w.want[b][LSCHED_GPU] = 1 * GPU;
    world_begin(&w);
    lsched_share_key key = world_key(&w, a, ROOT), of_b = world_key(&w, b, ROOT);
    assert_int_equal(key.word[0] >> 61, of_b.word[0] >> 61);
    w.want[a][LSCHED_CPU] = 1;
    assert_true(world_key(&w, a, ROOT).word[0] >> 61 > of_b.word[0] >> 61);
}

/* (used + want) / allocatable, the largest over kinds. */
static void test_dominant_share(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = w.view.total_capacity[LSCHED_CPU] = 100 * GPU;
    uint32_t a = gpu_queue(ROOT, 40 * GPU, 0), b = gpu_queue(ROOT, 10 * GPU, 0);
    w.quota[LSCHED_CPU][a] = w.quota[LSCHED_CPU][b] = 20 * GPU;
    w.want[a][LSCHED_GPU] = w.want[b][LSCHED_GPU] = 1 * GPU;
    world_load(&w, a, LSCHED_GPU, 19 * GPU, 0); /* 20/40 */
    world_load(&w, b, LSCHED_GPU, 3 * GPU, 0);  /* 4/10 */
    world_begin(&w);
    assert_int_equal(world_dominant(world_key(&w, a, ROOT)), INT64_C(1) << 39);
    assert_true(world_before(&w, b, a));
    world_load(&w, b, LSCHED_CPU, 11 * GPU, 0); /* 11/20 of another kind */
    world_begin(&w);
    assert_true(world_before(&w, a, b));
    w.limit[LSCHED_GPU][a] = 25 * GPU; /* 20/25 */
    world_begin(&w);
    assert_true(world_before(&w, b, a));
}

static void test_equal_quotients_are_equal_keys(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 100 * GPU;
    uint32_t a = gpu_queue(ROOT, 3 * GPU, 0), b = gpu_queue(ROOT, 27 * GPU, 0);
    world_load(&w, a, LSCHED_GPU, 1 * GPU, 0);
    world_load(&w, b, LSCHED_GPU, 9 * GPU, 0);
    world_begin(&w);
    lsched_share_key x = world_key(&w, a, ROOT), y = world_key(&w, b, ROOT);
    assert_memory_equal(&x, &y, sizeof x);
}

/* Equal with their next jobs: the one that has less without. */
static void test_dominant_share_without_the_job(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 100 * GPU;
    uint32_t a = gpu_queue(ROOT, 8 * GPU, 0), b = gpu_queue(ROOT, 4 * GPU, 0);
    world_load(&w, a, LSCHED_GPU, 5 * GPU, 0); /* 6/8, 5/8 */
    world_load(&w, b, LSCHED_GPU, 2 * GPU, 0); /* 3/4, 4/8 */
    w.want[a][LSCHED_GPU] = w.want[b][LSCHED_GPU] = 1 * GPU;
    world_begin(&w);
    lsched_share_key x = world_key(&w, a, ROOT), y = world_key(&w, b, ROOT);
    assert_int_equal(world_dominant(x), world_dominant(y));
    assert_int_equal(world_dominant_before(x), 5 << 21);
    assert_int_equal(world_dominant_before(y), 4 << 21);
    assert_true(world_before(&w, b, a));
    world_load(&w, a, LSCHED_GPU, 2000 * GPU, 0); /* past the edge of its bits */
    assert_int_equal(world_dominant_before(world_key(&w, a, ROOT)), INT64_C(2005) << 21);
    world_load(&w, a, LSCHED_GPU, 8000 * GPU, 0);
    assert_int_equal(world_dominant_before(world_key(&w, a, ROOT)), UINT32_MAX);
}

/* Who may have nothing goes last, those with less of the cluster first. */
static void test_nothing_to_have(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 10 * GPU;
    uint32_t a = gpu_queue(ROOT, 0, 0), b = gpu_queue(ROOT, 0, 0), c = gpu_queue(ROOT, 1, 0);
    world_load(&w, a, LSCHED_GPU, 2 * GPU, 1 * GPU);
    world_load(&w, b, LSCHED_GPU, 1 * GPU, 1 * GPU);
    world_load(&w, c, LSCHED_GPU, 9 * GPU, 1 * GPU);
    for (uint32_t q = 0; q < 3; q++) w.want[q][LSCHED_GPU] = 1 * GPU;
    world_begin(&w);
    assert_true(world_before(&w, b, a));
    assert_true(world_before(&w, c, b));
    w.view.total_capacity[LSCHED_GPU] = 0; /* all capacity went away under running work */
    world_begin(&w);
    assert_int_equal(world_share(&w, a, LSCHED_GPU), 0);
    assert_false(world_before(&w, a, b) || world_before(&w, b, a));
}

/* Between users: the first job's order key, then use. A group of users has the key of its best. */
static void test_users_of_a_queue(void **state) {
    (void)state;
    w.view.total_capacity[LSCHED_GPU] = 8 * GPU;
    uint32_t team = gpu_queue(ROOT, 8 * GPU, 1000);
    uint32_t ann = gpu_queue(team, 0, 1000), bob = gpu_queue(team, 0, 1000);
    uint32_t group = gpu_queue(team, 0, 1000), eve = gpu_queue(group, 0, 1000);
    w.flags[ann] = w.flags[bob] = w.flags[eve] = LSCHED_QUEUE_IS_USER;
    w.flags[group] = LSCHED_QUEUE_IS_GROUP;
    for (uint32_t q = 0; q < 5; q++) w.want[q][LSCHED_GPU] = 1 * GPU;
    world_load(&w, ann, LSCHED_GPU, 3 * GPU, 1 * GPU);
    world_load(&w, bob, LSCHED_GPU, 1 * GPU, 1 * GPU);
    world_load(&w, eve, LSCHED_GPU, 2 * GPU, 1 * GPU);
    w.head[ann] = w.head[bob] = w.head[eve] = -50;
    world_begin(&w);
    assert_true(world_before(&w, bob, ann)); /* uses less */
    w.head[ann] = -100;
    assert_true(world_before(&w, ann, bob)); /* its job has a higher priority */
    assert_int_equal(world_key(&w, eve, ROOT).word[0], -50);
    assert_int_equal(world_key(&w, group, eve).word[0], -50);
    w.head[eve] = INT64_MIN;
    world_key(&w, eve, ROOT);
    assert_int_equal(world_key(&w, group, eve).word[0], INT64_MIN);
    assert_true(world_key(&w, team, group).word[0] >= 0); /* no sub-queue: by its guarantee */
}

static void test_words_at_the_edge(void **state) {
    (void)state;
    const int64_t most = INT64_C(1) << 62;
    w.view.total_capacity[LSCHED_GPU] = most;
    uint32_t a = gpu_queue(ROOT, 1, 0), b = gpu_queue(ROOT, most, 0);
    w.priority[a] = INT32_MIN;
    w.priority[b] = INT32_MAX;
    world_load(&w, a, LSCHED_GPU, most - 1, 1);
    w.want[a][LSCHED_GPU] = w.want[b][LSCHED_GPU] = 1;
    world_begin(&w);
    lsched_share_key x = world_key(&w, a, ROOT), y = world_key(&w, b, ROOT);
    assert_true(x.word[0] > y.word[0] && y.word[0] >= 0 && x.word[1] >= 0);
    assert_true(world_dominant(x) > world_dominant(y));
    w.flags[a] = w.flags[b] = LSCHED_QUEUE_IS_USER;
    x = world_key(&w, a, ROOT), y = world_key(&w, b, ROOT);
    assert_true(x.word[1] > y.word[1] && y.word[1] >= 0);
}

/* ---- life ------------------------------------------------------------------------------------ */

static void test_rows_that_are_not_there(void **state) {
    (void)state;
    int64_t guarantee, fair_share;
    world_begin(&w); /* no queues at all */
    assert_int_equal(share_quota.share->amounts(w.self, &w.view, 0, 1, &guarantee, &fair_share),
                     LSCHED_E_STATE);
    uint32_t a = gpu_queue(ROOT, 5 * GPU, 1000), dead = gpu_queue(ROOT, 50 * GPU, 1000);
    uint32_t b = gpu_queue(ROOT, 5 * GPU, 1000);
    w.live[dead] = 0;
    w.view.total_capacity[LSCHED_GPU] = 10 * GPU;
    world_begin(&w);
    assert_int_equal(world_guarantee(&w, a, LSCHED_GPU), 5 * GPU);
    assert_int_equal(world_guarantee(&w, b, LSCHED_GPU), 5 * GPU);
    assert_int_equal(share_quota.share->amounts(w.self, &w.view, 3, 1, &guarantee, &fair_share),
                     LSCHED_E_STATE);
    assert_int_equal(share_quota.share->amounts(w.self, &w.view, a, 0, &guarantee, &fair_share),
                     LSCHED_E_STATE);
    assert_int_equal(
        share_quota.share->amounts(w.self, &w.view, a, WORLD_KINDS, &guarantee, &fair_share),
        LSCHED_E_STATE);
}

static void out_of_memory(const lsched_algorithm *algorithm) {
    for (int allowed = 0; allowed < 3; allowed++) {
        world_init(&w, algorithm);
        world_end(&w);
        w.allocations_left = allowed;
        lsched_share_key key;
        uint32_t q = gpu_queue(ROOT, 5 * GPU, 1000);
        if (allowed == 0) {
            assert_int_equal(algorithm->create(&w.env, &w.self, NULL), LSCHED_E_NOMEM);
            continue;
        }
        assert_int_equal(algorithm->create(&w.env, &w.self, NULL), LSCHED_OK);
        assert_int_equal(algorithm->share->begin(w.self, &w.view), LSCHED_E_NOMEM);
        assert_int_equal(algorithm->share->update(w.self, &w.view, q, 1, ROOT, w.want[q], &key),
                         LSCHED_E_STATE);
        w.allocations_left = -1;
        world_begin(&w);
        world_key(&w, q, ROOT);
        /* The next cycle fails: what the last one left behind is not used. */
        for (int i = 0; i < 40; i++) gpu_queue(ROOT, 0, 0);
        w.allocations_left = allowed - 1;
        assert_int_equal(algorithm->share->begin(w.self, &w.view), LSCHED_E_NOMEM);
        assert_int_equal(algorithm->share->update(w.self, &w.view, q, 1, ROOT, w.want[q], &key),
                         LSCHED_E_STATE);
        world_end(&w);
    }
}

static void test_out_of_memory(void **state) {
    (void)state;
    out_of_memory(&share_quota);
    out_of_memory(&share_cohort);
}

int main(void) {
#define IN_WORLD(test) cmocka_unit_test_setup_teardown(test, start, end)
    const struct CMUnitTest tests[] = {
        IN_WORLD(test_two_levels),
        IN_WORLD(test_guarantees_above_the_parents),
        IN_WORLD(test_quotas_above_the_cluster),
        IN_WORLD(test_quotas_above_the_parents_scale),
        IN_WORLD(test_quota_above_the_limit_counts_up_to_it),
        IN_WORLD(test_need_of_a_parent_is_what_children_can_use),
        IN_WORLD(test_lend_limits_hold_at_every_level),
        IN_WORLD(test_whole_devices),
        IN_WORLD(test_decayed_use),
        IN_WORLD(test_kinds_nobody_has_a_quota_of),
        IN_WORLD(test_guarantee_then_fair_share_then_the_rest),
        IN_WORLD(test_every_kind_that_is_needed),
        IN_WORLD(test_dominant_share),
        IN_WORLD(test_equal_quotients_are_equal_keys),
        IN_WORLD(test_dominant_share_without_the_job),
        IN_WORLD(test_nothing_to_have),
        IN_WORLD(test_users_of_a_queue),
        IN_WORLD(test_words_at_the_edge),
        IN_WORLD(test_rows_that_are_not_there),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
