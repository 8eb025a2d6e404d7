#define _POSIX_C_SOURCE 200809L /* clock_gettime */

/*
 * bench_mig.c -- place and free MIG instances: the masks of model/mig/mig.h beside a search over
 * placements.
 *
 * Both make the same decisions on the same stream: an instance goes where it keeps the most
 * placeable, what was placed leaves in random order. The baseline is what one writes without masks:
 * a list of placements, slices as an array, overlaps and what still fits found by looking. Beside
 * it: with idle instances left standing (dynamic geometry, some are taken as they are, some
 * destroyed), and the least harmful of eight devices. --accept: what rules for the start accept,
 * for docs/mig.md (14 s).
 */
#include <math.h>
#include <string.h>

#include "bench_support.h"
#include "model/mig/mig.h"
#include "tests/property/chance.h"

enum { STREAM = 1 << 16, ROUNDS = 20 };

struct wish {
    uint8_t profile;
    uint8_t free_first; /* so many random instances leave before it is asked for */
};

static struct wish stream[STREAM];

static void make_stream(void) {
    static const uint8_t mix[] = {0, 0, 0, 2, 3, 3, 3, 4, 4, 5, 6};
    struct chance c = {42};
    for (uint32_t i = 0; i < STREAM; i++)
        stream[i] = (struct wish){mix[chance_below(&c, sizeof mix)], (uint8_t)chance_below(&c, 3)};
}

struct placed {
    uint8_t profile, start;
};

/* One device and what is on it, for both. */
struct device {
    uint32_t busy, geometry;
    uint8_t slices[8]; /* baseline: in use */
    struct placed on[8];
    uint32_t n;
};

static uint64_t
    answers; /* of what was decided, so that nothing is optimised away, and to compare */

static void note(uint32_t profile, uint32_t start) {
    answers = answers * 31 + profile * 8 + start;
}

/* ---- masks ---- */

static int place_by_masks(const struct mig_table *t, struct device *d, uint32_t p) {
    struct mig_choice c;
    if (!mig_choose(t, p, d->geometry, d->busy, 1, NULL, &c)) return 0;
    d->geometry = mig_cut(d->geometry, p, &c);
    d->busy |= mig_bits(t, p, c.start);
    d->on[d->n++] = (struct placed){(uint8_t)p, (uint8_t)c.start};
    note(p, c.start);
    return 1;
}

static int destroy_at_once; /* 0: what becomes idle stands until it is in the way */

static void free_by_masks(const struct mig_table *t, struct device *d, uint32_t i) {
    d->busy &= ~mig_bits(t, d->on[i].profile, d->on[i].start);
    if (destroy_at_once) d->geometry = mig_remove(d->geometry, d->on[i].start);
    d->on[i] = d->on[--d->n];
}

/* ---- a search over placements ---- */

struct placement {
    uint8_t profile, start, slices, twin;
};
static struct placement placements[32];
static uint32_t n_placements;

static int fits(const uint8_t *used, const struct placement *at) {
    for (uint32_t i = at->start; i < (uint32_t)at->start + at->slices; i++)
        if (used[i]) return 0;
    return 1;
}

static void fill(uint8_t *used, uint32_t start, uint32_t slices, uint8_t with) {
    for (uint32_t i = start; i < start + slices; i++) used[i] = with;
}

static uint32_t still_placeable(const uint8_t *used) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n_placements; i++)
        if (!placements[i].twin && fits(used, &placements[i])) sum += placements[i].slices;
    return sum;
}

static int place_by_search(struct device *d, uint32_t p) {
    const struct placement *best = NULL;
    uint32_t most = 0;
    for (uint32_t i = 0; i < n_placements; i++) {
        const struct placement *at = &placements[i];
        if (at->profile != p || !fits(d->slices, at)) continue;
        fill(d->slices, at->start, at->slices, 1);
        uint32_t worth = still_placeable(d->slices);
        fill(d->slices, at->start, at->slices, 0);
        if (best && worth <= most) continue;
        best = at;
        most = worth;
    }
    if (!best) return 0;
    fill(d->slices, best->start, best->slices, 1);
    d->on[d->n++] = (struct placed){best->profile, best->start};
    note(p, best->start);
    return 1;
}

