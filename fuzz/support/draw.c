/* draw.c -- see draw.h. */
#include "support/draw.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME_POOL = 12 };

void draw_broken(const char *what, const struct api_driver *d) {
    fprintf(stderr, "step %u: %s (%s: %s)\n", d->steps, what, lsched_error_name(d->err.code),
            d->err.message);
    abort();
}

uint8_t draw_byte(struct api_driver *d) {
    return d->at < d->end ? *d->at++ : 0;
}

uint32_t draw_below(struct api_driver *d, uint32_t n) {
    return draw_byte(d) % n;
}

/* Mostly small multiples of a unit, sometimes what no host should pass. */
int64_t draw_quantity(struct api_driver *d, int64_t unit) {
    static const int64_t extremes[] = {
        -1, 0, 1, INT64_MIN, INT64_MAX, LSCHED_AMOUNT_MAX, LSCHED_AMOUNT_MAX + 1, INT64_MAX - 1};
    uint8_t b = draw_byte(d);
    return b < 244 ? b * unit : extremes[b % 8];
}

/* A name of the pool, or for one byte in 32 one that is empty, long or odd. */
lsched_text draw_name(struct api_driver *d, char prefix) {
    static const lsched_text odd[] = {{NULL, 0}, {"x", 0}, {"a\0b", 3}, {NULL, 3}};
    uint8_t b = draw_byte(d);
    if (b >= 248) return odd[b % 4];
    if (d->n_texts == DRIVER_TEXTS) d->n_texts = 0;
    char *text = d->texts[d->n_texts++];
    int n = snprintf(text, DRIVER_TEXT_BYTES, "%c%d", prefix, b % NAME_POOL);
    return b & 128 ? (lsched_text){text, (uint64_t)n} : lsched_cstr(text);
}

/* Options of a batch: any flags, sometimes unknown ones, sometimes none. */
const lsched_batch_opts *draw_options(struct api_driver *d) {
    uint8_t b = draw_byte(d);
    d->opts = (lsched_batch_opts){sizeof d->opts, b < 250 ? b & 3u : b};
    return b & 64 ? NULL : &d->opts;
}

void draw_remember(struct api_driver *d, lsched_id id) {
    d->ids[d->n_ids++ % DRIVER_IDS] = id;
}

/* The id of a live object of the kind, one seen lately, or any bits. */
lsched_id draw_id(struct api_driver *d, uint32_t kind, char prefix) {
    uint8_t b = draw_byte(d);
    if (b < 200) {
        char text[DRIVER_TEXT_BYTES];
        int n = snprintf(text, sizeof text, "%c%d", prefix, b % NAME_POOL);
        return lsched_find(d->cluster, kind, (lsched_text){text, (size_t)n});
    }
    if (b < 248) return d->ids[b % DRIVER_IDS];
    uint64_t generation = draw_byte(d);
    return (uint64_t)(b & 7) << 60 | generation << 32 | draw_byte(d);
}

lsched_id draw_open_decision(struct api_driver *d) {
    uint32_t skip = draw_byte(d);
    if (skip >= 240) return d->ids[skip % DRIVER_IDS];
    uint64_t cursor = 0;
    lsched_id id = lsched_next(d->cluster, LSCHED_KIND_DECISION, &cursor);
    for (uint32_t i = 0; i < skip % 32 && id; i++)
        id = lsched_next(d->cluster, LSCHED_KIND_DECISION, &cursor);
    return id;
}

const lsched_amount *draw_amounts(struct api_driver *d, uint32_t n) {
    if (d->n_amounts + n > DRIVER_TEXTS) d->n_amounts = 0;
    lsched_amount *list = &d->amounts[d->n_amounts];
    static const int64_t units[] = {1, 500, INT64_C(1) << 30, 250, 1, 1, 1, 1};
    for (uint32_t i = 0; i < n; i++) {
        uint8_t b = draw_byte(d);
        uint32_t kind = 1 + (b + i) % 3;
        if (b >= 224) kind = b & 1 ? LSCHED_RESOURCE_KINDS_MAX + (b >> 1 & 3u) : b % 8u;
        list[i] = (lsched_amount){kind, 0, draw_quantity(d, units[kind % 8])};
    }
    d->n_amounts += n;
    return list;
}

uint64_t draw_image(const struct api_driver *d) {
    uint64_t hash = 0;
    MUST(lsched_cluster_hash(d->cluster, LSCHED_HASH_IMAGE, &hash, NULL) == LSCHED_OK);
    return hash;
}
