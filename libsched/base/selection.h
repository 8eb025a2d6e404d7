/*
 * selection.h -- what a selector of devices says of a class of devices, as one byte. Written by the
 * evaluator (lua/selector/lua_selector.h), kept by the model (model/shapes/device_selector.h), read
 * by explanations: so it stands below all of them.
 */
#ifndef LIBSCHED_SELECTION_H
#define LIBSCHED_SELECTION_H

#include <stdint.h>

/* PART + i: part i of the selector does not hold. Bits beside that: the part reads an attribute
 * that the class lacks; it failed on the class ("attempt to compare number with string"). */
enum {
    SELECTOR_UNASKED = 0,
    SELECTOR_TAKES = 1,
    SELECTOR_PART = 2,
    SELECTOR_LACKS = 0x40,
    SELECTOR_FAILS = 0x80
};
enum {
    SELECTOR_BYTES_MAX = 4096,
    SELECTOR_PARTS_MAX = 32, /* joined by `and` */
    SELECTOR_READS_MAX = 32  /* different attributes */
};
/* Bytes of the selector's text. */
struct selector_span {
    uint32_t at, len;
};
/* The part that an answer speaks of; only where it is neither UNASKED nor TAKES. */
static inline uint32_t selector_part(uint8_t answer) {
    return (answer & 0x3Fu) - SELECTOR_PART;
}

#endif
