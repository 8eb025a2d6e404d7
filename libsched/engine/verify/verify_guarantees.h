/* verify_guarantees.h -- computes the guarantees of queues from their quotas alone. */
#ifndef LIBSCHED_VERIFY_GUARANTEES_H
#define LIBSCHED_VERIFY_GUARANTEES_H

#include "model/store/columns.h"

/* Computes the smallest possible guarantee of each queue. right[kind * queues + queue] is set to
 * the amount in base units, where `queues` is the number of rows in the table of queues. The amount
 * is LSCHED_UNLIMITED if the guarantee has no bound or no queue has a quota of the kind. */
void verify_guarantees(const struct columns *k, int64_t *right);

#endif
