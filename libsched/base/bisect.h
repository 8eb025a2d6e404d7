/*
 * bisect.h -- two macros that search a range of numbers by halving it.
 *
 *   BISECT_FIRST(low, high, middle, holds)
 *     `holds` is false for the first numbers of [low, high), and true for all others. Afterwards,
 *     `low` is the first number for which it is true; the end of the range if there is none.
 *   BISECT_LAST(low, high, middle, holds)
 *     `holds` is true for the first numbers of (low, high), and false for all others; it counts as
 *     true for `low` itself. Afterwards, `low` is the last number for which it is true.
 *
 * `low` and `high` are variables of one integer type, which change; `holds` is an expression in the
 * number `middle`, a name that the caller chooses. Neither search adds low and high, so the sum
 * cannot overflow.
 *
 * Cost: log2(high - low) evaluations of `holds`.
 *
 * Why macros: `holds` reads variables of the caller, which a function would need as a context. Why
 * not bsearch of the C library: it finds an equal element or none, and most searches here are for
 * the place where one belongs.
 */
#ifndef LIBSCHED_BISECT_H
#define LIBSCHED_BISECT_H

#define BISECT_FIRST(low, high, middle, holds)                       \
    while ((low) < (high)) {                                         \
        const __typeof__(low) middle = (low) + ((high) - (low)) / 2; \
        if (holds)                                                   \
            (high) = middle;                                         \
        else                                                         \
            (low) = middle + 1;                                      \
    }

#define BISECT_LAST(low, high, middle, holds)                        \
    while ((high) - (low) > 1) {                                     \
        const __typeof__(low) middle = (low) + ((high) - (low)) / 2; \
        if (holds)                                                   \
            (low) = middle;                                          \
        else                                                         \
            (high) = middle;                                         \
    }

#endif
