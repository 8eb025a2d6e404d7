/*
 * Experts and the choice between them against a slow and plain reference, which keeps all values of
 * the series and computes each forecast from them: sums of powers instead of recursions, a search of
 * the whole past instead of rings, every pending forecast instead of a ring of them.
 *
 * Random series: spikes, silence of a slot or of days, level shifts, zeros, tiny and huge values.
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS as in chance.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "forecast/numbers/short_float.h"
#include "forecast/series/series.h"
#include "forecast/series/series_image.h"
#include "property/chance.h"

#define DAY_OF_US       ((int64_t)86400 * 1000000)
#define REFERENCE_LEVEL 0.95
enum { SLOTS = 700 };

struct past {
    int64_t slot[SLOTS];
    double value[SLOTS];
    int n;
};

/* the values of all experts after the first n values, for each n and horizon */
static double said[SLOTS][HORIZONS][EXPERTS];

static double size_of(double x) {
    return x < 0 ? -x : x;
}

static int is_near(double a, double b, double scale) {
    return size_of(a - b) <= 1e-4 * (scale + size_of(b)) + 1e-30;
}

static double power_of(double base, int64_t n) {
    double p = 1.0;
    for (int64_t i = 0; i < n && p > 1e-300; i++) p *= base;
    return p;
}

/* EWMA by its definition: the first value keeps what the later weights leave. */
static double plain_ewma(const struct past *p, double keep) {
    double sum = 0;
    for (int i = 0; i < p->n; i++)
        sum += p->value[i] * power_of(keep, p->n - 1 - i) * (i == 0 ? 1.0 : 1.0 - keep);
    return sum;
}

/* The weighted variance around the weighted mean. */
static double plain_variance(const struct past *p, double keep) {
    double mean = plain_ewma(p, keep), sum = 0;
    for (int i = 0; i < p->n; i++)
        sum += (p->value[i] - mean) * (p->value[i] - mean) * power_of(keep, p->n - 1 - i) *
               (i == 0 ? 1.0 : 1.0 - keep);
    return sum;
}

/* The greatest value of the part of `cell_us` of the time, one season or less before the latest. */
static double plain_season(const struct past *p, int64_t slot_us, int64_t cell_us, int64_t cells,
                           int64_t at_us) {
    int64_t latest = p->slot[p->n - 1] * slot_us / cell_us, wanted = at_us / cell_us;
    double greatest = -1;
    while (wanted > latest) wanted -= cells;
    if (wanted <= latest - cells) return -1;
    for (int i = 0; i < p->n; i++)
        if (p->slot[i] * slot_us / cell_us == wanted && p->value[i] > greatest)
            greatest = p->value[i];
    return greatest;
}

static double plain_peak(const struct past *p, int64_t slot_us) {
    int64_t hour_us = DAY_OF_US / 24, latest = p->slot[p->n - 1] * slot_us / hour_us;
    double greatest = 0;
    for (int i = 0; i < p->n; i++)
        if (p->slot[i] * slot_us / hour_us > latest - 24 && p->value[i] > greatest)
            greatest = p->value[i];
    return greatest;
}

static void check_experts_of(const struct series *s, const struct past *p, double greatest) {
    const struct experts *e = &s->experts;
    double common[EXPERTS], value[EXPERTS];
    experts_common(e, common);
    assert_true(is_near(common[EXPERT_LAST], p->value[p->n - 1], greatest));
    assert_true(is_near(common[EXPERT_EWMA], plain_ewma(p, e->ewma_keep), greatest));
    assert_true(is_near(common[EXPERT_PEAK], plain_peak(p, s->slot_us), 0));
    assert_true(is_near(e->mean, plain_ewma(p, e->moment_keep), greatest));
    assert_true(is_near(e->variance, plain_variance(p, e->moment_keep), greatest * greatest));
    for (int h = 0; h < HORIZONS; h++) {
        int64_t at_us = (s->last_slot + s->horizons[h].slots) * s->slot_us;
        memcpy(value, common, sizeof value);
        experts_at(e, at_us, s->horizons[h].damp, value);
        double day = plain_season(p, s->slot_us, e->day_cell_us, e->day_cells, at_us);
        double week = plain_season(p, s->slot_us, 7 * DAY_OF_US / WEEK_CELLS, WEEK_CELLS, at_us);
        if (day < 0) day = p->value[p->n - 1];
        if (week < 0) week = day;
        /* numbers of 16 bits have an error of 1/512 */
        assert_true(size_of(value[EXPERT_DAY] - day) <= day / 500 + 1e-30);
        assert_true(size_of(value[EXPERT_WEEK] - week) <= week / 250 + 1e-30);
        memcpy(said[p->n - 1][h], value, sizeof value);
    }
}

/* What a horizon remembers of the value of an expert: the difference to the latest value has 16
 * bits. */
static double remembered(const double value[EXPERTS], int expert) {
    float last = (float)value[EXPERT_LAST];
    if (expert == EXPERT_LAST) return last;
    double kept = last + short_float_signed_value(short_float_signed_make(value[expert] - last));
    assert_true(size_of(kept - value[expert]) <= size_of(value[expert] - last) / 255 + 1e-30);
    return kept < 0 ? 0 : kept;
}

