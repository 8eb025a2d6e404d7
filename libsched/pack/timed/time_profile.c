/* time_profile.c -- see time_profile.h. */
#include "pack/timed/time_profile.h"

#include "model/mig/mig.h"
#include "pack/cost/cost.h"
#include "pack/cost/cost_loss.h"

/* Returns the greatest number of breakpoints that all bins can have together. A demand profile can
 * have one at every slot bound. */
static uint64_t most_points(const struct pack_problem *p) {
    uint64_t of_task = p->has_profiles ? (uint64_t)p->n_slots + 1 : 2;
    if (of_task < 2) of_task = 2;
    return 1 + p->n_bins + of_task * p->n_tasks + 2 * (uint64_t)p->n_blocks;
}

/* ---- needs ---- */

static void fill_shape(const struct mig_table *table, uint32_t profile, struct time_shape *out) {
    uint32_t media = table->profiles[profile].media ? TIME_MEDIA_BIT : 0;
    uint32_t left = table->profiles[profile].starts;
    /* The highest start comes first: profile 3g at slice 4, 2g at slice 4 and 1g at slice 6 leave
     * the largest contiguous ranges of slices free. */
    while (left) {
        uint32_t s = 31 - (uint32_t)__builtin_clz(left);
        left &= ~(1u << s);
        out->windows[out->n_starts] = mig_bits(table, profile, s) | media;
        out->starts[out->n_starts++] = (uint8_t)s;
    }
}

static uint32_t count_tables(void) {
    uint32_t n = 0;
    while (mig_table_at(n)) n++;
    return n;
}

static void fill_shapes(struct time_shape *shapes) {
    const struct mig_table *table;
    shapes[0] = (struct time_shape){.n_starts = 1};
    shapes[1] = (struct time_shape){.n_starts = 0};
    for (uint32_t i = 0; (table = mig_table_at(i)) != NULL; i++)
        for (uint32_t k = 0; k < table->n_profiles; k++)
            fill_shape(table, k, &shapes[2 + i * MIG_PROFILES_MAX + k]);
}

void time_need_of(const struct time_profile *t, uint32_t config, uint32_t class_row,
                  struct time_need *out) {
    const struct pack_problem *p = t->p;
    const struct pack_config *c = &p->configs[config];
    out->config = c;
    out->class_in = &p->classes[class_row];
    out->amounts = p->amounts + c->amounts;
    out->sigmas = c->sigmas == PACK_NO_SIGMA ? NULL : p->sigmas + c->sigmas;
    out->shape = &t->shapes[0];
    if (c->profile == PACK_NO_SLICE) return;
    uint32_t profile =
        out->class_in->mig ? pack_profile_in(p, class_row, c->profile) : PACK_NO_SLICE;
    out->shape =
        profile == PACK_NO_SLICE
            ? &t->shapes[1]
            : &t->shapes[2 + mig_table_number(out->class_in->mig) * MIG_PROFILES_MAX + profile];
}

uint32_t time_slot_of(const struct time_need *need, uint32_t slice) {
    uint32_t slot = 0;
    if (need->config->profile == PACK_NO_SLICE) return 0;
    while (slot < need->shape->n_starts && need->shape->starts[slot] != slice) slot++;
    return slot;
}

void time_profile_new(struct time_profile *t, const struct pack_problem *p,
                      struct pack_arena *arena) {
    uint64_t n = most_points(p);
    t->p = p;
    t->n_points = (uint32_t)n;
    t->points = pack_take(arena, n, sizeof *t->points);
    t->loads = pack_take(arena, n * p->n_resources, sizeof *t->loads);
    t->shapes =
        pack_take(arena, 2 + (uint64_t)count_tables() * MIG_PROFILES_MAX, sizeof *t->shapes);
    if (t->shapes) fill_shapes(t->shapes);
    t->variances = NULL;
    if (p->has_soft) t->variances = pack_take(arena, n * p->n_resources, sizeof *t->variances);
}

/* Copies the amounts and sigmas that the need has in the k-th slot of its profile. For a constant
 * demand, k is 0. */
static void amounts_in(const struct time_profile *t, const struct time_need *need, uint32_t k,
                       int32_t *amounts, int32_t *sigmas) {
    uint32_t span = need->config->is_profile ? need->config->n_span : 1;
    for (uint32_t r = 0; r < t->p->n_resources; r++) {
        amounts[r] = need->amounts[(uint64_t)r * span + k];
        sigmas[r] = need->sigmas ? need->sigmas[(uint64_t)r * span + k] : 0;
    }
}

/* ---- fit ---- */

