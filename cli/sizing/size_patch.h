/*
 * size_patch.h -- gives the jobs of a scenario file the sizes that were advised.
 *
 * A size can be given if the job keeps its way of sharing: another MIG profile, another share,
 * other memory. A job with a whole GPU that should get a profile keeps it, because such a job runs
 * on a device that is not cut; so does a job whose entry has no short form `tasks` with the
 * request, or has an anchor before the size: without the anchor, its aliases would mean something
 * else. What is left out is said on standard error.
 */
#ifndef LSCHED_CLI_SIZE_PATCH_H
#define LSCHED_CLI_SIZE_PATCH_H

#include "cli/edit/scenario_edit.h"
#include "cli/sizing/size_advice.h"

/* Changes the entries of `jobs`. Returns an exit code; an error has been reported. */
int size_patch_make(const struct size_advice *advice, struct scenario_edit *edit);
/* True if each job of the changed cluster asks for the size that it had before or was to get, and
 * for the same amounts, labels and times as before. */
bool size_patch_holds(const struct size_advice *advice, const lsched_cluster *before,
                      const lsched_cluster *after);

#endif
