/* assign_domains.c -- see assign_domains.h. */
#include "engine/topology/assign_domains.h"

#include "base/bisect.h"
#include "base/sort.h"

uint32_t assign_domains_unit(const struct assign_domains *d, uint32_t level) {
    for (uint32_t i = 0; i < d->n_slices; i++)
        if (d->slice[i].level >= level) return d->slice[i].tasks;
    return 1;
}

/* Returns the number of tasks of a task block (slice) of exactly this level, 1 if there is no
 * such task block. */
static uint32_t rounded_to(const struct assign_domains *d, uint32_t level) {
    for (uint32_t i = 0; i < d->n_slices; i++)
        if (d->slice[i].level == level) return d->slice[i].tasks;
    return 1;
}

void assign_domains_caps(const struct assign_domains *d, int64_t *cap, uint32_t limit_level,
                         const int64_t *limit) {
    const struct topology_map *m = d->map;
    for (uint32_t level = m->n_levels; level-- > 0;) {
        uint32_t whole = rounded_to(d, level), unit = assign_domains_unit(d, level);
        for (uint32_t i = m->level_first[level]; i < m->level_first[level + 1]; i++) {
            if (level + 1 < m->n_levels) {
                cap[i] = 0;
                for (uint32_t c = m->child[i]; c < m->child[i + 1]; c++) cap[i] += cap[c];
            }
            int bound = limit && level == limit_level && cap[i] > limit[i];
            /* rounds the limit down to whole task blocks */
            if (bound) cap[i] = limit[i] - limit[i] % unit;
            if (whole > 1) cap[i] -= cap[i] % whole;
        }
    }
}

/* ---- assigning tasks to the children of one domain ---- */

static uint32_t held_in(const struct assign_domains *d, uint32_t i) {
    return d->held ? d->held[i] : 0;
}

/* Sorts domains for an assignment. Domains that already hold tasks of the group come first, then
 * domains with more room in whole task blocks (cap[]). Among domains with equal cap[], the domain
 * with the smallest unrounded room (raw[]) comes first, then the first name. */
static int deal_precedes(const struct assign_domains *d, uint32_t a, uint32_t b) {
    int used_a = held_in(d, a) > 0, used_b = held_in(d, b) > 0;
    if (used_a != used_b) return used_a;
    if (d->cap[a] != d->cap[b]) return d->cap[a] > d->cap[b];
    if (d->raw && d->raw[a] != d->raw[b]) return d->raw[a] < d->raw[b];
    return a < b;
}

SORT_STABLE(sort_deal, uint32_t, const struct assign_domains *, deal_precedes)

/* Returns the position of the first domain in list[from, to) with less room than `room`; `to` if
 * there is none. Before the call, the caller has sorted the list by room, largest first. */
static uint32_t first_below(const struct assign_domains *d, uint32_t from, uint32_t to,
                            int64_t room) {
    BISECT_FIRST(from, to, mid, d->cap[d->list[mid]] < room);
    return from;
}

/* Returns the position of the domain in list[from, to) that has the least room among the domains
 * with room for at least `enough` tasks; `to` if there is none. If several domains have this
 * room, the result is the first of them. The list is sorted by room, largest first. */
static uint32_t tightest(const struct assign_domains *d, uint32_t from, uint32_t to,
                         int64_t enough) {
    uint32_t end = first_below(d, from, to, enough);
    if (end == from) return to;
    return first_below(d, from, end - 1, d->cap[d->list[end - 1]] + 1);
}

/* Assigns `rest` tasks to as few domains of list[from, to) as possible, and adds the number of
 * these domains to *used. The list is sorted by room, largest first. Returns the number of tasks
 * that do not fit. */
static int64_t deal_few(const struct assign_domains *d, uint32_t from, uint32_t to, int64_t rest,
                        uint32_t *used) {
    for (uint32_t i = from; i < to && rest > 0; i++) {
        uint32_t best = tightest(d, i, to, rest), at = d->list[best < to ? best : i];
        d->share[at] = best < to ? rest : d->cap[at];
        rest -= d->share[at];
        ++*used;
    }
    return rest;
}

/* ---- balanced assignment ---- */

/* Returns the number of tasks that a domain gets if each domain is filled up to `level` tasks.
 * Tasks that are already in the domain count as part of the `level` tasks. */
static int64_t share_at(const struct assign_domains *d, uint32_t i, int64_t level, int64_t unit) {
    int64_t more = level - held_in(d, i), cap = d->cap[i];
    if (more <= 0) return 0;
    more -= more % unit;
    return more < cap ? more : cap - cap % unit;
}

/* Assigns tasks to the domains list[0, n) as evenly as the room of the domains allows. Returns
 * the number of tasks that do not fit. */
