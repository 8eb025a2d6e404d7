/*
 * learn_project.h -- the rules of a project for learn.h: precedence, pairs of activities that
 * exceed a resource together, and the time-table rule of each resource (learn_time_table.h).
 *
 * Variables 0 to n - 1 are the starts of the activities. Variable n is the end of the project. Each
 * further variable belongs to a pair that cannot overlap: 1 if the first activity comes before the
 * second one, and 0 otherwise.
 */
#ifndef LSCHED_CLI_LEARN_PROJECT_H
#define LSCHED_CLI_LEARN_PROJECT_H

#include "cli/projects/learn.h"
#include "cli/projects/project.h"

struct pair {
    uint32_t first, second;
};

/* an interval of time in which the sum of what must run then is constant */
struct table_step {
    int32_t from, to;
    int64_t load;
};

/* what one resource needs for its time-table rule */
struct time_table {
    uint32_t n;
    uint32_t *activity;        /* [n] activities with a demand, in descending order of the demand */
    uint32_t *by_from, *by_to; /* [n] the same activities, nearly in order of their parts */
    bool changed; /* true if a start changed since the last time the rule was applied */
};

struct learn_project {
    struct learn learn;
    const struct project *project;
    struct pair *pairs;
    size_t n_pairs, pair_capacity;
    uint32_t *pairs_at, *pairs_of; /* pairs of each activity, as in project->next_at and next */
    struct time_table *tables;     /* [n_resources] */
    int32_t *from, *to; /* [n] scratch: the part of an activity that must run; from >= to: none */
    struct table_step *steps; /* [2 n + 1] scratch */
    struct literal *reason;   /* [2 n + 3] scratch */
};

/* Makes the variables. No activity can end after `horizon`. */
void learn_project_begin(struct learn_project *p, const struct project *project, int32_t horizon);
void learn_project_end(struct learn_project *p);
/* Applies all rules and clauses until nothing changes. Returns false after a conflict. */
bool learn_project_propagate(struct learn_project *p);
/* Makes an end of at most `most` part of level 0, on which the search must be. Sets learn.broken
 * if this contradicts the rules. */
void learn_project_limit(struct learn_project *p, int32_t most);

#endif
