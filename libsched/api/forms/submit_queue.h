/* submit_queue.h -- the queue that a submitted job goes to: the one it names, or below it that of
 * its group and user. */
#ifndef LIBSCHED_SUBMIT_QUEUE_H
#define LIBSCHED_SUBMIT_QUEUE_H

#include "api/door/args.h"

/* Row of a leaf that may take one job more. Sub-queues are made if need be. LSCHED_E_NOENT,
 * LSCHED_E_STATE (an inner queue), LSCHED_E_LIMIT (too many jobs), LSCHED_E_INVAL (user, group, or
 * a name that would be too long), LSCHED_E_EXISTS (another queue has the name). */
int32_t submit_queue(struct columns *k, const lsched_job_desc *d, uint32_t *queue,
                     lsched_error *err);

#endif
