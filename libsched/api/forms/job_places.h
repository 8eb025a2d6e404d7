/*
 * job_places.h -- what a group of tasks wishes of topology trees, checked: required and preferred
 * level, spread, slices, and how its tasks are dealt out.
 */
#ifndef LIBSCHED_JOB_PLACES_H
#define LIBSCHED_JOB_PLACES_H

#include "model/shapes/shape.h"

/* Into s, whose counts and children are set; `w` is what messages call the group. */
int32_t job_places_read(const struct columns *k, const lsched_group_desc *g, struct group_spec *s,
                        const char *w, lsched_error *err);

#endif
