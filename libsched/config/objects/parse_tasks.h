/* parse_tasks.h -- reads what one task needs, from the leaf groups in `tasks:` and `groups:` and
 * from the entries of `task_mix:`. */
#ifndef LIBSCHED_PARSE_TASKS_H
#define LIBSCHED_PARSE_TASKS_H

#include "config/objects/step_reader.h"

extern const struct field_home group_home;

struct topology_form {
    /* index in the YAML tree of the value of `topology`; 0: the text does not have the key */
    uint32_t given;
    lsched_text tree, required, preferred, exclusive;
    uint32_t mode; /* LSCHED_DOMAINS_* */
    const lsched_slice *slices;
    uint32_t n_slices;
};
int32_t read_topology_wish(struct field_reader *r, uint32_t value, void *topology_form);
/* Copies what `form` asks of the topology to the group. If the group's topology spread also names a
 * tree, the two names must be equal; otherwise the function returns an error. */
int32_t read_topology_apply(const struct field_reader *r, const struct topology_form *form,
                            lsched_group_desc *group);
/* Reads one task group into *out. *children gets the index in the YAML tree of the list of groups
 * inside this group; 0 if the group is a leaf group. */
int32_t read_group(struct field_reader *r, uint32_t value, lsched_group_desc *out,
                   uint32_t *children);
/* Reads the task mix. `step` is a struct step_reader *. */
int32_t read_task_mix(struct field_reader *r, uint32_t value, void *step);

/* Reads the number of tasks of a group that exist. 0 becomes LSCHED_NO_MEMBERS. */
int32_t read_members(struct field_reader *r, uint32_t value, void *uint32_out);

#endif
