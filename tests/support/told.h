/* told.h -- what people are told about a job, for tests: a scenario is played, the text is compared as a whole. */
#ifndef LSCHED_TESTS_TOLD_H
#define LSCHED_TESTS_TOLD_H

#include <libsched/libsched.h>

/* Plays all of the scenario; each of its cycles is verified, and its expectations must hold. */
lsched_cluster *told_play(const char *scenario);
/* Makes the initial state and one cycle at the start; its decisions stay proposed. */
lsched_cluster *told_begin(const char *scenario);
/* lsched_explain of a job is this text. */
void told_is(lsched_cluster *cluster, const char *job, const char *text);
/* A line of lsched_explain begins with `label`, and this is the rest of the first such line; NULL: there is none. */
void told_line(lsched_cluster *cluster, const char *job, const char *label, const char *rest);
/* lsched_waiting_text of the job's record, and the record. */
lsched_waiting told_waits(lsched_cluster *cluster, const char *job, const char *text);

#endif
