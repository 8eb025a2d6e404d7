/*
 * share "quota" on random trees, to depth 5: every answer equals that of the slow reference, the
 * promises of docs/fair-share.md hold, and the order of queues is what its definition says.
 */
#include <stdio.h>

#include "property/chance.h"
#include "property/quota_reference.h"

#define DEPTH 5u

static struct world w, other;
static struct reference expected;
static struct chance chance;
static uint64_t seed;

/* What a round may contain. */
struct style {
    int equal_weights, lend_all, use, unlimited, small;
};

static int64_t some_amount(int64_t most, int64_t unit) {
    if (chance_one_in(&chance, 4)) return 0;
    return chance_between(&chance, 0, most / unit) * unit;
}

static int64_t some_limit(int64_t most, int64_t unit) {
    return chance_one_in(&chance, 3) ? some_amount(most, unit) : ANY;
}

static void fill_in(struct world *to, uint32_t q, uint32_t kind, const struct style *style,
                    int64_t unit) {
    int64_t most = to->view.total_capacity[kind] + unit;
    to->quota[kind][q] = some_amount(most / (1 + (int64_t)to->depth[q]), unit);
    if (style->unlimited && chance_one_in(&chance, 4)) to->quota[kind][q] = ANY;
    to->limit[kind][q] = some_limit(most, unit);
    if (!style->lend_all) to->lend[kind][q] = some_limit(most / 4, unit);
    to->weight[kind][q] = chance_one_in(&chance, 5) ? 0 : chance_between(&chance, 1, 20) * 500;
    if (style->equal_weights) to->weight[kind][q] = 1000;
    if (style->use) to->decayed[kind][q] = chance_between(&chance, 0, 400000);
}

static void random_world_of(struct world *to, const struct style *style,
                            const lsched_algorithm *algorithm) {
    uint32_t n = 1 + chance_below(&chance, style->small ? 8 : 40);
    uint32_t kinds[2] = {LSCHED_CPU, LSCHED_GPU};
    world_init(to, algorithm);
    for (uint32_t i = 0; i < 2; i++)
        to->view.total_capacity[kinds[i]] =
            kinds[i] == LSCHED_GPU ? chance_between(&chance, 0, 40) * 1000
                                   : chance_between(&chance, 0, style->small ? 30 : 3000);
    int wide = chance_one_in(&chance, 2), whole = chance_one_in(&chance, 2);
    for (uint32_t q = 0; q < n; q++) {
        uint32_t parent = wide || q == 0 ? ROOT : chance_below(&chance, q);
        if (wide && q > 3 && chance_one_in(&chance, 2)) parent = chance_below(&chance, 3);
        if (parent != ROOT && to->depth[parent] + 1 >= DEPTH) parent = ROOT;
        world_queue(to, parent);
        to->priority[q] = chance_one_in(&chance, 3) ? (int32_t)chance_below(&chance, 7) - 3 : 0;
        to->created[q] = (int64_t)chance_below(&chance, 4);
        for (uint32_t i = 0; i < 2; i++)
            fill_in(to, q, kinds[i], style, kinds[i] == LSCHED_GPU && whole ? 1000 : 1);
    }
    for (uint32_t q = 0; q + 1 < n; q++) { /* names in any order */
        uint32_t at = q + chance_below(&chance, n - q), rank = to->rank[q];
        to->rank[q] = to->rank[at];
        to->rank[at] = rank;
    }
    for (uint32_t q = 0; q < n; q++) {
        int leaf = 1;
        for (uint32_t c = q + 1; c < n; c++) leaf &= to->parent[c] != q;
        for (uint32_t i = 0; leaf && i < 2; i++) {
            int64_t most = to->view.total_capacity[kinds[i]] / 2 + 1000;
            int64_t unit = kinds[i] == LSCHED_GPU && whole ? 1000 : 1;
            int64_t part = chance_one_in(&chance, 8) ? 500 : 0;
            world_load(to, q, kinds[i], some_amount(most / 3, unit) + part,
                       some_amount(most, unit));
        }
    }
}

