/* assign_evenly.c -- see assign_evenly.h. */
#include "engine/topology/assign_evenly.h"

#include "base/sort.h"

/* Returns the level of the lower domains (assign_evenly.h): the level below the siblings, or the
 * siblings' own level if there is no level below or task blocks would not fit into its domains. */
static uint32_t lower_level(const struct assign_domains *d) {
    uint32_t level = d->even_level, below = level + 1;
    if (below >= d->map->n_levels) return level;
    for (uint32_t i = 0; i < d->n_slices; i++)
        if (d->slice[i].level < below) return level;
    return below;
}

/* Sorts domains by room, largest first, then by domain number. */
static int has_more_room(const struct assign_domains *d, uint32_t a, uint32_t b) {
    if (d->cap[a] != d->cap[b]) return d->cap[a] > d->cap[b];
    return a < b;
}

SORT_STABLE(sort_by_room, uint32_t, const struct assign_domains *, has_more_room)

/* Sorts lower domains by room, largest first. For lower domains with equal room, squares[] is set
 * by sort_in_turns() so that the siblings alternate in the list. */
static int assign_evenly_takes_turns(const struct assign_domains *d, uint32_t a, uint32_t b) {
    if (d->cap[a] != d->cap[b]) return d->cap[a] > d->cap[b];
    if (d->squares[a] != d->squares[b]) return d->squares[a] < d->squares[b];
    return a < b;
}

SORT_STABLE(sort_by_turn, uint32_t, const struct assign_domains *, assign_evenly_takes_turns)

/* Sorts list[0, n) by room so that the siblings alternate among domains with equal room. Before
 * the call, the caller has sorted the list by has_more_room(). Therefore domains of one sibling
 * with equal room are adjacent, and the function can number them. */
static void sort_in_turns(const struct assign_domains *d, uint32_t n) {
    const uint32_t *list = d->list;
    for (uint32_t i = 0; i < n; i++) {
        int first = i == 0 || d->cap[list[i]] != d->cap[list[i - 1]] ||
                    d->map->parent[list[i]] != d->map->parent[list[i - 1]];
        d->squares[list[i]] = first ? 0 : d->squares[list[i - 1]] + 1;
    }
    sort_by_turn(d, d->list, d->tmp, n);
}

/* Sorts siblings by share[], largest first. share[] is the room of the lower domains that have at
 * least the threshold. Among siblings of equal share[], the sibling with the smaller sum of
 * squares comes first, because its lower domains differ less in room. The last criterion is the
 * domain number. */
static int holds_more(const struct assign_domains *d, uint32_t a, uint32_t b) {
    if (d->share[a] != d->share[b]) return d->share[a] > d->share[b];
    if (d->squares[a] != d->squares[b]) return d->squares[a] < d->squares[b];
    return a < b;
}

SORT_STABLE(sort_by_share, uint32_t, const struct assign_domains *, holds_more)

/* Returns the least number of domains of list[0, n) that can take all tasks; n + 1 if all n
 * domains together cannot take the tasks. value[] is the number of tasks that a domain can take.
 * The list is sorted by value[], largest first. */
static uint32_t fewest(const struct assign_domains *d, const int64_t *value, uint32_t n,
                       int64_t tasks) {
    uint32_t i = 0;
    for (; i < n && tasks > 0; i++) tasks -= value[d->list[i]];
    return tasks > 0 ? n + 1 : i;
}

/* Writes to list[] the lower domains that have room for at least `least` tasks, sorted by room,
 * largest first. Only the siblings [from, to) whose share[] is positive are included. Returns the
 * number of lower domains in the list. */
static uint32_t list_lower(const struct assign_domains *d, uint32_t from, uint32_t to,
                           uint32_t lower, int64_t least) {
    const struct topology_map *m = d->map;
    uint32_t n = 0, a = from, b = to;
    if (lower != d->even_level) {
        a = m->child[from];
        b = m->child[to];
    }
    for (uint32_t i = a; i < b; i++) {
        uint32_t sibling = lower == d->even_level ? i : m->parent[i];
        if (d->cap[i] >= least && d->share[sibling] > 0) d->list[n++] = i;
    }
    sort_by_room(d, d->list, d->tmp, n);
    return n;
}

/* Computes two sums for each of the siblings [from, to), over its lower domains that have room
 * for at least `least` tasks: share[] is the sum of their room in tasks, and squares[] is the sum
 * of the squares of their room in task blocks. */
