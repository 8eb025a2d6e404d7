/*
 * json_records.h -- reads the JSON of `squeue --json`, `sinfo --json`, `scontrol show ... --json`
 * and `sacct --json`: each object of an array at the top becomes a record.
 *
 * libyaml does the reading, because JSON is YAML and the library needs libyaml anyway. Two things
 * are JSON and no YAML for libyaml: characters beyond U+FFFF that are written as two escapes, which
 * this reader joins before, and keys of more than 1024 bytes, which are refused. What stands deeper
 * than three levels in an object is skipped (the cores of each job). Lists of texts and numbers are
 * joined by commas. A list of resources ({type, name, count}) becomes "cpu=4,gres/gpu=2".
 */
#ifndef LSCHED_CLI_JSON_RECORDS_H
#define LSCHED_CLI_JSON_RECORDS_H

#include "cli/slurm_records/record.h"

/* Called for each record with the key of the array in which its object stands, such as "jobs". */
typedef int32_t (*json_record_fn)(void *user, const char *array, const struct record *record,
                                  lsched_error *err);

/* Returns true if the text begins as an object of JSON. */
bool json_records_here(const char *text, size_t len);
/* Reads the text, which the function changes. */
int32_t json_records_read(char *text, size_t len, json_record_fn record, void *user,
                          lsched_error *err);

#endif
