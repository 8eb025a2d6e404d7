/*
 * units.h -- converts quantities as people write them ("64Gi", "500m", "2h30m", "0.5") to the
 * library's int64 base units, and back.
 *
 * The conversion is exact: a text either is a whole number of base units or is refused. Nothing is
 * rounded and no floating point is used, so a quantity means the same on every machine.
 * units_parse(units_format(x)) == x for every x that units_parse can give. The kind defines the
 * unit of a number without a unit, and "m" means milli in a cpu amount and minutes in a duration.
 */
#ifndef LIBSCHED_UNITS_H
#define LIBSCHED_UNITS_H

#include <stddef.h>
#include <stdint.h>

enum units_kind {
    UNITS_COUNT,           /* such as 12 */
    UNITS_CPU_MILLI,       /* such as 8, 1.5, 500m */
    UNITS_GPU_MILLI,       /* such as 8, 0.5, 500m */
    UNITS_WEIGHT_MILLI,    /* such as 2, 0.25 */
    UNITS_MEMORY_BYTES,    /* such as 1024, 64Gi, 1.5Ti, 512M */
    UNITS_DURATION_US,     /* such as 36h, 2h30m, 1.5s, 500ms, 0 */
    UNITS_MONEY_MICRO,     /* such as 2.50 */
    UNITS_POWER_MILLIWATT, /* such as 700W, 1.2kW */
    UNITS_KINDS
};

enum units_fault {
    UNITS_OK,
    UNITS_WRONG_FORM, /* no number of this kind */
    UNITS_WRONG_UNIT, /* a number, but its unit belongs to another kind or is missing */
    UNITS_NEGATIVE,
    UNITS_TOO_LARGE, /* above 2^62 base units */
    UNITS_TOO_FINE   /* not a whole number of base units */
};

/* Parses a text, which need not be NUL-terminated. *out is written on UNITS_OK only. */
enum units_fault units_parse(enum units_kind kind, const char *text, size_t len, int64_t *out);

/* Parses a duration with an optional leading '-': an offset from a point in time. */
enum units_fault units_parse_offset(const char *text, size_t len, int64_t *out_us);

/* Parses 2026-01-05, 2026-01-05T08:30Z or 2026-01-05T08:30:00.25Z to microseconds since 1970 UTC.
 * Years 1970 to 9999. No other time zone is allowed, because a decision must not depend on a zone
 * database. */
enum units_fault units_parse_date(const char *text, size_t len, int64_t *out_us);

/* A day of the Gregorian calendar; it covers all days of int64 microseconds. */
struct units_date {
    int64_t year;
    uint32_t month, day; /* both count from 1 */
};
struct units_date units_date_of_day(int64_t days_since_1970);

/* Writes one of the forms above (memory in the largest unit that divides it), NUL-terminated and
 * cut at cap, and returns the length of the whole text, as snprintf does. Any int64 is allowed;
 * negative values get a '-'. */
size_t units_format(enum units_kind kind, int64_t value, char *buf, size_t cap);

/* Returns "a memory size such as 64Gi, 512M or 1024", which completes "expected ...". Static
 * storage. */
const char *units_expected(enum units_kind kind);
/* Returns what is wrong with a text: "is negative", "is above 2^62", ...; "" for UNITS_OK. Static
 * storage. */
const char *units_fault_text(enum units_fault fault);

#endif