/* How many bounds were judged: one for each pair of values that are so far apart, and begin at a
 * multiple of what 24 forecasts of a horizon are apart. */
static uint32_t plain_judged(const struct past *p, const struct horizon *h) {
    uint32_t n = 0, stride = (h->slots + BASES - 1) / BASES;
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < i; j++)
            n += p->slot[j] + h->slots == p->slot[i] && (p->slot[j] - p->slot[0]) % stride == 0;
    return n;
}

/* Judges all pending forecasts again from the beginning. */
static void check_losses(const struct series *s, const struct past *p, double greatest) {
    for (int h = 0; h < HORIZONS; h++) {
        const struct horizon *horizon = &s->horizons[h];
        double middle[EXPERTS] = {0}, bound[EXPERTS] = {0}, offset[EXPERTS] = {0};
        uint32_t judged = 0, stride = (horizon->slots + PENDING - 1) / PENDING;
        for (int i = 0; i < p->n; i++) {
            int from = -1;
            for (int j = 0; j < i; j++)
                if (p->slot[j] + horizon->slots == p->slot[i]) from = j;
            if (from < 0 || (p->slot[from] - p->slot[0]) % stride != 0) continue;
            double m = judged + 1 > 200 ? 0.005 : 1.0 / (judged + 1.0);
            double b = judged + 1 > 100 ? 0.01 : 1.0 / (judged + 1.0);
            for (int e = 0; e < EXPERTS; e++) {
                double error = p->value[i] - remembered(said[from][h], e), over = error - offset[e];
                double loss = over > 0 ? REFERENCE_LEVEL * over : -(1 - REFERENCE_LEVEL) * over;
                middle[e] += m * (size_of(error) - middle[e]);
                bound[e] += b * (loss - bound[e]);
                offset[e] += 0.3 * bound[e] * (over > 0 ? REFERENCE_LEVEL : REFERENCE_LEVEL - 1);
            }
            judged++;
        }
        assert_int_equal(horizon->chosen, judged);
        assert_int_equal(horizon->judged, plain_judged(p, horizon));
        for (int e = 0; e < EXPERTS; e++) {
            assert_true(is_near(horizon->bound_loss[e], bound[e], greatest));
            if (e < EXPERT_MIDDLES)
                assert_true(is_near(horizon->middle_loss[e], middle[e], greatest));
        }
    }
}

static double next_value(struct chance *c, double level, double scale) {
    if (chance_one_in(c, 30)) return 0;
    if (chance_one_in(c, 40)) return scale * 50 * (1 + chance_below(c, 100) / 100.0);
    return scale * (level + chance_below(c, 1000) / 1000.0);
}

static void play(uint64_t seed) {
    static const int64_t slot_lengths[] = {57, 300, 600, 900, 3600};
    static struct past past;
    struct chance c = {seed};
    struct series s;
    struct series_opts opts = {.slot_us = slot_lengths[chance_below(&c, 5)] * 1000000,
                               .ewma_slots = 1 + chance_below(&c, 10),
                               .hist_slots = 1 + chance_below(&c, 300),
                               .moment_slots = 5 + chance_below(&c, 100),
                               .sigmas = 3};
    for (uint32_t h = 0, slots = 0; h < HORIZONS; h++)
        opts.horizon_slots[h] = slots += 1 + chance_below(&c, h == 3 ? 60 : 12);
    double scale = power_of(10.0, chance_below(&c, 12)), level = chance_below(&c, 10), greatest = 0;
    int64_t slot = chance_below(&c, 100000);
    series_begin(&s, &opts);
    past.n = 0;
    int n = 50 + (int)chance_below(&c, SLOTS - 50);
    while (past.n < n) {
        double value = next_value(&c, level, scale);
        if (chance_one_in(&c, 100)) level = chance_below(&c, 10);
        if (chance_one_in(&c, 50)) slot += chance_below(&c, chance_one_in(&c, 10) ? 5000 : 5);
        past.slot[past.n] = slot;
        past.value[past.n++] = value;
        if (value > greatest) greatest = value;
        assert_int_equal(series_add(&s, slot * opts.slot_us, value), 1);
        if (chance_one_in(&c, 3)) series_add(&s, (slot + 1) * opts.slot_us - 1, value * 0.5);
        slot++;
        series_advance(&s, slot * opts.slot_us);
        check_experts_of(&s, &past, greatest);
        if (past.n == n) check_losses(&s, &past, greatest);
        assert_null(series_image_check(&s)); /* what is built can be loaded */
    }
    struct outlook half[HORIZONS], high[HORIZONS];
    series_outlook(&s, slot * opts.slot_us, 0.5, half);
    for (double tail = 0.3; tail > 0.001; tail *= 0.6) {
        series_outlook(&s, slot * opts.slot_us, tail, high);
        for (int h = 0; h < HORIZONS; h++) {
            assert_true(high[h].upper >= half[h].upper); /* quantiles do not cross */
            half[h] = high[h];
        }
    }
}

static void test_plain(void **state) {
    (void)state;
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(16);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        printf("seed %llu\n", (unsigned long long)seed);
        play(seed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_plain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
