/*
 * layout_table.h -- the least number of devices for each combination of wanted instances.
 *
 * A combination s has from 0 to wanted[p] instances of each profile p. devices(0) is 0, and
 * devices(s) is 1 + the least of devices(s - min(fill, s)) over the greatest fills of a device:
 * some device of a best layout for s has a subset of a greatest fill, and taking all of min(fill,
 * s) from it leaves no more for the others. Therefore the numbers are exact, for any number of
 * devices.
 *
 * Why not a search over layouts of all devices: equal devices can be exchanged, and eight H100
 * have 215 million layouts, but the mixes of eighty jobs have 170,000 combinations. Cost: 40 fills
 * x combinations, at most LAYOUT_STATES.
 */
#ifndef LIBSCHED_LAYOUT_TABLE_H
#define LIBSCHED_LAYOUT_TABLE_H

#include "forecast/sizing/device_fills.h"

#define LAYOUT_STATES ((size_t)1 << 20)

struct layout_table {
    const struct device_fills *fills;
    uint32_t wanted[FILL_PROFILES];
    size_t radix[FILL_PROFILES]; /* distance between combinations that differ by one instance */
    size_t n_states;
    uint32_t *devices; /* room for LAYOUT_STATES */
    uint8_t *choice;   /* the fill that one of the devices has; room for LAYOUT_STATES */
};

/* Returns the number of combinations, LAYOUT_STATES + 1 if there are more. */
size_t layout_states(const uint32_t *wanted, uint32_t n_profiles);
/* Computes the table for wanted[], which has at most LAYOUT_STATES combinations. */
void layout_table_make(struct layout_table *table, const uint32_t *wanted);

/* A combination, how many devices it needs and what it is worth. */
struct layout_pick {
    size_t state;
    uint32_t devices;
    uint64_t milli;
    uint32_t served[FILL_PROFILES];
};
/* Picks the combination with the greatest sum of charges that n_devices can have; among equals the
 * one with the fewest devices. */
struct layout_pick layout_pick_most(const struct layout_table *table, uint32_t n_devices);
/* Picks the combination that leaves the least unused on its devices, measured by device_milli, what
 * a device can be worth at most; among equals the greatest. For pools of which it is one part. */
struct layout_pick layout_pick_dense(const struct layout_table *table, uint32_t n_devices,
                                     uint32_t device_milli);
/* Takes one device out of the combination *state. Returns its instances, 0 if the state is
 * empty. */
uint64_t layout_take(const struct layout_table *table, size_t *state);

#endif
