/*
 * lua_selector.h -- selectors of devices: one Lua expression over `device`, asked once per class of
 * devices. The second door of this folder, beside lua_policy.h.
 *
 * A selector is what a policy's expressions are (the same parser, environment, budget and words in
 * messages), but one expression only: no function and so no loop may stand in it, `device` is read
 * by fields that exist, and what a field is compared with has its type. All of that is refused from
 * the text, before anything runs. The expression is cut where it is joined by `and`: the parts are
 * asked in order and the first that does not hold is the answer, so that whoever asks why a device
 * is excluded learns which property did it.
 *
 * A state is opened once for any number of selectors; nothing of a selector stays in it. Cost: some
 * 20 us to begin one, then about one per class. Why not asked per device: classes are few.
 */
#ifndef LSCHED_LUA_SELECTOR_H
#define LSCHED_LUA_SELECTOR_H

#include "base/alloc.h"
#include "lua/selector/lua_selector_form.h"

/* A class of devices. Texts as they are: len is their length. */
struct selector_device {
    lsched_text model;
    int64_t memory_bytes;
    uint32_t cores, share_mode;
    const lsched_label *attributes;
    uint32_t n_attributes;
};

struct selectors;

/* LSCHED_E_NOLUA where there is no LuaJIT, LSCHED_E_NOMEM. alloc must outlive it. */
int32_t selectors_open(struct alloc *alloc, struct selectors **out, lsched_error *err);
void selectors_close(struct selectors *s); /* NULL is allowed */

/* Take a selector in hand until the next: check its text, compile it, try it on a device that does
 * not exist. Errors read "selector:line:column: what". `out` tells its parts and the attributes
 * that it reads; NULL is allowed. */
int32_t selector_begin(struct selectors *s, lsched_text text, struct selector_form *out,
                       lsched_error *err);
/* Ask it about a class. A failure is an answer, with SELECTOR_FAILS and err filled, unless memory
 * or the host's limits are the reason: then it is returned. */
int32_t selector_ask(struct selectors *s, const struct selector_device *device, uint8_t *answer,
                     lsched_error *err);

#endif
