/*
 * units.c -- see units.h.
 *
 * For each kind of quantity there is a table of units. The value of a number with a unit is whole *
 * scale + fraction * scale / 10^digits, computed in 128 bits. The number is refused if the division
 * leaves a remainder. strtod is not used, because it rounds and depends on the locale.
 */
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 units_wide;

#define UNITS_MAX ((uint64_t)1 << 62)

enum { UNITS_FRACTION_DIGITS = 18 };

struct unit {
    const char *name; /* "" for a number without a unit */
    uint64_t scale;
};

static const struct unit unit_count[] = {{"", 1}, {NULL, 0}};
static const struct unit unit_milli[] = {{"", 1000}, {"m", 1}, {NULL, 0}};
static const struct unit unit_weight[] = {{"", 1000}, {NULL, 0}};
static const struct unit unit_money[] = {{"", 1000000}, {NULL, 0}};
static const struct unit unit_power[] = {
    {"MW", 1000000000}, {"kW", 1000000}, {"W", 1000}, {"mW", 1}, {NULL, 0}};
/* The units are in the order from large to small, because units_format() takes the first unit that
 * divides the value. */
static const struct unit unit_bytes[] = {{"Ei", (uint64_t)1 << 60},
                                         {"E", 1000000000000000000},
                                         {"Pi", (uint64_t)1 << 50},
                                         {"P", 1000000000000000},
                                         {"Ti", (uint64_t)1 << 40},
                                         {"T", 1000000000000},
                                         {"Gi", (uint64_t)1 << 30},
                                         {"G", 1000000000},
                                         {"Mi", (uint64_t)1 << 20},
                                         {"M", 1000000},
                                         {"Ki", (uint64_t)1 << 10},
                                         {"k", 1000},
                                         {"", 1},
                                         {NULL, 0}};
/* The units are in the order from long to short. A duration must have its units in this order, each
 * at most once. */
static const struct unit unit_duration[] = {
    {"w", 604800000000}, {"d", 86400000000}, {"h", 3600000000}, {"m", 60000000},
    {"s", 1000000},      {"ms", 1000},       {"us", 1},         {NULL, 0}};

static const struct {
    const struct unit *units;
    const char *expected;
} unit_kinds[UNITS_KINDS] = {
    [UNITS_COUNT] = {unit_count, "a whole number such as 12"},
    [UNITS_CPU_MILLI] = {unit_milli, "an amount of cores such as 8, 1.5 or 500m"},
    [UNITS_GPU_MILLI] = {unit_milli, "an amount of GPUs such as 8, 0.5 or 500m"},
    [UNITS_WEIGHT_MILLI] = {unit_weight, "a weight such as 2 or 0.25"},
    [UNITS_MEMORY_BYTES] = {unit_bytes, "a memory size such as 64Gi, 512M or 1024"},
    [UNITS_DURATION_US] = {unit_duration, "a duration such as 36h, 2h30m or 500ms"},
    [UNITS_MONEY_MICRO] = {unit_money, "an amount of money such as 2.50"},
    [UNITS_POWER_MILLIWATT] = {unit_power, "a power such as 700W or 1.2kW"},
};

const char *units_expected(enum units_kind kind) {
    return unit_kinds[kind].expected;
}

const char *units_fault_text(enum units_fault fault) {
    switch (fault) {
    case UNITS_WRONG_FORM: return "is not a number of the expected form";
    case UNITS_WRONG_UNIT: return "does not have one of the expected units";
    case UNITS_NEGATIVE: return "is negative";
    case UNITS_TOO_LARGE: return "is above 2^62";
    case UNITS_TOO_FINE: return "is not a whole number of the smallest unit";
    case UNITS_OK: break;
    }
    return "";
}

/* ---- parsing ---- */

struct units_number {
    uint64_t whole;
    uint64_t fraction; /* the digits after the '.', as a whole number of units of 10^-digits */
    uint32_t digits;
};

