/* free_timeline.c -- see free_timeline.h. */
#include "algorithms/support/free_timeline.h"

#include <string.h>

#include "algorithms/support/chain_table.h"
#include "base/bisect.h"

void free_timeline_open(struct free_timeline *r, const lsched_algorithm_env *env) {
    memset(r, 0, sizeof *r);
    r->env = env;
    r->free_profile = r->last.from_profile = FREE_TIMELINE_NONE;
}

void free_timeline_close(struct free_timeline *r) {
    env_free(r->env, r->bins, r->cap_bins * sizeof *r->bins);
    env_free(r->env, r->links, r->cap_links * sizeof *r->links);
    env_free(r->env, r->pool, r->cap_pool * sizeof *r->pool);
    env_free(r->env, r->profiles, r->cap_profiles * sizeof *r->profiles);
    env_free(r->env, r->live, r->cap_live * sizeof *r->live);
    env_free(r->env, r->table, r->cap_table * sizeof *r->table);
    env_free(r->env, r->scratch, r->cap_scratch * sizeof *r->scratch);
    env_free(r->env, r->draft, r->cap_draft * sizeof *r->draft);
    env_free(r->env, r->log, r->cap_log * sizeof *r->log);
    env_free(r->env, r->maps, r->cap_maps);
    env_free(r->env, r->in_group, r->cap_in_group * sizeof *r->in_group);
    env_free(r->env, r->split, r->cap_split * sizeof *r->split);
    free_timeline_open(r, r->env);
}

/* ---- the log of profiles ---- */

static void log_skip(struct free_timeline *r) {
    r->changes += (uint64_t)r->cap_log + 1;
}

static void log_profile(struct free_timeline *r, uint32_t profile) {
    r->log[r->changes++ & (r->cap_log - 1)] = profile;
}

/* Makes the log long enough for two changes of each bin. */
static int32_t log_room(struct free_timeline *r, uint32_t bins) {
    uint32_t cap = r->cap_log ? r->cap_log : 1024;
    if (r->cap_log / 2 >= bins) return LSCHED_OK;
    while (cap / 2 < bins) cap *= 2;
    uint32_t *log = env_new(r->env, cap * sizeof *log);
    if (!log) return LSCHED_E_NOMEM;
    env_free(r->env, r->log, r->cap_log * sizeof *r->log);
    r->log = log;
    r->cap_log = cap;
    log_skip(r);
    return LSCHED_OK;
}

void free_timeline_clear(struct free_timeline *r, int64_t now, uint32_t n_kinds) {
    r->now = now;
    r->n_kinds = n_kinds;
    r->n_bins = r->n_pool = r->n_profiles = r->n_live = r->n_maps = 0;
    r->n_groups = 1;
    r->stride = 0;
    r->maps_serial++;
    log_skip(r);
    r->free_profile = r->last.from_profile = FREE_TIMELINE_NONE;
    chain_table_clear(r->table, r->cap_table);
}

/* ---- profiles ---- */

/* Why not memcmp(): there are few kinds, and a call costs more than they do. */
static inline int same_amounts(const struct free_timeline *r, const struct free_timeline_amount *a,
                               const struct free_timeline_amount *b) {
    int64_t differ = 0;
    for (uint32_t k = 0; k < r->n_kinds; k++) differ |= a->of[k] ^ b->of[k];
    return differ == 0;
}

static uint64_t step_hash(const struct free_timeline *r, const struct free_timeline_step *s) {
    uint64_t word = (uint64_t)s->at;
    for (uint32_t k = 0; k < r->n_kinds; k++) word += (uint64_t)s->free.of[k] * (1023 + 2 * k);
    return free_timeline_mix(1, word);
}

/* A sum, so that a change of few steps changes it by their difference. */
static uint64_t steps_hash(const struct free_timeline *r, uint32_t group,
                           const struct free_timeline_step *s, uint32_t n) {
    uint64_t h = free_timeline_mix(2, group);
    for (uint32_t i = 0; i < n; i++) h += step_hash(r, &s[i]);
    return h;
}