static void random_world(struct world *to, const struct style *style) {
    random_world_of(to, style, &share_quota);
}

static void complain(const char *what, uint32_t q, int64_t found, int64_t wanted) {
    fail_msg("seed %llu, queue %u: %s is %lld, expected %lld", (unsigned long long)seed, q, what,
             (long long)found, (long long)wanted);
}

static uint64_t rounds_begin(uint64_t first) {
    seed = chance_seed(first);
    printf("seeds from %llu\n", (unsigned long long)seed);
    return seed;
}

static void round_begin(uint64_t with) {
    seed = with;
    chance.state = seed;
}

/* ---- the reference --------------------------------------------------------------------------- */

static void compare(uint32_t kind) {
    reference_compute(&expected, &w, kind);
    for (uint32_t q = 0; q < w.view.n_queues; q++) {
        int64_t guarantee = world_guarantee(&w, q, kind), share = world_share(&w, q, kind);
        if (guarantee != expected.guarantee[q])
            complain("guarantee", q, guarantee, expected.guarantee[q]);
        if (share != expected.fair_share[q])
            complain("fair share", q, share, expected.fair_share[q]);
    }
}

static void test_equals_the_reference(void **state) {
    (void)state;
    uint64_t first = rounds_begin(1);
    for (uint32_t round = 0; round < chance_rounds(4000); round++) {
        round_begin(first + round);
        struct style style = {.lend_all = chance_one_in(&chance, 2),
                              .equal_weights = chance_one_in(&chance, 3),
                              .unlimited = chance_one_in(&chance, 3),
                              .small = chance_one_in(&chance, 2)};
        random_world(&w, &style);
        world_begin(&w);
        compare(LSCHED_CPU);
        compare(LSCHED_GPU);
        world_end(&w);
    }
}

/* ---- amounts that are kept while demand changes ---- */

static uint8_t has_moved[WORLD_QUEUES];

static void note_moved(void *to, uint32_t q) {
    (void)to;
    has_moved[q] = 1;
}

/* Changes the demand of a few leaf queues, and writes their rows and those above to rows[]. */
static uint32_t change_demand(uint32_t *rows) {
    uint32_t n = 0;
    for (uint32_t i = 1 + chance_below(&chance, 3); i > 0; i--) {
        uint32_t leaf = chance_below(&chance, w.view.n_queues), has_child = 0;
        uint32_t kind = chance_one_in(&chance, 2) ? LSCHED_CPU : LSCHED_GPU;
        for (uint32_t c = 0; c < w.view.n_queues; c++) has_child |= w.parent[c] == leaf;
        if (has_child) continue;
        int64_t old = w.demand[kind][leaf], unit = kind == LSCHED_GPU ? 1000 : 1;
        int64_t more = chance_between(&chance, 0, chance_one_in(&chance, 4) ? 40 : 3) * unit;
        if (chance_one_in(&chance, 2)) more = -(more < old ? more : old);
        if (chance_one_in(&chance, 10)) more += 500;
        world_load(&w, leaf, kind, 0, more);
        for (uint32_t q = leaf; q != ROOT; q = w.parent[q]) rows[n++] = q;
    }
    return n;
}

static void follow_once(void) {
    static int64_t before[3][WORLD_QUEUES];
    uint32_t rows[3 * DEPTH + 3], n = change_demand(rows);
    memset(has_moved, 0, sizeof has_moved);
    for (uint32_t q = 0; q < w.view.n_queues; q++)
        before[0][q] = world_share(&w, q, LSCHED_CPU),
        before[1][q] = world_share(&w, q, LSCHED_GPU);
    int32_t rc = w.algorithm->share->follow(w.self, &w.view, rows, n, note_moved, NULL);
    assert_true(rc == 0 || rc == 1);
    if (rc == 0) world_begin(&w);
    void *kept = w.self;
    assert_int_equal(w.algorithm->create(&w.env, &w.self, NULL), LSCHED_OK);
    world_begin(&w);
    void *fresh = w.self;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t kind = i ? LSCHED_GPU : LSCHED_CPU;
        for (uint32_t q = 0; q < w.view.n_queues; q++) {
            int64_t share = world_share(&w, q, kind), right = world_guarantee(&w, q, kind);
            w.self = kept;
            if (world_share(&w, q, kind) != share)
                complain("kept fair share", q, world_share(&w, q, kind), share);
            if (world_guarantee(&w, q, kind) != right)
                complain("kept guarantee", q, world_guarantee(&w, q, kind), right);
            if (rc && share != before[i][q] && !has_moved[q]) complain("silent move", q, 0, share);
            w.self = fresh;
        }
    }
    w.algorithm->destroy(&w.env, fresh);
    w.self = kept;
}

