/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_site.h -- the site's file: queues, policy, resource parts and pools as a scenario in YAML.
 *
 * SchedulerParameters that the plug-in reads:
 *   libsched_config=FILE      the file; default: libsched.yaml beside slurm.conf, if it exists.
 *                             Without a file, each account is a queue without a quota
 *   libsched_queue=NAME       queue of jobs without an account; default: "default"
 *   libsched_interval_ms=N    time between two looks at Slurm; default 200
 *   libsched_array_window=N   most waiting elements of one array that are planned; default 100
 *   libsched_priority=slurm   order by Slurm's priority, not by the tier of the partition
 *   libsched_verify=1         check every plan
 *   libsched_debug=1          one line of slurmctld's log for each decision
 */
#ifndef SLURM_SITE_H
#define SLURM_SITE_H

#include <libsched/libsched.h>

#include <stdbool.h>

struct site {
    lsched_cluster *cluster; /* with queues and policy, and without nodes and jobs */
    char *default_queue;
    bool make_queues, slurm_priority, debug;
    uint32_t interval_ms, window;
};

/* Reads the parameters and the file, and makes a cluster. On an error *out is unchanged, and
 * `message` says what is wrong, with file and line. */
bool site_load(struct site *out, char *message, size_t capacity);
void site_free(struct site *site); /* with its cluster */

#endif
