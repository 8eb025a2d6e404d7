/* step_reader.c -- see step_reader.h. */
#include "config/objects/step_reader.h"

struct action *step_action_add(struct field_reader *r, const struct step_reader *reader,
                               enum action_kind kind, uint32_t value) {
    struct action *action = read_add(r, &reader->step->actions, NULL, sizeof *action, value);
    if (!action) return NULL;
    action->kind = (uint32_t)kind;
    action->mark = read_mark(r, value);
    action->at_us = r->base_us;
    return action;
}

int32_t step_action_items(struct field_reader *r, uint32_t value, const struct step_reader *reader,
                          enum action_kind kind, const char *what, read_fn item) {
    struct action *action = step_action_add(r, reader, kind, value);
    return action ? read_items(r, value, what, item, action) : LSCHED_E_NOMEM;
}

int32_t step_action_map(struct field_reader *r, uint32_t value, const struct step_reader *reader,
                        enum action_kind kind, const char *what, read_other_fn entry) {
    struct action *action = step_action_add(r, reader, kind, value);
    return action ? read_map(r, value, what, NULL, 0, action, entry) : LSCHED_E_NOMEM;
}
