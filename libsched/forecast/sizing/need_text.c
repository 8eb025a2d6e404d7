/*
 * need_text.c -- the evidence for a need in words.
 *
 * Numbers are written from integers, so that no locale changes the decimal point.
 */
#include <stdio.h>
#include <string.h>

#include <libsched/sizing.h>

#include "base/call_args.h"
#include "forecast/sizing/need_read.h"

#define TEXT_TENTHS_MAX 1e15
enum { EVIDENCE_BYTES = 256, EVIDENCE_UNIT_BYTES = 16 };

struct evidence {
    char text[EVIDENCE_BYTES];
    size_t len;
};

static void evidence_put(struct evidence *e, const char *words) {
    size_t n = strlen(words);
    if (n > EVIDENCE_BYTES - 1 - e->len) n = EVIDENCE_BYTES - 1 - e->len;
    memcpy(e->text + e->len, words, n);
    e->len += n;
    e->text[e->len] = 0;
}

static void evidence_number(struct evidence *e, uint64_t number, const char *after) {
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    evidence_put(e, digits);
    evidence_put(e, after);
}

/* Writes a value with one decimal, rounded to the nearest. */
static void evidence_value(struct evidence *e, double value, double per_unit) {
    uint64_t tenths = (uint64_t)(value / per_unit * 10.0 + 0.5);
    evidence_number(e, tenths / 10, ".");
    evidence_number(e, tenths % 10, "");
}

/* Writes a number of millionths as percent: 10000 is "1", 5000 is "0.5". */
static void evidence_percent(struct evidence *e, uint32_t ppm) {
    char digits[24];
    uint32_t part = ppm % 10000;
    evidence_number(e, ppm / 10000, "");
    if (part == 0) return;
    snprintf(digits, sizeof digits, ".%04u", part);
    for (size_t n = strlen(digits); digits[n - 1] == '0'; n--) digits[n - 1] = 0;
    evidence_put(e, digits);
}

static void evidence_span(struct evidence *e, int64_t us) {
    static const int64_t unit_us[] = {86400000000, 3600000000, 60000000, 1000000};
    static const char *const one[] = {" day", " hour", " minute", " second"};
    static const char *const more[] = {" days", " hours", " minutes", " seconds"};
    int i = 0;
    while (i < 3 && us < 2 * unit_us[i]) i++;
    int64_t number = (us + unit_us[i] / 2) / unit_us[i];
    evidence_number(e, (uint64_t)number, number == 1 ? one[i] : more[i]);
}

static void evidence_observed(struct evidence *e, const lsched_forecast_need *need) {
    int run = (need->flags & LSCHED_NEED_BY_RUN) != 0, one = need->observed == 1;
    evidence_number(e, need->observed, run ? (one ? " run" : " runs") : (one ? " slot" : " slots"));
}

static void evidence_write(struct evidence *e, const lsched_forecast_need *need, const char *unit,
                           double per_unit) {
    if (need->observed == 0) {
        evidence_put(e, "no samples, bound ");
        evidence_value(e, need->upper, per_unit);
        evidence_put(e, unit);
        return;
    }
    evidence_put(e, "peak ");
    evidence_value(e, need->peak, per_unit);
    evidence_put(e, unit);
    evidence_put(e, " in ");
    evidence_span(e, need->last_us - need->first_us);
    evidence_put(e, ", p");
    evidence_percent(e, 1000000 - need->risk_ppm);
    evidence_put(e, " ");
    evidence_value(e, need->quantile, per_unit);
    evidence_put(e, ", bound ");
    evidence_value(e, need->upper, per_unit);
    evidence_put(e, " from ");
    evidence_observed(e, need);
    if (need->flags & LSCHED_NEED_FEW) {
        evidence_put(e, ", too few for a risk of ");
        evidence_percent(e, need->risk_ppm);
        evidence_put(e, " %");
    }
}

static int32_t evidence_unit(lsched_text unit, char out[EVIDENCE_UNIT_BYTES + 2],
                             lsched_error *err) {
    lsched_text t = arg_text(unit);
    if (t.len > EVIDENCE_UNIT_BYTES || (t.len > 0 && memchr(t.ptr, 0, (size_t)t.len) != NULL))
        return fail(err, LSCHED_E_RANGE, "the unit has %llu bytes; expected at most %d, and no NUL",
                    (unsigned long long)t.len, EVIDENCE_UNIT_BYTES);
    out[0] = 0;
    if (t.len == 0) return LSCHED_OK;
    out[0] = ' ';
    memcpy(out + 1, t.ptr, (size_t)t.len);
    out[t.len + 1] = 0;
    return LSCHED_OK;
}

static int32_t evidence_check(const lsched_forecast_need *need, double per_unit,
                              lsched_error *err) {
    double most = need->peak > need->upper ? need->peak : need->upper;
    if (!(per_unit > 0.0) || !(most / per_unit < TEXT_TENTHS_MAX) ||
        !(need->quantile / per_unit < TEXT_TENTHS_MAX))
        return fail(err, LSCHED_E_RANGE,
                    "per_unit is %g; expected a number above 0 by which %g "
                    "can be divided",
                    per_unit, most);
    if (need->observed > 0 &&
        (need->first_us > need->last_us || need->first_us < 0 || need->last_us == LSCHED_NEVER_US))
        return fail(err, LSCHED_E_RANGE, "the need has no valid times of its samples");
    return LSCHED_OK;
}

LSCHED_API int32_t lsched_forecast_need_text(const lsched_forecast_need *need, lsched_text unit,
                                             double per_unit, char *out, size_t capacity,
                                             lsched_error *err) {
    lsched_forecast_need n;
    char word[EVIDENCE_UNIT_BYTES + 2];
    struct evidence e = {.len = 0};
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (need == NULL || out == NULL)
        return fail(err, LSCHED_E_NULL, "%s is NULL", need == NULL ? "the need" : "out");
    rc = need_read(need, "the need", &n, err);
    if (rc == LSCHED_OK) rc = evidence_check(&n, per_unit, err);
    if (rc == LSCHED_OK) rc = evidence_unit(unit, word, err);
    if (rc != LSCHED_OK) return rc;
    evidence_write(&e, &n, word, per_unit);
    if (capacity <= e.len)
        return fail(err, LSCHED_E_LIMIT, "the evidence has %zu bytes; there is room for %zu",
                    e.len + 1, capacity);
    memcpy(out, e.text, e.len + 1);
    return (int32_t)e.len;
}
