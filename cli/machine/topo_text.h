/*
 * topo_text.h -- reads the output of `nvidia-smi topo -m`.
 *
 * The text is made for people and differs between drivers. The reader accepts all known forms. NICs
 * have their names, or names such as NIC0 with a legend below the matrix. The columns for NUMA
 * nodes exist since 2020 and 2023. The header can have escape codes that underline it. A copy from
 * a terminal has spaces instead of tabs. The reader does not accept a damaged text, which could
 * describe another machine, and reports the line and the column of the damage. Examples are a
 * missing row, an incomplete row, a matrix that is not symmetric, and a word that is not a link.
 */
#ifndef LSCHED_CLI_TOPO_TEXT_H
#define LSCHED_CLI_TOPO_TEXT_H

#include <libsched/libsched.h>

#include "cli/machine/machine_form.h"

/* Reads the text and writes the machine to *out. Returns 0, LSCHED_E_SYNTAX or LSCHED_E_LIMIT;
 * fills *err after an error. */
int32_t topo_text_read(const char *text, size_t len, struct machine *out, lsched_error *err);

#endif
