/* device_part.c -- see device_part.h. */
#include "model/shapes/device_part.h"

#include "base/wide.h"

/* Returns amount / all in thousandths, rounded up. The caller ensures that all > 0 and amount <=
 * all. */
static uint32_t device_milli_up(int64_t amount, int64_t all) {
    wide_i128 scaled = (wide_i128)amount * DEVICE_WHOLE + all - 1;
    return (uint32_t)(scaled / all);
}

uint8_t device_isolation(const struct device_kind *kind) {
    return kind->mode == LSCHED_SHARING_MPS && kind->overcommit_milli <= DEVICE_WHOLE
               ? LSCHED_ISOLATE_MEMORY
               : LSCHED_ISOLATE_NONE;
}

static int64_t in_proportion(int64_t amount, uint32_t milli) {
    return (int64_t)((wide_i128)amount * milli / DEVICE_WHOLE);
}

struct device_part device_part_all(const struct device_kind *kind) {
    wide_i128 limit = (wide_i128)kind->memory * kind->overcommit_milli / DEVICE_WHOLE;
    return (struct device_part){.milli = DEVICE_WHOLE,
                                .sm_count = kind->sm_count,
                                .memory = kind->memory,
                                .limit =
                                    limit > LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)limit};
}

/* Returns the amounts of a task that has the device alone and is charged with the whole device. */
static struct device_part device_part_alone(const struct device_kind *kind, int64_t memory) {
    return (struct device_part){
        .milli = DEVICE_WHOLE, .sm_count = kind->sm_count, .memory = memory, .limit = kind->memory};
}

static uint32_t charge_of(const struct device_kind *kind, const struct device_ask *ask) {
    uint32_t charge = ask->milli;
    if (ask->memory > kind->memory || ask->sm_count > kind->sm_count) return DEVICE_WHOLE;
    if (ask->memory) {
        uint32_t by_memory = device_milli_up(ask->memory, kind->memory);
        charge = by_memory > charge ? by_memory : charge;
    }
    if (ask->sm_count) {
        uint32_t by_sm_count = device_milli_up(ask->sm_count, kind->sm_count);
        charge = by_sm_count > charge ? by_sm_count : charge;
    }
    return charge ? charge : 1;
}

int device_part_of(const struct device_kind *kind, const struct device_ask *ask,
                   struct device_part *part) {
    uint32_t charge = charge_of(kind, ask);
    int64_t memory = ask->memory;
    if (memory == 0) memory = in_proportion(kind->memory, ask->milli ? ask->milli : charge);
    int enough = ask->memory <= kind->memory && ask->sm_count <= kind->sm_count;
    if (charge == DEVICE_WHOLE || ask->isolation > device_isolation(kind)) {
        *part = device_part_alone(kind, memory);
        return enough && kind->mode != LSCHED_SHARING_MIG;
    }
    int64_t limit = ask->limit < kind->memory ? ask->limit : kind->memory;
    *part = (struct device_part){.milli = charge,
                                 .sm_count = ask->sm_count,
                                 .memory = memory,
                                 .limit = limit > memory ? limit : memory};
    return kind->mode != LSCHED_SHARING_WHOLE && kind->mode != LSCHED_SHARING_MIG;
}
