/*
 * device_mig.h -- devices in mode MIG: their MIG instances, which instances are used, and what a
 * task takes.
 *
 * SHARED.GEOMETRY of a device: the existing instances (mig.h). MIG_BUSY: memory slices under
 * instances that tasks hold; MIG_COMING: the slices of MIG_BUSY that only releasing tasks hold;
 * MIG_CLAIMED: slices for which tasks are nominated. A task holds one instance of its shape's
 * profile on each of its devices; hold.starts has the first slice of each.
 *
 * A placement that needs a new instance puts it into GEOMETRY at once and removes the idle
 * instances that overlap it. The device's bit in hold.recut tells the orchestrator to do the
 * same, and is kept until the placement is confirmed. If the placement is never confirmed, the
 * new instance is removed with it. The removed idle instances are not restored: this costs one
 * repartition at most, because a repartition destroys idle instances in its way anyway.
 *
 * Invariants: GEOMETRY is a legal layout; MIG_BUSY is the union of the slices of the tasks that
 * hold something. What a task holds is an instance in GEOMETRY, unless an import put two tasks on
 * one slice. In that case one of the two instances is in GEOMETRY, and the other instance is
 * added when the first is gone. An idle instance never overlaps a slice that a task holds,
 * because a later import proves that the idle instance does not exist. A slice counts as coming
 * when all tasks that hold it are releasing.
 */
#ifndef LIBSCHED_DEVICE_MIG_H
#define LIBSCHED_DEVICE_MIG_H

#include "model/devices/device.h"
#include "model/mig/mig.h"

static inline int device_is_mig(const struct columns *k, uint32_t device) {
    return k->c[C_DEVICE_SHARE].u8[device] == LSCHED_SHARE_MIG;
}
/* Returns 1 if MIG instances decide whether the device takes a task of the shape: the device has
 * only instances, or the shape accepts only an instance. */
static inline int device_mig_asked(const struct columns *k, uint32_t device, uint32_t shape) {
    return device_is_mig(k, device) || k->c[C_SHAPE_MIG_SLICES].u8[shape];
}
/* Returns the table of a device in mode MIG; NULL for other devices. */
const struct mig_table *device_mig_table(const struct columns *k, uint32_t device);
/* Returns the index of the shape's profile in the table; MIG_NONE if the shape has no profile or
 * the table lacks it. */
uint32_t device_mig_profile(const struct columns *k, const struct mig_table *t, uint32_t shape);

/* Returns the mask of taken slices. */
uint32_t device_mig_used(const struct columns *k, uint32_t device, enum device_when when);
/* Returns 1 if the shape needs the media engines (+me) of the device and these are not available:
 * a nominated task counts on them, or a task that is not releasing holds them. GEOMETRY alone does
 * not show this: GEOMETRY has no nominations, and where an import put two tasks on one slice,
 * GEOMETRY can have the instance of a releasing task, and not the instance with the media engines
 * of the task that keeps running. O(tasks on the node) for such shapes. */
int device_mig_awaited(const struct columns *k, uint32_t device, uint32_t shape);
/* Returns 1 if the device could give an instance while the slices `used` are taken. */
int device_mig_could(const struct columns *k, uint32_t device, uint32_t shape, uint32_t used);
/* Chooses the instance that the device would give to the task. Returns 0 if there is none. *lost:
 * the worth that the device loses (mig.h). */
int device_mig_choose(const struct columns *k, uint32_t device, uint32_t shape,
                      enum device_when when, struct mig_choice *choice, uint64_t *lost);
/* Returns 1 if the device could give the instance that begins at `start`. */
int device_mig_allows(const struct columns *k, uint32_t device, uint32_t shape,
                      enum device_when when, uint32_t start, struct mig_choice *choice);

/* Returns the mask of slices under an instance of the shape's profile that begins at `start`. */
uint32_t device_mig_bits(const struct columns *k, uint32_t device, uint32_t shape, uint32_t start);
static inline uint32_t hold_start(const struct hold *h, uint32_t index) {
    return (uint32_t)(h->starts >> 4 * index & 15);
}

/* Take and give back one device of a hold; index: of the device in the node. When device_mig_give()
 * is called, the task is no longer in the node's list of tasks. device_mig_give() costs O(tasks on
 * the node), and so does device_mig_take() for an import onto slices that are held. */
void device_mig_take(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                     const struct hold *h);
void device_mig_give(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                     const struct hold *h);
/* device_mig_claim() adds (on 1) or removes the nomination of a task. device_mig_leave() adds (on
 * 1) or removes the slices of a releasing task from MIG_COMING; the releasing row is in the
 * node's list already when it is called with on 1. */
void device_mig_claim(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                      const struct hold *h, int on);
void device_mig_leave(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                      const struct hold *h, int on);
/* Sets the layout that the orchestrator gave to the device on its own initiative, not because of a
 * decision of the library. Returns 1, or 0 and changes nothing if an instance in use would be gone
 * or an idle one would overlap slices in use. */
int device_mig_set(struct columns *k, uint32_t node, uint32_t index, uint32_t geometry);
/* Returns 1 if a nomination cannot be carried out: the slices or media engines that it needs are
 * neither free nor coming. O(tasks on the node) for media engines. */
int device_mig_short(const struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                     const struct hold *h);

#endif
