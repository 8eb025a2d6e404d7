/*
 * site_scenario.h -- makes a libsched scenario of a site: the image that the plug-in sched/libsched
 * has of it. The table in integrations/slurm/README.md says what each option becomes.
 *
 * Nodes keep their names; each has the labels node, "partition/P", "feature/F", "reservation" and
 * "switch". A job of Slurm is a job of the scenario with Slurm's number as name, and its account as
 * queue.
 */
#ifndef LSCHED_CLI_SITE_SCENARIO_H
#define LSCHED_CLI_SITE_SCENARIO_H

#include "cli/input/input_file.h"
#include "cli/slurm/site.h"

struct site_scenario_opts {
    const char *queues_text; /* text of a file with queues and policy, or NULL */
    size_t queues_len;
    /* the queues that the text has, by name; a job with another account has no image. Not used
     * without queues_text: then each account becomes a queue */
    const struct name_table *queue_names;
    const char *default_queue; /* queue of jobs without an account */
    bool slurm_priority;       /* order by Slurm's number instead of the tier of the partition */
};

/* Writes the scenario into *out, which input_free() frees. Sets the fate of jobs that have no
 * image. The first lines are those of queues_text, so that errors name its lines. */
void site_scenario_write(struct site *site, const struct site_scenario_opts *opts,
                         struct input_file *out);

#endif
