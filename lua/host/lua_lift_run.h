/*
 * lua_lift_run.h -- runs compiled hooks: fills the inputs for a block of 256 elements, runs the
 * program, and checks the results.
 *
 * The results of a batch are kept only if all of them are valid. Otherwise lift_run declines the
 * batch, and LuaJIT's interpreter runs the whole batch again. The interpreter then gives the error
 * message, with line and column. The number of instructions charged per element is the same on
 * every machine and does not depend on the CPU instructions that the compiled program uses.
 */
#ifndef LSCHED_LUA_LIFT_RUN_H
#define LSCHED_LUA_LIFT_RUN_H

#include "lua/host/lua_batch.h"

/* lift_run runs a batch with the compiled hook. Returns LIFT_DONE, LIFT_DECLINED if Lua must run
 * this batch, or a negative error code. On an error, host->fault holds the message and the
 * element. */
enum { LIFT_DONE = 0, LIFT_DECLINED = 1 };
int32_t lift_run(struct lua_host *host, const struct policy_view *view, const struct batch *batch);
/* Functions that implement policy_ops.describe and policy_ops.terms. */
void lift_describe(const void *self, enum policy_hook hook, struct policy_hook_note *out);
size_t lift_terms(void *self, const struct policy_view *view, enum policy_hook hook, uint32_t a,
                  uint32_t b, lsched_policy_term *out, size_t cap);

#endif
