/*
 * site_read.h -- gives the records of Slurm's files and outputs their meaning, and adds what they
 * say to a site.
 *
 * What a reader cannot understand becomes a remark with file and line, and the reading goes on: a
 * site's files are right for Slurm, and the rest of them is still of use. What makes a file another
 * file than the user thinks (no JSON, no output of scontrol) is an error.
 */
#ifndef LSCHED_CLI_SITE_READ_H
#define LSCHED_CLI_SITE_READ_H

#include "cli/slurm/site.h"

/* Reads slurm.conf and the files that it includes, which must be beside it or below, or have an
 * absolute path. Returns an exit code, and has reported the error. */
int site_read_conf(struct site *site, const char *path);
/* Reads gres.conf or topology.conf. */
int site_read_gres(struct site *site, const char *path);
int site_read_topology(struct site *site, const char *path);
/* Reads the output of scontrol, squeue or sinfo, text or JSON. */
int site_read_dump(struct site *site, const char *path);
/* Adds the nodes of partitions whose nodes are "ALL", and tells of partitions with unknown nodes.
 * The caller calls it after the last file. */
void site_read_end(struct site *site);

/* The parts of the reading, for tests and fuzzing: `text` is changed. */
int32_t site_read_conf_text(struct site *site, const char *file, const char *text, size_t len,
                            lsched_error *err);
int32_t site_read_dump_text(struct site *site, const char *file, char *text, size_t len,
                            lsched_error *err);

#endif