static int is_profile(const struct free_timeline *r, const struct free_timeline_profile *p,
                      uint32_t group, const struct free_timeline_step *s, uint32_t n) {
    const struct free_timeline_step *have = r->pool + p->first;
    if (p->group != group || p->n != n) return 0;
    for (uint32_t i = 0; i < n; i++)
        if (have[i].at != s[i].at || !same_amounts(r, &have[i].free, &s[i].free)) return 0;
    return 1;
}

static void table_put(struct free_timeline *r, uint32_t profile) {
    uint32_t *first = &r->table[r->profiles[profile].hash & (r->cap_table - 1)];
    r->profiles[profile].chain = *first;
    *first = profile;
}

static void table_drop(struct free_timeline *r, uint32_t profile) {
    uint32_t *at = &r->table[r->profiles[profile].hash & (r->cap_table - 1)];
    while (*at != profile) at = &r->profiles[*at].chain;
    *at = r->profiles[profile].chain;
}

/* Makes the table large enough for one more profile. Its size is a power of 2. */
static int32_t table_room(struct free_timeline *r) {
    if (r->n_live < r->cap_table) return LSCHED_OK;
    int32_t rc = chain_table_grow(r->env, &r->table, &r->cap_table, 256);
    for (uint32_t i = 0; rc == LSCHED_OK && i < r->n_live; i++) table_put(r, r->live[i]);
    return rc;
}

static uint32_t table_find(const struct free_timeline *r, uint32_t group, uint64_t hash,
                           const struct free_timeline_step *s, uint32_t n) {
    if (r->cap_table == 0) return FREE_TIMELINE_NONE;
    uint32_t i = r->table[hash & (r->cap_table - 1)];
    while (i != FREE_TIMELINE_NONE &&
           (r->profiles[i].hash != hash || !is_profile(r, &r->profiles[i], group, s, n)))
        i = r->profiles[i].chain;
    return i;
}

/* Gives the profile a block with room for n steps. The old steps are lost. */
static int32_t profile_room(struct free_timeline *r, uint32_t profile, uint32_t n) {
    struct free_timeline_profile *p = &r->profiles[profile];
    if (n <= p->cap) return LSCHED_OK;
    uint32_t cap = p->cap ? p->cap : 2;
    while (cap < n) cap *= 2;
    if (!ENV_ROOM(r->env, r->pool, r->cap_pool, (uint64_t)r->n_pool + cap)) return LSCHED_E_NOMEM;
    p->first = r->n_pool;
    p->cap = cap;
    r->n_pool += cap;
    return LSCHED_OK;
}

static void profile_write(struct free_timeline *r, uint32_t profile, uint32_t group, uint64_t hash,
                          const struct free_timeline_step *s, uint32_t n) {
    struct free_timeline_profile *p = &r->profiles[profile];
    memcpy(r->pool + p->first, s, n * sizeof *s);
    p->n = n;
    p->group = group;
    p->hash = hash;
    p->serial = ++r->serial;
    log_profile(r, profile);
    table_put(r, profile);
    r->last.from_profile = FREE_TIMELINE_NONE;
}

/* Makes a profile without bins. Returns its number, or FREE_TIMELINE_NONE if there is no memory. */
static uint32_t profile_make(struct free_timeline *r, uint32_t group, uint64_t hash,
                             const struct free_timeline_step *s, uint32_t n) {
    uint32_t profile = r->free_profile;
    if (table_room(r) != LSCHED_OK) return FREE_TIMELINE_NONE;
    if (!ENV_ROOM(r->env, r->live, r->cap_live, r->n_live + 1ull)) return FREE_TIMELINE_NONE;
    if (profile == FREE_TIMELINE_NONE) {
        if (!ENV_ROOM(r->env, r->profiles, r->cap_profiles, r->n_profiles + 1ull))
            return FREE_TIMELINE_NONE;
        profile = r->n_profiles++;
        memset(&r->profiles[profile], 0, sizeof *r->profiles);
    } else {
        r->free_profile = r->profiles[profile].chain;
    }
    if (profile_room(r, profile, n) != LSCHED_OK) return FREE_TIMELINE_NONE;
    r->profiles[profile].n_bins = 0;
    r->profiles[profile].lowest = BIN_HEAP_NONE;
    r->profiles[profile].at_live = r->n_live;
    r->live[r->n_live++] = profile;
    profile_write(r, profile, group, hash, s, n);
    return profile;
}

