/*
 * supply_need.h -- what a task of a shape needs of supplies, and how a supply is found by its name.
 *
 * The canonical bytes of a shape name supplies, sorted by name. SHAPE.SUPPLIES has the decoded
 * needs, in the order of the rows of SUPPLY. Rows of SUPPLY are never freed, so a need never names
 * a row of another supply. A shape that needs no supply has no text, and N_SUPPLIES is 0.
 */
#ifndef LIBSCHED_SUPPLY_NEED_H
#define LIBSCHED_SUPPLY_NEED_H

#include "model/store/intern.h"

struct supply_need {
    int64_t amount; /* above 0 */
    uint32_t supply, zero;
};

/* Returns the row of the supply with this name, NO_ROW if there is none. O(supplies). */
uint32_t supply_find(const struct columns *k, lsched_text name);
static inline lsched_text supply_name(const struct columns *k, uint32_t supply) {
    return text_of(k, k->c[C_SUPPLY_NAME].u32[supply]);
}

static inline uint32_t shape_n_supplies(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_N_SUPPLIES].u8[shape];
}
/* Returns the needs of the shape: shape_n_supplies() of them. The pointer is valid until a text is
 * made or freed. */
static inline const struct supply_need *shape_supplies(const struct columns *k, uint32_t shape) {
    return text_bytes(k, k->c[C_SHAPE_SUPPLIES].u32[shape]);
}

/* Appends the section of the canonical bytes: names must be sorted. */
struct supply_spec {
    lsched_text name;
    int64_t amount;
};
void supply_needs_encode(struct bytes *b, const struct supply_spec *needs, uint32_t n);
/* Decodes the section into the columns of a new shape. Returns LSCHED_OK, LSCHED_E_NOMEM, or
 * LSCHED_E_CORRUPT. */
int32_t supply_needs_decode(struct columns *k, uint32_t shape, struct reader *part);
void supply_needs_drop(struct columns *k, uint32_t shape);

#endif
