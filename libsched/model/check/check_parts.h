/*
 * check_parts.h -- checks that the optional sections of the canonical bytes of shapes (shape.h)
 * say what the rows say; a second decoder, as in check_shapes.c.
 */
#ifndef LIBSCHED_CHECK_PARTS_H
#define LIBSCHED_CHECK_PARTS_H

#include "model/check/check.h"
#include "model/store/intern.h"

/* Reads to the end of the bytes, which begin at `begin`. */
int32_t check_task_parts(struct check *c, uint32_t shape, struct reader *r, const uint8_t *begin);
/* Reads the part of a group's canonical bytes that comes after its levels, and checks that it says
 * what the rows say. jobshape: row of JOBSHAPE, for messages; g: row of GROUP. */
int32_t check_group_parts(struct check *c, uint32_t jobshape, uint32_t g, struct reader *r);

/* Defined in check_machines.c. They check a row of MACHINE, and a node against its machine. */
int32_t check_machine(struct check *c, uint32_t row);
int32_t check_node_machine(struct check *c, uint32_t node);

#endif
