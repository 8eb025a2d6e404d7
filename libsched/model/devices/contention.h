/*
 * contention.h -- counts, for each device that tasks can share, the tasks of each kind of work, and
 * says beside which of them a task may not be (work_kind.h has the kinds and their table).
 *
 * The rule: a task takes no share of a device if, for a task that holds or is to get a share of it,
 * the slow-down of one of the two beside the other is above the bound of the table. The rule looks
 * at pairs, as the tables of the literature do that measure them: Bubble-Up (Mars et al., MICRO
 * 2011), Gandiva (Xiao et al., OSDI 2018), Gavel (Narayanan et al., OSDI 2020), Orion (Strati et
 * al., EuroSys 2024). A MIG instance shares nothing, and a whole device has one task. So only tasks
 * with shares of devices in the modes `fraction`, `mps` and `time-slice` count.
 *
 * The preference: if the table has `avoid`, a task takes, of the devices that it may take, those
 * with the least harm. The harm of a device is a sum over the tasks that hold a share of it and the
 * two directions: what the new task suffers beside each, and what each suffers beside it. Of a
 * slow-down above `avoid`, the sum counts what is above 1.0; of another one, nothing. So the sum is
 * in thousandths of a task's time. It adds up pairs, because a table of pairs knows no more.
 *
 * While there is a table, each node with such devices has a block of CROWD rows from
 * NODE.CROWD_FIRST on: one row for each device and each kind of the table. COUNT is the number of
 * tasks of the kind that hold the device, releasing tasks included. COMING is the number of
 * releasing tasks less the number of nominated ones, as COMING_MILLI is for shares. So every rule
 * about times (enum device_when) is the rule for shares, and a placement on trial counts, too.
 *
 * Cost without a table: a comparison for each hold that changes, and for each device tried. With
 * one: O(devices of the hold) for a change; O(kinds that are barred) for each device tried, if the
 * kind bars any. With `avoid`, O(kinds) for each device whose harm is compared. A new table costs
 * O(shapes x kinds + nodes + tasks) once.
 *
 * Why there is no list of neighbours for each device: the question is only whether a kind is there,
 * and a list would have to be walked for each device of each node that is looked at.
 */
#ifndef LIBSCHED_CONTENTION_H
#define LIBSCHED_CONTENTION_H

#include "model/shapes/placement.h"
#include "model/shapes/work_kind.h"

#define CONTENTION_HARM_MAX ((uint32_t)INT32_MAX)

/* Returns 1 if several tasks can share the device. */
static inline int contention_can_be(const struct columns *k, uint32_t device) {
    uint8_t mode = k->c[C_DEVICE_SHARE].u8[device];
    return mode != LSCHED_SHARING_WHOLE && mode != LSCHED_SHARING_MIG;
}
/* Returns how many tasks of the kinds `barred` (one bit each) hold the device at the time `when`:
 * for DEVICE_NOW, those that hold it now or will later. */
uint32_t contention_beside(const struct columns *k, uint32_t device, uint32_t barred,
                           enum device_when when);
/* Returns 1 if a task of the shape may not take a share of the device at the time `when`, because
 * of the tasks beside it. */
static inline int contention_bars(const struct columns *k, uint32_t device, uint32_t shape,
                                  enum device_when when) {
    uint32_t barred = when == DEVICE_EMPTY ? 0 : work_kind_barred(k, shape);
    return barred && contention_beside(k, device, barred, when) > 0;
}
/* Returns 1 if a nominated task of the shape, with this hold, will have a task beside it that it
 * may not be beside. */
int contention_will_bar(const struct columns *k, uint32_t node, uint32_t shape,
                        const struct hold *h);
/* Returns the harm of one more task of the shape on the device at the time `when`, at most
 * CONTENTION_HARM_MAX; 0 if the policy avoids nothing, or the shape has no kind. */
uint32_t contention_harm(const struct columns *k, uint32_t device, uint32_t shape,
                         enum device_when when);
/* True if contention_harm() of the shape can be above 0. */
static inline int contention_avoids(const struct columns *k, uint32_t shape) {
    return k->c[C_SHAPE_WORK].u8[shape] && work_kinds(k)->avoid;
}
/* Adds `held` to the tasks that hold the devices of the hold, and `coming` to those that are
 * expected to leave. */
void contention_count(struct columns *k, uint32_t node, uint32_t shape, const struct hold *h,
                      int held, int coming);

/* Makes the CROWD rows of a node, if there is a table; the node must have no tasks yet. Can return
 * LSCHED_E_NOMEM. contention_node_drop() frees them, with the same errors. */
int32_t contention_node_add(struct columns *k, uint32_t node);
int32_t contention_node_drop(struct columns *k, uint32_t node);
/* Puts a table into force: its kinds are given to all shapes, the tasks on all devices are counted
 * again, and nodes whose tasks had or get a bound count as grown, because jobs can fit now. The
 * same table again changes nothing. NULL or n 0: no table. Can return LSCHED_E_NOMEM. */
int32_t contention_follow(struct columns *k, const struct contention_table *t);

#endif
