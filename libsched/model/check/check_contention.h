/*
 * check_contention.h -- checks the text with the table of slow-downs in force. All that reads the
 * table (work_kind.h) believes it, so this check comes right after that of the texts.
 */
#ifndef LIBSCHED_CHECK_CONTENTION_H
#define LIBSCHED_CHECK_CONTENTION_H

#include "model/check/check_finding.h"

int32_t check_contention(struct check *c);

#endif
