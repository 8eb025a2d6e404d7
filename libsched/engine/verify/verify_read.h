/*
 * verify_read.h -- readers of columns and of canonical bytes, shared by the verifier's files. All
 * files of the verifier require that columns_check() has passed. That check proves that links and
 * lists are sound, so that only values remain to be checked. Sums are 128 bits wide, because an
 * amount in a column can be wrong and therefore large.
 */
#ifndef LIBSCHED_VERIFY_READ_H
#define LIBSCHED_VERIFY_READ_H

#include "base/wide.h"
#include "model/check/check_finding.h"
#include "model/shapes/shape.h"
#include "model/store/intern.h"

static inline uint8_t verify_state_of(const struct columns *k, uint32_t task) {
    return k->c[C_TASK_STATE].u8[task];
}
/* True if the task takes room on its node. An evicted task takes room until it is gone. A nominated
 * task takes no room. */
static inline int verify_holds(const struct columns *k, uint32_t task) {
    uint8_t s = verify_state_of(k, task);
    return s == LSCHED_TASK_PROPOSED || s == LSCHED_TASK_CONFIRMED || s == LSCHED_TASK_RUNNING ||
           s == LSCHED_TASK_RELEASING;
}
/* True if the task counts in its gang and its queue. An evicted task does not count. A nominated
 * task counts. */
static inline int verify_placed(const struct columns *k, uint32_t task) {
    uint8_t s = verify_state_of(k, task);
    return s == LSCHED_TASK_PROPOSED || s == LSCHED_TASK_CONFIRMED || s == LSCHED_TASK_RUNNING ||
           s == LSCHED_TASK_NOMINATED;
}
/* True if the task takes room on a node or is nominated for a node. */
static inline int verify_is_on_node(const struct columns *k, uint32_t task) {
    return verify_holds(k, task) || verify_state_of(k, task) == LSCHED_TASK_NOMINATED;
}
/* True if the task is releasing and not overdue, so that its room is expected to come free. */
static inline int verify_leaves(const struct columns *k, uint32_t task) {
    return verify_state_of(k, task) == LSCHED_TASK_RELEASING && !k->c[C_TASK_STUCK].u8[task];
}
static inline uint32_t verify_group_row(const struct columns *k, uint32_t job, uint32_t group) {
    return k->c[C_JOBSHAPE_GROUP_FIRST].u32[k->c[C_JOB_SHAPE].u32[job]] + group;
}
/* Returns the leaf group of a task, as an index in the groups of its job. */
static inline uint32_t verify_group_of(const struct columns *k, uint32_t task) {
    return k->c[C_LEAF_GROUP].u32[k->c[C_TASK_LEAF].u32[task]];
}
/* Returns the shape with which the task starts. Of the alternatives of the leaf group, it is the
 * one that the group uses. */
static inline uint32_t verify_leaf_shape(const struct columns *k, uint32_t task) {
    uint32_t row = verify_group_row(k, k->c[C_TASK_JOB].u32[task], verify_group_of(k, task)),
             a = k->c[C_LEAF_ALTERNATIVE].u8[k->c[C_TASK_LEAF].u32[task]];
    return group_alternative(k, row, a < k->c[C_GROUP_N_ALTERNATIVES].u32[row] ? a : 0);
}
/* Returns the shape by which the task is charged: that of its leaf group, or what its size says. */
static inline uint32_t verify_shape(const struct columns *k, uint32_t task) {
    uint32_t size = k->c[C_TASK_SIZE].u32[task];
    return size ? k->c[C_RESIZE_SHAPE].u32[size - 1] : verify_leaf_shape(k, task);
}
/* The devices that a task holds: device i is bit i % 64 of word i / 64. The verifier decodes
 * TASK.MASK and TASK.STARTS by itself: MASK has the devices below 64. STARTS has the first memory
 * slices of a task that asks for MIG instances, and the devices from 64 on of any other task. */
