/*
 * units.h -- converts quantities as people write them ("64Gi", "500m", "2h30m", "0.5") to the
 * library's int64 base units, and back.
 *
 * The conversion is exact: a text that is not a whole number of base units is refused. Nothing is
 * rounded, and floating point is not used. Therefore a quantity means the same on every machine.
 * For every x that units_parse can return, units_parse(units_format(x)) == x. The kind of the
 * quantity says which unit a number without a unit has. It also says what "m" means: milli in an
 * amount of cpu, and minutes in a duration.
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
    UNITS_WRONG_FORM, /* the text does not have the form of a number, a duration or a date */
    /* the text has a number, but the unit is missing, unknown, or one of another kind of
     * quantity */
    UNITS_WRONG_UNIT,
    UNITS_NEGATIVE,
    UNITS_TOO_LARGE, /* above 2^62 base units */
    UNITS_TOO_FINE   /* not a whole number of base units */
};

/* Reads a quantity from a text of len bytes and writes its number of base units to *out. If the
 * result is not UNITS_OK, *out is not changed. The text does not have to end with NUL. */
enum units_fault units_parse(enum units_kind kind, const char *text, size_t len, int64_t *out);

/* Reads an offset from a point in time: a duration that can have a '-' in front of it. */
enum units_fault units_parse_offset(const char *text, size_t len, int64_t *out_us);

/* Reads a date such as 2026-01-05, 2026-01-05T08:30Z or 2026-01-05T08:30:00.25Z, and writes the
 * microseconds since 1970 in UTC to *out_us. The year must be from 1970 to 9999. Other time zones
 * than UTC (Z) are not allowed, because a decision must not depend on a database of time zones. */
enum units_fault units_parse_date(const char *text, size_t len, int64_t *out_us);

/* A day of the Gregorian calendar. The struct can represent the day of every time in int64
 * microseconds. */
struct units_date {
    int64_t year;
    uint32_t month, day; /* the month and the day are counted from 1 */
};
struct units_date units_date_of_day(int64_t days_since_1970);

/* Writes a quantity in a form that units_parse can read. Memory is written in the largest unit that
 * divides the amount. `buf` has cap bytes; the text in it is shortened if necessary and ends with
 * NUL. Returns the length of the whole text, as snprintf does. Every int64 is allowed, and a
 * negative value gets a '-'. */
size_t units_format(enum units_kind kind, int64_t value, char *buf, size_t cap);

/* Returns a static text that can follow the word "expected" in a message, such as "a memory size
 * such as 64Gi, 512M or 1024". */
const char *units_expected(enum units_kind kind);
/* Returns a static text that says what is wrong with a quantity, such as "is negative" or "is above
 * 2^62". Returns "" for UNITS_OK. */
const char *units_fault_text(enum units_fault fault);

#endif
