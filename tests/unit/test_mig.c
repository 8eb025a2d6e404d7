/* MIG on one device: the tables against the vendor's figures, the counts of states, and every
 * question on every mask and every geometry against a search that knows placements only. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/mig/mig.h"
#include "property/chance.h"

/* ---- the vendor's figures, typed in once more ----
 *
 * Every profile of every table, as `nvidia-smi mig -lgip` and `-lgipp` show them. The verifier, the
 * allocator and all other tests read the library's tables, so these lists are the only ones that
 * can tell an entry that is wrong. A profile or a table that only one side has fails, too. */

struct device_figure {
    const char *table, *model;
    uint32_t memory_gb, slices;
};

static const struct device_figure devices[] = {
    {"a30", "A30", 24, 4},        {"a100-40gb", "A100", 40, 8},   {"a100-80gb", "A100", 80, 8},
    {"h100-80gb", "H100", 80, 8}, {"h200-141gb", "H200", 141, 8}, {"b200-180gb", "B200", 180, 8},
};

struct figure {
    const char *table, *profile;
    uint32_t vendor, slices, compute, max, media, sms, mem_mib;
    const char *starts;
};

static const struct figure figures[] = {
    {"a30", "1g.6gb", 14, 1, 1, 4, 0, 14, 5952, "0123"},
    {"a30", "1g.6gb+me", 21, 1, 1, 1, 1, 14, 5952, "0123"},
    {"a30", "2g.12gb", 5, 2, 2, 2, 0, 28, 12032, "02"},
    {"a30", "2g.12gb+me", 6, 2, 2, 1, 1, 28, 12032, "02"},
    {"a30", "4g.24gb", 0, 4, 4, 1, 0, 56, 24192, "0"},
    {"a100-40gb", "1g.5gb", 19, 1, 1, 7, 0, 14, 4864, "0123456"},
    {"a100-40gb", "1g.5gb+me", 20, 1, 1, 1, 1, 14, 4864, "0123456"},
    {"a100-40gb", "1g.10gb", 15, 2, 1, 4, 0, 14, 9856, "0246"},
    {"a100-40gb", "2g.10gb", 14, 2, 2, 3, 0, 28, 9856, "024"},
    {"a100-40gb", "3g.20gb", 9, 4, 3, 2, 0, 42, 19968, "04"},
    {"a100-40gb", "4g.20gb", 5, 4, 4, 1, 0, 56, 19968, "0"},
    {"a100-40gb", "7g.40gb", 0, 8, 7, 1, 0, 98, 40192, "0"},
    {"a100-80gb", "1g.10gb", 19, 1, 1, 7, 0, 14, 9728, "0123456"},
    {"a100-80gb", "1g.10gb+me", 20, 1, 1, 1, 1, 14, 9728, "0123456"},
    {"a100-80gb", "1g.20gb", 15, 2, 1, 4, 0, 14, 19968, "0246"},
    {"a100-80gb", "2g.20gb", 14, 2, 2, 3, 0, 28, 19968, "024"},
    {"a100-80gb", "3g.40gb", 9, 4, 3, 2, 0, 42, 40192, "04"},
    {"a100-80gb", "4g.40gb", 5, 4, 4, 1, 0, 56, 40192, "0"},
    {"a100-80gb", "7g.80gb", 0, 8, 7, 1, 0, 98, 80896, "0"},
    {"h100-80gb", "1g.10gb", 19, 1, 1, 7, 0, 16, 9984, "0123456"},
    {"h100-80gb", "1g.10gb+me", 20, 1, 1, 1, 1, 16, 9984, "0123456"},
    {"h100-80gb", "1g.20gb", 15, 2, 1, 4, 0, 26, 20096, "0246"},
    {"h100-80gb", "2g.20gb", 14, 2, 2, 3, 0, 32, 20096, "024"},
    {"h100-80gb", "3g.40gb", 9, 4, 3, 2, 0, 60, 40448, "04"},
    {"h100-80gb", "4g.40gb", 5, 4, 4, 1, 0, 64, 40448, "0"},
    {"h100-80gb", "7g.80gb", 0, 8, 7, 1, 0, 132, 81152, "0"},
    {"h200-141gb", "1g.18gb", 19, 1, 1, 7, 0, 16, 16384, "0123456"},
    {"h200-141gb", "1g.18gb+me", 20, 1, 1, 1, 1, 16, 16384, "0123456"},
    {"h200-141gb", "1g.35gb", 15, 2, 1, 4, 0, 26, 33280, "0246"},
    {"h200-141gb", "2g.35gb", 14, 2, 2, 3, 0, 32, 33280, "024"},
    {"h200-141gb", "3g.71gb", 9, 4, 3, 2, 0, 60, 71475, "04"},
    {"h200-141gb", "4g.71gb", 5, 4, 4, 1, 0, 64, 71475, "0"},
    {"h200-141gb", "7g.141gb", 0, 8, 7, 1, 0, 132, 143360, "0"},
    {"b200-180gb", "1g.23gb", 19, 1, 1, 7, 0, 0, 21457, "0123456"},
    {"b200-180gb", "1g.23gb+me", 20, 1, 1, 1, 1, 0, 21457, "0123456"},
    {"b200-180gb", "1g.45gb", 15, 2, 1, 4, 0, 0, 42915, "0246"},
    {"b200-180gb", "2g.45gb", 14, 2, 2, 3, 0, 0, 42915, "024"},
    {"b200-180gb", "3g.90gb", 9, 4, 3, 2, 0, 0, 85830, "04"},
    {"b200-180gb", "4g.90gb", 5, 4, 4, 1, 0, 0, 85830, "0"},
    {"b200-180gb", "7g.180gb", 0, 8, 7, 1, 0, 0, 171661, "0"},
};
enum { FIGURES = sizeof figures / sizeof *figures, DEVICES = sizeof devices / sizeof *devices };

