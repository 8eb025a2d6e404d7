/* run_names.h -- converts names in a scenario to ids of a cluster, and ids to names. The file also
 * records the decisions of plans, so that a scenario can refer to them by task. */
#ifndef LIBSCHED_RUN_NAMES_H
#define LIBSCHED_RUN_NAMES_H

#include "config/run/scenario_runner.h"

/* Writes the id of the object with that name to *out. `kind` is an LSCHED_KIND_*. A name that
 * begins with '$' refers to a remembered id. */
int32_t run_find(const struct runner *r, uint32_t kind, const lsched_text *name, struct mark mark,
                 lsched_id *out);
/* Writes "; did you mean ...?" to out->text and returns this text. It names the object of the kind
 * `kind` whose name is most similar to `text`. If no name is similar, the text is empty. */
const char *run_suggest(const struct runner *r, uint32_t kind, const char *text, size_t len,
                        struct quote *out);
/* Finds the object that each item of the action names, and writes the ids of the objects to *out.
 * The name is an lsched_text at the offset `name_offset` of each item. */
int32_t run_find_all(struct runner *r, uint32_t kind, const struct action *action, size_t item_size,
                     size_t name_offset, lsched_id **out);
const struct memo *run_memo(const struct runner *r, const char *name);
/* Returns the latest decision about a task; NULL if no plan had a decision about the task. */
const struct past_decision *run_past(const struct runner *r, const char *job, uint32_t task);
const struct past_decision *run_past_id(const struct runner *r, lsched_id id);
int32_t run_record_plan(struct runner *r);
/* Returns the decisions of the last plan and writes the number of decisions to *n. Returns NULL if
 * the plan has no decisions. */
const struct past_decision *run_plan_decisions(const struct runner *r, uint32_t *n);
/* A task to which a scenario refers. */
struct named_task {
    lsched_id job;
    uint32_t task; /* index of the task in its job */
};
/* Appends the tasks of the reference to `out`, a struct scn_list of struct named_task. If the
 * reference names tasks by number, all of them are appended. If it names a whole job, only those
 * tasks of the job are appended whose state is in `states`, a set of bits 1 << LSCHED_TASK_*. */
int32_t run_tasks(struct runner *r, const struct task_ref *ref, uint32_t states,
                  struct scn_list *out);
/* Returns the name of an object, or "?" if the object does not exist. */
lsched_text run_name(const struct runner *r, lsched_id id);

#endif
