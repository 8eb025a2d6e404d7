/*
 * machine_print.h -- a machine as a node of a scenario, with a picture of its links, or as JSON.
 *
 * The whole text is a scenario, the picture stands in comments: what is printed can be kept as a
 * file, given to `lsched run`, and its node copied to where the others are.
 */
#ifndef LSCHED_CLI_MACHINE_PRINT_H
#define LSCHED_CLI_MACHINE_PRINT_H

#include <stdio.h>

#include "cli/support/json_writer.h"
#include "cli/machine/machine_form.h"

struct machine_print {
    const char *name;    /* of the node, or a range of names */
    const char *sources; /* files, for the first line */
    bool cores;          /* cpu counts cores, not hardware threads */
};

void machine_print_scenario(const struct machine *machine, const struct machine_print *how,
                            FILE *out);
void machine_print_json(const struct machine *machine, const struct machine_print *how, FILE *out);

#endif