static lsched_text text(const char *s) {
    return (lsched_text){s, strlen(s)};
}

static const struct mig_table *named(const char *name) {
    const struct mig_table *t = mig_table_named(text(name));
    assert_non_null(t);
    return t;
}

static void a_profile_is_as_typed(const struct mig_table *t, const struct figure *f) {
    uint32_t p = mig_profile_named(t, text(f->profile)), starts = 0;
    assert_true(p < t->n_profiles);
    for (const char *s = f->starts; *s; s++) starts |= 1u << (*s - '0');
    assert_int_equal(t->profiles[p].vendor, f->vendor);
    assert_int_equal(t->profiles[p].slices, f->slices);
    assert_int_equal(t->profiles[p].compute, f->compute);
    assert_int_equal(t->profiles[p].max, f->max);
    assert_int_equal(t->profiles[p].media, f->media);
    assert_int_equal(t->profiles[p].sms, f->sms);
    assert_int_equal(t->profiles[p].mem_mib, f->mem_mib);
    assert_int_equal(t->profiles[p].starts, starts);
}

static void test_tables_are_the_vendors(void **unused) {
    (void)unused;
    for (size_t i = 0; i < FIGURES; i++) {
        a_profile_is_as_typed(named(figures[i].table), &figures[i]);
    }
    assert_int_equal(mig_profile_named(named("h100-80gb"), text("3g.20gb")), MIG_NONE);
    assert_null(mig_table_named(text("h100")));
}

/* The nth figure of a table; NULL: there are fewer. */
static const struct figure *figure_of(const char *table, uint32_t nth) {
    for (size_t i = 0; i < FIGURES; i++)
        if (strcmp(figures[i].table, table) == 0 && nth-- == 0) return &figures[i];
    return NULL;
}

