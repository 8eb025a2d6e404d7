/*
 * device_mig.h -- devices in mode MIG: their MIG instances, the instances that tasks hold, and
 * the instance with its slices and media units that a task takes.
 *
 * Columns of SHARED for one device:
 *   GEOMETRY: the existing instances (mig.h)
 *   MIG_BUSY: memory slices under instances that tasks hold
 *   MIG_COMING: the slices of MIG_BUSY that only releasing tasks hold
 *   MIG_CLAIMED: slices for which tasks are nominated
 * A task holds one instance of its shape's profile on each of its devices; hold.starts has the
 * first memory slice of each instance.
 *
 * A placement that needs a new instance puts it into GEOMETRY at once and removes the idle
 * instances that overlap it. The device's bit in hold.recut tells the orchestrator to make the
 * instance, too. The bit is kept until the placement is confirmed. If the placement is withdrawn
 * or rejected, the new instance is removed. The removed idle instances are not restored. If one
 * of them is needed later, this costs at most one repartition, because a repartition destroys all
 * idle instances in its way.
 *
 * Invariants: GEOMETRY is a legal layout; MIG_BUSY is the union of the slices that tasks hold.
 * Each instance that a task holds is in GEOMETRY, unless an import put two tasks on one slice. In
 * that case one of the two instances is in GEOMETRY, and the other instance is added when the
 * first instance is given back. An idle instance never overlaps a slice that a task holds: if an
 * import names a task on a slice under an idle instance, that instance does not exist any more
 * and is removed. A slice is in MIG_COMING when all tasks that hold the slice are releasing.
 */
#ifndef LIBSCHED_DEVICE_MIG_H
#define LIBSCHED_DEVICE_MIG_H

#include "model/devices/device.h"
#include "model/mig/mig.h"

static inline int device_is_mig(const struct columns *k, uint32_t device) {
    return k->c[C_DEVICE_SHARE].u8[device] == LSCHED_SHARING_MIG;
}
/* Returns 1 if MIG instances decide whether the device can take a task of the shape, because the
 * device is in mode MIG or the shape accepts only MIG instances. */
static inline int device_mig_asked(const struct columns *k, uint32_t device, uint32_t shape) {
    return device_is_mig(k, device) || k->c[C_SHAPE_MIG_SLICES].u8[shape];
}
/* Returns the table of MIG profiles of a device in mode MIG; NULL for other devices. */
const struct mig_table *device_mig_table(const struct columns *k, uint32_t device);
/* Returns the index of the shape's profile in the table; MIG_NONE if the shape has no profile or
 * the table does not have the profile. */
uint32_t device_mig_profile(const struct columns *k, const struct mig_table *t, uint32_t shape);

/* Returns the mask of the device's memory slices that are taken at the time `when`. */
uint32_t device_mig_used(const struct columns *k, uint32_t device, enum device_when when);
/* Returns 1 if the shape needs the media engines (+me) of the device, and another task needs
 * them: a nominated task, or a placed task that is not releasing. GEOMETRY alone does not show
 * this. First, GEOMETRY has no nominations. Second, if an import put two tasks on one slice,
 * GEOMETRY can have the instance of a releasing task instead of the instance with the media
 * engines. Cost: O(tasks on the node) for shapes that need media engines. */
int device_mig_awaited(const struct columns *k, uint32_t device, uint32_t shape);
/* Returns 1 if the device could give an instance for the shape while the slices `used` are
 * taken. */
int device_mig_could(const struct columns *k, uint32_t device, uint32_t shape, uint32_t used);
/* Chooses the instance that the device would give to a task of the shape, and sets *lost to the
 * worth that the device would lose (mig.h). Returns 0 if the device has no instance for the
 * task. */
int device_mig_choose(const struct columns *k, uint32_t device, uint32_t shape,
                      enum device_when when, struct mig_choice *choice, uint64_t *lost);
/* Returns 1 if the device could give a task of the shape the instance that begins at memory slice
 * `start`. */
int device_mig_allows(const struct columns *k, uint32_t device, uint32_t shape,
                      enum device_when when, uint32_t start, struct mig_choice *choice);

/* Returns the mask of memory slices under an instance of the shape's profile that begins at slice
 * `start`. */
uint32_t device_mig_bits(const struct columns *k, uint32_t device, uint32_t shape, uint32_t start);
static inline uint32_t hold_start(const struct hold *h, uint32_t index) {
    return index < DEVICE_MIG_INDEXES ? (uint32_t)(h->starts >> 4 * index & 15) : 0;
}

/* device_mig_take() takes the instance on one device of a hold; device_mig_give() gives it back.
 * index: index of the device in the node. Before device_mig_give() is called, the task must have
 * left the node's list of tasks. device_mig_give() costs O(tasks on the node). device_mig_take()
 * costs the same for an import onto slices that other tasks hold. */
void device_mig_take(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                     const struct hold *h);
void device_mig_give(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                     const struct hold *h);
/* device_mig_claim() adds (on 1) or removes (on 0) the nomination of a task. device_mig_leave()
 * adds the slices of a releasing task to MIG_COMING (on 1), or removes them (on 0). Before
 * device_mig_leave() is called with on 1, the releasing row must be in the node's list of tasks. */
void device_mig_claim(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                      const struct hold *h, int on);
void device_mig_leave(struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                      const struct hold *h, int on);
/* Sets a layout that the orchestrator gave to the device without a decision of the library.
 * Returns 1. If an instance that a task holds would be missing, or an idle instance would overlap
 * slices that tasks hold, the function changes nothing and returns 0. */
int device_mig_set(struct columns *k, uint32_t node, uint32_t index, uint32_t geometry);
/* Returns 1 if a nomination cannot be carried out, because its slices or media engines are
 * neither free nor expected to come free. Costs O(tasks on the node) if the nomination needs
 * media engines. */
int device_mig_short(const struct columns *k, uint32_t node, uint32_t index, uint32_t shape,
                     const struct hold *h);

#endif
