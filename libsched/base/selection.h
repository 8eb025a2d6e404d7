/*
 * selection.h -- the result of a device selector for a device class, as one byte.
 *
 * The evaluator writes the result (lua/selector/lua_selector.h), the model stores the result
 * (model/shapes/device_selector.h), and explanations read it. Therefore this header is in the
 * lowest layer.
 */
#ifndef LIBSCHED_SELECTION_H
#define LIBSCHED_SELECTION_H

#include <stdint.h>

/* A selector consists of conditions that are joined by `and`. The result is one of these values:
 *   SELECTOR_UNASKED   the selector has not been evaluated for the class
 *   SELECTOR_TAKES     all conditions hold for the class
 *   SELECTOR_PART + i  condition i does not hold. Bits that can be added to this value:
 *                      SELECTOR_LACKS  the condition reads an attribute that the class lacks
 *                      SELECTOR_FAILS  the evaluation failed, such as "attempt to compare number
 *                                      with string" */
enum {
    SELECTOR_UNASKED = 0,
    SELECTOR_TAKES = 1,
    SELECTOR_PART = 2,
    SELECTOR_LACKS = 0x40,
    SELECTOR_FAILS = 0x80
};
enum {
    SELECTOR_BYTES_MAX = 4096,
    SELECTOR_PARTS_MAX = 32, /* conditions that are joined by `and` in one selector */
    SELECTOR_READS_MAX = 32  /* different attributes that one selector can read */
};
/* A range of bytes in the selector's text. */
struct selector_span {
    uint32_t at, len;
};
/* Returns i for a result SELECTOR_PART + i, with or without the added bits. The result must not be
 * SELECTOR_UNASKED or SELECTOR_TAKES. */
static inline uint32_t selector_part(uint8_t answer) {
    return (answer & 0x3Fu) - SELECTOR_PART;
}

#endif