/* Numbers of tables and of profiles stand in saved state, so the order is a part of the figures. */
static void test_tables_have_no_profile_beside_the_vendors(void **unused) {
    (void)unused;
    uint32_t n = 0;
    for (const struct mig_table *t; (t = mig_table_at(n)) != NULL; n++) {
        assert_true(n < DEVICES);
        assert_string_equal(t->name, devices[n].table);
        assert_string_equal(t->model, devices[n].model);
        assert_int_equal(t->memory_gb, devices[n].memory_gb);
        assert_int_equal(t->slices, devices[n].slices);
        assert_null(figure_of(t->name, t->n_profiles));
        for (uint32_t p = 0; p < t->n_profiles; p++) {
            const struct figure *f = figure_of(t->name, p);
            assert_non_null(f);
            assert_string_equal(t->profiles[p].name, f->profile);
        }
    }
    assert_int_equal(n, DEVICES);
}

static void test_charge_is_by_memory_slices(void **unused) {
    (void)unused;
    static const uint32_t eight[] = {125, 125, 250, 250, 500, 500, 1000},
                          four[] = {250, 250, 500, 500, 1000};
    for (uint32_t i = 0; mig_table_at(i); i++) {
        const struct mig_table *t = mig_table_at(i);
        for (uint32_t p = 0; p < t->n_profiles; p++)
            assert_int_equal(mig_milli(t, p), t->slices == 8 ? eight[p] : four[p]);
    }
}

static void test_table_of_a_model(void **unused) {
    (void)unused;
    static const struct {
        const char *model, *table;
        int64_t gib;
    } cases[] = {
        {"NVIDIA A100-SXM4-40GB", "a100-40gb", 40},
        {"NVIDIA A100-SXM4-80GB", "a100-80gb", 80},
        {"A100", "a100-80gb", 79},
        {"a100", "a100-40gb", 39},
        {"A100", NULL, 0},
        {"A100-80GB", "a100-80gb", 0},
        {"a100-40g", "a100-40gb", 0},
        {"H100-80GB", "h100-80gb", 80},
        {"H100", "h100-80gb", 0},
        {"NVIDIA H100 NVL", NULL, 94},
        {"NVIDIA H200", "h200-141gb", 140},
        {"GH200", NULL, 96},
        {"NVIDIA B200", "b200-180gb", 179},
        {"GB200", NULL, 186},
        {"A30", "a30", 24},
        {"A3000", NULL, 24},
        {"A30", NULL, 12},
        {"T4", NULL, 16},
        {"", NULL, 80},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct mig_table *t = mig_table_for(text(cases[i].model), cases[i].gib << 30);
        assert_string_equal(t ? t->name : "none", cases[i].table ? cases[i].table : "none");
    }
}

static void test_profile_by_name_alone(void **unused) {
    (void)unused;
    uint8_t slices[MIG_VARIANTS_MAX];
    lsched_text h100 = text("H100-80GB"), a100 = text("A100"), small = text("A100-SXM4-40GB"),
                odd = text("my-gpu");
    assert_int_equal(mig_profile_slices(text("1g.10gb"), NULL, 0, slices), 2);
    assert_int_equal(slices[0], 1);
    assert_int_equal(slices[1], 2);
    assert_int_equal(mig_profile_slices(text("1g.10gb"), &a100, 1, slices), 2);
    assert_int_equal(mig_profile_slices(text("1g.10gb"), &odd, 1, slices), 2);
    assert_int_equal(mig_profile_slices(text("1g.10gb"), &h100, 1, slices), 1);
    assert_int_equal(slices[0], 1);
    assert_int_equal(mig_profile_slices(text("1g.10gb"), &small, 1, slices), 1);
    assert_int_equal(slices[0], 2);
    assert_int_equal(mig_profile_slices(text("3g.20gb"), &h100, 1, slices), 0);
    assert_int_equal(mig_profile_slices(text("3g.40gb"), NULL, 0, slices), 1);
    assert_int_equal(mig_nominal_milli(text("1g.10gb"), 1), 125);
    assert_int_equal(mig_nominal_milli(text("1g.10gb"), 2), 250);
    assert_int_equal(mig_nominal_milli(text("1g.6gb"), 1), 250);
    assert_int_equal(mig_nominal_milli(text("4g.24gb"), 4), 1000);
    assert_int_equal(mig_nominal_milli(text("9g"), 4), 0);
    char list[128], cut[20];
    mig_profile_list(&h100, 1, list, sizeof list);
    assert_string_equal(list, "1g.10gb, 1g.10gb+me, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb");
    mig_profile_list(&a100, 1, cut, sizeof cut);
    assert_string_equal(cut, "1g.5gb, 1g.5gb+me");
}

