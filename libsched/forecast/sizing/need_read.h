/* need_read.h -- reads a need that a caller passes back; see need.c. */
#ifndef LIBSCHED_NEED_READ_H
#define LIBSCHED_NEED_READ_H

#include <libsched/sizing.h>

/* Copies the caller's struct, and checks its numbers. `what` is the name for messages. */
int32_t need_read(const lsched_forecast_need *from, const char *what, lsched_forecast_need *to,
                  lsched_error *err);

#endif
