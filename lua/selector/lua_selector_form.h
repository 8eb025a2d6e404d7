/*
 * lua_selector_form.h -- the form of a selector: the facts about its text that are known without
 * LuaJIT.
 *
 * The functions refuse constructs that a selector must not contain. They find the parts that `and`
 * joins and the attributes that the selector reads. An attribute written as `device.attributes.x`
 * must exist on at least one device; the caller must check this. An attribute written as
 * `device.attributes["x"]` can be absent on all devices. The functions do not recurse and walk over
 * the tree once.
 */
#ifndef LSCHED_LUA_SELECTOR_FORM_H
#define LSCHED_LUA_SELECTOR_FORM_H

#include "base/selection.h"
#include "lua/front/lua_fault.h"
#include "lua/front/lua_tree.h"

struct selector_read {
    struct selector_span key;
    /* position for messages: the first read in the form .x, or the first read if there is none in
     * this form */
    uint32_t line, column;
    /* 1: every read has the form ["x"], so it is no error if no device has the attribute */
    uint32_t may_lack;
};
enum {
    SELECTOR_READS_MODEL = 1,
    SELECTOR_READS_MEMORY = 2,
    SELECTOR_READS_SM_COUNT = 4,
    SELECTOR_READS_MODE = 8
};
struct selector_form {
    uint32_t n_parts, n_reads;
    uint32_t fields; /* bits SELECTOR_READS_* of the fields that the selector reads */
    struct selector_span parts[SELECTOR_PARTS_MAX];
    struct selector_read reads[SELECTOR_READS_MAX];
    /* for each part: bit i is set if the part reads the attribute reads[i] */
    uint32_t reads_of[SELECTOR_PARTS_MAX];
};

/* Text that is put before a selector. Prefix and selector together are a chunk whose argument is
 * the device. */
#define SELECTOR_PREFIX       "local device = ... return "
#define SELECTOR_PREFIX_BYTES (sizeof SELECTOR_PREFIX - 1)

/* Checks a selector and fills *out. `text` has `len` bytes: the prefix and then the selector.
 * Returns LSCHED_OK or an error code. On an error, *fault holds the message and its position in the
 * selector. */
int32_t selector_form(struct alloc *alloc, const char *text, size_t len, struct selector_form *out,
                      struct fault *fault);
/* Reads a decimal number such as "80" or "-0.5", without a leading zero or an exponent. Returns 1
 * and sets *out to the value. Returns 0 if the text is not such a number or has more than 15
 * digits. */
int selector_number(lsched_text text, double *out);
/* names of the sharing modes, indexed by LSCHED_SHARING_*; the last entry is NULL */
extern const char *const selector_modes[];

#endif
