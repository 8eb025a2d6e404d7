/*
 * site_licences.h -- licences of the whole cluster, which become supplies of the scenario.
 *
 * Slurm counts licences by job, and libsched counts supplies by task. So a licence is divided into
 * SITE_LICENCE_PARTS parts, of which each task of a job needs its share, rounded up; the plug-in
 * has the same rule. A supply has what Slurm has left, and what running jobs of the scenario hold:
 * the rest belongs to reservations, or to work that the scenario does not have. Where no output
 * says what is used, a supply has all licences that slurm.conf names.
 *
 * A licence that no input names with a number is left to Slurm, and so are the licences of a job
 * in a reservation, which can be those of the reservation. Cost: O(licences) for each word of
 * --licenses.
 */
#ifndef LSCHED_CLI_SITE_LICENCES_H
#define LSCHED_CLI_SITE_LICENCES_H

#include <stdio.h>

#include <libsched/libsched.h>

#include "cli/slurm/site.h"
#include "cli/slurm_records/record.h"

#define SITE_LICENCE_PARTS ((int64_t)65536)

/* Reads the value of Licenses= of slurm.conf: "tool:30,other@server:2,single". */
void site_licences_conf(struct site *site, const char *file, uint32_t line, const char *list);
/* Reads a record of `scontrol show licenses`. */
void site_licences_record(struct site *site, const char *file, const struct record *record);
/* Returns the option of --licenses that has no image for a job of so many tasks, or NULL. */
const char *site_licences_option(const struct site *site, const struct site_job *job,
                                 int64_t tasks);
/* Returns true if each licence of the job is counted. */
bool site_licences_count(const struct site *site, const struct site_job *job);
/* Writes what each of `tasks` tasks of the job needs; a running job holds it. */
void site_licences_put_need(FILE *out, struct site *site, const struct site_job *job,
                            int64_t tasks);
/* Writes "needs 2 of the licence tool; 1 is left" for the first licence of which the cluster has
 * too few for the job. Returns false if there is none. */
bool site_licences_why(const struct site *site, const struct site_job *job, int64_t tasks,
                       const lsched_cluster *cluster, char *out, size_t capacity);
/* Writes the supplies, after all running jobs. */
void site_licences_put(FILE *out, const struct site *site);

#endif