static void sum_siblings(const struct assign_domains *d, uint32_t from, uint32_t to, uint32_t lower,
                         int64_t least, int64_t unit) {
    const struct topology_map *m = d->map;
    for (uint32_t s = from; s < to; s++) {
        int below = lower != d->even_level;
        uint32_t a = below ? m->child[s] : s, b = below ? m->child[s + 1] : s + 1;
        d->share[s] = d->squares[s] = 0;
        for (uint32_t i = a; i < b; i++) {
            int64_t slices = d->cap[i] / unit;
            if (d->cap[i] < least) continue;
            d->share[s] += d->cap[i];
            d->squares[s] += slices * slices;
        }
        if (d->share[s] > d->cap[s]) d->share[s] = d->cap[s];
    }
}

struct assign_rank assign_evenly_rank(const struct assign_domains *d, uint32_t root,
                                      int64_t tasks) {
    struct assign_rank rank = {0, 0};
    uint32_t from, to, lower = lower_level(d), n, k;
    int64_t unit = assign_domains_unit(d, lower), slices = tasks / unit;
    topology_map_below(d->map, root, d->even_level, &from, &to);
    if (from == to || tasks <= 0 || tasks % unit) return rank;
    for (uint32_t s = from; s < to; s++) d->share[s] = 1; /* includes all siblings */
    n = list_lower(d, from, to, lower, unit);
    k = fewest(d, d->cap, n, tasks);
    if (k == 0 || k > n) return rank;
    int64_t last = d->cap[d->list[k - 1]] / unit, each = slices / k;
    if (last < each) each = last;
    sum_siblings(d, from, to, lower, each * unit, unit);
    for (n = 0; from < to; from++)
        if (d->share[from] > 0) d->list[n++] = from;
    sort_by_share(d, d->list, d->tmp, n);
    k = fewest(d, d->share, n, tasks);
    if (k > n) return rank;
    rank.slices = each;
    rank.n = k;
    return rank;
}

/* Chooses k domains that can take all tasks and leave little room unused, and moves them to the
 * front of list[0, n). Before the call, the list is sorted by value[], largest first, and its
 * first k domains can take all tasks. */
static void choose_tightest(const struct assign_domains *d, const int64_t *value, uint32_t n,
                            uint32_t k, int64_t tasks) {
    uint32_t *list = d->list, at = 0, last;
    int64_t sum = 0;
    for (uint32_t i = 0; i < k; i++) sum += value[list[i]];
    while (at + k < n && sum - value[list[at]] + value[list[at + k]] >= tasks) {
        sum += value[list[at + k]] - value[list[at]];
        at++;
    }
    while (at > 0 && value[list[at - 1]] == value[list[at + k - 1]]) at--;
    sum -= value[list[at + k - 1]];
    for (last = at + k - 1; last + 1 < n && sum + value[list[last + 1]] >= tasks;) last++;
    while (last > at + k - 1 && value[list[last - 1]] == value[list[last]]) last--;
    uint32_t kept = list[last];
    memmove(list, list + at, (k - 1) * sizeof *list);
    list[k - 1] = kept;
}

/* True if no sibling got more tasks than its cap[], which a topology spread or task blocks can
 * make smaller than the room of the lower domains. */
static int keeps_caps(const struct assign_domains *d, uint32_t from, uint32_t to, uint32_t lower) {
    const struct topology_map *m = d->map;
    for (uint32_t s = from; s < to && lower != d->even_level; s++) {
        int64_t sum = 0;
        for (uint32_t i = m->child[s]; i < m->child[s + 1]; i++) sum += d->share[i];
        if (sum > d->cap[s]) return 0;
    }
    return 1;
}

uint32_t assign_evenly(const struct assign_domains *d, uint32_t root, int64_t tasks,
                       struct tree_part *parts) {
    uint32_t from, to, lower = lower_level(d), n = 0, k;
    int64_t unit = assign_domains_unit(d, lower);
    struct assign_rank rank = assign_evenly_rank(d, root, tasks);
    if (rank.slices == 0) return 0;
    topology_map_below(d->map, root, d->even_level, &from, &to);
    for (uint32_t s = from; s < to; s++) n += d->share[s] > 0;
    choose_tightest(d, d->share, n, rank.n, tasks);
    for (uint32_t s = from; s < to; s++) d->share[s] = -d->share[s];
    for (uint32_t i = 0; i < rank.n; i++) d->share[d->list[i]] = -d->share[d->list[i]];
    n = list_lower(d, from, to, lower, rank.slices * unit);
    k = fewest(d, d->cap, n, tasks);
    if (k > n || rank.slices * k > tasks / unit) return 0;
    if (lower != d->even_level) sort_in_turns(d, n);
    choose_tightest(d, d->cap, n, k, tasks);
    if (assign_domains_even(d, k, tasks, unit, lower, root) != 0) return 0;
    if (!keeps_caps(d, from, to, lower)) return 0;
    return assign_domains_below(d, root, lower, parts);
}
