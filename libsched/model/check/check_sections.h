/*
 * check_sections.h -- checks that the optional sections of the canonical bytes of shapes
 * (shape_part.h) agree with the rows. The decoder is a second one, independent of shape.c, as in
 * check_shapes.c.
 */
#ifndef LIBSCHED_CHECK_SECTIONS_H
#define LIBSCHED_CHECK_SECTIONS_H

#include "model/check/check_finding.h"
#include "model/store/intern.h"

/* Checks all optional sections of a task shape, up to the end of the bytes. begin: begin of the
 * shape's canonical bytes. */
int32_t check_task_sections(struct check *c, uint32_t shape, struct reader *r,
                            const uint8_t *begin);
/* Reads the bytes of a group that follow its levels, and checks that they agree with the group's
 * row.
 * jobshape: row of JOBSHAPE, for messages
 * g: row of GROUP */
int32_t check_group_sections(struct check *c, uint32_t jobshape, uint32_t g, struct reader *r);

#endif
