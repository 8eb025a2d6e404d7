/*
 * population.h -- a genetic search for short schedules of a project (Hartmann 1998; Valls,
 * Ballestin, Quintanilla 2008). An individual is a list of activities, which list_schedule.h turns
 * into a schedule. Every schedule is justified before it is judged.
 *
 * The search depends on the project, the seed and the number of work units, and on nothing else. A
 * run in pieces equals one run. The search has no end of its own: when no child has been better for
 * long, a new population begins, and the best schedule stays.
 */
#ifndef LSCHED_CLI_POPULATION_H
#define LSCHED_CLI_POPULATION_H

#include "cli/projects/list_schedule.h"
#include "cli/support/prng.h"

enum { POPULATION_SIZE = 40 };

struct individual {
    uint32_t *list; /* [n] activities in the order of their starts */
    int32_t makespan;
};

struct population {
    const struct project *project;
    struct list_schedule schedule;
    struct prng prng;
    struct individual people[POPULATION_SIZE + 1]; /* the last one is the child */
    uint32_t alive;       /* individuals of this population; the first ones are made at random */
    uint32_t idle;        /* children since the last one that was better than its rival */
    int32_t *tail;        /* [n] longest way from the start of an activity to the end */
    uint32_t *open, *may; /* [n] scratch: predecessors that are left; activities that may come */
    uint8_t *taken;       /* [n] scratch of the crossover */
    int32_t *start;       /* [n] starts of the child */
    int32_t *best_start;  /* [n] */
    int32_t best;         /* makespan of best_start; at first that of a list in project order */
};

void population_begin(struct population *p, const struct project *project, uint64_t seed);
void population_end(struct population *p);
/* Makes individuals until this much work is done or the best makespan is at most `enough`. Returns
 * true if the best schedule changed. */
bool population_run(struct population *p, uint64_t work, int32_t enough);
/* Takes a schedule of another search as the best one, and as an individual. */
void population_take(struct population *p, const int32_t *start, int32_t makespan);

#endif
