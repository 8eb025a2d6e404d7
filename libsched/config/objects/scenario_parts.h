/*
 * scenario_parts.h -- the readers of a scenario's parts, one file each. Every one reads the value
 * of one key and appends an action to `step` (NULL where the value is not an action). Called
 * through the tables of scenario_parse.c and parse_steps.c.
 */
#ifndef LIBSCHED_SCENARIO_PARTS_H
#define LIBSCHED_SCENARIO_PARTS_H

#include "config/read/field_reader.h"

/* What read functions of a step get as their target. */
struct step_reader {
    struct step *step;
    struct mark mark;
    int is_initial;
    uint32_t explicit_cycle; /* 0: not said, 1: no, 2: yes */
};

/* A new action of the step; NULL with the error filled when memory is out. */
struct action *read_action(struct field_reader *r, struct step *step, enum action_kind kind,
                           uint32_t value);

/* parse_nodes.c, parse_queues.c, parse_jobs.c, parse_running.c, parse_tasks.c, parse_policy.c:
 * (r, value, struct step_reader *) */
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

/* parse_rules.c: appended to a struct scn_list of lsched_taint, lsched_toleration,
 * lsched_node_term, lsched_job_term, lsched_label */
int32_t read_taints(struct field_reader *r, uint32_t value, void *list);
int32_t read_tolerations(struct field_reader *r, uint32_t value, void *list);
int32_t read_affinity(struct field_reader *r, uint32_t value, void *list);
int32_t read_job_affinity(struct field_reader *r, uint32_t value, void *list);
int32_t read_plain_labels(struct field_reader *r, uint32_t value, void *list);

/* parse_actions.c: what happens to tasks and jobs that exist */
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
/* Appends to a struct scn_list of struct task_ref; job names may be ranges. */
int32_t read_task_refs(struct field_reader *r, uint32_t value, void *list);

/* parse_pools.c */
int32_t read_pools(struct field_reader *r, uint32_t value, void *step);
int32_t read_parts(struct field_reader *r, uint32_t value, void *step);

/* parse_expect.c */
int32_t read_expect(struct field_reader *r, uint32_t value, void *step);
int32_t read_expect_error(struct field_reader *r, uint32_t value, void *step);
/* "E_STALE" or "OK" */
int32_t read_error_code(struct field_reader *r, uint32_t value, int32_t *out);

/* parse_steps.c */
int32_t read_events(struct field_reader *r, uint32_t value, void *scenario);
int32_t read_finish_step(struct field_reader *r, uint32_t value, struct step_reader *step);

/* parse_machine.c: of a node with so many devices. The value of `machine`, or (0) of `links` of its
 * GPUs. */
int32_t read_machine(struct field_reader *r, uint32_t value, uint32_t links, uint32_t n_devices,
                     const lsched_machine_desc **out);

/* parse_tasks.c */
struct topology_form {
    uint32_t given; /* value node, 0: not */
    lsched_text tree, required, preferred;
    uint32_t mode;
    struct scn_list slices; /* lsched_slice */
};
int32_t read_topology_wish(struct field_reader *r, uint32_t value, void *topology_form);
/* Beside a spread, which may have named a tree: it must be the same. */
int32_t read_topology_apply(const struct field_reader *r, const struct topology_form *form,
                            lsched_group_desc *group);
/* One group; *children is the value node of the groups inside, 0 for a leaf. */
int32_t read_group(struct field_reader *r, uint32_t value, lsched_group_desc *out,
                   uint32_t *children);

#endif