static void profile_drop(struct free_timeline *r, uint32_t profile) {
    uint32_t at = r->profiles[profile].at_live, last = r->live[--r->n_live];
    table_drop(r, profile);
    r->live[at] = last;
    r->profiles[last].at_live = at;
    r->profiles[profile].chain = r->free_profile;
    r->free_profile = profile;
    r->last.from_profile = FREE_TIMELINE_NONE;
}

/* ---- bins ---- */

static void bin_attach(struct free_timeline *r, uint32_t bin, uint32_t profile) {
    struct free_timeline_profile *p = &r->profiles[profile];
    r->bins[bin].profile = profile;
    r->bins[bin].is_out = 0;
    p->lowest = bin_heap_add(r->links, p->lowest, bin);
    p->n_bins++;
    log_profile(r, profile);
}

static void bin_detach(struct free_timeline *r, uint32_t bin) {
    uint32_t profile = r->bins[bin].profile;
    if (!r->bins[bin].is_out) free_timeline_pull(r, bin);
    log_profile(r, profile);
    if (--r->profiles[profile].n_bins == 0) profile_drop(r, profile);
}

void free_timeline_pull(struct free_timeline *r, uint32_t bin) {
    struct free_timeline_profile *p = &r->profiles[r->bins[bin].profile];
    p->lowest = bin_heap_remove(r->links, p->lowest, bin);
    r->bins[bin].is_out = 1;
}

/* Gives a bin a group and the n steps `s`, which are not in the pool. */
static int32_t bin_write(struct free_timeline *r, uint32_t bin, uint32_t group,
                         const struct free_timeline_step *s, uint32_t n) {
    uint64_t hash = steps_hash(r, group, s, n);
    uint32_t old = r->bins[bin].profile, to = table_find(r, group, hash, s, n);
    r->bins[bin].group = group;
    if (to != FREE_TIMELINE_NONE && to == old) {
        struct free_timeline_profile *p = &r->profiles[old];
        if (r->bins[bin].is_out) p->lowest = bin_heap_add(r->links, p->lowest, bin);
        r->bins[bin].is_out = 0;
        return LSCHED_OK;
    }
    if (to == FREE_TIMELINE_NONE && old != FREE_TIMELINE_NONE && r->profiles[old].n_bins == 1) {
        /* the profile has no other bin, so it changes in place */
        if (r->bins[bin].is_out)
            r->profiles[old].lowest = bin_heap_add(r->links, BIN_HEAP_NONE, bin);
        r->bins[bin].is_out = 0;
        if (profile_room(r, old, n) != LSCHED_OK) return LSCHED_E_NOMEM;
        table_drop(r, old);
        profile_write(r, old, group, hash, s, n);
        return LSCHED_OK;
    }
    if (to == FREE_TIMELINE_NONE) to = profile_make(r, group, hash, s, n);
    if (to == FREE_TIMELINE_NONE) return LSCHED_E_NOMEM;
    if (old != FREE_TIMELINE_NONE) bin_detach(r, bin);
    bin_attach(r, bin, to);
    return LSCHED_OK;
}

/* ---- drafted bins ---- */

int32_t free_timeline_draft(struct free_timeline *r, const struct free_timeline_amount *free) {
    if (!ENV_ROOM(r->env, r->draft, r->cap_draft, 1)) return LSCHED_E_NOMEM;
    r->draft[0] = (struct free_timeline_step){FREE_TIMELINE_BEGIN, *free};
    r->n_draft = 1;
    return LSCHED_OK;
}

/* Returns the index of the draft's step that begins at this time. If there is no such step, the
 * function adds it; there must be room. */
static uint32_t draft_step_at(struct free_timeline *r, int64_t at) {
    struct free_timeline_step *s = r->draft;
    uint32_t i = r->n_draft;
    while (i > 0 && s[i - 1].at >= at) i--;
    if (i < r->n_draft && s[i].at == at) return i;
    memmove(s + i + 1, s + i, (r->n_draft - i) * sizeof *s);
    s[i] = s[i - 1]; /* i > 0, because no step begins before the first one */
    s[i].at = at;
    r->n_draft++;
    return i;
}