static int units_is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Reads a number at *at, which has the form: digits [ '.' digits ]. Leading zeros are allowed.
 * Before and after a '.' there must be a digit. */
static enum units_fault units_read_number(const char *text, size_t len, size_t *at,
                                          struct units_number *out) {
    size_t i = *at, first = i;
    uint64_t scale = 1;
    enum units_fault fault = UNITS_OK;
    *out = (struct units_number){0, 0, 0};
    for (; i < len && units_is_digit(text[i]); i++) {
        if (out->whole > UNITS_MAX / 10)
            fault = UNITS_TOO_LARGE;
        else
            out->whole = out->whole * 10 + (uint64_t)(text[i] - '0');
    }
    if (i == first) return UNITS_WRONG_FORM;
    if (i < len && text[i] == '.') {
        size_t zeros = 0;
        for (first = ++i; i < len && units_is_digit(text[i]); i++) {
            if (text[i] == '0') {
                zeros++; /* a zero counts only if another digit than zero follows */
                continue;
            }
            if (out->digits + zeros + 1 > UNITS_FRACTION_DIGITS) {
                fault = fault ? fault : UNITS_TOO_FINE;
                zeros = 0;
                continue;
            }
            for (scale = 10; zeros > 0; zeros--, out->digits++) scale *= 10;
            out->fraction = out->fraction * scale + (uint64_t)(text[i] - '0');
            out->digits++;
        }
        if (i == first) return UNITS_WRONG_FORM;
    }
    *at = i;
    return fault;
}

/* Returns the unit whose name is at *at, and moves *at to the end of the name. Returns NULL if
 * there is no such unit. The name ends at a digit or at the end of the text. */
static const struct unit *units_read_unit(const struct unit *units, const char *text, size_t len,
                                          size_t *at) {
    size_t end = *at;
    while (end < len && !units_is_digit(text[end])) end++;
    for (; units->name; units++) {
        size_t n = strlen(units->name);
        if (n == end - *at && memcmp(units->name, text + *at, n) == 0) {
            *at = end;
            return units;
        }
    }
    return NULL;
}

static enum units_fault units_scale(const struct units_number *number, uint64_t scale,
                                    uint64_t *out) {
    units_wide fraction = (units_wide)number->fraction * scale;
    units_wide power = 1;
    for (uint32_t i = 0; i < number->digits; i++) power *= 10;
    if (fraction % power != 0) return UNITS_TOO_FINE;
    units_wide value = (units_wide)number->whole * scale + fraction / power;
    if (value > UNITS_MAX) return UNITS_TOO_LARGE;
    *out = (uint64_t)value;
    return UNITS_OK;
}

/* True if the text begins with a minus sign and a digit, which means a negative number. A text with
 * a minus sign in front of any other character is not a number. */
static int units_is_negative(const char *text, size_t len) {
    return len > 1 && text[0] == '-' && units_is_digit(text[1]);
}

static enum units_fault units_parse_duration(const char *text, size_t len, int64_t *out) {
    const struct unit *rest = unit_duration;
    uint64_t total = 0;
    size_t at = 0;
    if (len == 1 && text[0] == '0') {
        *out = 0;
        return UNITS_OK;
    }
    if (len == 0) return UNITS_WRONG_FORM;
    while (at < len) {
        struct units_number number;
        uint64_t part = 0;
        enum units_fault number_fault = units_read_number(text, len, &at, &number);
        if (number_fault == UNITS_WRONG_FORM) return UNITS_WRONG_FORM;
        const struct unit *unit = units_read_unit(rest, text, len, &at);
        if (!unit) return UNITS_WRONG_UNIT;
        if (number_fault) return number_fault;
        enum units_fault fault = units_scale(&number, unit->scale, &part);
        if (fault) return fault;
        total += part; /* no overflow, because `total` and `part` are at most 2^62 */
        if (total > UNITS_MAX) return UNITS_TOO_LARGE;
        rest = unit + 1;
    }
    *out = (int64_t)total;
    return UNITS_OK;
}

