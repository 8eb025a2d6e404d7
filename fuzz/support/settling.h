/* settling.h -- operations of the harness of calls (api_driver.h) that answer decisions and that
 * ask for other amounts of running tasks. A task that was resized has exactly what was
 * confirmed. */
#ifndef LSCHED_FUZZ_SETTLING_H
#define LSCHED_FUZZ_SETTLING_H

#include "support/api_driver.h"

int64_t settling_some(struct api_driver *d); /* any answers to a few decisions */
int64_t settling_all(struct api_driver *d);  /* confirms what is open, or answers the latest plan */
int64_t settling_resize(struct api_driver *d); /* lsched_tasks_resize */

#endif
