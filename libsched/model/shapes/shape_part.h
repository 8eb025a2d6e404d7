/*
 * shape_part.h -- the optional parts of the canonical bytes of shapes, and how one is found. The
 * file is below shape.h, which decodes them, and node_rules.h, which reads one of them in place.
 */
#ifndef LIBSCHED_SHAPE_PART_H
#define LIBSCHED_SHAPE_PART_H

#include "model/store/intern.h"

/* Parts of canonical bytes that most tasks do not have: after the rest, each a tag, a length and
 * bytes, in order of tags. */
enum { SHAPE_PART_DEVICES = 1, SHAPE_PART_CLAIM = 2, SHAPE_PART_RULES = 3, SHAPE_PART_DAY = 4 };
enum { GROUP_PART_SLICES = 1 };
/* A reader of the bytes of one part of a task shape; 0 if it has none. O(parts). */
int shape_part(const struct columns *k, uint32_t shape, uint32_t tag, struct reader *part);

#endif