static void test_kept_amounts_are_those_of_a_new_tree(void **state) {
    (void)state;
    uint64_t first = rounds_begin(500000);
    for (uint32_t round = 0; round < chance_rounds(2000); round++) {
        round_begin(first + round);
        struct style style = {.lend_all = chance_one_in(&chance, 2),
                              .equal_weights = chance_one_in(&chance, 2),
                              .use = chance_one_in(&chance, 8),
                              .unlimited = chance_one_in(&chance, 3),
                              .small = chance_one_in(&chance, 2)};
        random_world_of(&w, &style, chance_one_in(&chance, 3) ? &share_cohort : &share_quota);
        world_begin(&w);
        for (int i = 0; i < 20; i++) follow_once();
        world_end(&w);
    }
}

/* ---- promises -------------------------------------------------------------------------------- */

/* Of the children of `parent`, or of the roots. */
static void check_siblings(const struct style *style, uint32_t parent, uint32_t kind) {
    int64_t total = parent == ROOT ? w.view.total_capacity[kind] : world_share(&w, parent, kind);
    int64_t claim = parent == ROOT ? total : total + expected.kept_below[parent];
    int64_t above = parent == ROOT ? ANY : world_guarantee(&w, parent, kind);
    int64_t shares = 0, guarantees = 0, quotas = 0;
    int found = 0;
    for (uint32_t q = 0; q < w.view.n_queues; q++) {
        if (w.parent[q] != parent) continue;
        int64_t guarantee = world_guarantee(&w, q, kind);
        found = 1;
        shares += world_share(&w, q, kind);
        int64_t quota = expected.quota[q] == ANY ? claim : expected.quota[q];
        quotas += reference_min(quota, expected.need[q]);
        if (guarantee != ANY) guarantees += guarantee;
    }
    if (!found) return;
    if (above != ANY && guarantees > above)
        complain("sum of guarantees", parent, guarantees, above);
    if (shares > total && shares > quotas) complain("sum of shares", parent, shares, total);
    if (!style->lend_all || shares >= total) return;
    for (uint32_t q = 0; q < w.view.n_queues; q++)
        if (w.parent[q] == parent && w.weight[kind][q] > 0 &&
            world_share(&w, q, kind) != expected.need[q])
            complain("share, though there is rest,", q, world_share(&w, q, kind), expected.need[q]);
}

static void check_promises(const struct style *style, uint32_t kind) {
    reference_compute(&expected, &w, kind); /* need and quota only */
    check_siblings(style, ROOT, kind);
    for (uint32_t q = 0; q < w.view.n_queues; q++) {
        int64_t share = world_share(&w, q, kind), guarantee = world_guarantee(&w, q, kind);
        check_siblings(style, q, kind);
        if (share < 0 || share > expected.need[q]) complain("share", q, share, expected.need[q]);
        if (style->lend_all && guarantee != ANY &&
            share < reference_min(guarantee, expected.need[q]))
            complain("share below the guarantee", q, share, guarantee);
        if (guarantee != ANY && guarantee > w.limit[kind][q])
            complain("guarantee above the limit", q, guarantee, w.limit[kind][q]);
    }
}

