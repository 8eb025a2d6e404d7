/* judge.c -- see judge.h. */
#include "pack/judge/judge.h"

#include <stdarg.h>
#include <stdio.h>

#include "model/mig/mig.h"

void judge_item(const struct judge *j, uint32_t i, lsched_pack_item *out) {
    read_item(out, &j->in, i);
    lsched_pack_config first;
    read_config(&first, &j->in, out, 0);
    if (out->tasks == 0) out->tasks = 1;
    if (out->weight == 0) out->weight = 1;
    if (first.n_slots)
        out->ready_us = out->latest_us = j->in.slot_bounds[first.first_slot];
    else if (out->ready_us < j->in.now_us && out->ready_us != out->latest_us)
        out->ready_us = j->in.now_us;
}

void judge_config_of(const struct judge *j, const lsched_pack_item *item, uint32_t number,
                     lsched_pack_config *out) {
    read_config(out, &j->in, item, number);
    if (out->n_slots)
        out->duration_us =
            j->in.slot_bounds[out->first_slot + out->n_slots] - j->in.slot_bounds[out->first_slot];
}

void judge_config(const struct judge *j, const lsched_pack_place *place, lsched_pack_config *out) {
    lsched_pack_item item;
    judge_item(j, place->item, &item);
    judge_config_of(j, &item, place->config, out);
}

void judge_class(const struct judge *j, uint32_t bin, struct judge_class *out) {
    uint32_t row = j->class_of[bin];
    read_class(&out->given, &j->in, row);
    out->first_bin = j->first_bin[row];
    lsched_text table = arg_text(out->given.mig_table);
    out->mig = table.len ? mig_table_named(table) : NULL;
}

/* Returns the index of the last slot bound at or before t; 0 if all bounds are later. */
static uint32_t bound_before(const struct judge *j, int64_t t) {
    uint32_t low = 0, high = j->in.n_slots;
    while (low < high) {
        uint32_t mid = low + (high - low + 1) / 2;
        if (j->in.slot_bounds[mid] <= t)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

void judge_span(const struct judge *j, int64_t start, int64_t end, int64_t *from, int64_t *to) {
    const int64_t *slots = j->in.slot_bounds;
    *from = start > j->begin ? start : j->begin;
    *to = end;
    if (!j->is_fixed) return;
    if (*to > j->end) *to = j->end;
    if (j->in.n_slots == 0 || *to <= *from) return;
    /* extends the interval to whole slots */
    uint32_t last = bound_before(j, *to);
    *from = slots[bound_before(j, *from)];
    *to = slots[last] < *to ? slots[last + 1] : slots[last];
}

int32_t judge_refuse(const struct judge *j, uint32_t place, const char *format, ...) {
    char text[LSCHED_MESSAGE_BYTES];
    va_list ap;
    va_start(ap, format);
    vsnprintf(text, sizeof text, format, ap);
    va_end(ap);
    uint32_t i = j->places[place].item, task = j->places[place].task;
    lsched_pack_item item = {.name = {NULL, 0}};
    if (i < j->in.n_items) judge_item(j, i, &item);
    lsched_text name = arg_text(item.name);
    int32_t rc = fail(j->err, LSCHED_E_STATE, "place %u (item %u%s%.*s%s, task %u): %s", place, i,
                      name.len ? " '" : "", (int)(name.len > 60 ? 60 : name.len), name.ptr,
                      name.len ? "'" : "", task, text);
    if (j->err && j->err->size >= offsetof(lsched_error, message)) j->err->index = place;
    return rc;
}

int64_t judge_capped(wide_u128 price) {
    return price > JUDGE_MOST ? JUDGE_MOST : (int64_t)price;
}

int64_t judge_hours(int64_t us, int64_t price) {
    return judge_capped((wide_mul((uint64_t)us, (uint64_t)price) + 3599999999u) / 3600000000u);
}

void judge_pay(struct judge *j, int64_t price) {
    j->info.price_micro = judge_capped((wide_u128)j->info.price_micro + (wide_u128)price);
    j->compared = judge_capped((wide_u128)j->compared + (wide_u128)price);
}

void judge_transition(struct judge *j, int64_t price, uint32_t n) {
    uint64_t patience = j->opts.patience_milli ? j->opts.patience_milli : 1500;
    wide_u128 plain = wide_mul((uint64_t)price, n);
    wide_u128 each = (wide_mul((uint64_t)price, patience) + 999) / 1000;
    j->info.price_micro = judge_capped((wide_u128)j->info.price_micro + plain);
    j->info.transition_micro = judge_capped((wide_u128)j->info.transition_micro + plain);
    j->compared = judge_capped((wide_u128)j->compared + each * n);
}
