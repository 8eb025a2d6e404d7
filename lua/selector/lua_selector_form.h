/*
 * lua_selector_form.h -- the form of a selector: what is known of its text without LuaJIT.
 *
 * Refuses what a selector may not hold, finds the parts that `and` joins and the attributes that
 * are read. `device.attributes.x` must be an attribute that some device has, which is for the
 * caller to see; `device.attributes["x"]` may be absent. Iterative; one walk over the tree.
 */
#ifndef LSCHED_LUA_SELECTOR_FORM_H
#define LSCHED_LUA_SELECTOR_FORM_H

#include "base/selection.h"
#include "lua/front/lua_parse.h"

struct selector_read {
    struct selector_span key;
    uint32_t line, column; /* where it is first named */
    uint32_t may_lack;     /* always as ["x"] */
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
    uint32_t reads_of[SELECTOR_PARTS_MAX]; /* bit i: part reads attribute i */
};

/* In front of a selector it makes a chunk that takes the device. */
#define SELECTOR_PREFIX       "local device = ... return "
#define SELECTOR_PREFIX_BYTES (sizeof SELECTOR_PREFIX - 1)

/* text: the prefix, then the selector, `len` bytes in all. Notes what is wrong in *fault, with its
 * place in the selector. */
int32_t selector_form(struct alloc *alloc, const char *text, size_t len, struct selector_form *out,
                      struct fault *fault);
/* A decimal number as people write it ("80", "-0.5"; no leading zero, no exponent): 1 and its
 * value. */
int selector_number(lsched_text text, double *out);
extern const char *const selector_modes[]; /* by LSCHED_SHARE_*; NULL at the end */

#endif