enum units_fault units_parse(enum units_kind kind, const char *text, size_t len, int64_t *out) {
    struct units_number number;
    uint64_t value = 0;
    size_t at = 0;
    if (units_is_negative(text, len)) return UNITS_NEGATIVE;
    if (kind == UNITS_DURATION_US) return units_parse_duration(text, len, out);
    enum units_fault number_fault = units_read_number(text, len, &at, &number);
    if (number_fault == UNITS_WRONG_FORM) return UNITS_WRONG_FORM;
    const struct unit *unit = units_read_unit(unit_kinds[kind].units, text, len, &at);
    if (!unit || at != len) return UNITS_WRONG_UNIT;
    if (number_fault) return number_fault;
    enum units_fault fault = units_scale(&number, unit->scale, &value);
    if (!fault) *out = (int64_t)value;
    return fault;
}

enum units_fault units_parse_offset(const char *text, size_t len, int64_t *out_us) {
    int negative = units_is_negative(text, len);
    int64_t value = 0;
    enum units_fault fault = units_parse_duration(text + negative, len - (size_t)negative, &value);
    if (!fault) *out_us = negative ? -value : value;
    return fault;
}

/* Reads exactly n digits at *at. Returns 0 if the text does not have n digits there. */
static int units_read_digits(const char *text, size_t len, size_t *at, size_t n, uint32_t *out) {
    uint32_t value = 0;
    if (*at + n > len) return 0;
    for (size_t i = 0; i < n; i++) {
        char c = text[*at + i];
        if (!units_is_digit(c)) return 0;
        value = value * 10 + (uint32_t)(c - '0');
    }
    *at += n;
    *out = value;
    return 1;
}

static int units_read_char(const char *text, size_t len, size_t *at, char c) {
    if (*at >= len || text[*at] != c) return 0;
    ++*at;
    return 1;
}

static uint32_t units_days_in_month(uint32_t year, uint32_t month) {
    static const uint8_t days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    uint32_t leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return days[month - 1] + (month == 2 ? leap : 0);
}

static int64_t units_days_since_1970(uint32_t year, uint32_t month, uint32_t day) {
    uint32_t y = year - 1;
    /* number of days before 1 January of `year` */
    uint32_t days = y * 365 + y / 4 - y / 100 + y / 400;
    for (uint32_t m = 1; m < month; m++) days += units_days_in_month(year, m);
    return (int64_t)days + (int64_t)day - 1 - 719162;
}

/* Computes the date in eras of 400 years (algorithm of Howard Hinnant). A year of the computation
 * begins in March, so that the leap day is its last day. */
struct units_date units_date_of_day(int64_t days_since_1970) {
    int64_t z = days_since_1970 + 719468, era = (z >= 0 ? z : z - 146096) / 146097;
    int64_t of_era = z - era * 146097;
    int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year + year / 4 - year / 100), m = (5 * of_year + 2) / 153;
    uint32_t month = (uint32_t)(m < 10 ? m + 3 : m - 9);
    return (struct units_date){year + era * 400 + (month <= 2), month,
                               (uint32_t)(of_year - (153 * m + 2) / 5 + 1)};
}

/* Reads the text after 'T': HH:MM[:SS[.fraction]]Z */
static enum units_fault units_parse_clock(const char *text, size_t len, size_t at,
                                          int64_t *out_us) {
    uint32_t hour = 0, minute = 0;
    struct units_number second = {0, 0, 0};
    uint64_t second_us = 0;
    if (!units_read_digits(text, len, &at, 2, &hour) || !units_read_char(text, len, &at, ':') ||
        !units_read_digits(text, len, &at, 2, &minute) || hour > 23 || minute > 59)
        return UNITS_WRONG_FORM;
    if (units_read_char(text, len, &at, ':')) {
        size_t first = at;
        enum units_fault fault = units_read_number(text, len, &at, &second);
        if (fault) return fault;
        if (second.whole > 59 || at < first + 2 || (at > first + 2 && text[first + 2] != '.'))
            return UNITS_WRONG_FORM;
        fault = units_scale(&second, 1000000, &second_us);
        if (fault) return fault;
    }
    if (!units_read_char(text, len, &at, 'Z') || at != len) return UNITS_WRONG_FORM;
    *out_us = ((int64_t)hour * 60 + minute) * 60000000 + (int64_t)second_us;
    return UNITS_OK;
}