static void test_promises(void **state) {
    (void)state;
    uint64_t first = rounds_begin(100000);
    for (uint32_t round = 0; round < chance_rounds(4000); round++) {
        round_begin(first + round);
        struct style style = {.lend_all = chance_one_in(&chance, 2),
                              .use = chance_one_in(&chance, 2),
                              .unlimited = chance_one_in(&chance, 3)};
        random_world(&w, &style);
        world_begin(&w);
        check_promises(&style, LSCHED_CPU);
        check_promises(&style, LSCHED_GPU);
        world_end(&w);
    }
}

/* The same queues in other rows. */
static void permute(const uint32_t *to) {
    uint32_t n = w.view.n_queues;
    world_init(&other, &share_quota);
    memcpy(other.view.total_capacity, w.view.total_capacity, sizeof w.view.total_capacity);
    for (uint32_t q = 0; q < n; q++) world_queue(&other, ROOT);
    for (uint32_t q = 0; q < n; q++) {
        uint32_t at = to[q];
        other.parent[at] = w.parent[q] == ROOT ? ROOT : to[w.parent[q]];
        other.depth[at] = w.depth[q];
        other.rank[at] = w.rank[q];
        other.priority[at] = w.priority[q];
        other.created[at] = w.created[q];
        for (uint32_t kind = 1; kind < WORLD_KINDS; kind++) {
            other.quota[kind][at] = w.quota[kind][q];
            other.limit[kind][at] = w.limit[kind][q];
            other.weight[kind][at] = w.weight[kind][q];
            other.lend[kind][at] = w.lend[kind][q];
            other.used[kind][at] = w.used[kind][q];
            other.demand[kind][at] = w.demand[kind][q];
            other.decayed[kind][at] = w.decayed[kind][q];
        }
    }
}

static void test_rows_do_not_matter(void **state) {
    (void)state;
    uint64_t first = rounds_begin(200000);
    for (uint32_t round = 0; round < chance_rounds(2000); round++) {
        round_begin(first + round);
        struct style style = {.use = chance_one_in(&chance, 2), .unlimited = 1};
        uint32_t to[WORLD_QUEUES];
        random_world(&w, &style);
        for (uint32_t q = 0; q < w.view.n_queues; q++) {
            uint32_t at = chance_below(&chance, q + 1);
            to[q] = to[at]; /* inside-out shuffle; to[q] is set below where at == q */
            to[at] = q;
        }
        permute(to);
        world_begin(&w);
        world_begin(&other);
        for (uint32_t q = 0; q < w.view.n_queues; q++)
            for (uint32_t kind = 1; kind < WORLD_KINDS; kind++) {
                if (world_guarantee(&w, q, kind) != world_guarantee(&other, to[q], kind))
                    complain("guarantee in other rows", q, world_guarantee(&other, to[q], kind),
                             world_guarantee(&w, q, kind));
                if (world_share(&w, q, kind) != world_share(&other, to[q], kind))
                    complain("fair share in other rows", q, world_share(&other, to[q], kind),
                             world_share(&w, q, kind));
            }
        world_end(&w);
        world_end(&other);
    }
}

/* Of equal weights and in single units. With unequal ones largest remainders may take a unit back
 * from one queue while another gets two (the Alabama paradox); so may whole devices on top of
 * quotas that are not whole. */
static void test_more_capacity_lowers_nobody(void **state) {
    (void)state;
    uint64_t first = rounds_begin(300000);
    for (uint32_t round = 0; round < chance_rounds(2000); round++) {
        round_begin(first + round);
        struct style style = {.equal_weights = 1, .lend_all = 1, .unlimited = 1};
        int64_t before[WORLD_QUEUES];
        random_world(&w, &style);
        for (int more = 0; more < 20; more++) {
            world_begin(&w);
            for (uint32_t q = 0; q < w.view.n_queues; q++) {
                int64_t share = world_share(&w, q, LSCHED_CPU);
                if (more && share < before[q])
                    complain("fair share after growth", q, share, before[q]);
                before[q] = share;
            }
            w.view.total_capacity[LSCHED_CPU] += chance_between(&chance, 1, more < 10 ? 2 : 200);
        }
        world_end(&w);
    }
}

