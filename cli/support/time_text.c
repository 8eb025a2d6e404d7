/*
 * time_text.c -- see time_text.h. This file computes the calendar itself, because strptime depends
 * on the locale, and gmtime has the range of the system's time type.
 */
#include "cli/support/time_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <libsched/libsched.h>

#define SECOND_US ((int64_t)1000000)
#define DAY_S     ((int64_t)86400)
#define YEAR_MAX  9999
#define SPAN_MAX  (INT64_MAX / 4)

/* Returns the number of days from 1970-01-01 to a date of the Gregorian calendar, which is also
 * used for dates before its introduction. date_of() does the opposite. Both use Hinnant's
 * algorithms, where a year begins in March, so that a leap day is the last day of the year. */
static int64_t days_of(int64_t year, int64_t month, int64_t day) {
    year -= month <= 2;
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t of_era = year - era * 400;
    int64_t of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void date_of(int64_t days, int64_t *year, int64_t *month, int64_t *day) {
    days += 719468;
    int64_t era = (days >= 0 ? days : days - 146096) / 146097;
    int64_t in_era = days - era * 146097;
    int64_t of_era = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    int64_t of_year = in_era - (365 * of_era + of_era / 4 - of_era / 100);
    int64_t shifted = (5 * of_year + 2) / 153;
    *day = of_year - (153 * shifted + 2) / 5 + 1;
    *month = shifted < 10 ? shifted + 3 : shifted - 9;
    *year = of_era + era * 400 + (*month <= 2);
}

/* Writes a fraction of a second to `out`, such as ".25" for 250000 microseconds, or "" for 0.
 * Returns `out`. */
static const char *fraction(int64_t micros, char out[16]) {
    if (micros == 0) {
        out[0] = '\0';
        return out;
    }
    int len = snprintf(out, 16, ".%06" PRId64, micros);
    while (out[len - 1] == '0') out[--len] = '\0';
    return out;
}

const char *time_format(int64_t at_us, char out[TIME_TEXT_BYTES]) {
    if (at_us == LSCHED_NEVER_US) return strcpy(out, "never");
    int64_t seconds = at_us / SECOND_US, micros = at_us % SECOND_US;
    if (micros < 0) {
        micros += SECOND_US;
        seconds--;
    }
    int64_t days = seconds / DAY_S, of_day = seconds % DAY_S;
    if (of_day < 0) {
        of_day += DAY_S;
        days--;
    }
    int64_t year, month, day;
    char part[16];
    date_of(days, &year, &month, &day);
    snprintf(
        out, TIME_TEXT_BYTES,
        "%04" PRId64 "-%02" PRId64 "-%02" PRId64 "T%02" PRId64 ":%02" PRId64 ":%02" PRId64 "%sZ",
        year, month, day, of_day / 3600, of_day / 60 % 60, of_day % 60, fraction(micros, part));
    return out;
}

const char *span_format(int64_t span_us, char out[TIME_TEXT_BYTES]) {
    uint64_t left = span_us < 0 ? 0 - (uint64_t)span_us : (uint64_t)span_us;
    uint64_t micros = left % (uint64_t)SECOND_US, seconds = left / (uint64_t)SECOND_US;
    char part[16];
    int n = snprintf(out, TIME_TEXT_BYTES, "%s", span_us < 0 ? "-" : "");
    if (seconds >= 3600)
        n += snprintf(out + n, TIME_TEXT_BYTES - (size_t)n, "%" PRIu64 "h", seconds / 3600);
    if (seconds / 60 % 60 > 0)
        n += snprintf(out + n, TIME_TEXT_BYTES - (size_t)n, "%" PRIu64 "m", seconds / 60 % 60);
    if (seconds % 60 > 0 || micros > 0 || seconds == 0) {
        snprintf(out + n, TIME_TEXT_BYTES - (size_t)n, "%" PRIu64 "%ss", seconds % 60,
                 fraction((int64_t)micros, part));
    }
    return out;
}

const char *span_short(double seconds, char out[TIME_TEXT_BYTES]) {
    double size = seconds < 0 ? -seconds : seconds;
    if (size < 99.5) {
        snprintf(out, TIME_TEXT_BYTES, "%.0f s", seconds);
    } else if (size < 99.5 * 60) {
        snprintf(out, TIME_TEXT_BYTES, "%.0f min", seconds / 60);
    } else if (size < 48 * 3600) {
        snprintf(out, TIME_TEXT_BYTES, "%.1f h", seconds / 3600);
    } else {
        snprintf(out, TIME_TEXT_BYTES, "%.1f d", seconds / 86400);
    }
    return out;
}

/* Reads a number of exactly `digits` digits and moves *text behind it. */
static bool digits_of(const char **text, int digits, int64_t *out) {
    *out = 0;
    for (int i = 0; i < digits; i++) {
        char c = (*text)[i];
        if (c < '0' || c > '9') return false;
        *out = 10 * *out + (c - '0');
    }
    *text += digits;
    return true;
}

static bool take(const char **text, char wanted) {
    if (**text != wanted) return false;
    (*text)++;
    return true;
}

/* Reads a time of day such as "08:30Z" or "08:30:00Z", and writes the seconds since midnight to
 * *out_s. */
static bool parse_clock(const char **text, int64_t *out_s) {
    int64_t hour, minute, second = 0;
    if (!digits_of(text, 2, &hour) || !take(text, ':') || !digits_of(text, 2, &minute))
        return false;
    if (take(text, ':') && !digits_of(text, 2, &second)) return false;
    *out_s = hour * 3600 + minute * 60 + second;
    return take(text, 'Z') && hour <= 23 && minute <= 59 && second <= 59;
}

static bool parse_date(const char *text, int64_t *out_us) {
    int64_t year, month, day, of_day_s = 0;
    if (!digits_of(&text, 4, &year) || !take(&text, '-') || !digits_of(&text, 2, &month) ||
        !take(&text, '-') || !digits_of(&text, 2, &day))
        return false;
    if (take(&text, 'T') && !parse_clock(&text, &of_day_s)) return false;
    if (*text != '\0' || month < 1 || month > 12 || day < 1) return false;
    int64_t days = days_of(year, month, day), back_year, back_month, back_day;
    date_of(days, &back_year, &back_month, &back_day);
    /* a date such as 31 April is refused, because converting it to days and back gives another
     * date */
    if (year < 1970 || back_month != month || back_day != day) return false;
    *out_us = (days * DAY_S + of_day_s) * SECOND_US;
    return true;
}

static int64_t unit_us(const char **text) {
    static const struct {
        const char *name;
        int64_t us;
    } units[] = {{"ms", 1000},
                 {"us", 1},
                 {"s", SECOND_US},
                 {"m", 60 * SECOND_US},
                 {"h", 3600 * SECOND_US},
                 {"d", DAY_S * SECOND_US}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        size_t len = strlen(units[i].name);
        if (strncmp(*text, units[i].name, len) == 0) {
            *text += len;
            return units[i].us;
        }
    }
    return 0;
}

static bool parse_span(const char *text, int64_t *out_us) {
    int64_t total = 0;
    if (*text == '+') text++;
    if (strcmp(text, "0") == 0) {
        *out_us = 0;
        return true;
    }
    do {
        int64_t number = 0;
        if (*text < '0' || *text > '9') return false;
        for (; *text >= '0' && *text <= '9'; text++) {
            number = 10 * number + (*text - '0');
            if (number > SPAN_MAX / DAY_S / SECOND_US) return false;
        }
        int64_t unit = unit_us(&text);
        if (unit == 0) return false;
        total += number * unit;
        if (total > SPAN_MAX) return false;
    } while (*text != '\0');
    *out_us = total;
    return true;
}

bool time_parse(const char *text, int64_t base_us, int64_t *out_us) {
    int64_t span_us;
    if (parse_date(text, out_us)) return true;
    if (!parse_span(text, &span_us) || base_us > LSCHED_AMOUNT_MAX || base_us < 0) return false;
    *out_us = base_us + span_us;
    return true;
}