/* True if these amounts fit in addition to the load from this breakpoint to the next one. */
static int point_fits(const struct time_profile *t, const struct time_need *need, uint32_t point,
                      const int32_t *amounts, const int32_t *sigmas) {
    const struct pack_problem *p = t->p;
    const int64_t *load = t->loads + (uint64_t)point * p->n_resources;
    if (!t->variances) {
        for (uint32_t r = 0; r < p->n_resources; r++)
            if (load[r] + amounts[r] > need->class_in->capacity[r] && amounts[r]) return 0;
        return 1;
    }
    const uint64_t *var = t->variances + (uint64_t)point * p->n_resources;
    for (uint32_t r = 0; r < p->n_resources; r++) {
        int64_t sum = load[r] + amounts[r], sigma = sigmas ? sigmas[r] : 0;
        if (!amounts[r] && !sigma) continue;
        if (!p->resources[r].soft) {
            if (sum > need->class_in->capacity[r]) return 0;
        } else if (!pack_soft_fits(sum, var[r] + (uint64_t)(sigma * sigma),
                                   need->class_in->capacity[r], p->resources[r].z_milli))
            return 0;
    }
    return 1;
}

/* Returns the last breakpoint of the bin at or before an instant. */
static uint32_t point_at(struct time_profile *t, uint32_t bin, int64_t at) {
    uint32_t i = 1 + bin;
    while (t->points[i].next && t->points[t->points[i].next].from <= at) {
        i = t->points[i].next;
        t->steps++;
    }
    return i;
}

int64_t time_next_event(struct time_profile *t, uint32_t bin, int64_t after) {
    uint32_t next = t->points[point_at(t, bin, after)].next;
    return next ? t->points[next].from : TIME_NEVER;
}

/* Returns a mask of the need's starts (bit k: shape->starts[k]) at which the item, which has a
 * demand profile, fits in the bin. The time of a demand profile is fixed. */
static uint32_t profile_fits(struct time_profile *t, uint32_t bin, const struct time_need *need) {
    int32_t amounts[LSCHED_PACK_RESOURCES_MAX], sigmas[LSCHED_PACK_RESOURCES_MAX];
    const struct pack_config *c = need->config;
    uint32_t i = point_at(t, bin, t->p->slot[c->first_slot]);
    uint32_t fits = (1u << need->shape->n_starts) - 1;
    for (uint32_t k = 0; k < c->n_span; k++) {
        int64_t from = t->p->slot[c->first_slot + k], to = t->p->slot[c->first_slot + k + 1];
        while (t->points[i].next && t->points[t->points[i].next].from <= from)
            i = t->points[i].next;
        amounts_in(t, need, k, amounts, sigmas);
        for (uint32_t j = i; j && t->points[j].from < to; j = t->points[j].next) {
            t->steps++;
            if (!point_fits(t, need, j, amounts, sigmas)) return 0;
            for (uint32_t slot = 0; slot < need->shape->n_starts; slot++)
                if (t->points[j].mask & need->shape->windows[slot]) fits &= ~(1u << slot);
        }
    }
    return fits;
}

/* The search for the earliest time at which an item can start, for each first memory slice that it
 * can have. */
struct start_search {
    const struct time_need *need;
    /* `latest` is the latest start; `first` is the earliest start that was found */
    int64_t latest, first;
    /* for each first slice, the time from which the task fits there without interruption */
    int64_t since[8];
    int64_t *starts;
};

/* Continues the search over an interval that ends at `to`, in which the slices of `mask` are in
 * use. `fits` says if the item's amounts fit in the interval. Returns the number of first slices
 * for which a start can still be found. */
static uint32_t search_span(struct start_search *s, int fits, uint32_t mask, int64_t to) {
    uint32_t open = 0;
    for (uint32_t k = 0; k < s->need->shape->n_starts; k++) {
        if (s->starts[k] != TIME_NEVER) continue;
        if (!fits || (mask & s->need->shape->windows[k])) {
            s->since[k] = to;
        } else if (s->since[k] <= s->latest &&
                   time_end_of(s->since[k], s->need->config->duration) <= to) {
            s->starts[k] = s->since[k];
            if (s->since[k] < s->first) s->first = s->since[k];
        }
        open += s->starts[k] == TIME_NEVER && s->since[k] <= s->latest;
    }
    return open;
}

int64_t time_starts(struct time_profile *t, uint32_t bin, const struct time_need *need,
                    int64_t from, int64_t latest, int enough, int64_t starts[8]) {
    struct start_search s = {.need = need, .latest = latest, .first = TIME_NEVER, .starts = starts};
    uint32_t n = need->shape->n_starts, open = n;
    for (uint32_t k = 0; k < n; k++) {
        s.since[k] = from;
        starts[k] = TIME_NEVER;
    }
    if (from > latest || n == 0) return TIME_NEVER;
    if (need->config->is_profile) {
        uint32_t fits = profile_fits(t, bin, need);
        for (uint32_t k = 0; k < n; k++) starts[k] = fits >> k & 1 ? from : TIME_NEVER;
        return fits ? from : TIME_NEVER;
    }
    for (uint32_t i = point_at(t, bin, from); i && open; i = t->points[i].next) {
        uint32_t next = t->points[i].next;
        int fits = point_fits(t, need, i, need->amounts, need->sigmas);
        t->steps++;
        open = search_span(&s, fits, t->points[i].mask, next ? t->points[next].from : TIME_NEVER);
        if (enough && s.first != TIME_NEVER) break;
    }
    return s.first;
}

/* ---- adding and removing ---- */

/* Returns the breakpoint at the instant `at`, and creates it if it does not exist. `i` must be a
 * breakpoint of the bin at or before `at`. */
