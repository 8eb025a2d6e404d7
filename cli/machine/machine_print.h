/*
 * machine_print.h -- prints a machine as JSON, or as a node of a scenario with a picture of its
 * links.
 *
 * The output that is not JSON is a whole scenario, and the picture is in its comments. Therefore a
 * user can save the output as a file and run it with `lsched run`, or copy the node into another
 * scenario.
 */
#ifndef LSCHED_CLI_MACHINE_PRINT_H
#define LSCHED_CLI_MACHINE_PRINT_H

#include <stdio.h>

#include "cli/machine/machine_form.h"

struct machine_print {
    const char *name;    /* name of the node, or a range of names for several equal nodes */
    const char *sources; /* names of the input files, for the first line of the output */
    bool cores; /* true if the node's cpu is its cores; false if it is its hardware threads */
};

void machine_print_scenario(const struct machine *machine, const struct machine_print *how,
                            FILE *out);
void machine_print_json(const struct machine *machine, const struct machine_print *how, FILE *out);

#endif
