/*
 * lua_selector_form.h -- the form of a selector: the facts about its text that are known without
 * LuaJIT.
 *
 * The functions refuse constructs that a selector must not contain, and find the parts that `and`
 * joins and the attributes that are read. `device.attributes.x` must be an attribute that some
 * device has, which the caller must check; `device.attributes["x"]` may be absent. No recursion;
 * one walk over the tree.
 */
#ifndef LSCHED_LUA_SELECTOR_FORM_H
#define LSCHED_LUA_SELECTOR_FORM_H

#include "base/selection.h"
#include "lua/front/lua_parse.h"

struct selector_read {
    struct selector_span key;
    uint32_t line, column; /* place where the attribute is first named */
    uint32_t may_lack;     /* 1: it is always read as ["x"], so it may be absent */
};
enum {
    SELECTOR_READS_MODEL = 1,
    SELECTOR_READS_MEMORY = 2,
    SELECTOR_READS_CORES = 4,
    SELECTOR_READS_MODE = 8
};
struct selector_form {
    uint32_t n_parts, n_reads;
    uint32_t fields; /* SELECTOR_READS_* */
    struct selector_span parts[SELECTOR_PARTS_MAX];
    struct selector_read reads[SELECTOR_READS_MAX];
    uint32_t reads_of[SELECTOR_PARTS_MAX]; /* bit i: the part reads attribute i */
};

/* Text that is put before a selector; the result is a chunk whose argument is the device. */
#define SELECTOR_PREFIX       "local device = ... return "
#define SELECTOR_PREFIX_BYTES (sizeof SELECTOR_PREFIX - 1)

/* Checks a selector and fills *out. `text`: the prefix, then the selector, `len` bytes in all. On
 * an error, *fault holds the message and its place in the selector. */
int32_t selector_form(struct alloc *alloc, const char *text, size_t len, struct selector_form *out,
                      struct fault *fault);
/* Reads a decimal number ("80", "-0.5"; no leading zero, no exponent). Returns 1 and sets *out to
 * its value, or 0 if the text is not such a number. */
int selector_number(lsched_text text, double *out);
/* names of sharing modes, by LSCHED_SHARE_*; NULL at the end */
extern const char *const selector_modes[];

#endif