/* ---- counts of states, by a search over placements ---- */

struct placement {
    uint32_t profile, start, bits;
};

/* Placements without the media profiles, which lie where their twins lie; double_1g: also 1g with
 * two slices. */
static uint32_t list_placements(const struct mig_table *t, int double_1g, struct placement *out) {
    uint32_t n = 0;
    for (uint32_t p = 0; p < t->n_profiles; p++) {
        const struct mig_profile *f = &t->profiles[p];
        if (f->media || (!double_1g && f->compute == 1 && f->slices == 2)) continue;
        for (uint32_t s = 0; s < t->slices; s++)
            if (f->starts >> s & 1)
                out[n++] = (struct placement){p, s, ((1u << f->slices) - 1) << s};
    }
    return n;
}

struct counts {
    uint32_t states, masks, maximal, multisets, most_compute;
};

/* All sets of placements that do not overlap: subsets as bit masks of at most 18 placements. */
static struct counts count_states(const struct mig_table *t, const struct placement *all,
                                  uint32_t n) {
    struct counts c = {0, 0, 0, 0, 0};
    uint8_t mask_seen[256] = {0};
    uint64_t multisets[64];
    for (uint32_t set = 0; set < 1u << n; set++) {
        uint32_t used = 0, compute = 0, maximal = 1;
        uint64_t multiset = 0;
        int legal = 1;
        for (uint32_t i = 0; i < n && legal; i++) {
            if (!(set >> i & 1)) continue;
            legal = !(used & all[i].bits);
            used |= all[i].bits;
            compute += t->profiles[all[i].profile].compute;
            multiset += (uint64_t)1 << 8 * all[i].profile;
        }
        if (!legal) continue;
        c.states++;
        c.masks += !mask_seen[used];
        mask_seen[used] = 1;
        if (compute > c.most_compute) c.most_compute = compute;
        for (uint32_t i = 0; i < n; i++)
            if (!(used & all[i].bits)) maximal = 0;
        if (!maximal) continue;
        c.maximal++;
        uint32_t j = 0;
        while (j < c.multisets && multisets[j] != multiset) j++;
        if (j == c.multisets) multisets[c.multisets++] = multiset;
    }
    return c;
}

static void test_counts_of_states(void **unused) {
    (void)unused;
    struct placement all[32];
    for (uint32_t i = 0; mig_table_at(i); i++) {
        const struct mig_table *t = mig_table_at(i);
        if (t->slices != 8) continue;
        uint32_t n = list_placements(t, 0, all);
        struct counts c = count_states(t, all, n);
        assert_int_equal(n, 14);
        assert_int_equal(c.states, 298);
        assert_int_equal(c.masks, 144);
        assert_int_equal(c.maximal, 19);
        assert_int_equal(c.multisets, 14);
        assert_int_equal(c.most_compute, 7);
        n = list_placements(t, 1, all);
        c = count_states(t, all, n);
        assert_int_equal(n, 18);
        assert_int_equal(c.states, 723);
        assert_int_equal(c.masks, 192);
        assert_int_equal(c.maximal, 78);
        assert_int_equal(c.multisets, 38);
        assert_int_equal(c.most_compute, 7);
    }
}

