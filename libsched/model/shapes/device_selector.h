/*
 * device_selector.h -- selectors of devices: interned texts, and what each says of every class of
 * devices.
 *
 * The model never evaluates. Whoever brings a selector that is new, or a class that is new, asks
 * the evaluator and puts the answers here, inside the same call (api/forms/job_claims.c); from then
 * on it is a look into a byte. So placement, undo, clone, save and a host without LuaJIT need no
 * evaluator.
 * Invariant between calls: a selector that somebody holds has an answer for every class that some
 * device has. What stands at rows of DEVCLASS that are free says nothing: a class that is new is
 * asked about before anybody reads. ANSWERS is a block of bytes by row of DEVCLASS; it grows by
 * doubling. PARTS is the text of its spans: which bytes each part is, for explanations.
 */
#ifndef LIBSCHED_DEVICE_SELECTOR_H
#define LIBSCHED_DEVICE_SELECTOR_H

#include "base/selection.h"
#include "model/store/intern.h"

/* The row of a text with one holder more. LSCHED_E_NOMEM. */
int32_t selector_get(struct columns *k, lsched_text text, uint32_t *row);
void selector_drop(struct columns *k, uint32_t row);
/* Nobody has said yet what its parts are: it is new. */
static inline int selector_is_new(const struct columns *k, uint32_t row) {
    return text_len(k, k->c[C_SELECTOR_PARTS].u32[row]) == 0;
}
/* All return LSCHED_OK or LSCHED_E_NOMEM. */
int32_t selector_put_parts(struct columns *k, uint32_t row, const struct selector_span *parts,
                           uint32_t n);
int32_t selector_put_answer(struct columns *k, uint32_t row, uint32_t devclass, uint8_t answer);

static inline uint8_t selector_answer(const struct columns *k, uint32_t row, uint32_t devclass) {
    if (devclass / 8 >= k->c[C_SELECTOR_WORDS].u32[row]) return SELECTOR_UNASKED;
    uint64_t word = k->c[C_ANSWER_WORD].u64[k->c[C_SELECTOR_ANSWERS].u32[row] + devclass / 8];
    return (uint8_t)(word >> devclass % 8 * 8);
}
/* Does the shape's selector, if it has one, take the device. */
static inline int selector_takes(const struct columns *k, uint32_t shape, uint32_t device) {
    uint32_t row = k->c[C_SHAPE_SELECTOR].u32[shape];
    return row == NO_ROW ||
           selector_answer(k, row, k->c[C_DEVICE_CLASS].u16[device]) == SELECTOR_TAKES;
}
/* Part i as it is written; empty if there is none. */
lsched_text selector_part_text(const struct columns *k, uint32_t row, uint32_t i);
uint32_t selector_n_parts(const struct columns *k, uint32_t row);

#endif