struct verify_devices {
    uint64_t word[2];
};
static inline struct verify_devices verify_devices_of(const struct columns *k, uint32_t task) {
    struct verify_devices v = {{k->c[C_TASK_MASK].u64[task], 0}};
    uint64_t more = k->c[C_TASK_STARTS].u64[task];
    if (more && k->c[C_SHAPE_MIG_SLICES].u8[verify_shape(k, task)] == 0) v.word[1] = more;
    return v;
}
static inline uint64_t verify_starts_of(const struct columns *k, uint32_t task) {
    uint64_t more = k->c[C_TASK_STARTS].u64[task];
    return more && k->c[C_SHAPE_MIG_SLICES].u8[verify_shape(k, task)] ? more : 0;
}
static inline int verify_has_device(const struct verify_devices *v, uint32_t i) {
    return i < 128 && (v->word[i / 64] >> i % 64 & 1);
}
/* True if the task holds a device with the index n or a greater one. */
static inline int verify_exceeds(const struct verify_devices *v, uint32_t n) {
    if (n >= 128) return 0;
    if (n >= 64) return (v->word[1] >> (n - 64)) != 0;
    return v->word[1] || (v->word[0] >> n) != 0;
}
/* The devices as a hexadecimal number for a message. */
struct verify_devices_text {
    char text[40];
};
struct verify_devices_text verify_devices_shown(const struct verify_devices *v);
static inline uint32_t verify_queue_of(const struct columns *k, uint32_t task) {
    return k->c[C_JOB_QUEUE].u32[k->c[C_TASK_JOB].u32[task]];
}
static inline uint32_t verify_device_row(const struct columns *k, uint32_t node, uint32_t i) {
    return k->c[C_NODE_DEVICE_FIRST].u32[node] + i;
}
static inline uint32_t verify_kinds(const struct columns *k) {
    return (uint32_t)meta(k, M_N_KINDS);
}
/* Converts an amount to 64 bits for a message. An amount beyond 64 bits is wrong in any case; it
 * becomes the nearest 64-bit number. */
static inline long long verify_shown(wide_i128 v) {
    return v > INT64_MAX ? INT64_MAX : v < INT64_MIN ? INT64_MIN : (long long)v;
}

/* Calls `check` for each live row of the table. The function stops at the first error and returns
 * it. */
int32_t verify_each(struct check *c, uint32_t table, int32_t (*check)(struct check *, uint32_t));
/* Compares a counter of the cluster with the number that was counted again. `what` is the word for
 * the counted things in the message. */
int32_t verify_counter(struct check *c, uint32_t word, uint64_t found, const char *what);
/* Looks up the label with the key in an interned set of labels, and sets *value to its value.
 * Returns 1 if the set has the label, else 0. */
int verify_label(const struct columns *k, uint32_t labels, lsched_text key, lsched_text *value);
/* Adds the amount to the sum of queue q and of each queue above it. The sum of a queue is
 * sums[queue * stride]. */
void verify_add_up(const struct columns *k, uint32_t q, wide_i128 *sums, size_t stride,
                   wide_i128 amount);
/* Returns the lowest queue on both paths from a and from b to their roots; a queue is on its own
 * path. Returns NO_ROW if there is none. */
uint32_t verify_common_ancestor(const struct columns *k, uint32_t a, uint32_t b);
/* Returns the queue directly below `above` on the path from q to the root. Returns q if q is
 * `above`. */
uint32_t verify_top_below(const struct columns *k, uint32_t q, uint32_t above);
/* Returns the domain of the node at a level of the topology, NO_ROW if there is none. */
uint32_t verify_domain(const struct columns *k, uint32_t node, uint32_t topology, uint32_t level);
/* Moves the reader behind a list: the number of elements, then the fields of each element. `fields`
 * has one letter for each field:
 *   u  a 32-bit word
 *   i  64 bits
 *   t  a text
 *   T  a list of texts */
void verify_skip_list(struct reader *r, const char *fields);
/* Return readers in the canonical bytes of a shape: verify_selectors at the number of its label
 * selectors, verify_steps at the number of the steps of its demand, and verify_section at the start
 * of one optional section. The last reader is empty if the shape has no such section. */
struct reader verify_selectors(const struct columns *k, uint32_t shape);
struct reader verify_steps(const struct columns *k, uint32_t shape);
struct reader verify_section(const struct columns *k, uint32_t shape, uint32_t tag);

#endif