static void test_guarantees_do_not_depend_on_demand(void **state) {
    (void)state;
    uint64_t first = rounds_begin(400000);
    for (uint32_t round = 0; round < chance_rounds(1000); round++) {
        round_begin(first + round);
        struct style style = {.unlimited = 1};
        int64_t before[WORLD_KINDS][WORLD_QUEUES];
        random_world(&w, &style);
        for (int again = 0; again < 2; again++) {
            world_begin(&w);
            for (uint32_t q = 0; q < w.view.n_queues; q++)
                for (uint32_t kind = 1; kind < WORLD_KINDS; kind++) {
                    int64_t guarantee = world_guarantee(&w, q, kind);
                    if (again && guarantee != before[kind][q])
                        complain("guarantee with other demand", q, guarantee, before[kind][q]);
                    before[kind][q] = guarantee;
                }
            for (uint32_t q = 0; q < w.view.n_queues; q++)
                world_load(&w, q, LSCHED_GPU, 0, (int64_t)chance_below(&chance, 9000));
        }
        world_end(&w);
    }
}

/* ---- use ------------------------------------------------------------------------------------- */

/* Rounds by the definition, with exact parts: w (1000 + k) 10^6 - k u W. */
static int64_t bent_part(uint32_t q, int64_t weights) {
    int64_t k = w.view.usage_weight_milli;
    int64_t part =
        w.weight[LSCHED_CPU][q] * (1000 + k) * 1000000 - k * w.decayed[LSCHED_CPU][q] * weights;
    return part > 0 ? part : 0;
}

static void bent_shares(int64_t rest, double *share) {
    uint8_t stays[WORLD_QUEUES];
    uint32_t n = w.view.n_queues;
    for (uint32_t q = 0; q < n; q++) {
        stays[q] = w.weight[LSCHED_CPU][q] > 0;
        share[q] = 0;
    }
    for (int changed = 1; changed;) {
        int64_t weights = 0, start = rest;
        reference_wide sum = 0;
        changed = 0;
        for (uint32_t q = 0; q < n; q++)
            if (stays[q]) weights += w.weight[LSCHED_CPU][q];
        for (uint32_t q = 0; q < n; q++)
            if (stays[q]) sum += bent_part(q, weights);
        if (sum == 0) return;
        for (uint32_t q = 0; q < n; q++) {
            if (!stays[q]) continue;
            share[q] = (double)start * (double)bent_part(q, weights) / (double)sum;
            if (w.demand[LSCHED_CPU][q] * sum > (reference_wide)start * bent_part(q, weights))
                continue;
            share[q] = (double)w.demand[LSCHED_CPU][q];
            rest -= w.demand[LSCHED_CPU][q];
            stays[q] = 0;
            changed = 2; /* in the next round parts are others */
        }
        if (!changed) return;
    }
}

static void test_use_bends_as_defined(void **state) {
    (void)state;
    uint64_t first = rounds_begin(500000);
    for (uint32_t round = 0; round < chance_rounds(2000); round++) {
        round_begin(first + round);
        double expect[WORLD_QUEUES];
        uint32_t n = 1 + chance_below(&chance, 12);
        world_init(&w, &share_quota);
        w.view.usage_weight_milli = chance_between(&chance, 1, 3000);
        w.view.total_capacity[LSCHED_CPU] = chance_between(&chance, 0, 100000);
        for (uint32_t q = 0; q < n; q++) {
            world_queue(&w, ROOT);
            w.weight[LSCHED_CPU][q] = chance_between(&chance, 0, 9) * 1000;
            w.decayed[LSCHED_CPU][q] = chance_between(&chance, 0, 1000000 / n);
            world_load(&w, q, LSCHED_CPU, 0, chance_between(&chance, 0, 40000));
        }
        world_begin(&w);
        bent_shares(w.view.total_capacity[LSCHED_CPU], expect);
        for (uint32_t q = 0; q < n; q++) {
            int64_t share = world_share(&w, q, LSCHED_CPU);
            if ((double)share < expect[q] - 1.001 || (double)share > expect[q] + 1.001)
                complain("share by use", q, share, (int64_t)expect[q]);
        }
        world_end(&w);
    }
}

