/*
 * dump_reader.h -- reads the output of `scontrol show node`, `job`, `partition` and `reservation`,
 * with and without -o, and several of them one after the other.
 *
 * A record begins with "NodeName=", "JobId=", "PartitionName=" or "ReservationName=" at the begin
 * of a line. A word with '=' and a key that begins with a capital letter begins a field; all other
 * words belong to the value before, because names of jobs, reasons and comments have blanks. In the
 * form of many lines, a field of free text (Comment, Command, WorkDir, ...) that begins a line goes
 * to the end of the line. A user can write such a word into a free text; for that, record_find()
 * takes the last field of a name, and JobName, which is the user's, is the first line.
 */
#ifndef LSCHED_CLI_DUMP_READER_H
#define LSCHED_CLI_DUMP_READER_H

#include "cli/slurm_records/record.h"

/* Reads a dump and calls `record` for each record. Lines before the first record are an error. */
int32_t dump_read(const char *text, size_t len, record_fn record, void *user, lsched_error *err);

#endif
