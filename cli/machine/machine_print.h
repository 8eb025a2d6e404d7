/*
 * machine_print.h -- prints a machine as a node of a scenario with a picture of its links, or as
 * JSON.
 *
 * The whole output is a scenario, and the picture is in its comments. The output can therefore be
 * kept as a file and run with `lsched run`, and its node can be copied into another scenario.
 */
#ifndef LSCHED_CLI_MACHINE_PRINT_H
#define LSCHED_CLI_MACHINE_PRINT_H

#include <stdio.h>

#include "cli/support/json_writer.h"
#include "cli/machine/machine_form.h"

struct machine_print {
    const char *name;    /* name of the node, or a range of names */
    const char *sources; /* names of the files, for the first line */
    bool cores;          /* true if cpu counts cores instead of hardware threads */
};

void machine_print_scenario(const struct machine *machine, const struct machine_print *how,
                            FILE *out);
void machine_print_json(const struct machine *machine, const struct machine_print *how, FILE *out);

#endif
