/* parse_task_refs.h -- reads references to tasks, such as "llm/0-3": the name of a job and the
 * numbers of its tasks. */
#ifndef LIBSCHED_PARSE_TASK_REFS_H
#define LIBSCHED_PARSE_TASK_REFS_H

#include "config/objects/step_reader.h"

/* Reads one task reference to a struct task_ref. */
int32_t read_task_ref(struct field_reader *r, uint32_t value, void *task_ref);
/* Reads one task reference or a list, and appends the references to a struct scn_list of struct
 * task_ref. The name of a job can have ranges, such as "job-[0-3]". */
int32_t read_task_refs(struct field_reader *r, uint32_t value, void *list);

#endif
