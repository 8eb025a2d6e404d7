/* mig_plan.c -- see mig_plan.h. Cost of an exact plan: O(devices x states x options of a device),
 * at most MIG_PLAN_WORK. Cost of other plans: O(wanted instances x devices). */
#include <string.h>

#include "model/mig/mig_plan.h"

#include "base/vec.h"

#define OPTIONS_MAX 8192u /* largest number of options of one device */
/* the highest bit of each count in a vector of counts */
#define GUARDS (UINT64_C(0x8080808080808080))
#define NEVER  UINT64_MAX

/* One way to use a device: how many wanted instances of each profile the device gives (`counts`,
 * one byte for each profile), and which instances these are. */
struct option {
    uint64_t counts;
    uint64_t cost, worth;
    uint32_t given; /* geometry that has only the given instances */
    uint32_t state; /* `counts` as the index of a state */
};

/* The best plan found for one state, that is, for one combination of numbers of given instances. */
struct entry {
    uint64_t cost, worth;
};

struct plan {
    struct alloc *alloc;
    const struct mig_table *t;
    const struct mig_state *devices;
    const struct mig_order *order;
    uint32_t n, states;
    uint32_t stride[MIG_PROFILES_MAX];
    struct entry *best; /* best[s]: the best plan for state s */
    uint64_t *counts;   /* counts[s]: the vector of counts of state s */
    uint16_t *choice;   /* [device][state]: option of the device in the best plan */
    /* by state: 1 + the option of the present device with these counts, 0 if none */
    uint16_t *option_of;
    struct option *option; /* options of all different devices, one device after the other */
    /* first[d]: index of the first option of device d; devices + 1 entries */
    uint32_t *first;
    uint32_t n_options, room;
};

/* Returns the target of a device that gives the instances `given`. */
static struct mig_target target_of(const struct mig_table *t, const struct mig_state *d,
                                   uint32_t given) {
    struct mig_target out = {d->geometry, mig_begins(given), 0, 0};
    uint32_t covered = mig_covered(t, given, out.given), media = 0;
    for (uint32_t m = out.given; m; m &= m - 1)
        media |= t->profiles[mig_at(given, (uint32_t)__builtin_ctz(m))].media;
    for (uint32_t m = mig_begins(d->geometry) & ~d->busy; m; m &= m - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(m), p = mig_at(d->geometry, s);
        int kept = mig_at(given, s) == p;
        int in_way = (mig_bits(t, p, s) & covered) || (media && t->profiles[p].media);
        if (kept || !in_way) continue;
        out.destroys |= 1u << s;
        out.geometry = mig_remove(out.geometry, s);
    }
    for (uint32_t m = out.given; m; m &= m - 1) {
        uint32_t s = (uint32_t)__builtin_ctz(m), p = mig_at(given, s);
        if (mig_at(out.geometry, s) == p) continue;
        out.creates |= 1u << s;
        out.geometry = mig_add(out.geometry, p, s);
    }
    return out;
}

static uint64_t cost_of(const struct mig_order *o, const struct mig_target *target) {
    return (uint64_t)o->create_cost * (uint32_t)__builtin_popcount(target->creates) +
           (uint64_t)o->destroy_cost * (uint32_t)__builtin_popcount(target->destroys);
}

/* ---- what one device can give ---- */

/* Adds an option, or, if the device has an option with equal counts already, keeps the better of
 * the two. Can return LSCHED_E_NOMEM, or LSCHED_E_LIMIT if there would be more than OPTIONS_MAX
 * options. */