/* ---- every mask ---- */

static uint32_t starts_slowly(const struct mig_table *t, uint32_t p, uint32_t used) {
    uint32_t out = 0;
    for (uint32_t s = 0; s < 8; s++) {
        int free_ = t->profiles[p].starts >> s & 1;
        for (uint32_t i = s; i < s + t->profiles[p].slices; i++)
            if (i >= t->slices || (used >> i & 1)) free_ = 0;
        out |= (uint32_t)free_ << s;
    }
    return out;
}

static uint64_t worth_slowly(const struct mig_table *t, uint32_t used, const uint32_t *weights) {
    uint64_t sum = 0;
    for (uint32_t p = 0; p < t->n_profiles; p++) {
        uint32_t n = 0, w = weights ? weights[p] : !t->profiles[p].media;
        for (uint32_t s = 0; s < 8; s++) n += starts_slowly(t, p, used) >> s & 1;
        sum += (uint64_t)w * n * t->profiles[p].slices;
    }
    return sum;
}

static void compare_mask(const struct mig_table *t, uint32_t used, const uint32_t *weights) {
    assert_int_equal(mig_worth(t, used, weights), worth_slowly(t, used, weights));
    for (uint32_t p = 0; p < t->n_profiles; p++) {
        uint32_t starts = starts_slowly(t, p, used), best = MIG_NONE;
        uint64_t most = 0;
        assert_int_equal(mig_starts(t, p, used), starts);
        for (uint32_t s = 8; s-- > 0;) {
            if (!(starts >> s & 1)) continue;
            uint32_t bits = ((1u << t->profiles[p].slices) - 1) << s;
            uint64_t worth = worth_slowly(t, used | bits, weights);
            if (best == MIG_NONE || worth >= most) best = s, most = worth;
        }
        assert_int_equal(mig_best(t, p, used, starts, weights), best);
    }
}

static void test_every_mask(void **unused) {
    (void)unused;
    struct chance c = {chance_variable("LSCHED_TEST_SEED", 20261121)};
    print_message("seed %llu\n", (unsigned long long)c.state);
    for (uint32_t i = 0; mig_table_at(i); i++)
        for (uint32_t used = 0; used < 256; used++) {
            uint32_t weights[MIG_PROFILES_MAX];
            compare_mask(mig_table_at(i), used, NULL);
            for (uint32_t p = 0; p < MIG_PROFILES_MAX; p++)
                weights[p] = chance_one_in(&c, 3) ? 0 : chance_below(&c, MIG_WEIGHT_MAX + 1);
            compare_mask(mig_table_at(i), used, weights);
        }
}

/* On an empty device: 3g to the upper half, 2g to 4, 1g to 6, so that 4g keeps the lower half. */
static void test_lower_half_is_kept(void **unused) {
    (void)unused;
    const struct mig_table *t = named("h100-80gb");
    static const char *const profiles[] = {"1g.10gb", "1g.20gb", "2g.20gb", "3g.40gb"};
    static const uint32_t expected[] = {6, 6, 4, 4};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t p = mig_profile_named(t, text(profiles[i]));
        assert_int_equal(mig_best(t, p, 0, mig_starts(t, p, 0), NULL), expected[i]);
    }
    /* the second 3g costs less on the half that is left than on an empty device */
    uint32_t p3 = mig_profile_named(t, text("3g.40gb"));
    uint64_t half = mig_worth(t, 0xF0, NULL) - mig_worth(t, 0xFF, NULL),
             whole = mig_worth(t, 0, NULL) - mig_worth(t, mig_bits(t, p3, 4), NULL);
    assert_true(half < whole);
}

/* ---- every geometry ---- */

enum { GEOMETRIES_MAX = 8192 };

