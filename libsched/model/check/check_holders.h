/* check_holders.h -- one step of columns_check(): the holders of interned rows. */
#ifndef LIBSCHED_CHECK_HOLDERS_H
#define LIBSCHED_CHECK_HOLDERS_H

#include "model/check/check_finding.h"

/* Checks that each interned row has as many holders as its count of holders says. */
int32_t check_holders(struct check *c);

#endif
