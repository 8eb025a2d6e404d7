/*
 * lua_selector.h -- selectors of devices. A selector is one Lua expression over `device`; it is
 * evaluated once per device class. This header and lua_policy.h are the only entries to lua/.
 *
 * A selector has the same parser, environment and messages as the expressions of a policy, and like
 * a policy it has a budget of instructions. A selector must not contain a function, and therefore
 * has no loop. It must only read fields of `device` that exist, and must compare a field with a
 * value of the field's type. A text that breaks these rules is refused before it runs.
 *
 * A selector `a and b and c` has the parts a, b and c. The parts are evaluated in this order up to
 * the first part that is false. Therefore an explanation can name the part that excludes a device.
 *
 * One Lua state serves any number of selectors, and a selector cannot change the state for the next
 * one. Cost: some 20 us to begin a selector, and about 1 us for each device class. A selector is
 * not evaluated for each device, because devices of one class get the same answer, and there are
 * only few classes.
 */
#ifndef LSCHED_LUA_SELECTOR_H
#define LSCHED_LUA_SELECTOR_H

#include "base/alloc.h"
#include "lua/selector/lua_selector_form.h"

/* A device class. The texts are not terminated by a zero byte; `len` is their length. */
struct selector_device {
    lsched_text model;
    int64_t memory_bytes;
    uint32_t sm_count, share_mode;
    const lsched_label *attributes;
    uint32_t n_attributes;
};

struct selectors;

/* Opens the Lua state. Returns LSCHED_OK, LSCHED_E_NOLUA if there is no LuaJIT, or LSCHED_E_NOMEM.
 * `alloc` must outlive the state. */
int32_t selectors_open(struct alloc *alloc, struct selectors **out, lsched_error *err);
void selectors_close(struct selectors *s); /* NULL is allowed */

/* Makes a selector the current one: checks its text, compiles it, and evaluates each part once for
 * a made-up device. Error messages have the form "selector:line:column: what". `out` can be NULL;
 * otherwise *out gets the parts of the selector and the attributes that it reads. */
int32_t selector_begin(struct selectors *s, lsched_text text, struct selector_form *out,
                       lsched_error *err);
/* Evaluates the current selector for a device class and sets *answer (base/selection.h). If the
 * selector itself fails, the function returns LSCHED_OK, *answer has SELECTOR_FAILS, and *err holds
 * the message. If the part that fails reads an attribute that the class does not have, *answer has
 * SELECTOR_LACKS instead. If the evaluation fails because of memory or a limit of the orchestrator,
 * the function returns the error code. */
int32_t selector_ask(struct selectors *s, const struct selector_device *device, uint8_t *answer,
                     lsched_error *err);

#endif
