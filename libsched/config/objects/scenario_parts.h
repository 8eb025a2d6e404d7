/*
 * scenario_parts.h -- the functions that read the sections of a scenario; each file reads one or a
 * few sections. Most functions read the value of one key and append an action to the step. The
 * tables of scenario_parse.c and parse_steps.c call them.
 */
#ifndef LIBSCHED_SCENARIO_PARTS_H
#define LIBSCHED_SCENARIO_PARTS_H

#include "config/read/field_reader.h"

/* The target of the functions that read the keys of a step. */
struct step_reader {
    struct step *step;
    struct mark mark;
    int is_initial;
    /* 0: the step has no key `schedule`; 1: that key is false; 2: that key is true or a map */
    uint32_t explicit_cycle;
};

/* Adds a new action to the step; NULL with the error filled when memory is out. */
struct action *read_action(struct field_reader *r, struct step *step, enum action_kind kind,
                           uint32_t value);

/* Functions of parse_nodes.c, parse_queues.c, parse_jobs.c, parse_running.c, parse_tasks.c and
 * parse_policy.c. The last parameter is a struct step_reader *. */
int32_t read_topologies(struct field_reader *r, uint32_t value, void *step);
int32_t read_nodes(struct field_reader *r, uint32_t value, void *step);
int32_t read_cordon(struct field_reader *r, uint32_t value, void *step);
int32_t read_uncordon(struct field_reader *r, uint32_t value, void *step);
int32_t read_drain(struct field_reader *r, uint32_t value, void *step);
int32_t read_update_nodes(struct field_reader *r, uint32_t value, void *step);
int32_t read_queues(struct field_reader *r, uint32_t value, void *step);
int32_t read_update_queues(struct field_reader *r, uint32_t value, void *step);
int32_t read_jobs(struct field_reader *r, uint32_t value, void *step);
int32_t read_device_mask(struct field_reader *r, uint32_t value, void *uint32_out);
int32_t read_running(struct field_reader *r, uint32_t value, void *step);
int32_t read_task_mix(struct field_reader *r, uint32_t value, void *step);
int32_t read_policy(struct field_reader *r, uint32_t value, void *step);

/* Functions of parse_rules.c. Each appends to a struct scn_list of lsched_taint,
 * lsched_toleration, lsched_node_term, lsched_job_term or lsched_label, in this order. */
int32_t read_taints(struct field_reader *r, uint32_t value, void *list);
int32_t read_tolerations(struct field_reader *r, uint32_t value, void *list);
int32_t read_affinity(struct field_reader *r, uint32_t value, void *list);
int32_t read_job_affinity(struct field_reader *r, uint32_t value, void *list);
int32_t read_plain_labels(struct field_reader *r, uint32_t value, void *list);

/* Functions of parse_actions.c: reports and changes of tasks and jobs that exist. */
int32_t read_start(struct field_reader *r, uint32_t value, void *step);
int32_t read_finish(struct field_reader *r, uint32_t value, void *step);
int32_t read_fail(struct field_reader *r, uint32_t value, void *step);
int32_t read_usage(struct field_reader *r, uint32_t value, void *step);
int32_t read_collision(struct field_reader *r, uint32_t value, void *step);
int32_t read_priority(struct field_reader *r, uint32_t value, void *step);
int32_t read_remove_nodes(struct field_reader *r, uint32_t value, void *step);
int32_t read_remove_queues(struct field_reader *r, uint32_t value, void *step);
int32_t read_remove_jobs(struct field_reader *r, uint32_t value, void *step);
int32_t read_remember(struct field_reader *r, uint32_t value, void *step);
int32_t read_reload(struct field_reader *r, uint32_t value, void *step);
int32_t read_interrupt(struct field_reader *r, uint32_t value, void *step);
int32_t read_schedule(struct field_reader *r, uint32_t value, void *step);
int32_t read_settle(struct field_reader *r, uint32_t value, void *step);
int32_t read_settle_mode(struct field_reader *r, uint32_t value, void *uint32_out);
int32_t read_task_ref(struct field_reader *r, uint32_t value, struct task_ref *out);
/* Appends to a struct scn_list of struct task_ref. A job name may hold ranges. */
int32_t read_task_refs(struct field_reader *r, uint32_t value, void *list);

/* Functions of parse_pools.c. */
int32_t read_pools(struct field_reader *r, uint32_t value, void *step);
int32_t read_parts(struct field_reader *r, uint32_t value, void *step);

/* Functions of parse_expect.c. */
int32_t read_expect(struct field_reader *r, uint32_t value, void *step);
int32_t read_expect_error(struct field_reader *r, uint32_t value, void *step);
/* Reads the name of an error code, such as "E_STALE", or "OK". */
int32_t read_error_code(struct field_reader *r, uint32_t value, int32_t *out);

/* Functions of parse_steps.c. */
int32_t read_events(struct field_reader *r, uint32_t value, void *scenario);
int32_t read_finish_step(struct field_reader *r, uint32_t value, struct step_reader *step);

/* Function of parse_machine.c. Reads the machine of a node with n_devices GPUs: `value` is the
 * value of `machine`, or 0 if `links` is the value of `links` of the node's GPUs. */
int32_t read_machine(struct field_reader *r, uint32_t value, uint32_t links, uint32_t n_devices,
                     const lsched_machine_desc **out);

/* Functions of parse_tasks.c. */
struct topology_form {
    uint32_t given; /* index of the value in the YAML tree; 0: not given */
    lsched_text tree, required, preferred;
    uint32_t mode;
    struct scn_list slices; /* elements are lsched_slice */
};
int32_t read_topology_wish(struct field_reader *r, uint32_t value, void *topology_form);
/* Writes the topology wishes into the group. If the topology spread of the group already named a
 * tree, both must name the same tree. */
int32_t read_topology_apply(const struct field_reader *r, const struct topology_form *form,
                            lsched_group_desc *group);
/* Reads one group. *children is the index of the value of the groups inside it; 0 for a leaf. */
int32_t read_group(struct field_reader *r, uint32_t value, lsched_group_desc *out,
                   uint32_t *children);

#endif
