/*
 * topo_text.h -- reads the output of `nvidia-smi topo -m`.
 *
 * The text is made for people and differs between drivers. NICs appear by their names, or as NIC0
 * with a legend below. The columns of NUMA nodes were added in 2020 and 2023. The header may have
 * escape codes that underline it. A copy from a terminal has spaces instead of tabs. All of these
 * forms are read. Damage that would turn the text into another machine is refused with a line and
 * a column: a missing row, a row that is cut off, a matrix that is not symmetric, a word that is
 * no link.
 */
#ifndef LSCHED_CLI_TOPO_TEXT_H
#define LSCHED_CLI_TOPO_TEXT_H

#include <libsched/libsched.h>

#include "cli/machine/machine_form.h"

/* true if the text has a line that can be the header of such a text. */
bool topo_text_is_one(const char *text, size_t len);
/* Reads the text into `out`. Returns 0, or LSCHED_E_SYNTAX or LSCHED_E_LIMIT with err filled. */
int32_t topo_text_read(const char *text, size_t len, struct machine *out, lsched_error *err);

#endif