static void free_by_search(const struct mig_table *t, struct device *d, uint32_t i) {
    fill(d->slices, d->on[i].start, t->profiles[d->on[i].profile].slices, 0);
    d->on[i] = d->on[--d->n];
}

/* ---- the same stream through both ---- */

static double run(const struct mig_table *t, int masks, uint64_t *steps) {
    struct device d;
    struct chance c = {7};
    memset(&d, 0, sizeof d);
    answers = 0;
    *steps = 0;
    double begin = bench_seconds();
    for (uint32_t r = 0; r < ROUNDS; r++)
        for (uint32_t i = 0; i < STREAM; i++) {
            for (uint32_t f = stream[i].free_first; f > 0 && d.n > 0; f--, ++*steps) {
                uint32_t which = chance_below(&c, d.n);
                if (masks)
                    free_by_masks(t, &d, which);
                else
                    free_by_search(t, &d, which);
            }
            ++*steps;
            if (masks)
                place_by_masks(t, &d, stream[i].profile);
            else
                place_by_search(&d, stream[i].profile);
        }
    return bench_seconds() - begin;
}

/* Eight devices: the one that loses the least worth. */
static double run_node(const struct mig_table *t, uint64_t *steps) {
    enum { DEVICES = 8 };
    static struct device d[DEVICES];
    struct chance c = {7};
    *steps = 0;
    double begin = bench_seconds();
    for (uint32_t r = 0; r < ROUNDS; r++)
        for (uint32_t i = 0; i < STREAM; i++, ++*steps) {
            uint32_t p = stream[i].profile, best = DEVICES;
            uint64_t least = UINT64_MAX;
            for (uint32_t f = stream[i].free_first; f > 0; f--, ++*steps) {
                struct device *from = &d[chance_below(&c, DEVICES)];
                if (from->n) free_by_masks(t, from, chance_below(&c, from->n));
            }
            for (uint32_t j = 0; j < DEVICES; j++) {
                struct mig_choice choice;
                if (!mig_choose(t, p, d[j].geometry, d[j].busy, 1, NULL, &choice)) continue;
                uint64_t lost = mig_worth(t, d[j].busy, NULL) -
                                mig_worth(t, d[j].busy | mig_bits(t, p, choice.start), NULL);
                if (lost >= least) continue;
                best = j;
                least = lost;
            }
            if (best < DEVICES) place_by_masks(t, &d[best], p);
        }
    return bench_seconds() - begin;
}

/* ---- how much is accepted: 100 devices, Poisson arrivals, exponential lifetimes ---- */

enum { DEVICES_ALL = 100, REQUESTS = 20000, WARM = 4000, SEEDS = 6, RULES = 4 };
static const char *const rules[RULES] = {"first device, lowest slice",
                                         "fullest device, lowest slice", "most instances still fit",
                                         "most slices still filled"};

/* What a mask leaves, as the rule counts it: instances that still fit, or their slices. */
static int64_t left_by(const struct mig_table *t, uint32_t used, int rule) {
    int64_t sum = 0;
    if (rule == 3) return (int64_t)mig_worth(t, used, NULL);
    for (uint32_t p = 0; p < t->n_profiles; p++)
        if (!t->profiles[p].media) sum += __builtin_popcount(mig_starts(t, p, used));
    return sum;
}

struct lease {
    double end;
    uint32_t device, bits;
};

static int64_t value_of(const struct mig_table *t, uint32_t used, uint32_t bits, uint32_t device,
                        uint32_t start, int rule) {
    switch (rule) {
    case 0: return -(int64_t)(device * MIG_SLICES + start);
    case 1: return (int64_t)__builtin_popcount(used) * MIG_SLICES - start;
    default: return left_by(t, used | bits, rule) - left_by(t, used, rule);
    }
}

static int place_one(const struct mig_table *t, uint32_t p, int rule, uint32_t *busy,
                     struct lease *out) {
    int64_t best = INT64_MIN;
    for (uint32_t d = 0; d < DEVICES_ALL; d++)
        for (uint32_t m = mig_starts(t, p, busy[d]); m; m &= m - 1) {
            uint32_t s = (uint32_t)__builtin_ctz(m), bits = mig_bits(t, p, s);
            int64_t v = value_of(t, busy[d], bits, d, s, rule);
            if (v <= best) continue;
            best = v;
            out->device = d;
            out->bits = bits;
        }
    if (best == INT64_MIN) return 0;
    busy[out->device] |= out->bits;
    return 1;
}