int32_t free_timeline_draft_take(struct free_timeline *r, int64_t from, int64_t to,
                                 const struct free_timeline_amount *amount, int64_t times) {
    if (from >= to || to <= r->now) return LSCHED_OK;
    if (from <= r->now) from = FREE_TIMELINE_BEGIN;
    if (!ENV_ROOM(r->env, r->draft, r->cap_draft, r->n_draft + 2ull)) return LSCHED_E_NOMEM;
    uint32_t i = draft_step_at(r, from);
    uint32_t end = to == FREE_TIMELINE_FOREVER ? r->n_draft : draft_step_at(r, to);
    for (; i < end; i++)
        for (uint32_t k = 0; k < r->n_kinds; k++) r->draft[i].free.of[k] -= amount->of[k] * times;
    return LSCHED_OK;
}

/* Merges neighbours of the draft with equal amounts, and gives the steps to the bin. */
static int32_t draft_write(struct free_timeline *r, uint32_t bin) {
    uint32_t n = 1;
    for (uint32_t i = 1; i < r->n_draft; i++)
        if (!same_amounts(r, &r->draft[n - 1].free, &r->draft[i].free)) r->draft[n++] = r->draft[i];
    if (r->n_maps && free_timeline_is_empty(r, bin)) r->in_group[r->bins[bin].group]++;
    return bin_write(r, bin, r->bins[bin].group, r->draft, n);
}

int32_t free_timeline_bins(struct free_timeline *r, uint32_t n) {
    if (n <= r->n_bins) return LSCHED_OK;
    if (!ENV_ROOM(r->env, r->bins, r->cap_bins, n) ||
        !ENV_ROOM(r->env, r->links, r->cap_links, n) || log_room(r, n) != LSCHED_OK)
        return LSCHED_E_NOMEM;
    for (uint32_t b = r->n_bins; b < n; b++) {
        r->bins[b] = (struct free_timeline_bin){FREE_TIMELINE_NONE, 0, 1};
        r->links[b] = (struct bin_heap_links){BIN_HEAP_NONE, BIN_HEAP_NONE, BIN_HEAP_NONE, b};
    }
    r->n_bins = n;
    return r->n_maps ? free_timeline_maps_clear(r) : LSCHED_OK;
}

void free_timeline_rank(struct free_timeline *r, uint32_t bin, uint32_t rank) {
    r->links[bin].rank = rank;
}

void free_timeline_remove(struct free_timeline *r, uint32_t bin) {
    if (free_timeline_is_empty(r, bin)) return;
    if (r->n_maps) r->in_group[r->bins[bin].group]--;
    bin_detach(r, bin);
    r->bins[bin] = (struct free_timeline_bin){FREE_TIMELINE_NONE, 0, 1};
}

int32_t free_timeline_reset(struct free_timeline *r, uint32_t bin) {
    return draft_write(r, bin);
}

/* ---- taking amounts ---- */

/* Adds a step to the scratch memory, unless it has the amounts of the step before it. */
static uint32_t scratch_add(struct free_timeline *r, uint32_t n, int64_t at,
                            const struct free_timeline_amount *free,
                            const struct free_timeline_change *change) {
    struct free_timeline_step *s = &r->scratch[n];
    s->at = at;
    s->free = *free;
    if (at >= change->from && at < change->to)
        for (uint32_t k = 0; k < r->n_kinds; k++)
            s->free.of[k] -= change->amount.of[k] * change->times;
    return n > 0 && same_amounts(r, &s[-1].free, &s->free) ? n : n + 1;
}

/* Writes the changed steps of a profile to the scratch memory. Returns their number. */
static uint32_t scratch_fill(struct free_timeline *r, const struct free_timeline_profile *p,
                             const struct free_timeline_change *change) {
    const struct free_timeline_step *s = r->pool + p->first;
    const int64_t cuts[2] = {change->from, change->to};
    uint32_t n = 0;
    for (uint32_t i = 0; i < p->n; i++) {
        int64_t end = i + 1 < p->n ? s[i + 1].at : FREE_TIMELINE_FOREVER;
        n = scratch_add(r, n, s[i].at, &s[i].free, change);
        for (uint32_t c = 0; c < 2; c++)
            if (cuts[c] > s[i].at && cuts[c] < end)
                n = scratch_add(r, n, cuts[c], &s[i].free, change);
    }
    return n;
}

