/*
 * problem_read.h -- copies elements of the orchestrator's arrays into structs of this version of
 * the library. pack_problem_check reads each element with arg_struct, which reports errors. Code
 * that runs later uses the functions below, which assume that the problem is checked.
 */
#ifndef LIBSCHED_PACK_PROBLEM_READ_H
#define LIBSCHED_PACK_PROBLEM_READ_H

#include <string.h>

#include "base/call_args.h"
#include "pack/problem/problem.h"

/* Copies the problem struct to *to and fills in the strides of its arrays. */
static inline int32_t read_problem(lsched_pack_problem *to, const lsched_pack_problem *from,
                                   lsched_error *err) {
    int32_t rc = arg_struct(to, (uint32_t)sizeof *to, from, 0, "problem", err);
    if (rc != LSCHED_OK) return rc;
    size_t resource = 0, class = 0, item = 0, reservation = 0;
    rc = arg_stride(to->resources, to->n_resources, to->resource_size, "resources", &resource, err);
    if (rc == LSCHED_OK)
        rc = arg_stride(to->classes, to->n_classes, to->class_size, "classes", &class, err);
    if (rc == LSCHED_OK)
        rc = arg_stride(to->items, to->n_items, to->item_size, "items", &item, err);
    if (rc == LSCHED_OK)
        rc = arg_stride(to->reservations, to->n_reservations, to->reservation_size, "reservations",
                        &reservation, err);
    to->resource_size = (uint32_t)resource;
    to->class_size = (uint32_t) class;
    to->item_size = (uint32_t)item;
    to->reservation_size = (uint32_t)reservation;
    return rc;
}

static inline const void *element_at(const void *first, uint64_t i, size_t stride) {
    return (const unsigned char *)first + i * stride;
}

/* Copies element i of an array with this stride into *to. The element's first field is its size in
 * bytes. Fields beyond that size become 0 in *to. Before the call, pack_problem_check must have
 * accepted the array. */
static inline void read_element(void *to, size_t to_size, const void *first, uint64_t i,
                                size_t stride) {
    uint32_t size;
    const void *from = element_at(first, i, stride);
    memcpy(&size, from, sizeof size);
    memset(to, 0, to_size);
    memcpy(to, from, size < to_size ? size : to_size);
}

/* These functions give every field of a copied element its meaning: a time whose flag is missing
 * gets the flag and the value that stands for no such time. The code of the packer reads the values
 * and not the flags. */
#define PACK_NEVER_MOVED_US INT64_MIN
static inline void item_fill_in(lsched_pack_item *item) {
    if (!(item->flags & LSCHED_PACK_ITEM_HAS_LATEST)) item->latest_us = INT64_MAX;
    if (!(item->flags & LSCHED_PACK_ITEM_HAS_DEADLINE)) item->deadline_us = INT64_MAX;
    if (!(item->flags & LSCHED_PACK_ITEM_HAS_MOVED_AT)) item->moved_at_us = PACK_NEVER_MOVED_US;
    item->flags |=
        LSCHED_PACK_ITEM_HAS_LATEST | LSCHED_PACK_ITEM_HAS_DEADLINE | LSCHED_PACK_ITEM_HAS_MOVED_AT;
}

static inline void reservation_fill_in(lsched_pack_reservation *reservation) {
    if (!(reservation->flags & LSCHED_PACK_RESERVATION_HAS_END)) reservation->to_us = INT64_MAX;
    reservation->flags |= LSCHED_PACK_RESERVATION_HAS_END;
}

static inline void class_fill_in(lsched_pack_class *bins) {
    if (bins->count == 0) bins->count = 1;
}

static inline void read_item(lsched_pack_item *to, const lsched_pack_problem *in, uint64_t i) {
    read_element(to, sizeof *to, in->items, i, in->item_size);
    item_fill_in(to);
}

static inline void read_reservation(lsched_pack_reservation *to, const lsched_pack_problem *in,
                                    uint64_t i) {
    read_element(to, sizeof *to, in->reservations, i, in->reservation_size);
    reservation_fill_in(to);
}

static inline void read_class(lsched_pack_class *to, const lsched_pack_problem *in, uint64_t i) {
    read_element(to, sizeof *to, in->classes, i, in->class_size);
    class_fill_in(to);
}

/* Copies config c of an item to *to. */
static inline void read_config(lsched_pack_config *to, const lsched_pack_problem *in,
                               const lsched_pack_item *item, uint32_t c) {
    size_t stride;
    arg_stride(item->configs, 1, in->config_size, "configs", &stride, NULL);
    read_element(to, sizeof *to, item->configs, c, stride);
}

static inline uint32_t tasks_of_item(const lsched_pack_item *item) {
    return item->tasks ? item->tasks : 1;
}

#endif