static int32_t option_offer(struct plan *p, uint32_t first, const struct option *o) {
    uint16_t *slot = &p->option_of[o->state];
    if (*slot) {
        struct option *have = &p->option[first + *slot - 1];
        if (o->cost < have->cost || (o->cost == have->cost && o->worth > have->worth)) *have = *o;
        return LSCHED_OK;
    }
    if (p->n_options - first >= OPTIONS_MAX) return LSCHED_E_LIMIT;
    if (!VEC_ROOM(p->alloc, p->option, p->room, p->n_options + 1)) return LSCHED_E_NOMEM;
    p->option[p->n_options++] = *o;
    *slot = (uint16_t)(p->n_options - first);
    return LSCHED_OK;
}

struct spot {
    uint32_t profile, start, bits;
};

/* Lists the positions at which instances of wanted profiles do not overlap busy instances,
 * ordered by start, then by profile. Returns their number. */
static uint32_t spots_of(const struct plan *p, const struct mig_state *d, struct spot *out) {
    uint32_t n = 0, media = 0;
    for (uint32_t m = mig_begins(d->geometry) & d->busy; m; m &= m - 1) {
        uint32_t q = mig_at(d->geometry, (uint32_t)__builtin_ctz(m));
        media |= q < p->t->n_profiles && p->t->profiles[q].media;
    }
    for (uint32_t s = 0; s < p->t->slices; s++)
        for (uint32_t q = 0; q < p->t->n_profiles; q++) {
            if (!p->order->want[q] || (media && p->t->profiles[q].media)) continue;
            if (mig_starts(p->t, q, d->busy) >> s & 1)
                out[n++] = (struct spot){q, s, mig_bits(p->t, q, s)};
        }
    return n;
}

static int32_t option_of_set(struct plan *p, const struct mig_state *d, uint32_t first,
                             const struct spot *spots, const uint32_t *set, uint32_t n) {
    struct option o = {0, 0, 0, 0, 0};
    uint32_t used = d->busy;
    for (uint32_t i = 0; i < n; i++) {
        const struct spot *at = &spots[set[i]];
        o.counts += (uint64_t)1 << 8 * at->profile;
        o.state += p->stride[at->profile];
        o.given = mig_add(o.given, at->profile, at->start);
        used |= at->bits;
    }
    struct mig_target target = target_of(p->t, d, o.given);
    o.cost = cost_of(p->order, &target);
    o.worth = mig_worth(p->t, used, p->order->weights);
    return option_offer(p, first, &o);
}

/* Returns 1 if the position can be added to the set: its slices are free, one more instance of
 * its profile is wanted, and at most one instance has the media engines. */
static int joins(const struct plan *p, const struct spot *spots, const uint32_t *set, uint32_t n,
                 uint32_t used, const struct spot *at) {
    uint32_t alike = 0, media = p->t->profiles[at->profile].media;
    if (used & at->bits) return 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct spot *other = &spots[set[i]];
        alike += other->profile == at->profile;
        if (media && p->t->profiles[other->profile].media) return 0;
    }
    return alike < p->order->want[at->profile];
}

/* Lists all sets of positions that do not overlap, in lexicographical order; the empty set comes
 * first. */
static int32_t list_options(struct plan *p, const struct mig_state *d) {
    struct spot spots[MIG_SLICES * MIG_PROFILES_MAX];
    uint32_t n_spots = spots_of(p, d, spots), first = p->n_options;
    uint32_t set[MIG_SLICES], used[MIG_SLICES + 1] = {d->busy}, n = 0, next = 0;
    memset(p->option_of, 0, p->states * sizeof *p->option_of);
    int32_t rc = option_of_set(p, d, first, spots, set, 0);
    while (rc == LSCHED_OK) {
        while (next < n_spots && !joins(p, spots, set, n, used[n], &spots[next])) next++;
        if (next < n_spots && n < MIG_SLICES) {
            used[n + 1] = used[n] | spots[next].bits;
            set[n++] = next++;
            rc = option_of_set(p, d, first, spots, set, n);
        } else if (n > 0) {
            next = set[--n] + 1;
        } else {
            break;
        }
    }
    return rc;
}

/* ---- several devices ---- */