/* All legal geometries, by adding instances from left to right to those found. */
static uint32_t list_geometries(const struct mig_table *t, uint32_t *out) {
    uint32_t n = 1;
    out[0] = 0;
    for (uint32_t s = 0; s < t->slices; s++) {
        uint32_t before = n;
        for (uint32_t i = 0; i < before; i++)
            for (uint32_t p = 0; p < t->n_profiles; p++) {
                uint32_t g = out[i] | (p + 1) << 4 * s;
                if (!mig_geometry_legal(t, g)) continue;
                assert_true(n < GEOMETRIES_MAX);
                out[n++] = g;
            }
    }
    return n;
}

/* By the definition, slice by slice. */
static int legal_slowly(const struct mig_table *t, uint32_t geometry) {
    uint32_t over[8] = {0}, n_of[16] = {0}, media = 0;
    for (uint32_t s = 0; s < 8; s++) {
        uint32_t nibble = geometry >> 4 * s & 15;
        if (!nibble) continue;
        if (nibble > t->n_profiles) return 0;
        const struct mig_profile *p = &t->profiles[nibble - 1];
        if (!(p->starts >> s & 1) || ++n_of[nibble] > p->max) return 0;
        media += p->media;
        for (uint32_t i = s; i < s + p->slices; i++)
            if (over[i]++) return 0;
    }
    return media <= 1;
}

static void test_legal_geometries(void **unused) {
    (void)unused;
    struct chance c = {chance_variable("LSCHED_TEST_SEED", 7)};
    static uint32_t all[GEOMETRIES_MAX];
    for (uint32_t i = 0; mig_table_at(i); i++) {
        const struct mig_table *t = mig_table_at(i);
        uint32_t n = list_geometries(t, all), slowly = 1;
        for (uint32_t j = 0; j < n; j++) assert_true(legal_slowly(t, all[j]));
        for (uint32_t j = 0; j < 200000; j++) {
            uint32_t g = 0;
            for (uint32_t s = 0; s < 8; s++)
                if (chance_one_in(&c, 3)) g |= chance_below(&c, 9) << 4 * s;
            assert_int_equal(mig_geometry_legal(t, g), legal_slowly(t, g));
        }
        if (t->slices != 4) continue;
        for (uint32_t g = 1; g < 1u << 16; g++) slowly += (uint32_t)legal_slowly(t, g);
        assert_int_equal(n, slowly);
    }
}

/* What the choice must be, from its definition: by trying all starts with the public rules of
 * overlap. */
static int choose_slowly(const struct mig_table *t, uint32_t p, uint32_t g, uint32_t busy, int cuts,
                         uint32_t *start, uint32_t *destroys, uint32_t *creates) {
    int found = 0;
    uint64_t most = 0;
    uint32_t fewest = 0, kept = 0;
    for (uint32_t s = 0; s < 8; s++) {
        uint32_t bits = ((1u << t->profiles[p].slices) - 1) << s, gone = 0, after = g;
        int stands = (g >> 4 * s & 15) == p + 1 && !(busy >> s & 1);
        if (!(t->profiles[p].starts >> s & 1) || (!stands && !cuts)) continue;
        for (uint32_t o = 0; o < 8 && !stands; o++) {
            uint32_t q = (g >> 4 * o & 15) - 1;
            if (q >= 8) continue;
            int overlaps = (((1u << t->profiles[q].slices) - 1) << o & bits) != 0;
            int media = t->profiles[q].media && t->profiles[p].media;
            if (overlaps || media) gone |= 1u << o, after &= ~(15u << 4 * o);
        }
        if ((gone & busy) || (!stands && !legal_slowly(t, after | (p + 1) << 4 * s))) continue;
        uint32_t n = (uint32_t)__builtin_popcount(gone);
        uint64_t worth = worth_slowly(t, busy | bits, NULL);
        int better = !found || (stands && !kept) ||
                     (stands == (int)kept && (worth > most || (worth == most && n < fewest)));
        if (!better) continue;
        found = 1, kept = (uint32_t)stands, most = worth, fewest = n;
        *start = s, *destroys = gone, *creates = !stands;
    }
    return found;
}

