/* parse_actions.h -- reads the keys with which a step changes tasks, jobs and decisions that
 * exist. */
#ifndef LIBSCHED_PARSE_ACTIONS_H
#define LIBSCHED_PARSE_ACTIONS_H

#include "config/objects/step_reader.h"

/* In each function, a parameter with the name `step` is a struct step_reader *. */
int32_t read_usage(struct field_reader *r, uint32_t value, void *step);
int32_t read_memory_pressure(struct field_reader *r, uint32_t value, void *step);
/* Reads the holds of jobs. */
int32_t read_hold(struct field_reader *r, uint32_t value, void *step);
int32_t read_priority(struct field_reader *r, uint32_t value, void *step);
int32_t read_remember(struct field_reader *r, uint32_t value, void *step);
int32_t read_reload(struct field_reader *r, uint32_t value, void *step);
int32_t read_interrupt(struct field_reader *r, uint32_t value, void *step);
int32_t read_schedule(struct field_reader *r, uint32_t value, void *step);
int32_t read_settle(struct field_reader *r, uint32_t value, void *step);
/* Reads the tasks of a report. `event` is the LSCHED_EVENT_* that is reported for each of these
 * tasks. */
int32_t read_report(struct field_reader *r, uint32_t value, void *step, uint32_t event);
/* Reads the names of objects to remove, or of jobs to release. `kind` is the enum action_kind that
 * does so, such as ACTION_REMOVE_JOBS. */
int32_t read_removal(struct field_reader *r, uint32_t value, void *step, uint32_t kind);
int32_t read_settle_mode(struct field_reader *r, uint32_t value, void *uint32_out);

#endif
