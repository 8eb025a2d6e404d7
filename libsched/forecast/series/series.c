/* series.c -- see series.h. */
#include "forecast/series/series.h"

#include <string.h>

void series_begin(struct series *s, const struct series_opts *opts) {
    memset(s, 0, sizeof *s);
    s->slot_us = opts->slot_us;
    s->request = opts->request;
    s->open_slot = s->last_slot = -1;
    s->open_value = -1.0;
    experts_begin(&s->experts, &(struct experts_opts){.slot_us = opts->slot_us,
                                                      .ewma_slots = opts->ewma_slots,
                                                      .hist_slots = opts->hist_slots,
                                                      .moment_slots = opts->moment_slots,
                                                      .sigmas = opts->sigmas});
    for (uint32_t i = 0; i < HORIZONS; i++) horizon_begin(&s->horizons[i], opts->horizon_slots[i]);
}

/* Writes the values of all experts for the slot `ahead` slots after the latest closed one. */
static void series_values(const struct series *s, const struct horizon *h,
                          const double common[EXPERTS], double out[EXPERTS]) {
    memcpy(out, common, EXPERTS * sizeof out[0]);
    experts_at(&s->experts, (s->last_slot + h->slots) * s->slot_us, h->damp, out);
}

/* The open slot has a value and closes. */
static void series_close(struct series *s) {
    double common[EXPERTS], value[EXPERTS];
    if (s->open_slot - s->first_slot > INT32_MAX) {
        /* what is remembered counts slots in 32 bits; it is far too old by now */
        for (uint32_t i = 0; i < HORIZONS; i++) horizon_forget(&s->horizons[i]);
        s->first_slot = s->open_slot;
    }
    uint32_t slot = (uint32_t)(s->open_slot - s->first_slot);
    int again = s->slots > 0 && (float)s->open_value <= s->experts.last &&
                (float)s->open_value >= s->experts.last;
    s->repeats = again ? s->repeats + (s->repeats < UINT32_MAX) : 0;
    experts_learn(&s->experts, s->open_slot * s->slot_us, s->open_value, s->slots == 0);
    s->last_slot = s->open_slot;
    s->slots++;
    if (s->greatest < (float)s->open_value) s->greatest = (float)s->open_value;
    experts_common(&s->experts, common);
    for (uint32_t i = 0; i < HORIZONS; i++) {
        struct horizon *h = &s->horizons[i];
        horizon_judge(h, slot, s->open_value);
        series_values(s, h, common, value);
        horizon_remember(h, slot, value, s->repeats);
    }
    s->open_value = -1.0;
}

static void series_open(struct series *s, int64_t slot) {
    if (s->open_slot < 0) {
        s->first_slot = slot;
    } else {
        uint64_t passed = (uint64_t)(slot - s->open_slot);
        if (s->open_value >= 0.0) {
            series_close(s);
            passed--;
        }
        s->gap_slots += passed;
    }
    s->open_slot = slot;
}

void series_advance(struct series *s, int64_t now_us) {
    int64_t slot = now_us / s->slot_us;
    if (s->open_slot >= 0 && slot > s->open_slot) series_open(s, slot);
}

int series_add(struct series *s, int64_t at_us, double value) {
    int64_t slot = at_us / s->slot_us;
    if (s->open_slot >= 0 && slot < s->open_slot) {
        s->late++;
        return 0;
    }
    if (slot > s->open_slot) series_open(s, slot);
    if (value > s->open_value) s->open_value = value;
    s->samples++;
    return 1;
}

/* The horizon that reaches `ahead` slots after the latest value; the longest if none does. */
static const struct horizon *series_horizon(const struct series *s, uint64_t ahead) {
    uint32_t i = 0;
    while (i + 1 < HORIZONS && s->horizons[i].slots < ahead) i++;
    return &s->horizons[i];
}

static double series_blend(double own, double request, double confidence) {
    return confidence * own + (1.0 - confidence) * request;
}

static void series_outlook_at(const struct series *s, const struct horizon *h, double tail,
                              const double common[EXPERTS], struct outlook *out) {
    double value[EXPERTS];
    series_values(s, h, common, value);
    out->middle = h->middle;
    out->bound = h->bound;
    out->confidence = (double)s->slots / ((double)s->slots + REQUEST_WORTH);
    out->upper = horizon_bound(h, value, s->repeats) + horizon_residual(h, tail);
    if (out->upper < 0.0) out->upper = 0.0;
    if (out->upper < s->experts.last && horizon_repeats(h, s->repeats, tail))
        out->upper = s->experts.last;
    if (h->judged == 0 && out->upper < s->greatest) out->upper = s->greatest;
    out->expected = value[h->middle];
    if (s->request <= 0.0) return;
    out->upper = series_blend(out->upper, s->request, out->confidence);
    out->expected = series_blend(out->expected, s->request, out->confidence);
}

void series_outlook(const struct series *s, int64_t now_us, double tail,
                    struct outlook out[HORIZONS]) {
    double common[EXPERTS];
    int64_t now_slot = now_us / s->slot_us;
    uint64_t silent = now_slot > s->last_slot + 1 ? (uint64_t)(now_slot - s->last_slot - 1) : 0;
    memset(out, 0, HORIZONS * sizeof out[0]);
    if (s->last_slot < 0) {
        for (uint32_t i = 0; i < HORIZONS; i++)
            out[i] = (struct outlook){.expected = s->request, .upper = s->request, .stale = 1};
        return;
    }
    experts_common(&s->experts, common);
    for (uint32_t i = 0; i < HORIZONS; i++) {
        uint64_t ahead = s->horizons[i].slots + silent;
        const struct horizon *h = series_horizon(s, ahead);
        series_outlook_at(s, h, tail, common, &out[i]);
        if (h->slots < ahead) {
            out[i].stale = 1;
            if (out[i].upper < s->request) out[i].upper = s->request;
            if (out[i].upper < common[EXPERT_PEAK]) out[i].upper = common[EXPERT_PEAK];
        }
    }
}
