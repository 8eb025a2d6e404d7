/*
 * selection.h -- the answer of a device selector for a device class, as one byte.
 *
 * The evaluator writes the answer (lua/selector/lua_selector.h), the model stores it
 * (model/shapes/device_selector.h), and explanations read it. This header is therefore below all of
 * them.
 */
#ifndef LIBSCHED_SELECTION_H
#define LIBSCHED_SELECTION_H

#include <stdint.h>

/* The answer SELECTOR_PART + i means that part i of the selector does not hold. Additional bits:
 * LACKS, the part reads an attribute that the class lacks; FAILS, the evaluation failed on the
 * class ("attempt to compare number with string"). */
enum {
    SELECTOR_UNASKED = 0,
    SELECTOR_TAKES = 1,
    SELECTOR_PART = 2,
    SELECTOR_LACKS = 0x40,
    SELECTOR_FAILS = 0x80
};
enum {
    SELECTOR_BYTES_MAX = 4096,
    SELECTOR_PARTS_MAX = 32, /* parts joined by `and` */
    SELECTOR_READS_MAX = 32  /* different attributes that a selector reads */
};
/* A range of bytes in the selector's text. */
struct selector_span {
    uint32_t at, len;
};
/* Returns the index of the part to which an answer refers; not for UNASKED and TAKES. */
static inline uint32_t selector_part(uint8_t answer) {
    return (answer & 0x3Fu) - SELECTOR_PART;
}

#endif
