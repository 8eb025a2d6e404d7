/* supply_need.c -- see supply_need.h. */
#include "model/shapes/supply_need.h"

uint32_t supply_find(const struct columns *k, lsched_text name) {
    for (uint32_t s = 0; s < table_rows(k, T_SUPPLY); s++)
        if (text_order(supply_name(k, s), name) == 0) return s;
    return NO_ROW;
}

void supply_needs_encode(struct bytes *b, const struct supply_spec *needs, uint32_t n) {
    bytes_u32(b, n);
    for (uint32_t i = 0; i < n; i++) {
        bytes_text(b, needs[i].name);
        bytes_i64(b, needs[i].amount);
    }
}

int32_t supply_needs_decode(struct columns *k, uint32_t shape, struct reader *part) {
    struct supply_need needs[LSCHED_SUPPLIES_PER_TASK_MAX];
    uint32_t n = reader_u32(part);
    if (part->bad || n == 0 || n > LSCHED_SUPPLIES_PER_TASK_MAX) return LSCHED_E_CORRUPT;
    for (uint32_t i = 0; i < n; i++) {
        lsched_text name = reader_text(part);
        struct supply_need need = {.amount = reader_i64(part)};
        need.supply = part->bad ? NO_ROW : supply_find(k, name);
        if (need.supply == NO_ROW) return LSCHED_E_CORRUPT;
        uint32_t j = i;
        for (; j > 0 && needs[j - 1].supply > need.supply; j--) needs[j] = needs[j - 1];
        needs[j] = need;
    }
    uint32_t text = text_new(k, needs, n * sizeof needs[0]);
    if (text == NO_ROW) return LSCHED_E_NOMEM;
    set_u32(k, C_SHAPE_SUPPLIES, shape, text);
    set_u8(k, C_SHAPE_N_SUPPLIES, shape, (uint8_t)n);
    return LSCHED_OK;
}

void supply_needs_drop(struct columns *k, uint32_t shape) {
    if (shape_n_supplies(k, shape)) text_free(k, k->c[C_SHAPE_SUPPLIES].u32[shape]);
}
