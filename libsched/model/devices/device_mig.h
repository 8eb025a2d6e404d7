/*
 * device_mig.h -- devices in mode MIG: which instances stand on them, which are used, and what a
 * task takes.
 *
 * SHARED.GEOMETRY of a device: the instances that stand (mig.h). MIG_BUSY: slices under those that
 * tasks hold; MIG_COMING: of these, slices of tasks that leave; MIG_CLAIMED: slices that nominated
 * tasks claim. A task holds one instance of its shape's profile on each of its devices; hold.starts
 * says where they begin.
 *
 * A placement that cuts a new instance puts it into GEOMETRY at once and takes the idle ones out
 * that are in its way; the device's bit in hold.recut tells the host to do the same, and is kept
 * until the placement is confirmed: if it never is, the instance goes with it. The idle ones do not
 * come back: forgetting them costs a cut at most, as a cut destroys whatever is idle in its way.
 *
 * Invariants: GEOMETRY is legal; MIG_BUSY is the slices of the tasks that hold something; what a
 * task holds stands as an instance, unless an import put two tasks on one slice: then one of the
 * two stands, and when it goes the other. An instance that nobody holds lies on no slice that
 * somebody does: an import that came later says that it is not there. A slice comes when all tasks
 * that hold it leave.
 */
#ifndef LIBSCHED_DEVICE_MIG_H
#define LIBSCHED_DEVICE_MIG_H

#include "model/devices/device.h"
#include "model/mig/mig.h"

static inline int device_is_mig(const struct columns *k, uint32_t device) {
    return k->c[C_DEVICE_SHARE].u8[device] == LSCHED_SHARE_MIG;
}
/* Is it a matter of instances whether the device takes a task of the shape: one of the two knows
 * nothing else. */
static inline int device_mig_asked(const struct columns *k, uint32_t device, uint32_t shape) {
    return device_is_mig(k, device) || k->c[C_SHAPE_MIG_SLICES].u8[shape];
}
/* The table of a device in mode MIG; NULL for others. */
const struct mig_table *device_mig_table(const struct columns *k, uint32_t device);
/* Number of the shape's profile in it; MIG_NONE: the shape asks for none, or not of this table. */
uint32_t device_mig_profile(const struct columns *k, const struct mig_table *t, uint32_t shape);

/* Slices that are taken. */
uint32_t device_mig_used(const struct columns *k, uint32_t device, enum device_when when);
/* True if the shape asks for the media engines (+me), which exist once, and a claim counts on them,
 * or a task that does not leave has them: beside others that leave, which the layout still shows.
 * O(tasks on the node) for such shapes. */
int device_mig_awaited(const struct columns *k, uint32_t device, uint32_t shape);
/* Could the device give an instance if these slices were taken. */
int device_mig_could(const struct columns *k, uint32_t device, uint32_t shape, uint32_t used);
/* Which it would give; 0: none. *lost: worth that goes with it (mig.h). */
int device_mig_choose(const struct columns *k, uint32_t device, uint32_t shape,
                      enum device_when when, struct mig_choice *choice, uint64_t *lost);
/* Could it be this one. */
int device_mig_allows(const struct columns *k, uint32_t device, uint32_t shape,
                      enum device_when when, uint32_t start, struct mig_choice *choice);

/* Slices under an instance of the shape's profile that begins there. */
uint32_t device_mig_bits(const struct columns *k, uint32_t device, uint32_t shape, uint32_t start);
static inline uint32_t hold_start(const struct hold *h, uint32_t index) {
    return (uint32_t)(h->starts >> 4 * index & 15);
}

/* One device of a hold, by its number in the node. What gives back has left the node's list of
 * tasks already. Giving back is O(tasks on the node), and so is an import onto held slices. */
void device_mig_take(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                     const struct hold *h);
void device_mig_give(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                     const struct hold *h);
/* A claim comes (on 1) or goes; or a task that holds it begins to leave, when its leaving row
 * stands in the node's list, or does so no more. */
void device_mig_claim(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                      const struct hold *h, int on);
void device_mig_leave(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                      const struct hold *h, int on);
/* The host recut the device by itself: 1, or 0 and nothing changed if an instance that is in use
 * would go or one that is not would lie on slices in use. */
int device_mig_set(struct columns *k, uint32_t node, uint32_t index, uint32_t geometry);
/* True if a claim will not be met: what it names, slices or media engines, is neither free nor
 * comes. O(tasks on the node) for the latter. */
int device_mig_short(const struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                     const struct hold *h);

#endif
