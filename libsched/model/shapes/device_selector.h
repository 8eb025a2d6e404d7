/*
 * device_selector.h -- device selectors: the text of each selector, interned, and its answer for
 * every device class.
 *
 * The model never evaluates a selector. When a selector or a device class is new, the same API
 * call evaluates the selector and stores the answers here (api/forms/job_selectors.c). Afterwards
 * the answer of a selector is a lookup of one byte. Therefore placement, undo, clone and save
 * need no evaluator, and neither does an orchestrator without LuaJIT. Invariant between calls: a
 * selector that has a holder has an answer for every class that some device has. The answer for a
 * free row of DEVCLASS has no meaning, because a new class in that row is evaluated before its
 * answer is read. ANSWERS is a block with one byte for each row of DEVCLASS; its size doubles
 * when it must grow. PARTS is a text with the spans of the selector's conditions (offset and
 * length of each condition in the selector's text). Explanations use it.
 */
#ifndef LIBSCHED_DEVICE_SELECTOR_H
#define LIBSCHED_DEVICE_SELECTOR_H

#include "base/selection.h"
#include "model/store/intern.h"

/* Sets *row to the row of the selector with this text, which is made if it is new, and adds one
 * holder. Can return LSCHED_E_NOMEM. */
int32_t device_selector_get(struct columns *k, lsched_text text, uint32_t *row);
void device_selector_drop(struct columns *k, uint32_t row);
/* Returns 1 if the selector is new: its conditions are not stored yet. */
static inline int device_selector_is_new(const struct columns *k, uint32_t row) {
    return text_len(k, k->c[C_SELECTOR_PARTS].u32[row]) == 0;
}
/* device_selector_put_parts() stores the spans of the selector's conditions;
 * device_selector_put_answer() stores its answer for one device class. Both return LSCHED_OK or
 * LSCHED_E_NOMEM. */
int32_t device_selector_put_parts(struct columns *k, uint32_t row,
                                  const struct selector_span *parts, uint32_t n);
int32_t device_selector_put_answer(struct columns *k, uint32_t row, uint32_t devclass,
                                   uint8_t answer);

static inline uint8_t selector_answer(const struct columns *k, uint32_t row, uint32_t devclass) {
    if (devclass / 8 >= k->c[C_SELECTOR_WORDS].u32[row]) return SELECTOR_UNASKED;
    uint64_t word = k->c[C_ANSWER_WORD].u64[k->c[C_SELECTOR_ANSWERS].u32[row] + devclass / 8];
    return (uint8_t)(word >> devclass % 8 * 8);
}
/* Returns 1 if the shape has no selector or its selector accepts the device. */
static inline int device_selector_takes(const struct columns *k, uint32_t shape, uint32_t device) {
    uint32_t row = k->c[C_SHAPE_SELECTOR].u32[shape];
    return row == NO_ROW ||
           selector_answer(k, row, k->c[C_DEVICE_CLASS].u16[device]) == SELECTOR_TAKES;
}
/* Returns the text of the selector's condition i, as the orchestrator submitted it; empty if
 * there is no condition i. */
lsched_text device_selector_part_text(const struct columns *k, uint32_t row, uint32_t i);
uint32_t device_selector_n_parts(const struct columns *k, uint32_t row);

#endif
