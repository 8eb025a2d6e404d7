/*
 * topo_text.h -- reads what `nvidia-smi topo -m` prints.
 *
 * The text is made for people and has changed with the driver: NICs stand in it by their names or
 * as NIC0 with a legend below; the columns of NUMA nodes came in 2020 and 2023; the header may
 * carry escape codes that underline it; a copy from a terminal has spaces where there were tabs.
 * All of these are read. What a damaged file would turn into another machine is refused with a
 * line and a column: a missing row, a row that is cut off, a matrix that is not symmetric, a word
 * that is no link.
 */
#ifndef LSCHED_CLI_TOPO_TEXT_H
#define LSCHED_CLI_TOPO_TEXT_H

#include <libsched/libsched.h>

#include "cli/machine/machine_form.h"

/* Does it look like such a text: is there a line that can be its header? */
bool topo_text_is_one(const char *text, size_t len);
/* Returns 0, or LSCHED_E_SYNTAX or LSCHED_E_LIMIT with err filled. */
int32_t topo_text_read(const char *text, size_t len, struct machine *out, lsched_error *err);

#endif
