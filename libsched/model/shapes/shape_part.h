/*
 * shape_part.h -- the optional sections of the canonical bytes of shapes, and how one section is
 * found. shape.c decodes the sections; node_rules.c reads the section of rules without decoding
 * it.
 */
#ifndef LIBSCHED_SHAPE_PART_H
#define LIBSCHED_SHAPE_PART_H

#include "model/store/intern.h"

/* Tags of the optional sections; most tasks have none. The sections follow the other canonical
 * bytes, in the order of their tags. Each section consists of a tag, a length and its bytes. */
enum {
    SHAPE_PART_DEVICES = 1,
    SHAPE_PART_CLAIM = 2,
    SHAPE_PART_RULES = 3,
    SHAPE_PART_DAY = 4,
    SHAPE_PART_SUPPLIES = 5,
    SHAPE_PART_WORK = 6
};
enum {
    GROUP_PART_SLICES = 1,
    GROUP_PART_NODE_MAX = 2,
    GROUP_PART_MEMBERS = 3,
    GROUP_PART_FIXED = 4
};
/* Sets *part to a reader of one section of a task shape; returns 0 if the shape does not have the
 * section. O(number of sections). */
int shape_part(const struct columns *k, uint32_t shape, uint32_t tag, struct reader *part);

#endif
