/*
 * device_set.h -- a set of devices of one node.
 *
 * Bit i stands for device i of the node. A set has room for LSCHED_DEVICES_PER_NODE_MAX devices. On
 * nodes with up to 64 devices the upper word is 0; DEVICE_SET_EACH visits its devices with
 * operations on single words, so that narrow nodes cost what a mask of one word costs. Code that
 * runs for each node of a cluster computes the words one by one (devices_taking).
 */
#ifndef LIBSCHED_DEVICE_SET_H
#define LIBSCHED_DEVICE_SET_H

#include <libsched/libsched.h>
#include <stdint.h>
#include <string.h>

#include "base/bits.h"

__extension__ typedef unsigned __int128 device_set;

#define DEVICE_SET_WORD 64u
#define DEVICE_SET_ALL  (~(device_set)0)

_Static_assert(LSCHED_DEVICES_PER_NODE_MAX <= 8 * sizeof(device_set) &&
                   sizeof(device_set) == LSCHED_DEVICE_WORDS * sizeof(uint64_t),
               "a set has all devices");

static inline device_set device_set_bit(uint32_t device) {
    return (device_set)1 << device;
}
static inline int device_set_has(device_set set, uint32_t device) {
    return (int)(set >> device & 1);
}
/* Returns the set of the devices with the indexes below n. */
static inline device_set device_set_below(uint32_t n) {
    return n >= 2 * DEVICE_SET_WORD ? DEVICE_SET_ALL : device_set_bit(n) - 1;
}
static inline uint64_t device_set_low(device_set set) {
    return (uint64_t)set;
}
static inline uint64_t device_set_high(device_set set) {
    /* the analyser of clang does not know numbers of 128 bits */
    return (uint64_t)(set >> DEVICE_SET_WORD); /* NOLINT(clang-analyzer-core.*) */
}
static inline device_set device_set_of_words(uint64_t low, uint64_t high) {
    return (device_set)high << DEVICE_SET_WORD | low;
}
static inline device_set device_set_of_array(const uint64_t words[LSCHED_DEVICE_WORDS]) {
    return device_set_of_words(words[0], words[1]);
}
static inline void device_set_to_array(device_set set, uint64_t words[LSCHED_DEVICE_WORDS]) {
    words[0] = device_set_low(set);
    words[1] = device_set_high(set);
}
/* Returns 1 if the set has no device above 31, so that a mask of 32 bits can have it. */
static inline int device_set_is_short(device_set set) {
    return device_set_high(set) == 0 && device_set_low(set) >> 32 == 0;
}
/* Returns the set as a mask of 32 bits; 0 if it has a device that does not fit. */
static inline uint32_t device_set_short(device_set set) {
    return device_set_is_short(set) ? (uint32_t)device_set_low(set) : 0;
}
/* The set as a hexadecimal number for a message. */
struct device_set_text {
    char text[40];
};
struct device_set_text device_set_text(device_set set);
/* The numbers of the devices for a message, such as "0-3 6"; "none" if the set is empty. */
struct device_set_list {
    char text[320];
};
struct device_set_list device_set_list(device_set set);
static inline uint32_t device_set_count(device_set set) {
    return bits_count(device_set_low(set)) + bits_count(device_set_high(set));
}
/* Returns the lowest device of a set that is not empty. */
static inline uint32_t device_set_first(device_set set) {
    return device_set_low(set) ? (uint32_t)__builtin_ctzll(device_set_low(set))
                               : DEVICE_SET_WORD + (uint32_t)__builtin_ctzll(device_set_high(set));
}

/* The loop over the devices of a set. `at` is the device of the present turn. */
struct device_walk {
    uint64_t word, high;
    uint32_t base, at;
};
static inline struct device_walk device_walk_of(device_set set) {
    return (struct device_walk){device_set_low(set), device_set_high(set), 0, 0};
}
static inline int device_walk_next(struct device_walk *w) {
    if (w->word == 0) {
        if (w->high == 0) return 0;
        w->word = w->high;
        w->high = 0;
        w->base = DEVICE_SET_WORD;
    }
    w->at = w->base + (uint32_t)__builtin_ctzll(w->word);
    w->word &= w->word - 1;
    return 1;
}
/* Runs the statement for each device of the set, the lowest first; `walk.at` is the device. The set
 * is read once, before the first turn. */
#define DEVICE_SET_EACH(walk, set) \
    for (struct device_walk walk = device_walk_of(set); device_walk_next(&walk);)

#endif