/* Returns the index of the last step that begins at this time or before. */
static uint32_t step_until(const struct free_timeline_step *s, uint32_t n, int64_t at) {
    uint32_t low = 0, high = n;
    BISECT_LAST(low, high, middle, s[middle].at <= at);
    return low;
}

/* Returns the index of the step of a profile that begins at this time. If there is no such step,
 * the function splits the one before; there must be room. */
static uint32_t step_cut(struct free_timeline *r, struct free_timeline_profile *p, int64_t at) {
    struct free_timeline_step *s = r->pool + p->first;
    uint32_t i = step_until(s, p->n, at);
    if (s[i].at == at) return i;
    memmove(s + i + 2, s + i + 1, (p->n - i - 1) * sizeof *s);
    s[i + 1] = s[i];
    s[i + 1].at = at;
    p->n++;
    p->hash += step_hash(r, &s[i + 1]);
    return i + 1;
}

/* Drops a step that has the amounts of the step before it. */
static void step_merge(struct free_timeline *r, struct free_timeline_profile *p, uint32_t i) {
    struct free_timeline_step *s = r->pool + p->first;
    if (i == 0 || i == p->n || !same_amounts(r, &s[i - 1].free, &s[i].free)) return;
    p->hash -= step_hash(r, &s[i]);
    p->n--;
    memmove(s + i, s + i + 1, (p->n - i) * sizeof *s);
}

/* Changes the steps of a profile in place. There must be room for two more. */
static void steps_change(struct free_timeline *r, struct free_timeline_profile *p,
                         const struct free_timeline_change *change) {
    struct free_timeline_step *s = r->pool + p->first;
    uint32_t i = step_cut(r, p, change->from), from = i;
    uint32_t end = change->to == FREE_TIMELINE_FOREVER ? p->n : step_cut(r, p, change->to);
    for (; i < end; i++) {
        p->hash -= step_hash(r, &s[i]);
        for (uint32_t k = 0; k < r->n_kinds; k++)
            s[i].free.of[k] -= change->amount.of[k] * change->times;
        p->hash += step_hash(r, &s[i]);
    }
    step_merge(r, p, end); /* between the two, all neighbours differ as before */
    step_merge(r, p, from);
}

/* Changes the profile of a bin that shares it with no other bin. */
static int32_t take_alone(struct free_timeline *r, uint32_t bin,
                          const struct free_timeline_change *change) {
    uint32_t profile = r->bins[bin].profile, n = r->profiles[profile].n;
    uint32_t was = r->profiles[profile].first;
    if (profile_room(r, profile, n + 2) != LSCHED_OK) return LSCHED_E_NOMEM;
    struct free_timeline_profile *p = &r->profiles[profile];
    if (p->first != was) memcpy(r->pool + p->first, r->pool + was, n * sizeof *r->pool);
    table_drop(r, profile);
    steps_change(r, p, change);
    uint32_t same = table_find(r, p->group, p->hash, r->pool + p->first, p->n);
    p->serial = ++r->serial;
    log_profile(r, profile);
    table_put(r, profile);
    r->last.from_profile = FREE_TIMELINE_NONE;
    if (same != FREE_TIMELINE_NONE) {
        bin_detach(r, bin);
        bin_attach(r, bin, same);
    } else if (r->bins[bin].is_out) {
        p->lowest = bin_heap_add(r->links, BIN_HEAP_NONE, bin);
        r->bins[bin].is_out = 0;
    }
    return LSCHED_OK;
}