/* Adds one device to the table: updates the best plan of every state in place. The loop goes from
 * larger states to smaller ones, because a larger state reads smaller states, which must still
 * have the results without this device. */
static void add_device(struct plan *p, uint32_t device, const struct option *options,
                       uint32_t n_options) {
    uint16_t *choice = p->choice + (size_t)device * p->states;
    for (uint32_t s = p->states; s-- > 0;) {
        struct entry best = {NEVER, 0};
        for (uint32_t i = 0; i < n_options; i++) {
            const struct option *o = &options[i];
            if ((((p->counts[s] | GUARDS) - o->counts) & GUARDS) != GUARDS) continue;
            const struct entry *before = &p->best[s - o->state];
            if (before->cost == NEVER) continue;
            struct entry e = {before->cost + o->cost, before->worth + o->worth};
            if (best.cost != NEVER &&
                (e.cost > best.cost || (e.cost == best.cost && e.worth <= best.worth)))
                continue;
            best = e;
            choice[s] = (uint16_t)i;
        }
        p->best[s] = best;
    }
}

static int32_t solve(struct plan *p, struct mig_target *out, struct mig_result *result) {
    for (uint32_t i = 0; i < p->n; i++) {
        const struct mig_state *d = &p->devices[i];
        if (i > 0 && d->geometry == d[-1].geometry && d->busy == d[-1].busy) {
            p->first[i] = p->first[i - 1];
        } else {
            p->first[i] = p->n_options;
            int32_t rc = list_options(p, d);
            if (rc != LSCHED_OK) return rc;
        }
        uint32_t n = p->n_options - p->first[i];
        if ((uint64_t)n * p->states * p->n > MIG_PLAN_WORK) return LSCHED_E_LIMIT;
        add_device(p, i, p->option + p->first[i], n);
    }
    uint32_t s = p->states - 1;
    result->exact = 1;
    result->found = p->best[s].cost != NEVER;
    if (!result->found) return LSCHED_OK;
    result->cost = p->best[s].cost;
    for (uint32_t i = p->n; i-- > 0;) {
        const struct option *o = &p->option[p->first[i] + p->choice[(size_t)i * p->states + s]];
        out[i] = target_of(p->t, &p->devices[i], o->given);
        s -= o->state;
    }
    return LSCHED_OK;
}

/* Sets the sizes of the table. A state is a combination of one count for each profile, from 0 to
 * the wanted number. Returns 0 if a wanted number or the number of states is too large for an
 * exact plan. */
static int mig_plan_lay_out(struct plan *p) {
    uint64_t states = 1;
    for (uint32_t q = 0; q < p->t->n_profiles; q++) {
        p->stride[q] = (uint32_t)states;
        if (p->order->want[q] > MIG_PLAN_WANT_MAX) return 0;
        states *= p->order->want[q] + 1;
        if (states > MIG_PLAN_STATES) return 0;
    }
    p->states = (uint32_t)states;
    return states * p->n <= MIG_PLAN_CELLS;
}

static int32_t solve_exactly(struct plan *p, struct mig_target *out, struct mig_result *result) {
    struct alloc *a = p->alloc;
    size_t choices = (size_t)p->n * p->states * sizeof *p->choice;
    p->best = alloc_new(a, p->states * sizeof *p->best);
    p->counts = alloc_new(a, p->states * sizeof *p->counts);
    p->option_of = alloc_new(a, p->states * sizeof *p->option_of);
    p->choice = alloc_new(a, choices);
    p->first = alloc_new(a, p->n * sizeof *p->first);
    int32_t rc = LSCHED_E_NOMEM;
    if (p->best && p->counts && p->option_of && p->choice && p->first) {
        for (uint32_t s = 0; s < p->states; s++) {
            p->best[s] = (struct entry){s ? NEVER : 0, 0};
            p->counts[s] = 0;
            for (uint32_t q = 0; q < p->t->n_profiles; q++)
                p->counts[s] |= (uint64_t)(s / p->stride[q] % (p->order->want[q] + 1)) << 8 * q;
        }
        rc = solve(p, out, result);
    }
    alloc_free(a, p->best, p->states * sizeof *p->best);
    alloc_free(a, p->counts, p->states * sizeof *p->counts);
    alloc_free(a, p->option_of, p->states * sizeof *p->option_of);
    alloc_free(a, p->choice, choices);
    alloc_free(a, p->first, p->n * sizeof *p->first);
    alloc_free(a, p->option, p->room * sizeof *p->option);
    return rc;
}

