/*
 * lua_selector.h -- selectors of devices: a selector is one Lua expression over `device`, evaluated
 * once per class of devices. This header is the second entry to lua/, beside lua_policy.h.
 *
 * A selector has the same parser, environment, budget and messages as the expressions of a policy,
 * but is one expression only. A selector must not contain a function, and therefore has no loop. It
 * can only read fields of `device` that exist, and must compare a field with a value of the field's
 * type. A text that breaks these rules is refused before anything runs. The expression is divided
 * into parts where `and` joins them. The parts are evaluated in order, and the first part that is
 * false decides, so that an explanation can name the property that excludes a device.
 *
 * One state is opened for any number of selectors, and no selector leaves anything in it. Cost:
 * some 20 us to begin a selector, then about one per class. Why not evaluate per device: there are
 * only few classes.
 */
#ifndef LSCHED_LUA_SELECTOR_H
#define LSCHED_LUA_SELECTOR_H

#include "base/alloc.h"
#include "lua/selector/lua_selector_form.h"

/* A class of devices. Texts are not terminated by a zero byte; `len` is their length. */
struct selector_device {
    lsched_text model;
    int64_t memory_bytes;
    uint32_t cores, share_mode;
    const lsched_label *attributes;
    uint32_t n_attributes;
};

struct selectors;

/* Opens the state. Returns LSCHED_OK, LSCHED_E_NOLUA without LuaJIT, or LSCHED_E_NOMEM. `alloc`
 * must outlive the state. */
int32_t selectors_open(struct alloc *alloc, struct selectors **out, lsched_error *err);
void selectors_close(struct selectors *s); /* NULL is allowed */

/* Makes a selector the current one: checks its text, compiles it, and tries it on a device that
 * does not exist. Error messages read "selector:line:column: what". `out` (NULL is allowed) gets
 * its parts and the attributes that it reads. */
int32_t selector_begin(struct selectors *s, lsched_text text, struct selector_form *out,
                       lsched_error *err);
/* Evaluates the current selector for a class. A failure of the selector counts as an answer, with
 * SELECTOR_FAILS and err filled. If memory or the orchestrator's limits are the reason, the error
 * is returned instead. */
int32_t selector_ask(struct selectors *s, const struct selector_device *device, uint8_t *answer,
                     lsched_error *err);

#endif
