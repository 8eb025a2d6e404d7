/*
 * check_bin.c -- checks one bin of a plan (check_bin.h). The judge sorts all instants at which a
 * task or a reservation begins or ends in the bin. For each resource, it records the change of the
 * load at each instant, and adds up the changes from the first instant to the last. Therefore each
 * interval is visited once, however many tasks run in it.
 *
 * MIG is checked for each memory slice: the judge records the instance that used the slice last,
 * and the end of that use. An instance exists already if all of its slices were last used by an
 * instance of the same profile with the same first slice. Otherwise the bin must create the
 * instance.
 *
 * The judge computes the expected overload in floating point from the error function; therefore it
 * also checks the packer's table. The results of judge and packer agree within 0.1 % plus one
 * micro-unit per bin.
 */
#include "base/fixed.h"
#include "model/mig/mig.h"
#include "pack/judge/check_bin.h"

/* ---- instants ---- */

static void sink(int64_t *at, uint32_t root, uint32_t n) {
    int64_t value = at[root];
    for (uint32_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && at[child + 1] > at[child]) child++;
        if (at[child] <= value) break;
        at[root] = at[child];
    }
    at[root] = value;
}

static void sort_instants(struct judge *j) {
    for (uint32_t i = j->n_at / 2; i-- > 0;) sink(j->at, i, j->n_at);
    for (uint32_t n = j->n_at; n-- > 1;) {
        int64_t most = j->at[0];
        j->at[0] = j->at[n];
        j->at[n] = most;
        sink(j->at, 0, n);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < j->n_at; i++)
        if (kept == 0 || j->at[i] != j->at[kept - 1]) j->at[kept++] = j->at[i];
    j->n_at = kept;
}