enum units_fault units_parse_date(const char *text, size_t len, int64_t *out_us) {
    uint32_t year = 0, month = 0, day = 0;
    int64_t clock_us = 0;
    size_t at = 0;
    if (!units_read_digits(text, len, &at, 4, &year) || !units_read_char(text, len, &at, '-') ||
        !units_read_digits(text, len, &at, 2, &month) || !units_read_char(text, len, &at, '-') ||
        !units_read_digits(text, len, &at, 2, &day))
        return UNITS_WRONG_FORM;
    if (month < 1 || month > 12 || day < 1 || day > units_days_in_month(year, month))
        return UNITS_WRONG_FORM;
    if (year < 1970) return UNITS_NEGATIVE;
    if (at < len) {
        if (!units_read_char(text, len, &at, 'T')) return UNITS_WRONG_FORM;
        enum units_fault fault = units_parse_clock(text, len, at, &clock_us);
        if (fault) return fault;
    }
    *out_us = units_days_since_1970(year, month, day) * 86400000000 + clock_us;
    return UNITS_OK;
}

/* ---- formatting ---- */

/* A text in a buffer of fixed size. The longest text is a duration of 2^63 us, which has about 40
 * bytes. */
struct units_text {
    char bytes[96];
    size_t len;
};

static void units_text_put(struct units_text *t, uint64_t value, const char *suffix) {
    int n = snprintf(t->bytes + t->len, sizeof t->bytes - t->len, "%" PRIu64 "%s", value, suffix);
    t->len += (size_t)n;
}

static void units_put_decimal(struct units_text *t, uint64_t value, uint64_t scale) {
    units_text_put(t, value / scale, "");
    uint64_t fraction = value % scale;
    if (fraction) t->bytes[t->len++] = '.';
    for (; fraction; fraction %= scale) {
        scale /= 10;
        t->bytes[t->len++] = (char)('0' + fraction / scale);
    }
}

static void units_put_duration(struct units_text *t, uint64_t value) {
    const struct unit *unit = unit_duration + 1; /* weeks can be read but are never written */
    if (value == 0) units_text_put(t, 0, "s");
    for (; value; unit++) {
        if (value >= unit->scale) units_text_put(t, value / unit->scale, unit->name);
        value %= unit->scale;
    }
}

size_t units_format(enum units_kind kind, int64_t value, char *buf, size_t cap) {
    struct units_text t = {{0}, 0};
    uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    const struct unit *unit = unit_bytes;
    if (value < 0) t.bytes[t.len++] = '-';
    switch (kind) {
    case UNITS_CPU_MILLI:
    case UNITS_GPU_MILLI:
    case UNITS_WEIGHT_MILLI: units_put_decimal(&t, size, 1000); break;
    case UNITS_MONEY_MICRO: units_put_decimal(&t, size, 1000000); break;
    case UNITS_DURATION_US: units_put_duration(&t, size); break;
    case UNITS_POWER_MILLIWATT:
        units_put_decimal(&t, size, 1000);
        t.bytes[t.len++] = 'W';
        break;
    case UNITS_MEMORY_BYTES:
        while (unit->scale > 1 && (size == 0 || size % unit->scale != 0)) unit++;
        units_text_put(&t, size / unit->scale, unit->name);
        break;
    case UNITS_COUNT:
    case UNITS_KINDS: units_text_put(&t, size, ""); break;
    }
    if (cap > 0) {
        size_t n = t.len < cap ? t.len : cap - 1;
        memcpy(buf, t.bytes, n);
        buf[n] = '\0';
    }
    return t.len;
}
