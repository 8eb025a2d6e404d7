/* job_supplies.h -- reads what the tasks of a leaf group need of supplies. */
#ifndef LIBSCHED_JOB_SUPPLIES_H
#define LIBSCHED_JOB_SUPPLIES_H

#include "api/door/args.h"
#include "model/shapes/shape.h"

/* Writes the needs of the group to list[], which has room for LSCHED_SUPPLIES_PER_TASK_MAX, sorted
 * by name, and makes *t refer to list[]. where: what names the group in messages. Errors:
 * LSCHED_E_NOENT, LSCHED_E_RANGE, LSCHED_E_INVAL (a supply twice), LSCHED_E_LIMIT, LSCHED_E_NULL,
 * and those of arg_struct(). */
int32_t job_supplies_read(const struct columns *k, const lsched_group_desc *g,
                          struct supply_spec *list, struct task_spec *t, const char *where,
                          lsched_error *err);

#endif