static uint32_t check_bin_row_of(const struct judge *j, int64_t t) {
    uint32_t low = 0, high = j->n_at - 1;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (j->at[mid] < t)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static void span_of_place(const struct judge *j, uint32_t k, int64_t *from, int64_t *to) {
    judge_span(j, j->places[k].start_us, j->places[k].end_us, from, to);
}

static void span_of_block(const struct judge *j, uint32_t b, lsched_pack_reservation *block,
                          int64_t *from, int64_t *to) {
    read_reservation(block, &j->in, b);
    judge_span(j, block->from_us, block->to_us, from, to);
}

static void collect_instants(struct judge *j, uint32_t bin) {
    int64_t from, to;
    uint32_t low = j->in.n_slots, high = 0;
    j->n_at = 0;
    for (uint32_t k = j->first[bin]; k != JUDGE_NONE; k = j->next[k]) {
        lsched_pack_config config;
        judge_config(j, &j->places[k], &config);
        span_of_place(j, k, &from, &to);
        j->at[j->n_at++] = from;
        j->at[j->n_at++] = to;
        if (config.n_slots && config.first_slot < low) low = config.first_slot;
        if (config.n_slots && config.first_slot + config.n_slots > high)
            high = config.first_slot + config.n_slots;
    }
    for (uint32_t b = j->first_block[bin]; b != JUDGE_NONE; b = j->next_block[b]) {
        lsched_pack_reservation block;
        span_of_block(j, b, &block, &from, &to);
        j->at[j->n_at++] = from;
        j->at[j->n_at++] = to;
    }
    for (uint32_t s = low; s <= high && high > 0; s++)
        j->at[j->n_at++] = j->in.slot_bounds[s] > j->begin ? j->in.slot_bounds[s] : j->begin;
    sort_instants(j);
}

/* Returns the microseconds from instant i to the next instant; 0 for the last instant. */
static int64_t length_after(const struct judge *j, uint32_t i) {
    if (i + 1 == j->n_at) return 0;
    if (j->at[i + 1] != INT64_MAX) return j->at[i + 1] - j->at[i];
    return j->end > j->at[i] ? j->end - j->at[i] : 0;
}

/* ---- amounts ---- */

/* Returns the number of bits by which amounts of a soft resource are shifted right, so that the
 * sums of squared sigmas fit 128 bits. The remaining precision suffices. Demands are rounded down
 * and capacities up; therefore a valid plan stays valid. */
static uint32_t shift_of(int64_t capacity, int soft) {
    uint32_t shift = 0;
    while (soft && capacity >> shift > (int64_t)1 << 40) shift++;
    return shift;
}

static void check_bin_change(struct judge *j, int64_t from, int64_t to, int64_t amount,
                             int64_t sigma) {
    if (from >= to) return;
    uint32_t low = check_bin_row_of(j, from), high = check_bin_row_of(j, to);
    /* a sigma of 2^51 is greater than any shifted capacity */
    if (sigma > (int64_t)1 << 51) sigma = (int64_t)1 << 51;
    wide_u128 var = wide_mul((uint64_t)sigma, (uint64_t)sigma);
    j->mean[low] += amount;
    j->mean[high] -= amount;
    /* a sum that overflows is correct again after the subtraction, because sums are modulo 2^128 */
    j->var[low] += var;
    j->var[high] -= var;
}

static void change_place(struct judge *j, uint32_t k, uint32_t r, uint32_t shift) {
    const int64_t *slots = j->in.slot_bounds;
    lsched_pack_config c;
    int64_t from, to;
    judge_config(j, &j->places[k], &c);
    span_of_place(j, k, &from, &to);
    if (!c.n_slots) {
        check_bin_change(j, from, to, c.demand ? c.demand[r] >> shift : 0,
                         c.sigma ? c.sigma[r] >> shift : 0);
        return;
    }
    for (uint32_t s = 0; s < c.n_slots; s++) {
        size_t at = (size_t)r * c.n_slots + s;
        int64_t begin = slots[c.first_slot + s], end = slots[c.first_slot + s + 1];
        if (begin < from) begin = from;
        if (end <= begin) continue;
        check_bin_change(j, begin, end, c.demand[at] >> shift, c.sigma ? c.sigma[at] >> shift : 0);
    }
}

static void collect_amounts(struct judge *j, uint32_t bin, uint32_t r, uint32_t shift) {
    memset(j->mean, 0, j->n_at * sizeof *j->mean);
    memset(j->var, 0, j->n_at * sizeof *j->var);
    for (uint32_t k = j->first[bin]; k != JUDGE_NONE; k = j->next[k]) change_place(j, k, r, shift);
    for (uint32_t b = j->first_block[bin]; b != JUDGE_NONE; b = j->next_block[b]) {
        lsched_pack_reservation block;
        int64_t from, to;
        span_of_block(j, b, &block, &from, &to);
        check_bin_change(j, from, to, block.amount ? block.amount[r] >> shift : 0, 0);
    }
}

/* ---- soft resources ---- */

/* Returns the upper tail of the standard normal distribution for u >= 0. For u below 3 it uses a
 * series of the error function, else a continued fraction. */
static double tail(double u, double density) {
    if (u < 3) {
        double term = u, sum = u;
        for (int k = 1; k < 60; k++) {
            term *= u * u / (2 * k + 1);
            sum += term;
        }
        return 0.5 - density * sum;
    }
    double below = u;
    for (int k = 60; k > 0; k--) below = u + k / below;
    return density / below;
}

/* Returns the expected overload E[(X - capacity)+] of a normally distributed load X. */
static double expected_over(double mean, double var, double capacity) {
    double over = mean - capacity;
    if (var <= 0) return over > 0 ? over : 0;
    double sigma = fixed_pow(var, 0.5), u = (over < 0 ? -over : over) / sigma;
    double density = u > 38 ? 0 : 0.39894228040143267794 * fixed_exp(-u * u / 2);
    double loss = density - u * tail(u, density);
    return (over > 0 ? over : 0) + (loss > 0 ? sigma * loss : 0);
}

/* True if mean + z sigma <= capacity, computed without a square root. */
static int check_bin_is_within(wide_i128 mean, wide_u128 var, int64_t capacity, uint32_t z_milli) {
    if (capacity == 0) return mean == 0 && var == 0;
    if (z_milli == 0) return 1;
    if (mean > capacity || var >> 100) return 0;
    uint64_t room = (uint64_t)(capacity - (int64_t)mean);
    return var * z_milli * z_milli <= wide_mul(room, room) * 1000000;
}

static int32_t judge_soft(struct judge *j, const lsched_pack_resource *resource, int64_t capacity,
                          uint32_t bin, uint32_t r) {
    wide_i128 mean = 0;
    wide_u128 var = 0;
    double hours = 0; /* sum of (overload / capacity) x hours */
    for (uint32_t i = 0; i + 1 < j->n_at; i++) {
        mean += j->mean[i];
        var += j->var[i];
        if (j->running[i] == 0) continue;
        if (!check_bin_is_within(mean, var, capacity, resource->z_milli))
            return judge_refuse(
                j, j->first[bin],
                "in bin %u at %lld, the mean plus %u/1000 sigma of resource %u exceeds the "
                "capacity",
                bin, (long long)j->at[i], resource->z_milli, r);
        if (resource->overload_price_micro && capacity > 0)
            hours += expected_over((double)mean, (double)var, (double)capacity) / (double)capacity *
                     ((double)length_after(j, i) / 3.6e9);
    }
    double price = hours * (double)resource->overload_price_micro;
    int64_t micro = price < (double)JUDGE_MOST ? (int64_t)price : JUDGE_MOST;
    judge_pay(j, micro);
    j->info.overload_micro +=
        micro < JUDGE_MOST - j->info.overload_micro ? micro : JUDGE_MOST - j->info.overload_micro;
    return LSCHED_OK;
}

static int32_t judge_hard(struct judge *j, int64_t capacity, uint32_t bin, uint32_t r) {
    wide_i128 sum = 0;
    for (uint32_t i = 0; i + 1 < j->n_at; i++) {
        sum += j->mean[i];
        if (sum > capacity && j->running[i] > 0)
            return judge_refuse(
                j, j->first[bin],
                "bin %u is too full at %lld: items need %lld of resource %u, but it has %lld", bin,
                (long long)j->at[i], (long long)(sum > INT64_MAX ? INT64_MAX : (int64_t)sum), r,
                (long long)capacity);
    }
    return LSCHED_OK;
}

static int32_t judge_amounts(struct judge *j, const struct judge_class *class, uint32_t bin) {
    int32_t rc = LSCHED_OK;
    for (uint32_t r = 0; r < j->in.n_resources && rc == LSCHED_OK; r++) {
        lsched_pack_resource resource;
        read_element(&resource, sizeof resource, j->in.resources, r, j->in.resource_size);
        int64_t capacity = class->given.capacity[r];
        uint32_t shift = shift_of(capacity, (int)resource.soft);
        collect_amounts(j, bin, r, shift);
        if (!resource.soft)
            rc = judge_hard(j, capacity, bin, r);
        else
            rc = judge_soft(j, &resource, (capacity >> shift) + (shift > 0), bin, r);
    }
    return rc;
}

/* ---- hours ---- */

static void count_running(struct judge *j, uint32_t bin) {
    int64_t from, to;
    memset(j->running, 0, j->n_at * sizeof *j->running);
    for (uint32_t k = j->first[bin]; k != JUDGE_NONE; k = j->next[k]) {
        span_of_place(j, k, &from, &to);
        if (from >= to) continue;
        j->running[check_bin_row_of(j, from)]++;
        j->running[check_bin_row_of(j, to)]--;
    }
    for (uint32_t i = 1; i < j->n_at; i++) j->running[i] += j->running[i - 1];
}

static void check_bin_price_hours(struct judge *j, const struct judge_class *class, uint32_t bin) {
    int64_t on_us = 0;
    uint32_t switch_ons = 0;
    for (uint32_t i = 0; i + 1 < j->n_at; i++) {
        if (j->running[i] == 0) continue;
        if (i == 0 || j->running[i - 1] == 0) switch_ons++;
        int64_t us = length_after(j, i);
        on_us = us > JUDGE_MOST - on_us ? JUDGE_MOST : on_us + us;
    }
    if (switch_ons && bin - class->first_bin < class->given.on_now) switch_ons--;
    judge_pay(j, class->given.open_price_micro);
    judge_pay(j, judge_hours(on_us, class->given.on_price_micro_per_hour));
    for (uint32_t i = 0; i < switch_ons; i++) judge_pay(j, class->given.switch_price_micro);
    j->info.bins++;
    j->info.switch_ons += switch_ons;
}

/* ---- MIG ---- */

struct slice {
    int64_t until; /* microseconds; the slice is in use until this instant */
    /* profile and first slice of the instance that covered the slice last; `profile` is JUDGE_NONE
     * if no instance did */
    uint32_t profile, first;
};

static int instance_before(const struct judge_instance *a, const struct judge_instance *b) {
    if (a->from != b->from) return a->from < b->from;
    if ((a->profile == JUDGE_NONE) != (b->profile == JUDGE_NONE)) return a->profile == JUDGE_NONE;
    return a->place < b->place;
}

static void sink_instance(struct judge_instance *a, uint32_t root, uint32_t n) {
    struct judge_instance moving = a[root];
    for (uint32_t child; (child = 2 * root + 1) < n; root = child) {
        if (child + 1 < n && instance_before(&a[child], &a[child + 1])) child++;
        if (!instance_before(&moving, &a[child])) break;
        a[root] = a[child];
    }
    a[root] = moving;
}

static void sort_instances(struct judge_instance *a, uint32_t n) {
    for (uint32_t i = n / 2; i-- > 0;) sink_instance(a, i, n);
    for (uint32_t last = n; last-- > 1;) {
        struct judge_instance top = a[0];
        a[0] = a[last];
        a[last] = top;
        sink_instance(a, 0, last);
    }
}

static void stamp(struct slice *slices, const struct judge_instance *x, int64_t until) {
    for (uint32_t s = 0; s < MIG_SLICES; s++)
        if (x->slices >> s & 1) slices[s] = (struct slice){until, x->profile, x->first};
}

/* Records in `slices` the instances that exist in the bin before the plan: those that items occupy
 * at present. */
static void stamp_now(const struct judge *j, const struct judge_class *class, uint32_t bin,
                      struct slice *slices) {
    uint32_t media = 0;
    for (uint32_t s = 0; s < MIG_SLICES; s++) slices[s] = (struct slice){INT64_MIN, JUDGE_NONE, 0};
    for (uint32_t k = j->first_now[bin]; k != JUDGE_NONE; k = j->next_now[k]) {
        lsched_pack_item item;
        lsched_pack_config config;
        judge_item(j, j->places[k].item, &item);
        read_config(&config, &j->in, &item, item.config_now);
        lsched_text name = arg_text(config.mig_profile);
        uint32_t profile = name.len ? mig_profile_named(class->mig, name) : MIG_NONE, used = 0;
        if (profile == MIG_NONE) continue;
        const struct mig_profile *kind = &class->mig->profiles[profile];
        struct judge_instance x = {
            .slices = ((1u << kind->slices) - 1) << item.slice_now,
            .profile = profile,
            .first = item.slice_now,
        };
        for (uint32_t s = 0; s < MIG_SLICES; s++)
            used |= slices[s].profile != JUDGE_NONE ? 1u << s : 0;
        if (!(kind->starts >> x.first & 1) || (used & x.slices) || (kind->media && media)) continue;
        media |= kind->media;
        stamp(slices, &x, INT64_MIN);
    }
}

/* True if instance *x exists already. If *x must be created and has the media engines, the function
 * removes the present instance with media engines. */
static int check_bin_stands(const struct mig_table *table, struct slice *slices,
                            const struct judge_instance *x) {
    int ready = 1;
    for (uint32_t s = 0; s < MIG_SLICES; s++)
        if (x->slices >> s & 1)
            ready &= slices[s].profile == x->profile && slices[s].first == x->first;
    if (ready || x->profile == JUDGE_NONE || !table->profiles[x->profile].media) return ready;
    for (uint32_t s = 0; s < MIG_SLICES; s++)
        if (slices[s].profile != JUDGE_NONE && table->profiles[slices[s].profile].media)
            slices[s].profile = JUDGE_NONE;
    return 0;
}

static uint32_t collect_instances(struct judge *j, const struct judge_class *class, uint32_t bin,
                                  int32_t *rc) {
    uint32_t n = 0;
    for (uint32_t b = j->first_block[bin]; b != JUDGE_NONE; b = j->next_block[b]) {
        lsched_pack_reservation block;
        struct judge_instance x = {.profile = JUDGE_NONE, .place = b};
        span_of_block(j, b, &block, &x.from, &x.to);
        x.slices = block.mig_slices;
        if (x.from < x.to && x.slices && class->mig) j->instances[n++] = x;
    }
    for (uint32_t k = j->first[bin]; k != JUDGE_NONE; k = j->next[k]) {
        lsched_pack_config c;
        struct judge_instance x = {.place = k, .first = j->places[k].slice};
        judge_config(j, &j->places[k], &c);
        lsched_text name = arg_text(c.mig_profile);
        if (!name.len) continue;
        x.profile = class->mig ? mig_profile_named(class->mig, name) : MIG_NONE;
        if (x.profile == MIG_NONE || x.first >= MIG_SLICES ||
            !(class->mig->profiles[x.profile].starts >> x.first & 1)) {
            *rc = judge_refuse(j, k, "no instance of '%.*s' can begin at slice %u of bin %u",
                               (int)name.len, name.ptr, x.first, bin);
            return 0;
        }
        x.slices = ((1u << class->mig->profiles[x.profile].slices) - 1) << x.first;
        span_of_place(j, k, &x.from, &x.to);
        j->instances[n++] = x;
    }
    sort_instances(j->instances, n);
    return n;
}

static int32_t judge_mig(struct judge *j, const struct judge_class *class, uint32_t bin) {
    struct slice slices[MIG_SLICES];
    int64_t media_until = INT64_MIN;
    int32_t rc = LSCHED_OK;
    uint32_t recuts = 0, n = collect_instances(j, class, bin, &rc);
    if (rc != LSCHED_OK || n == 0 || !class->mig) return rc;
    stamp_now(j, class, bin, slices);
    for (uint32_t i = 0; i < n; i++) {
        const struct judge_instance *x = &j->instances[i];
        int is_task = x->profile != JUDGE_NONE;
        for (uint32_t s = 0; s < MIG_SLICES; s++) {
            if (!(x->slices >> s & 1) || slices[s].until <= x->from) continue;
            uint32_t place = is_task ? x->place : j->first[bin];
            return judge_refuse(
                j, place, "slice %u of bin %u is in use until %lld, but a place needs it at %lld",
                s, bin, (long long)slices[s].until, (long long)x->from);
        }
        if (is_task && class->mig->profiles[x->profile].media) {
            if (media_until > x->from)
                return judge_refuse(j, x->place, "the media engines of bin %u are in use", bin);
            media_until = x->to;
        }
        if (is_task && !check_bin_stands(class->mig, slices, x)) recuts++;
        stamp(slices, x, x->to);
    }
    judge_transition(j, class->given.recut_price_micro, recuts);
    j->info.recuts += recuts;
    return LSCHED_OK;
}

/* Checks that the bin holds at most one task of each item whose tasks must be in different bins.
 * The bin's list of places is sorted by item and task; therefore two tasks of one item would be
 * neighbours in it. */
static int32_t judge_apart(const struct judge *j, uint32_t bin) {
    for (uint32_t k = j->first[bin]; j->next[k] != JUDGE_NONE; k = j->next[k]) {
        lsched_pack_item item;
        uint32_t other = j->next[k];
        if (j->places[k].item != j->places[other].item) continue;
        judge_item(j, j->places[k].item, &item);
        if (item.apart)
            return judge_refuse(
                j, other,
                "bin %u has another task of the item, whose tasks must be in different bins", bin);
    }
    return LSCHED_OK;
}

int32_t judge_bin(struct judge *j, uint32_t bin) {
    struct judge_class class;
    int32_t rc = judge_apart(j, bin);
    if (rc != LSCHED_OK) return rc;
    judge_class(j, bin, &class);
    collect_instants(j, bin);
    count_running(j, bin);
    rc = judge_amounts(j, &class, bin);
    if (rc == LSCHED_OK) rc = judge_mig(j, &class, bin);
    if (rc == LSCHED_OK) check_bin_price_hours(j, &class, bin);
    return rc;
}