/* Slices under the chosen instances of a geometry. */
static uint32_t busy_of(const struct mig_table *t, uint32_t g, uint32_t which) {
    uint32_t busy = 0;
    for (uint32_t s = 0; s < 8; s++)
        if ((g >> 4 * s & 15) && (which >> s & 1))
            busy |= ((1u << t->profiles[(g >> 4 * s & 15) - 1].slices) - 1) << s;
    return busy;
}

static void compare_choice(const struct mig_table *t, uint32_t g, uint32_t busy) {
    for (uint32_t p = 0; p < t->n_profiles; p++)
        for (int cuts = 0; cuts < 2; cuts++) {
            struct mig_choice got, at;
            uint32_t start = 0, destroys = 0, creates = 0;
            int found = choose_slowly(t, p, g, busy, cuts, &start, &destroys, &creates);
            assert_int_equal(mig_choose(t, p, g, busy, cuts, NULL, &got), found);
            if (!found) continue;
            assert_int_equal(got.start, start);
            assert_int_equal(got.destroys, destroys);
            assert_int_equal(got.creates, creates);
            uint32_t after = mig_cut(g, p, &got);
            assert_true(legal_slowly(t, after));
            assert_int_equal(mig_at(after, start), p);
            assert_true(mig_choose_at(t, p, g, busy, cuts, start, &at));
            assert_memory_equal(&at, &got, sizeof at);
        }
}

/* Every geometry of a device with every set of its instances busy. */
static void test_every_choice(void **unused) {
    (void)unused;
    static uint32_t all[GEOMETRIES_MAX];
    static const char *const tables[] = {"a30", "h100-80gb"};
    for (uint32_t i = 0; i < 2; i++) {
        const struct mig_table *t = named(tables[i]);
        uint32_t n = list_geometries(t, all), compared = 0;
        for (uint32_t j = 0; j < n; j++) {
            uint32_t begins = mig_begins(all[j]);
            for (uint32_t which = begins;; which = (which - 1) & begins) {
                uint32_t busy = busy_of(t, all[j], which);
                assert_int_equal(mig_covered(t, all[j], which), busy);
                compare_choice(t, all[j], busy);
                compared++;
                if (!which) break;
            }
        }
        print_message("%s: %u geometries, %u with busy instances\n", t->name, n, compared);
    }
}

/* The media engines exist once: a busy instance with them bars another, an idle one must go. */
static void test_media_engines_exist_once(void **unused) {
    (void)unused;
    const struct mig_table *t = named("h100-80gb");
    uint32_t me = mig_profile_named(t, text("1g.10gb+me")),
             one = mig_profile_named(t, text("1g.10gb"));
    struct mig_choice choice;
    uint32_t g = mig_add(0, me, 6);
    assert_false(mig_choose(t, me, g, 0x40, 1, NULL, &choice));
    assert_true(mig_choose(t, one, g, 0x40, 1, NULL, &choice));
    assert_true(mig_choose_at(t, me, g, 0, 1, 2, &choice));
    assert_int_equal(choice.destroys, 0x40);
    assert_false(mig_geometry_legal(t, mig_add(g, me, 0)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_are_the_vendors),
        cmocka_unit_test(test_tables_have_no_profile_beside_the_vendors),
        cmocka_unit_test(test_charge_is_by_memory_slices),
        cmocka_unit_test(test_table_of_a_model),
        cmocka_unit_test(test_profile_by_name_alone),
        cmocka_unit_test(test_counts_of_states),
        cmocka_unit_test(test_every_mask),
        cmocka_unit_test(test_lower_half_is_kept),
        cmocka_unit_test(test_legal_geometries),
        cmocka_unit_test(test_every_choice),
        cmocka_unit_test(test_media_engines_exist_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
