/* study_baselines.c -- see study_baselines.h. */
#include "topology/study_baselines.h"

#include <string.h>

void study_first_fit_init(struct study_first_fit *f, const struct study_tree *tree, int by_list) {
    f->tree = tree;
    for (uint32_t i = 0; i < tree->n_hosts; i++) f->order[by_list ? tree->hosts[i].listed : i] = i;
}

int study_first_fit_place(void *self, uint32_t gang, uint32_t gpus, const uint8_t *free_gpus,
                          uint8_t *taken) {
    const struct study_first_fit *f = self;
    (void)gang;
    memset(taken, 0, f->tree->n_hosts);
    for (uint32_t i = 0; i < f->tree->n_hosts && gpus; i++) {
        uint32_t h = f->order[i], some = free_gpus[h] < gpus ? free_gpus[h] : gpus;
        taken[h] = (uint8_t)some;
        gpus -= some;
    }
    return gpus == 0;
}

/* ---- as well as is possible now -------------------------------------------------------------- */

/* Domains of one level inside one domain of the level above, as ranges of hosts. */
struct span {
    uint32_t from, to, room;
};

static uint32_t domain_of(const struct study_host *h, int level, uint32_t i) {
    return level == 0 ? 0 : level == 1 ? h->group : level == 2 ? h->sw : i;
}

/* The parts of a level (0 core, 1 group, 2 switch, 3 host) of the hosts from..to. */
static uint32_t split(const struct study_tree *tree, const uint8_t *free_gpus, int level,
                      uint32_t from, uint32_t to, struct span *out) {
    uint32_t n = 0;
    for (uint32_t i = from; i < to; i++) {
        int begins = i == from || domain_of(&tree->hosts[i], level, i) !=
                                      domain_of(&tree->hosts[i - 1], level, i - 1);
        if (begins) out[n++] = (struct span){i, i, 0};
        out[n - 1].to = i + 1;
        out[n - 1].room += free_gpus[i];
    }
    return n;
}

static uint32_t tightest(const struct span *s, uint32_t n, uint32_t gpus) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < n; i++)
        if (s[i].room >= gpus && (best == UINT32_MAX || s[i].room < s[best].room)) best = i;
    return best;
}

static uint32_t roomiest(const struct span *s, uint32_t n) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < n; i++)
        if (s[i].room > s[best].room) best = i;
    return best;
}

struct share {
    struct span span;
    uint32_t gpus;
};

/* Divide one share among the parts of the next level: the roomiest while none holds the rest. */
static uint32_t divide(const struct study_tree *tree, const uint8_t *free_gpus, int level,
                       const struct share *whole, struct share *out) {
    struct span parts[HOSTS_MAX];
    uint32_t n = split(tree, free_gpus, level, whole->span.from, whole->span.to, parts),
             left = whole->gpus, shares = 0;
    while (left) {
        uint32_t i = tightest(parts, n, left);
        if (i == UINT32_MAX) i = roomiest(parts, n);
        uint32_t some = parts[i].room < left ? parts[i].room : left;
        out[shares++] = (struct share){parts[i], some};
        parts[i].room = 0;
        left -= some;
    }
    return shares;
}

int study_best_now_place(void *self, uint32_t gang, uint32_t gpus, const uint8_t *free_gpus,
                         uint8_t *taken) {
    const struct study_tree *tree = self;
    struct span spans[HOSTS_MAX];
    struct share shares[HOSTS_MAX], next[HOSTS_MAX];
    uint32_t n = 0;
    int level = 4;
    (void)gang;
    memset(taken, 0, tree->n_hosts);
    while (level-- > 0) {
        uint32_t m = split(tree, free_gpus, level, 0, tree->n_hosts, spans);
        uint32_t i = tightest(spans, m, gpus);
        if (i == UINT32_MAX) continue;
        shares[n++] = (struct share){spans[i], gpus};
        break;
    }
    if (n == 0) return 0;
    while (++level <= 3) {
        uint32_t m = 0;
        for (uint32_t i = 0; i < n; i++) m += divide(tree, free_gpus, level, &shares[i], next + m);
        memcpy(shares, next, m * sizeof shares[0]);
        n = m;
    }
    for (uint32_t i = 0; i < n; i++) taken[shares[i].span.from] = (uint8_t)shares[i].gpus;
    return 1;
}