int32_t free_timeline_take(struct free_timeline *r, uint32_t bin, int64_t from, int64_t to,
                           const struct free_timeline_amount *amount, int64_t times) {
    uint32_t old = r->bins[bin].profile;
    if (from <= r->now) from = FREE_TIMELINE_BEGIN;
    if (from >= to || to <= r->now) {
        from = to = FREE_TIMELINE_BEGIN; /* no step changes */
        times = 0;
    }
    const struct free_timeline_change change = {old, FREE_TIMELINE_NONE, from, to, times, *amount};
    const struct free_timeline_change *l = &r->last;
    if (l->from_profile == old && l->from == from && l->to == to && l->times == times &&
        same_amounts(r, &l->amount, amount)) {
        uint32_t same = l->to_profile;
        bin_detach(r, bin);
        bin_attach(r, bin, same);
        return LSCHED_OK;
    }
    if (r->profiles[old].n_bins == 1) return take_alone(r, bin, &change);
    const struct free_timeline_profile *p = &r->profiles[old];
    if (!ENV_ROOM(r->env, r->scratch, r->cap_scratch, p->n + 2ull)) return LSCHED_E_NOMEM;
    uint32_t n = scratch_fill(r, p, &change);
    int32_t rc = bin_write(r, bin, r->bins[bin].group, r->scratch, n);
    if (rc != LSCHED_OK) return rc;
    r->last = change;
    r->last.to_profile = r->bins[bin].profile;
    /* a profile that was changed in place has no other bins that could change in the same way */
    if (r->last.to_profile == old || r->profiles[old].n_bins == 0)
        r->last.from_profile = FREE_TIMELINE_NONE;
    return LSCHED_OK;
}

/* ---- maps ---- */

enum { GROUP_UNSEEN = 2, GROUPS_SPARE = 2048 };

/* Moves a bin to another group. */
static int32_t bin_regroup(struct free_timeline *r, uint32_t bin, uint32_t group) {
    if (free_timeline_is_empty(r, bin)) {
        r->bins[bin].group = group;
        return LSCHED_OK;
    }
    const struct free_timeline_profile *p = &r->profiles[r->bins[bin].profile];
    uint32_t n = p->n;
    if (!ENV_ROOM(r->env, r->scratch, r->cap_scratch, n)) return LSCHED_E_NOMEM;
    memcpy(r->scratch, r->pool + p->first, n * sizeof *r->scratch);
    r->in_group[r->bins[bin].group]--;
    r->in_group[group]++;
    return bin_write(r, bin, group, r->scratch, n);
}

int32_t free_timeline_maps_clear(struct free_timeline *r) {
    int32_t rc = LSCHED_OK;
    r->n_maps = 0;
    r->maps_serial++;
    for (uint32_t b = 0; b < r->n_bins && r->n_groups > 1 && rc == LSCHED_OK; b++)
        if (r->bins[b].group) rc = bin_regroup(r, b, 0);
    r->n_groups = 1;
    return rc;
}

/* Makes a group that is in the same maps as another one. */
static uint32_t group_copy(struct free_timeline *r, uint32_t from) {
    for (uint32_t m = 0; m < r->n_maps; m++)
        r->maps[(size_t)m * r->stride + r->n_groups] = r->maps[(size_t)m * r->stride + from];
    r->in_group[r->n_groups] = 0;
    return r->n_groups++;
}

/* Moves the bin to the group that splits off from its group, and makes that group if this is its
 * first bin. */
static int32_t bin_split(struct free_timeline *r, uint32_t bin, uint8_t *map, uint8_t value) {
    uint32_t from = r->bins[bin].group, to = r->split[from];
    if (to == FREE_TIMELINE_NONE) {
        to = r->split[from] = group_copy(r, from);
        map[to] = value;
        r->split[to] = FREE_TIMELINE_NONE;
    }
    return bin_regroup(r, bin, to);
}

/* Makes room for the groups of the first map. */
static int32_t groups_begin(struct free_timeline *r) {
    /* all bins in groups of their own, as many groups that have become empty, and a new map */
    r->stride = 3 * r->n_bins + GROUPS_SPARE;
    if (!ENV_ROOM(r->env, r->in_group, r->cap_in_group, r->stride)) return LSCHED_E_NOMEM;
    r->in_group[0] = 0;
    for (uint32_t b = 0; b < r->n_bins; b++) r->in_group[0] += !free_timeline_is_empty(r, b);
    return LSCHED_OK;
}

