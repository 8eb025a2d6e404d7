/*
 * random_mig.h -- devices that are cut into instances, and tasks that ask for them, for hosts that
 * do anything.
 */
#ifndef TESTS_RANDOM_MIG_H
#define TESTS_RANDOM_MIG_H

#include <libsched/libsched.h>

#include "property/chance.h"

/* Makes the device one in mode MIG: any of three tables, mostly with something standing, sometimes
 * never to be recut. */
static inline void random_mig_device(struct chance *c, lsched_device_desc *d) {
    static const lsched_mig_instance h100[] = {
        {{"3g.40gb", 7}, 0, 0}, {{"1g.10gb", 7}, 4, 0}, {{"1g.20gb", 7}, 6, 0}};
    static const lsched_mig_instance a100[] = {
        {{"4g.20gb", 7}, 0, 0}, {{"1g.5gb+me", 9}, 5, 0}, {{"1g.5gb", 6}, 6, 0}};
    static const lsched_mig_instance a30[] = {{{"1g.6gb", 6}, 1, 0}, {{"2g.12gb", 7}, 2, 0}};
    static const struct {
        lsched_text table;
        const lsched_mig_instance *stands;
        uint32_t n;
    } kinds[] = {{{"h100-80gb", 9}, h100, 3}, {{"a100-40gb", 9}, a100, 3}, {{"a30", 3}, a30, 2}};
    uint32_t k = chance_below(c, 3);
    d->share_mode = LSCHED_SHARING_MIG;
    d->mig_table = kinds[k].table;
    d->instances = kinds[k].stands;
    d->n_instances = chance_below(c, kinds[k].n + 1);
    d->mig_static = chance_one_in(c, 4) ? 1 : 0;
}

/* One instance, rarely two on two devices. */
static inline void random_mig_request(struct chance *c, lsched_device_request *q) {
    static const lsched_text profiles[] = {{"1g.10gb", 7}, {"1g.10gb", 7}, {"1g.10gb+me", 10},
                                           {"2g.20gb", 7}, {"3g.40gb", 7}, {"7g.80gb", 7},
                                           {"1g.5gb", 6},  {"3g.20gb", 7}, {"2g.12gb", 7}};
    lsched_init(q, sizeof *q);
    q->mig_profile = profiles[chance_below(c, sizeof profiles / sizeof *profiles)];
    q->devices = chance_one_in(c, 8) ? 2 : 1;
    q->order = chance_one_in(c, 6) ? LSCHED_DEVICE_ORDER_SPREAD : LSCHED_DEVICE_ORDER_AS_PLACED;
}

#endif
