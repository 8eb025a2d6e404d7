/* match_graph.c -- see match_graph.h. */
#include "model/devices/match_graph.h"

#include <assert.h>

#include "base/limits.h"
#include "model/store/steps.h"

void match_graph_all(struct match_graph *f, uint32_t n) {
    /* the other members are never read: all devices of a set are below n */
    for (uint32_t i = 0; i < n; i++) f->of[i] = device_set_below(n) & ~device_set_bit(i);
    f->steps = NULL;
}

static void restrict_pairs(struct match_graph *f, const uint32_t *value, uint32_t n, int alike) {
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < i; j++) {
            int known = value[i] != MATCH_LACKS && value[j] != MATCH_LACKS;
            if (known && (value[i] == value[j]) == alike) continue;
            f->of[i] &= ~device_set_bit(j);
            f->of[j] &= ~device_set_bit(i);
        }
}

void match_graph_match(struct match_graph *f, const uint32_t *value, uint32_t n) {
    restrict_pairs(f, value, n, 1);
}

void match_graph_distinct(struct match_graph *f, const uint32_t *value, uint32_t n) {
    restrict_pairs(f, value, n, 0);
}

int match_graph_allow(const struct match_graph *f, device_set set) {
    DEVICE_SET_EACH(m, set) {
        uint32_t i = m.at;
        if ((set & ~device_set_bit(i)) & ~f->of[i]) return 0;
    }
    return 1;
}

/* Returns 1 if greedy colouring needs at least `need` colours for the devices, so that it does not
 * exclude `need` devices that are friends of each other. */
static int has_colours(const struct match_graph *f, device_set devices, uint32_t need) {
    for (; need > 0 && devices; need--) /* one colour: devices of which no two are friends */
        for (device_set alike = devices; alike;) {
            uint32_t d = device_set_first(alike);
            devices &= ~device_set_bit(d);
            alike &= ~(f->of[d] | device_set_bit(d));
        }
    return need == 0;
}

/* One level of the depth-first search. At each level one device is taken. */
struct level {
    uint32_t at; /* position in `order` of the device that is tried next at this level */
    /* the devices that are friends of all devices taken at earlier levels, without those that this
     * level has tried */
    device_set possible;
};

struct match_search {
    const struct match_graph *f;
    const uint8_t *order;
    uint32_t n_order, k, depth, steps;
    uint32_t taken[MATCH_DEVICES];
    struct level stack[MATCH_DEVICES + 1];
};

/* Removes the most preferred device from the possible ones of the level, and sets *device to it.
 * Returns 0 if there is none. */
static int next_device(const struct match_search *s, struct level *l, uint32_t *device) {
    if (!s->order && l->possible) {
        *device = device_set_first(l->possible);
        l->possible &= ~device_set_bit(*device);
        return 1;
    }
    while (l->at < s->n_order) {
        *device = s->order[l->at++];
        device_set bit = device_set_bit(*device);
        if (!(l->possible & bit)) continue;
        l->possible &= ~bit;
        return 1;
    }
    return 0;
}

/* True if the level can lead to a set. The colours are counted only after some steps, because most
 * searches find their set before. */
static int may_lead(const struct match_search *s, const struct level *l) {
    uint32_t need = s->k - s->depth;
    return device_set_count(l->possible) >= need &&
           (s->steps <= 2 * s->k || has_colours(s->f, l->possible, need));
}

/* Runs the search from its first level on. Returns the set, 0 if there is none or it gave up. */
static device_set searched(struct match_search *s) {
    device_set set = 0;
    while (s->steps++ < LIMIT_MATCH_STEPS) {
        struct level *l = &s->stack[s->depth];
        uint32_t d;
        if (may_lead(s, l) && next_device(s, l, &d)) {
            set |= device_set_bit(d);
            if (s->depth + 1 == s->k) return set;
            s->taken[s->depth] = d;
            s->stack[s->depth + 1] = (struct level){l->at, l->possible & s->f->of[d]};
            s->depth++;
            continue;
        }
        if (s->depth == 0) return 0;
        s->depth--;
        set &= ~device_set_bit(s->taken[s->depth]);
    }
    return 0;
}

void match_graph_count(const struct match_graph *f, uint64_t n) {
    if (!f->steps) return;
    f->steps[STEPS_ALL] += n;
    f->steps[STEPS_MATCH] += n;
}

static device_set search_whole(struct match_search *s, const struct match_graph *f, device_set fit,
                               uint32_t k, const uint8_t *order, uint32_t n_order) {
    assert(k >= 1 && n_order <= MATCH_DEVICES);
    s->f = f;
    s->order = order;
    s->n_order = n_order;
    s->k = k;
    s->depth = s->steps = 0;
    s->stack[0] = (struct level){0, fit};
    device_set set = searched(s);
    match_graph_count(f, s->steps);
    return set;
}

device_set match_graph_choose(const struct match_graph *f, device_set fit, uint32_t k,
                              const uint8_t *order, uint32_t n_order) {
    struct match_search s;
    return search_whole(&s, f, fit, k, order, n_order);
}

int match_graph_gives_up(const struct match_graph *f, device_set fit, uint32_t k) {
    struct match_search s;
    return search_whole(&s, f, fit, k, NULL, 0) == 0 && s.steps > LIMIT_MATCH_STEPS;
}
