/* hook_merit.c -- see hook_merit.h. */
#include "engine/policy_hooks/hook_merit.h"

#include "model/devices/contention.h"
#include "model/devices/device_select.h"
#include "model/devices/device_select_ranked.h"
#include "model/store/steps.h"

/* Returns the harm of a task of the shape on the devices that it would take on the node now. */
static int64_t harm_on(const struct columns *k, uint32_t node, uint32_t shape) {
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    int64_t sum = 0;
    struct hold hold;
    if (!device_select(k, node, shape, DEVICE_NOW, NULL, &hold)) return 0;
    DEVICE_SET_EACH(m, hold.mask) sum += device_harm(k, first + m.at, shape, DEVICE_NOW);
    return sum;
}

static void merits(void *user, const struct search_key *key, const uint32_t *nodes, size_t n,
                   int64_t *merit) {
    struct columns *k = ((struct lsched_cycle *)user)->k;
    for (size_t i = 0; i < n; i++) {
        steps_add(k, k->c[C_NODE_N_DEVICES].u8[nodes[i]]);
        merit[i] = -harm_on(k, nodes[i], key->shape);
    }
}

void hook_merit_note(const struct lsched_cycle *cy, const struct search_key *key,
                     struct search_scorer *scorer) {
    const struct columns *k = cy->k;
    if (!key->later && k->c[C_SHAPE_DEVICES].u32[key->shape] && contention_avoids(k, key->shape))
        scorer->merit = merits;
}
