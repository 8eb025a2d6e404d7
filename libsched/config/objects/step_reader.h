/* step_reader.h -- a step of a scenario while its text is being read, and functions that add
 * actions to the step. */
#ifndef LIBSCHED_STEP_READER_H
#define LIBSCHED_STEP_READER_H

#include "config/read/field_reader.h"

/* A step whose keys are being read. The functions that read these keys get a pointer to this
 * struct. */
struct step_reader {
    struct step *step;
    struct mark mark;
    int is_initial;
    /* State of the step's key `schedule`:
     *   0  the text does not have the key
     *   1  the value is false
     *   2  the value is true or a map */
    uint32_t explicit_cycle;
};

/* Adds a new action to the step and returns it. When memory is out, fills the error and returns
 * NULL. */
struct action *step_action_add(struct field_reader *r, const struct step_reader *reader,
                               enum action_kind kind, uint32_t value);
/* Adds an action to the step, and calls `item` for each item of the list `value`, with the action
 * as last argument. */
int32_t step_action_items(struct field_reader *r, uint32_t value, const struct step_reader *reader,
                          enum action_kind kind, const char *what, read_fn item);
/* Adds an action to the step, and calls `entry` for each key of the map `value`, with the action as
 * last argument. */
int32_t step_action_map(struct field_reader *r, uint32_t value, const struct step_reader *reader,
                        enum action_kind kind, const char *what, read_other_fn entry);

#endif