static uint32_t split(struct time_profile *t, uint32_t i, int64_t at) {
    while (t->points[i].next && t->points[t->points[i].next].from <= at) {
        i = t->points[i].next;
        t->steps++;
    }
    if (t->points[i].from == at) return i;
    uint32_t made = t->free, n = t->p->n_resources;
    t->free = t->points[made].next;
    t->points[made] = t->points[i];
    t->points[made].from = at;
    t->points[made].refs = 0;
    t->points[i].next = made;
    for (uint32_t r = 0; r < n; r++) {
        t->loads[(uint64_t)made * n + r] = t->loads[(uint64_t)i * n + r];
        if (t->variances) t->variances[(uint64_t)made * n + r] = t->variances[(uint64_t)i * n + r];
    }
    return made;
}

/* Adds amounts to the load over [from, to) (sign 1), or subtracts them (sign -1). It also adjusts
 * the reference counts of the breakpoints at `from` and `to`. Returns the last breakpoint before
 * `to`. */
static uint32_t time_profile_change(struct time_profile *t, uint32_t near, int64_t from, int64_t to,
                                    const int32_t *amounts, const int32_t *sigmas, uint32_t mask,
                                    int sign, int is_task) {
    uint32_t n = t->p->n_resources, i = split(t, near, from), last = i;
    t->points[i].refs += (uint32_t)sign;
    if (to != TIME_NEVER) t->points[split(t, i, to)].refs += (uint32_t)sign;
    for (; i && t->points[i].from < to; i = t->points[i].next) {
        t->points[i].mask ^= mask;
        t->points[i].running += (uint32_t)(sign * is_task);
        for (uint32_t r = 0; r < n; r++) {
            t->loads[(uint64_t)i * n + r] += sign * (int64_t)amounts[r];
            if (!t->variances || !sigmas) continue;
            uint64_t square = (uint64_t)((int64_t)sigmas[r] * sigmas[r]);
            t->variances[(uint64_t)i * n + r] += sign > 0 ? square : 0 - square;
        }
        t->steps++;
        last = i;
    }
    return last;
}

/* Removes the breakpoints of the bin in [from, to] whose reference count is 0. */
static void time_profile_sweep(struct time_profile *t, uint32_t bin, int64_t from, int64_t to) {
    uint32_t i = 1 + bin, next;
    while ((next = t->points[i].next) != 0 && t->points[next].from <= to) {
        if (t->points[next].from >= from && t->points[next].refs == 0) {
            t->points[i].next = t->points[next].next;
            t->points[next].next = t->free;
            t->free = next;
        } else
            i = next;
    }
}

static void change_need(struct time_profile *t, uint32_t bin, const struct time_need *need,
                        int64_t start, uint32_t slot, int sign) {
    const struct pack_config *c = need->config;
    int64_t end = time_end_of(start, c->duration);
    uint32_t near = 1 + bin;
    if (!c->is_profile) {
        time_profile_change(t, near, start, end, need->amounts, need->sigmas,
                            need->shape->windows[slot], sign, 1);
    } else {
        int32_t amounts[LSCHED_PACK_RESOURCES_MAX], sigmas[LSCHED_PACK_RESOURCES_MAX];
        start = t->p->slot[c->first_slot];
        end = t->p->slot[c->first_slot + c->n_span];
        for (uint32_t k = 0; k < c->n_span; k++) {
            amounts_in(t, need, k, amounts, sigmas);
            near = time_profile_change(t, near, t->p->slot[c->first_slot + k],
                                       t->p->slot[c->first_slot + k + 1], amounts, sigmas,
                                       need->shape->windows[slot], sign, 1);
        }
    }
    if (sign < 0) time_profile_sweep(t, bin, start, end);
}

void time_add(struct time_profile *t, uint32_t bin, const struct time_need *need, int64_t start,
              uint32_t slot) {
    change_need(t, bin, need, start, slot, 1);
}

void time_remove(struct time_profile *t, uint32_t bin, const struct time_need *need, int64_t start,
                 uint32_t slot) {
    change_need(t, bin, need, start, slot, -1);
}

void time_profile_reset(struct time_profile *t) {
    const struct pack_problem *p = t->p;
    for (uint32_t i = 0; i < t->n_points; i++) {
        t->points[i] = (struct time_point){.from = INT64_MIN, .next = i + 1, .refs = 1};
        if (i <= p->n_bins) t->points[i].next = 0;
    }
    t->points[t->n_points - 1].next = 0;
    t->free = t->n_points > p->n_bins + 1 ? p->n_bins + 1 : 0;
    uint64_t heads = ((uint64_t)p->n_bins + 1) * p->n_resources;
    for (uint64_t i = 0; i < heads; i++) {
        t->loads[i] = 0;
        if (t->variances) t->variances[i] = 0;
    }
    for (uint32_t i = 0; i < p->n_blocks; i++) {
        const struct pack_block *b = &p->blocks[i];
        time_profile_change(t, 1 + b->bin, b->from, b->to, p->amounts + b->amounts, NULL,
                            b->mig_slices, 1, 0);
    }
}