/* ---- order ----------------------------------------------------------------------------------- */

struct place {
    int beyond, nothing; /* class; may have nothing of what it holds */
    int64_t held, may;   /* its dominant share */
};

static struct place place_of(uint32_t q, int with_job) {
    struct place place = {0, 0, 0, 1};
    for (uint32_t kind = 1; kind < WORLD_KINDS; kind++) {
        int64_t guarantee = world_guarantee(&w, q, kind), share = world_share(&w, q, kind);
        int64_t want = with_job ? w.want[q][kind] : 0, held = w.used[kind][q] + want;
        int64_t may = guarantee > share ? guarantee : share;
        if (held == 0) continue;
        if (want > 0 && held > guarantee && place.beyond == 0) place.beyond = 1;
        if (want > 0 && held > may) place.beyond = 2;
        may = reference_min(may, w.limit[kind][q]);
        if (may == ANY) may = w.view.total_capacity[kind];
        int nothing = may == 0;
        if (nothing) may = w.view.total_capacity[kind];
        if (may == 0) held = may = 1;
        if (nothing > place.nothing ||
            (nothing == place.nothing &&
             (reference_wide)held * place.may > (reference_wide)place.held * may))
            place.held = held, place.may = may;
        place.nothing |= nothing;
    }
    return place;
}

/* The share without the job counts in steps of 2^-24, up to 256. */
static int64_t steps_before(struct place x) {
    if (x.nothing) return UINT32_MAX;
    reference_wide steps = ((reference_wide)x.held << 24) / x.may;
    return steps < UINT32_MAX ? (int64_t)steps : UINT32_MAX;
}

static int goes_before(uint32_t a, uint32_t b) {
    struct place x = place_of(a, 1), y = place_of(b, 1);
    if (x.beyond != y.beyond) return x.beyond < y.beyond;
    if (w.priority[a] != w.priority[b]) return w.priority[a] > w.priority[b];
    if (x.nothing != y.nothing) return x.nothing < y.nothing;
    if ((reference_wide)x.held * y.may != (reference_wide)y.held * x.may)
        return (reference_wide)x.held * y.may < (reference_wide)y.held * x.may;
    x = place_of(a, 0), y = place_of(b, 0);
    return steps_before(x) < steps_before(y);
}

static void test_order_is_as_defined(void **state) {
    (void)state;
    uint64_t first = rounds_begin(600000);
    for (uint32_t round = 0; round < chance_rounds(2000); round++) {
        round_begin(first + round);
        struct style style = {.unlimited = chance_one_in(&chance, 3), .small = 1};
        random_world(&w, &style);
        for (uint32_t kind = 1; kind < WORLD_KINDS; kind++)
            w.view.total_capacity[kind] += kind == LSCHED_CPU || kind == LSCHED_GPU;
        for (uint32_t q = 0; q < w.view.n_queues; q++) {
            w.want[q][LSCHED_CPU] = some_amount(20, 1);
            w.want[q][LSCHED_GPU] = some_amount(4000, 500);
        }
        world_begin(&w);
        for (uint32_t a = 0; a < w.view.n_queues; a++)
            for (uint32_t b = 0; b < w.view.n_queues; b++)
                if (world_before(&w, a, b) != goes_before(a, b))
                    complain("order, before another,", a, world_before(&w, a, b), (int64_t)b);
        world_end(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equals_the_reference),
        cmocka_unit_test(test_kept_amounts_are_those_of_a_new_tree),
        cmocka_unit_test(test_promises),
        cmocka_unit_test(test_rows_do_not_matter),
        cmocka_unit_test(test_more_capacity_lowers_nobody),
        cmocka_unit_test(test_guarantees_do_not_depend_on_demand),
        cmocka_unit_test(test_use_bends_as_defined),
        cmocka_unit_test(test_order_is_as_defined),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
