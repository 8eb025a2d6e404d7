/* hook_merit.c -- see hook_merit.h. */
#include "engine/policy_hooks/hook_merit.h"

#include "base/wide.h"
#include "model/devices/contention.h"
#include "model/devices/device_select.h"
#include "model/devices/device_select_ranked.h"
#include "model/shapes/work_kind.h"
#include "model/store/steps.h"

/* ---- speeds ---- */

uint32_t hook_merit_kind(const struct policy *p, const struct columns *k, uint32_t shape,
                         int *is_named) {
    const struct speed_table *t = &p->desc.speeds;
    if (!p->ops || t->n == 0) return 0;
    const struct padded_names kinds = PADDED_NAMES(t->name, t->n);
    uint32_t kind = work_kind_named(k, shape, &kinds);
    if (is_named) *is_named = kind != 0;
    return kind ? kind : t->others;
}

uint32_t hook_merit_model(const struct speed_table *t, const struct columns *k, uint32_t device) {
    const struct padded_names models = PADDED_NAMES(t->model, t->n_models);
    return padded_find(&models,
                       text_of(k, intern_text(k, T_STRING, k->c[C_DEVICE_MODEL].u32[device])));
}

/* Returns the speed of a kind on the model of a device. */
static uint32_t speed_on(const struct speed_table *t, const struct columns *k, uint32_t kind,
                         uint32_t device) {
    uint32_t model = hook_merit_model(t, k, device);
    return model ? t->milli[kind][model - 1] : SPEED_MILLI_NONE;
}

/* Added to what counts of a node without a price: 32 powers of two, see quotient_digits. */
#define MERIT_WITHOUT_PRICE (INT64_C(32) << 23)

/* Returns a number below 2^30 that keeps the order of the quotients n / d whose first 24 binary
 * digits differ, whatever their size: it has the power of two of the quotient, and these digits.
 * Equal quotients have equal numbers. n is from 1 to 2^27, d at least 1. */
static int64_t quotient_digits(uint64_t n, uint64_t d) {
    int up_n = __builtin_clzll(n), up_d = __builtin_clzll(d);
    uint64_t q = wide_mul_div(n << up_n, UINT64_C(1) << 32, d << up_d, UINT64_MAX);
    int more = (int)(q >> 32); /* the quotient has 32 digits or 33 */
    return ((int64_t)(up_d - up_n + more + 64) << 23) + (int64_t)(q >> (8 + more));
}

/* Returns what counts of a speed on a node: more is better. A price is that of the node, divided
 * evenly between its devices; a node without a price is better than any other. */
static int64_t merit_worth(const struct speed_table *t, const struct columns *k, uint32_t node,
                           uint32_t milli) {
    uint64_t price = t->by_price ? (uint64_t)k->c[C_NODE_PRICE].i64[node] : 0;
    if (price) return quotient_digits((uint64_t)milli * k->c[C_NODE_N_DEVICES].u8[node], price);
    return quotient_digits(milli, 1) + (t->by_price ? MERIT_WITHOUT_PRICE : 0);
}

/* ---- merits ---- */

static int64_t merit_on(const struct lsched_cycle *cy, uint32_t node, uint32_t shape,
                        uint32_t kind) {
    const struct speed_table *t = &cy->c->policy.policy.desc.speeds;
    const struct columns *k = cy->k;
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node], slowest = UINT32_MAX;
    uint64_t harm = 0;
    struct hold hold;
    if (!device_select(k, node, shape, DEVICE_NOW, NULL, &hold)) return 0;
    DEVICE_SET_EACH(m, hold.mask) {
        uint32_t speed = kind ? speed_on(t, k, kind - 1, first + m.at) : 0;
        if (speed < slowest) slowest = speed;
        if (contention_avoids(k, shape)) harm += device_harm(k, first + m.at, shape, DEVICE_NOW);
    }
    if (harm > UINT32_MAX) harm = UINT32_MAX;
    return (kind ? merit_worth(t, k, node, slowest) * (INT64_C(1) << 32) : 0) - (int64_t)harm;
}

uint32_t hook_merit_slowest(const struct lsched_cycle *cy, uint32_t node, uint32_t kind,
                            const struct hold *hold) {
    const struct speed_table *t = &cy->c->policy.policy.desc.speeds;
    uint32_t first = cy->k->c[C_NODE_DEVICE_FIRST].u32[node], slowest = UINT32_MAX;
    DEVICE_SET_EACH(m, hold->mask) {
        uint32_t speed = speed_on(t, cy->k, kind - 1, first + m.at);
        if (speed < slowest) slowest = speed;
    }
    return slowest;
}

int64_t hook_merit_worth(const struct lsched_cycle *cy, uint32_t node, uint32_t milli) {
    return merit_worth(&cy->c->policy.policy.desc.speeds, cy->k, node, milli);
}

static void merits(void *user, const struct search_key *key, const uint32_t *nodes, size_t n,
                   int64_t *merit) {
    const struct lsched_cycle *cy = user;
    uint32_t kind = hook_merit_kind(&cy->c->policy.policy, cy->k, key->shape, NULL);
    for (size_t i = 0; i < n; i++) {
        steps_add(cy->k, cy->k->c[C_NODE_N_DEVICES].u8[nodes[i]]);
        merit[i] = merit_on(cy, nodes[i], key->shape, kind);
    }
}

void hook_merit_note(const struct lsched_cycle *cy, const struct search_key *key,
                     struct search_scorer *scorer) {
    const struct columns *k = cy->k;
    uint32_t shape = key->shape;
    if (key->later || !k->c[C_SHAPE_DEVICES].u32[shape]) return;
    if (contention_avoids(k, shape) || hook_merit_kind(&cy->c->policy.policy, k, shape, NULL))
        scorer->merit = merits;
}
