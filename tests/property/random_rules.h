/*
 * random_rules.h -- taints and bounds on tasks of nodes, tolerations and terms of tasks, labels of jobs, for hosts that do anything.
 * Terms about jobs always name a label, so a job without labels is kept away by nobody.
 */
#ifndef TESTS_RANDOM_RULES_H
#define TESTS_RANDOM_RULES_H

#include <libsched/libsched.h>

#include "property/chance.h"

struct random_rules {
    lsched_toleration toleration;
    lsched_label_rule rule;
    lsched_text value;
    lsched_node_affinity node_term;
    lsched_label label;
    lsched_job_affinity job_term;
};

static inline lsched_label random_app(struct chance *c) {
    static const lsched_text apps[] = {{"web", 3}, {"db", 2}, {"batch", 5}};
    return (lsched_label){{"app", 3}, apps[chance_below(c, 3)]};
}

static inline void random_taint(struct chance *c, lsched_taint *taint) {
    static const lsched_text keys[] = {{"hot", 3}, {"old", 3}};
    *taint = (lsched_taint){keys[chance_below(c, 2)], {"x", 1}, chance_below(c, 3), 0};
}

static inline void random_rules_node(struct chance *c, lsched_node_desc *d, lsched_taint *taint) {
    if (chance_one_in(c, 3)) {
        random_taint(c, taint);
        d->taints = taint;
        d->n_taints = 1;
    }
    if (chance_one_in(c, 4)) d->tasks_max = 1 + chance_below(c, 4);
}

/* Labels of nodes as the world has them: disk, rack, zone. */
static inline void random_rules_task(struct chance *c, lsched_group_desc *d, struct random_rules *r,
                                     int has_topology) {
    if (chance_one_in(c, 3)) {
        r->toleration =
            (lsched_toleration){{"hot", 3},
                                {"", 0},
                                LSCHED_TOLERATES_ANY_EFFECT,
                                1,
                                chance_one_in(c, 2) ? 0 : chance_between(c, 1, 60) * 1000000};
        d->tolerations = &r->toleration;
        d->n_tolerations = 1;
    }
    if (chance_one_in(c, 5)) {
        static const uint32_t operations[] = {LSCHED_LABEL_IN, LSCHED_LABEL_NOT_IN};
        r->value = (lsched_text){chance_one_in(c, 2) ? "ssd" : "hdd", 3};
        r->rule = (lsched_label_rule){{"disk", 4}, &r->value, 1, operations[chance_below(c, 2)]};
        r->node_term =
            (lsched_node_affinity){&r->rule, 1, chance_one_in(c, 2) ? 0 : 1 + chance_below(c, 100)};
        d->node_affinities = &r->node_term;
        d->n_node_affinities = 1;
    }
    if (chance_one_in(c, 4)) {
        r->label = random_app(c);
        r->job_term =
            (lsched_job_affinity){.labels = &r->label,
                                  .n_labels = 1,
                                  .apart = !chance_one_in(c, 3),
                                  .weight = chance_one_in(c, 3) ? 1 + chance_below(c, 100) : 0};
        if (has_topology && chance_one_in(c, 2)) r->job_term.level = (lsched_text){"rack", 4};
        d->job_affinities = &r->job_term;
        d->n_job_affinities = 1;
    }
}

/* May the node's bound or taints, or terms, keep a task away. */
static inline int random_rules_matter(const lsched_node_desc *node, const lsched_job_desc *job,
                                      const lsched_group_desc *task) {
    return node->n_taints || node->tasks_max || task->n_node_affinities || task->n_job_affinities ||
           job->n_labels;
}

/* New taints, a new bound, or the node drains. */
static inline void random_rules_update(struct chance *c, lsched_node_desc *d, lsched_taint *taint,
                                       lsched_node_update *u) {
    switch (chance_below(c, 3)) {
    case 0:
        random_taint(c, taint);
        d->taints = u->taints = taint;
        d->n_taints = u->n_taints = chance_below(c, 2);
        u->set = LSCHED_NODE_SET_TAINTS;
        break;
    case 1:
        d->tasks_max = u->tasks_max = chance_below(c, 5);
        u->set = LSCHED_NODE_SET_TASKS_MAX;
        break;
    default: d->state = u->state = LSCHED_NODE_DRAINING; u->set = LSCHED_NODE_SET_STATE;
    }
}

#endif
