/*
 * advise_patch.h -- the advice as a patch of the scenario: a unified diff that `patch -p0` and `git
 * apply -p0` take.
 *
 * Added nodes become entries of `nodes`, which are copies of the entries of the catalogue with
 * shorter ranges. Drained nodes get `draining: true`. Jobs that should get another size get it. All
 * other bytes of the file stay.
 *
 * The places of the changes come from a reader that does not know all of YAML (edit/yaml_spans.h).
 * So what always holds is checked before anything is written: the new text is read as a scenario,
 * and the meaning hash of its first state must be that of the old state with the nodes added and
 * drained by calls of the library. Otherwise nothing is written, and a message says so. New sizes
 * are checked by what the jobs of the new text ask for; if one of them is not what it should be,
 * the patch has no sizes, and a message says so.
 *
 * Cost: two or three readings of the scenario.
 */
#ifndef LSCHED_CLI_ADVISE_PATCH_H
#define LSCHED_CLI_ADVISE_PATCH_H

#include "cli/advise/advise_report.h"

/* Writes the patch to a file, or to standard output if `path` is "-". `more` can be NULL. Returns
 * an exit code; an error has been reported. */
int advise_patch_write(const struct session *session, const struct node_trials *trials,
                       const struct node_advice *advice, const struct advise_more *more,
                       const char *path);

#endif