/* ---- orders that are too large for the table: one instance after the other ---- */

/* Adds one more instance of a profile to given[], at the position with the least cost; ties are
 * decided by the least loss of worth. given[i]: geometry of the instances that device i has given
 * up to now. */
static int give_one(const struct plan *p, uint32_t profile, uint32_t *given) {
    uint32_t on = p->n, start = 0;
    uint64_t least = NEVER, loss = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        const struct mig_state *d = &p->devices[i];
        struct mig_target before = target_of(p->t, d, given[i]);
        uint32_t busy = d->busy | mig_covered(p->t, given[i], before.given);
        struct mig_choice c;
        if (!mig_choose(p->t, profile, before.geometry, busy, 1, p->order->weights, &c)) continue;
        uint64_t cost = (uint64_t)p->order->create_cost * c.creates +
                        (uint64_t)p->order->destroy_cost * (uint32_t)__builtin_popcount(c.destroys);
        uint64_t lost = mig_worth(p->t, busy, p->order->weights) -
                        mig_worth(p->t, busy | mig_bits(p->t, profile, c.start), p->order->weights);
        if (cost > least || (cost == least && lost >= loss)) continue;
        on = i;
        start = c.start;
        least = cost;
        loss = lost;
    }
    if (on == p->n) return 0;
    given[on] = mig_add(given[on], profile, start);
    return 1;
}

static int32_t solve_one_by_one(struct plan *p, struct mig_target *out, struct mig_result *result) {
    uint32_t *given = alloc_zero(p->alloc, p->n * sizeof *given);
    if (!given) return LSCHED_E_NOMEM;
    int found = 1;
    for (uint32_t q = p->t->n_profiles; found && q-- > 0;)
        for (uint32_t i = 0; found && i < p->order->want[q]; i++) found = give_one(p, q, given);
    result->exact = 0;
    result->found = (uint32_t)found;
    for (uint32_t i = 0; found && i < p->n; i++) {
        out[i] = target_of(p->t, &p->devices[i], given[i]);
        result->cost += cost_of(p->order, &out[i]);
    }
    alloc_free(p->alloc, given, p->n * sizeof *given);
    return LSCHED_OK;
}

int32_t mig_plan(struct alloc *a, const struct mig_table *t, const struct mig_state *devices,
                 uint32_t n, const struct mig_order *order, struct mig_target *out,
                 struct mig_result *result) {
    struct plan p;
    memset(&p, 0, sizeof p);
    p.alloc = a;
    p.t = t;
    p.devices = devices;
    p.order = order;
    p.n = n;
    *result = (struct mig_result){0, 1, 0};
    for (uint32_t i = 0; i < n; i++) out[i] = (struct mig_target){devices[i].geometry, 0, 0, 0};
    uint64_t wanted = 0;
    for (uint32_t q = 0; q < t->n_profiles; q++) wanted += order->want[q];
    if (wanted == 0 || wanted > (uint64_t)n * MIG_SLICES) {
        result->found = wanted == 0;
        return LSCHED_OK;
    }
    int32_t rc = mig_plan_lay_out(&p) ? solve_exactly(&p, out, result) : LSCHED_E_LIMIT;
    return rc == LSCHED_E_LIMIT ? solve_one_by_one(&p, out, result) : rc;
}