static double exponential(struct chance *c) {
    return -log((chance_below(c, 1000000) + 1) / 1000001.0);
}

/* Share of the requested slice-hours that was accepted. */
static double accepted(const struct mig_table *t, int rule, double load, const double *mix,
                       uint64_t seed) {
    static struct lease live[DEVICES_ALL * MIG_SLICES];
    uint32_t busy[DEVICES_ALL] = {0}, n = 0;
    struct chance c = {seed};
    double now = 0, mean = 0, asked = 0, refused = 0;
    for (uint32_t p = 0; p < t->n_profiles; p++) mean += mix[p] * t->profiles[p].slices;
    for (uint32_t i = 0; i < REQUESTS; i++) {
        now += exponential(&c) * mean / (load * DEVICES_ALL * MIG_SLICES);
        double x = chance_below(&c, 1000000) / 1e6, lasts = exponential(&c);
        uint32_t p = 0;
        while (p + 1 < t->n_profiles && x >= mix[p]) x -= mix[p++];
        for (uint32_t k = 0; k < n;)
            if (live[k].end <= now) {
                busy[live[k].device] &= ~live[k].bits;
                live[k] = live[--n];
            } else {
                k++;
            }
        struct lease l = {now + lasts, 0, 0};
        int got = place_one(t, p, rule, busy, &l);
        if (got) live[n++] = l;
        if (i < WARM) continue;
        asked += lasts * t->profiles[p].slices;
        refused += got ? 0 : lasts * t->profiles[p].slices;
    }
    return 100 * (1 - refused / asked);
}

/* The mix of mig80, and all profiles alike. */
static int accept(const struct mig_table *t) {
    static const double mixes[2][MIG_PROFILES_MAX] = {
        {.3, 0, 0, .3, .25, 0, .15}, {1 / 6., 0, 1 / 6., 1 / 6., 1 / 6., 1 / 6., 1 / 6.}};
    static const double loads[3] = {0.85, 1.0, 1.15};
    printf("%-32s %27s %27s\n", "accepted slice-hours, %, at load", "30/30/25/15 % 1g/2g/3g/7g",
           "all profiles alike");
    for (int rule = 0; rule < RULES; rule++) {
        printf("%-32s", rules[rule]);
        for (int m = 0; m < 2; m++)
            for (int l = 0; l < 3; l++) {
                double sum = 0;
                for (uint64_t s = 0; s < SEEDS; s++)
                    sum += accepted(t, rule, loads[l], mixes[m], 100 + s);
                printf(" %8.1f", sum / SEEDS);
            }
        printf("\n");
    }
    return 0;
}

int main(int argc, char **argv) {
    argc = rows_open("mig", argc, argv);
    if (argc > 1 && strcmp(argv[1], "--accept") == 0)
        return accept(mig_table_named((lsched_text){"h100-80gb", 9}));
    const struct mig_table *t = mig_table_named((lsched_text){"h100-80gb", 9});
    for (uint32_t p = 0; p < t->n_profiles; p++)
        for (uint32_t s = 0; s < MIG_SLICES; s++)
            if (t->profiles[p].starts >> s & 1)
                placements[n_placements++] = (struct placement){
                    (uint8_t)p, (uint8_t)s, t->profiles[p].slices, t->profiles[p].media};
    make_stream();
    uint64_t steps, answers_by_masks;
    destroy_at_once = 1;
    double by_masks = run(t, 1, &steps);
    answers_by_masks = answers;
    double by_search = run(t, 0, &steps);
    double search = by_search / (double)steps * 1e9;
    rows_note("place or free one instance on one device, %llu steps; same decisions: %s",
              (unsigned long long)steps, answers_by_masks == answers ? "yes" : "NO");
    rows_put("masks", "ns", by_masks / (double)steps * 1e9, "search over placements", search);
    int differ = answers_by_masks != answers;
    destroy_at_once = 0;
    double idle = run(t, 1, &steps);
    rows_put("masks_idle_stand", "ns", idle / (double)steps * 1e9, "search over placements",
             search);
    double node = run_node(t, &steps);
    rows_put("masks_best_of_eight", "ns", node / (double)steps * 1e9,
             "search over placements of one device", search);
    return differ;
}
