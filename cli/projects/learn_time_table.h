/*
 * learn_time_table.h -- the time-table rule of learn_project.h. From its latest start to its
 * earliest end, an activity must run. The sum of these parts over time is the table. No activity
 * can run where the table leaves less than its demand. Each conclusion is explained by one point in
 * time (Schutt, Feydy, Stuckey, Wallace 2011).
 */
#ifndef LSCHED_CLI_LEARN_TIME_TABLE_H
#define LSCHED_CLI_LEARN_TIME_TABLE_H

#include "cli/projects/learn_project.h"

/* Pushes starts out of times at which what must run already leaves too little of the resource.
 * Returns false after a conflict. */
bool learn_time_table(struct learn_project *p, uint32_t resource);

#endif
