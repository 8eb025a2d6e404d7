/* series_image.c -- see series_image.h. */
#include "forecast/series/series_image.h"

#include <string.h>

#include "base/call_args.h"
#include "base/hash.h"
#include "base/limits.h"
#include "forecast/numbers/short_float.h"
#include "forecast/series/series_limits.h"

#define MAGIC   UINT64_C(0x3154534146435331) /* "1SCFAST1" read as little-endian bytes */
#define VERSION 2u
#define GREAT   1e25 /* above every sum of values */

static int is_between(double x, double least, double most) {
    return x >= least && x <= most; /* false for NaN */
}

static int are_between(const float *x, uint32_t n, double least, double most) {
    for (uint32_t i = 0; i < n; i++)
        if (!is_between(x[i], least, most)) return 0;
    return 1;
}

static int is_hist(const uint16_t *weights, uint32_t n, int32_t top, uint32_t total) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += weights[i];
    return sum == total && top >= LOG_HIST_TOP_MIN && top <= LOG_HIST_TOP_MAX;
}

static int is_ring(const uint16_t *ring, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (ring[i] != SHORT_FLOAT_MISSING && !is_between(short_float_value(ring[i]), 0.0, GREAT))
            return 0;
    return 1;
}

static const char *image_experts(const struct experts *e, int64_t last_us) {
    const int64_t day_us = (int64_t)86400 * 1000000;
    if (e->day_cells == 0 || e->day_cells > DAY_CELLS || e->day_cell_us != day_us / e->day_cells)
        return "day_cells";
    if (e->day_latest < -1 || e->week_latest < -1 || e->peak_hour < -1) return "latest";
    /* the rings walk from their latest part to that of the next value, which is not before it */
    if (e->day_latest > last_us / e->day_cell_us || e->week_latest > last_us / (day_us / 12) ||
        e->peak_hour > last_us / (day_us / 24))
        return "latest";
    if (!is_between(e->last, 0, GREAT) || !is_between(e->ewma, 0, GREAT)) return "last";
    if (!is_between(e->mean, 0, GREAT) || !is_between(e->variance, 0, 1e38)) return "mean";
    if (!is_between(e->level, -GREAT, GREAT) || !is_between(e->trend, -GREAT, GREAT))
        return "level";
    if (!is_between(e->ewma_keep, 0, 1) || !is_between(e->moment_keep, 0, 1)) return "keep";
    if (!is_between(e->sigmas, 0, SIGMAS_MAX)) return "sigmas";
    if (e->hist_half == 0 || e->hist_weight == 0 || e->hist_weight > 64) return "hist_half";
    if (!is_hist(e->hist, VALUE_BUCKETS + 1, e->hist_top, e->hist_total)) return "hist";
    if (!is_ring(e->day, DAY_CELLS) || !is_ring(e->week, WEEK_CELLS)) return "day";
    if (!are_between(e->season, HOURS, -GREAT, GREAT)) return "season";
    return are_between(e->peaks, HOURS, 0, GREAT) ? NULL : "peaks";
}

static const char *image_pending(const struct horizon *h) {
    if (h->oldest >= PENDING || h->n_pending > PENDING) return "n_pending";
    for (uint32_t i = 0; i < PENDING; i++) {
        const struct remembered *r = &h->pending[i];
        if (!is_between(r->last, 0, GREAT)) return "pending";
        for (uint32_t k = 0; k < EXPERTS_MORE; k++)
            if (!is_between(short_float_signed_value(r->more[k]), -GREAT, GREAT)) return "pending";
    }
    return are_between(h->bases, BASES, -1, GREAT) ? NULL : "bases";
}

static const char *image_horizon(const struct horizon *h) {
    if (h->slots == 0 || h->slots > LSCHED_FORECAST_SLOTS_MAX) return "slots";
    if (!is_between(h->damp, 0, 100)) return "damp";
    if (h->middle >= EXPERT_MIDDLES || h->bound >= EXPERTS) return "chosen expert";
    if (!are_between(h->middle_loss, EXPERT_MIDDLES, 0, GREAT) ||
        !are_between(h->bound_loss, EXPERTS, 0, GREAT))
        return "loss";
    if (!are_between(h->offset, EXPERTS, -GREAT, GREAT)) return "offset";
    if (!are_between(h->tails, TAILS, 1e-6, 1)) return "tails";
    if (!is_hist(h->residual, 2 * RESIDUAL_BUCKETS + 1, h->residual_top, h->residual_total))
        return "residual";
    return image_pending(h);
}

static const char *image_slots(const struct series *s) {
    if (s->slot_us < LSCHED_FORECAST_SLOT_US_MIN || s->slot_us > LSCHED_FORECAST_SLOT_US_MAX)
        return "slot_us";
    int64_t slot_max = LIMIT_TIME_US / s->slot_us;
    if (s->open_slot < -1 || s->open_slot > slot_max || s->last_slot < -1) return "open_slot";
    if (s->last_slot >= s->open_slot && s->last_slot != -1) return "last_slot";
    if (s->first_slot < 0 || (s->last_slot >= 0 && s->first_slot > s->last_slot))
        return "first_slot";
    return (s->last_slot >= 0) == (s->slots > 0) ? NULL : "slots";
}

const char *series_image_check(const struct series *s) {
    const char *wrong = image_slots(s);
    if (wrong != NULL) return wrong;
    if (!is_between(s->request, 0, VALUE_MAX) || !is_between(s->greatest, 0, GREAT))
        return "request";
    if (!is_between(s->open_value, 0, VALUE_MAX) && s->open_value != -1.0) return "open_value";
    wrong = image_experts(&s->experts, s->last_slot < 0 ? 0 : s->last_slot * s->slot_us);
    for (uint32_t i = 0; wrong == NULL && i < HORIZONS; i++) {
        wrong = image_horizon(&s->horizons[i]);
        if (wrong == NULL && i > 0 && s->horizons[i].slots <= s->horizons[i - 1].slots)
            wrong = "slots";
    }
    return wrong;
}

void series_image_save(const struct series *s, struct series_image *out) {
    memset(out, 0, sizeof *out);
    out->magic = MAGIC;
    out->version = VERSION;
    out->bytes = (uint32_t)sizeof *out;
    out->series = *s;
    out->checksum = hash_bytes(s, sizeof *s, VERSION);
}

int32_t series_image_load(struct series *out, const void *bytes, size_t n, lsched_error *err) {
    struct series_image image;
    if (n < offsetof(struct series_image, series))
        return fail(err, LSCHED_E_CORRUPT, "the image of a series has %zu bytes; expected %zu", n,
                    sizeof image);
    memcpy(&image, bytes, n < sizeof image ? n : sizeof image);
    if (image.magic != MAGIC)
        return fail(err, LSCHED_E_VERSION, "the bytes are not the image of a series of forecasts");
    if (image.version != VERSION)
        return fail(err, LSCHED_E_VERSION,
                    "the image of a series has version %u; this library reads version %u",
                    image.version, VERSION);
    if (n != sizeof image || image.bytes != sizeof image)
        return fail(err, LSCHED_E_CORRUPT, "the image of a series has %zu bytes; expected %zu", n,
                    sizeof image);
    if (hash_bytes(&image.series, sizeof image.series, VERSION) != image.checksum)
        return fail(err, LSCHED_E_CORRUPT, "the checksum of the image of a series is wrong");
    const char *wrong = series_image_check(&image.series);
    if (wrong != NULL)
        return fail(err, LSCHED_E_CORRUPT, "the image of a series has a wrong value in %s", wrong);
    *out = image.series;
    return LSCHED_OK;
}