int32_t free_timeline_map(struct free_timeline *r, const uint8_t *allowed) {
    if (r->n_maps == 0 && groups_begin(r) != LSCHED_OK) return LSCHED_E_NOMEM;
    /* a new map splits only groups that have bins */
    if (r->n_groups + r->n_bins > r->stride) return LSCHED_E_LIMIT;
    if (!ENV_ROOM(r->env, r->maps, r->cap_maps, (r->n_maps + 1ull) * r->stride))
        return LSCHED_E_NOMEM;
    if (!ENV_ROOM(r->env, r->split, r->cap_split, r->stride)) return LSCHED_E_NOMEM;
    uint8_t *map = r->maps + (size_t)r->n_maps * r->stride;
    for (uint32_t g = 0; g < r->n_groups; g++) {
        map[g] = GROUP_UNSEEN;
        r->split[g] = FREE_TIMELINE_NONE;
    }
    for (uint32_t b = 0; b < r->n_bins; b++) {
        if (free_timeline_is_empty(r, b)) continue;
        uint8_t *value = &map[r->bins[b].group];
        if (*value == GROUP_UNSEEN) *value = allowed[b];
        if (*value == allowed[b]) continue;
        int32_t rc = bin_split(r, b, map, allowed[b]);
        if (rc != LSCHED_OK) return rc;
    }
    for (uint32_t g = 0; g < r->n_groups; g++)
        if (map[g] == GROUP_UNSEEN) map[g] = 0;
    return (int32_t)r->n_maps++;
}

/* True if the groups a and b are in the same maps, where `value` stands for that of a in `map`. */
static int group_is(const struct free_timeline *r, uint32_t a, uint32_t map, uint8_t value,
                    uint32_t b) {
    for (uint32_t m = 0; m < r->n_maps; m++) {
        const uint8_t *of = r->maps + (size_t)m * r->stride;
        if (of[b] != (m == map ? value : of[a])) return 0;
    }
    return 1;
}

int32_t free_timeline_map_set(struct free_timeline *r, uint32_t map, uint32_t bin, uint8_t value) {
    uint32_t from = r->bins[bin].group, to = 0;
    if (free_timeline_allows(r, map, bin) == value) return LSCHED_OK;
    while (to < r->n_groups && !group_is(r, from, map, value, to)) to++;
    if (to == r->n_groups) {
        if (r->n_groups == r->stride) return LSCHED_E_LIMIT;
        (void)group_copy(r, from);
        r->maps[(size_t)map * r->stride + to] = value;
    }
    return bin_regroup(r, bin, to);
}

/* ---- questions ---- */

const struct free_timeline_step *free_timeline_steps(const struct free_timeline *r, uint32_t bin,
                                                     uint32_t *n) {
    const struct free_timeline_profile *p = &r->profiles[r->bins[bin].profile];
    *n = p->n;
    return r->pool + p->first;
}

int free_timeline_is_sound(const struct free_timeline *r, uint32_t bin) {
    uint32_t n;
    const struct free_timeline_step *s = free_timeline_steps(r, bin, &n);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < r->n_kinds; k++)
            if (s[i].free.of[k] < 0 && s[i].free.of[k] > -FREE_TIMELINE_ALL / 2) return 0;
    return 1;
}

int64_t free_timeline_end(int64_t from, int64_t length) {
    return length > LSCHED_AMOUNT_MAX - from ? FREE_TIMELINE_FOREVER : from + length;
}

uint32_t free_timeline_fits(const struct free_timeline *r, const struct free_timeline_amount *free,
                            const struct free_timeline_amount *need, uint32_t most) {
    for (uint32_t k = 0; k < r->n_kinds && most; k++) {
        if (need->of[k] <= 0) continue;
        if (free->of[k] < need->of[k]) return 0;
        if (most == 1) continue; /* no division */
        int64_t n = need->of[k] == 1 ? free->of[k] : free->of[k] / need->of[k];
        if (n < (int64_t)most) most = (uint32_t)n;
    }
    return most;
}

uint32_t free_timeline_profile_count(const struct free_timeline *r, uint32_t profile, int64_t from,
                                     int64_t length, const struct free_timeline_amount *need,
                                     uint32_t most) {
    const struct free_timeline_profile *p = &r->profiles[profile];
    const struct free_timeline_step *s = r->pool + p->first;
    int64_t to = free_timeline_end(from, length);
    for (uint32_t i = step_until(s, p->n, from); i < p->n && most && s[i].at < to; i++)
        most = free_timeline_fits(r, &s[i].free, need, most);
    return most;
}
