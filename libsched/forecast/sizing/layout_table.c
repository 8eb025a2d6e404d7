/* layout_table.c -- see layout_table.h. */
#include "forecast/sizing/layout_table.h"

size_t layout_states(const uint32_t *wanted, uint32_t n_profiles) {
    size_t states = 1;
    for (uint32_t p = 0; p < n_profiles; p++) {
        states *= (size_t)wanted[p] + 1;
        if (states > LAYOUT_STATES) return LAYOUT_STATES + 1;
    }
    return states;
}

/* Moves to the next combination. The first profile changes fastest. */
static void layout_next(const struct layout_table *t, uint32_t *counts) {
    for (uint32_t p = 0; p < t->fills->n_profiles; p++) {
        if (counts[p] < t->wanted[p]) {
            counts[p]++;
            return;
        }
        counts[p] = 0;
    }
}

/* Returns the combination that is left when a device with the fill is taken out of `counts`. */
static size_t layout_without(const struct layout_table *t, size_t state, const uint32_t *counts,
                             uint64_t fill) {
    for (uint32_t p = 0; p < t->fills->n_profiles; p++) {
        uint32_t n = fill_of(fill, p);
        state -= t->radix[p] * (n < counts[p] ? n : counts[p]);
    }
    return state;
}

void layout_table_make(struct layout_table *t, const uint32_t *wanted) {
    uint32_t counts[FILL_PROFILES] = {0};
    size_t n = 1;
    for (uint32_t p = 0; p < t->fills->n_profiles; p++) {
        t->wanted[p] = wanted[p];
        t->radix[p] = n;
        n *= (size_t)wanted[p] + 1;
    }
    t->n_states = n;
    t->devices[0] = 0;
    t->choice[0] = 0;
    for (size_t state = 1; state < n; state++) {
        layout_next(t, counts);
        uint32_t best = UINT32_MAX;
        for (uint32_t i = 0; i < t->fills->n_greatest; i++) {
            size_t rest = layout_without(t, state, counts, t->fills->greatest[i]);
            if (rest == state || t->devices[rest] >= best) continue;
            best = t->devices[rest];
            t->choice[state] = (uint8_t)i;
        }
        t->devices[state] = best + 1;
    }
}

static void layout_counts(const struct layout_table *t, size_t state, uint32_t *counts) {
    for (uint32_t p = 0; p < t->fills->n_profiles; p++) {
        counts[p] = (uint32_t)(state % ((size_t)t->wanted[p] + 1));
        state /= (size_t)t->wanted[p] + 1;
    }
}

static uint64_t layout_worth(const struct layout_table *t, const uint32_t *counts) {
    uint64_t sum = 0;
    for (uint32_t p = 0; p < t->fills->n_profiles; p++)
        sum += (uint64_t)counts[p] * t->fills->profiles[p].milli;
    return sum;
}

/* device_milli 0: picks the most; otherwise what leaves the least unused. */
static struct layout_pick layout_pick(const struct layout_table *t, uint32_t n_devices,
                                      uint32_t device_milli) {
    struct layout_pick best = {0};
    uint32_t counts[FILL_PROFILES] = {0};
    uint64_t best_loss = UINT64_MAX;
    for (size_t state = 1; state < t->n_states; state++) {
        layout_next(t, counts);
        uint32_t devices = t->devices[state];
        if (devices > n_devices) continue;
        uint64_t milli = layout_worth(t, counts), all = (uint64_t)devices * device_milli;
        uint64_t loss = all > milli ? all - milli : 0;
        if (loss > best_loss) continue;
        if (loss == best_loss && milli < best.milli) continue;
        if (loss == best_loss && milli == best.milli && devices >= best.devices) continue;
        best_loss = loss;
        best = (struct layout_pick){.state = state, .devices = devices, .milli = milli};
    }
    layout_counts(t, best.state, best.served);
    return best;
}

struct layout_pick layout_pick_most(const struct layout_table *t, uint32_t n_devices) {
    return layout_pick(t, n_devices, 0);
}

struct layout_pick layout_pick_dense(const struct layout_table *t, uint32_t n_devices,
                                     uint32_t device_milli) {
    return layout_pick(t, n_devices, device_milli);
}

uint64_t layout_take(const struct layout_table *t, size_t *state) {
    uint32_t counts[FILL_PROFILES] = {0};
    uint64_t taken = 0;
    if (*state == 0) return 0;
    uint64_t fill = t->fills->greatest[t->choice[*state]];
    layout_counts(t, *state, counts);
    for (uint32_t p = 0; p < t->fills->n_profiles; p++) {
        uint32_t n = fill_of(fill, p);
        taken += (n < counts[p] ? n : counts[p]) * fill_one(p);
    }
    *state = layout_without(t, *state, counts, fill);
    return taken;
}
