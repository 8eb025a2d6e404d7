/*
 * kept_sizes.h -- how the advice of this run follows from that of earlier runs: what
 * lsched_forecast_advise() must know of a job, and which way of sharing stays.
 *
 * A job has the size that was advised, or that which it had then, because the orchestrator has not
 * changed it yet. In both cases the advice goes on. Otherwise somebody gave the job another size,
 * or it has another kind of device: then the advice begins with the size that it has. The times of
 * changes stay in each case, so advice changes at most twice in any 24 hours.
 *
 * A way of sharing changes at most twice in any 24 hours, too, unless the job requires something
 * else, or the way is not possible any more: also because the job needs a whole device, or no
 * instance is enough.
 */
#ifndef LSCHED_CLI_KEPT_SIZES_H
#define LSCHED_CLI_KEPT_SIZES_H

#include "cli/sizing/advice_state.h"
#include "cli/sizing/gpu_kinds.h"

#define KEPT_RULE 0 /* in place of a rule of docs/right-sizing.md: the mode is kept */

/* The advice for a job with these sizes, of which it has `from`. `kept` is what an earlier run
 * advised; NULL: nothing. `device` and `kind` are as in struct kept_advice. */
lsched_forecast_advice kept_sizes_begin(const struct kept_advice *kept, const char *device,
                                        const char *kind, const struct gpu_sizes *sizes,
                                        uint32_t from);
/* Writes down the advice of this run. */
void kept_sizes_end(const lsched_forecast_advice *advice, const char *device, const char *kind,
                    const struct gpu_sizes *sizes, uint32_t from, struct kept_advice *out);
/* True if a growth is pending: the job uses all that it has, and more was advised. Then the samples
 * say nothing of the advised size. */
bool kept_sizes_pending(const lsched_forecast_advice *advice, const struct gpu_sizes *sizes,
                        uint32_t from);

/* True if the size or the mode changed within the last 24 hours. */
bool kept_lately(const struct kept_advice *kept, int64_t now_us);

/* Takes the chosen mode, or keeps the earlier one and changes the answer. `kept` can be NULL. */
void kept_mode(const struct kept_advice *kept, const lsched_forecast_mode_query *query,
               int64_t now_us, lsched_forecast_mode_answer *answer, struct kept_advice *out);

#endif