static int64_t deal_even(const struct assign_domains *d, uint32_t n, int64_t tasks, int64_t unit) {
    int64_t lo = 0, hi = tasks + 1;
    for (uint32_t i = 0; i < n; i++) hi += held_in(d, d->list[i]);
    /* finds the highest `level` of share_at() at which the domains together take at most `tasks` */
    while (hi - lo > 1) {
        int64_t mid = lo + (hi - lo) / 2, sum = 0;
        for (uint32_t i = 0; i < n; i++) sum += share_at(d, d->list[i], mid, unit);
        if (sum <= tasks)
            lo = mid;
        else
            hi = mid;
    }
    for (uint32_t i = 0; i < n; i++) {
        d->share[d->list[i]] = share_at(d, d->list[i], lo, unit);
        tasks -= d->share[d->list[i]];
    }
    for (uint32_t i = 0; i < n && tasks > 0; i++) {
        uint32_t at = d->list[i];
        if (share_at(d, at, lo + 1, unit) == d->share[at]) continue;
        d->share[at] += unit;
        tasks -= unit;
    }
    return tasks;
}

/* Chooses the domains of a balanced assignment, moves them to the front of list[0, n), and
 * returns the number of chosen domains. The list is sorted by sort_deal(). `used` is the least
 * number of domains that can take all tasks, including the domains that already hold tasks. Among
 * domains that can take an equal share, the function prefers domains with less room. */
static uint32_t choose_even(const struct assign_domains *d, uint32_t n, uint32_t used,
                            int64_t tasks, int64_t unit) {
    uint32_t fixed = 0;
    int64_t all = tasks;
    for (; fixed < n && held_in(d, d->list[fixed]); fixed++) all += held_in(d, d->list[fixed]);
    if (used < fixed) used = fixed;
    int64_t even = (all + used - 1) / used;
    even = (even + unit - 1) / unit * unit;
    if (used == fixed) return used;
    uint32_t first = tightest(d, fixed, n, even), enough = fixed;
    if (first == n) return used;
    while (enough < n && d->cap[d->list[enough]] >= even) enough++;
    /* too few domains can take an equal share: keeps the domains with the most room */
    if (enough - fixed < used - fixed) return used;
    /* The chosen range of the list begins at the domain with the least sufficient room, or
     * earlier if fewer than `need` domains with sufficient room follow. */
    uint32_t need = used - fixed, from = first + need <= enough ? first : enough - need;
    int64_t cap = 0;
    for (uint32_t i = 0; i < fixed; i++) cap += d->cap[d->list[i]];
    for (uint32_t i = from; i < from + need; i++) cap += d->cap[d->list[i]];
    if (cap >= tasks) memmove(d->list + fixed, d->list + from, need * sizeof *d->list);
    return used;
}

int assign_domains_one(const struct assign_domains *d, uint32_t root, uint32_t level,
                       int64_t tasks) {
    uint32_t from, to, n = 0, used = 0, held = 0;
    topology_map_below(d->map, root, level, &from, &to);
    for (uint32_t i = from; i < to; i++) {
        d->share[i] = 0;
        if (d->cap[i] > 0 || held_in(d, i)) d->list[n++] = i;
    }
    sort_deal(d, d->list, d->tmp, n);
    while (held < n && held_in(d, d->list[held])) held++;
    int64_t rest = deal_few(d, 0, held, tasks, &used);
    if (rest > 0) {
        used = held;
        rest = deal_few(d, held, n, rest, &used);
    }
    if (rest > 0) return 0;
    if (!d->balanced || used == 0) return 1;
    int64_t unit = assign_domains_unit(d, level);
    for (uint32_t i = from; i < to; i++) d->share[i] = 0;
    n = choose_even(d, n, used, tasks, unit);
    return deal_even(d, n, tasks, unit) == 0;
}

int64_t assign_domains_even(const struct assign_domains *d, uint32_t n, int64_t tasks, int64_t unit,
                            uint32_t level, uint32_t root) {
    uint32_t from, to;
    topology_map_below(d->map, root, level, &from, &to);
    memset(d->share + from, 0, (to - from) * sizeof *d->share);
    return deal_even(d, n, tasks, unit);
}

uint32_t assign_domains_below(const struct assign_domains *d, uint32_t root, uint32_t level,
                              struct tree_part *parts) {
    const struct topology_map *m = d->map;
    uint32_t n = 0, from, to;
    for (; level + 1 < m->n_levels; level++) {
        topology_map_below(m, root, level, &from, &to);
        uint32_t below_from, below_to;
        topology_map_below(m, root, level + 1, &below_from, &below_to);
        memset(d->share + below_from, 0, (below_to - below_from) * sizeof *d->share);
        for (uint32_t i = from; i < to; i++)
            if (d->share[i] > 0 && !assign_domains_one(d, i, level + 1, d->share[i])) return 0;
    }
    topology_map_below(m, root, m->n_levels - 1, &from, &to);
    for (uint32_t i = from; i < to; i++)
        if (d->share[i] > 0) parts[n++] = (struct tree_part){i, (uint32_t)d->share[i]};
    return n;
}
