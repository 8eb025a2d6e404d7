/* study_run.c -- see study_run.h. */
#include "topology/study_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arrivals -------------------------------------------------------------------------------- */

/* Log-even: a power of two at random, then evenly up to the next. */
static uint32_t draw_size(struct study_random *r, uint32_t least, uint32_t most,
                          enum study_sizes sizes) {
    if (sizes == SIZES_EVEN) return least + study_below(r, most - least + 1);
    uint32_t powers = 0;
    while (least << (powers + 1) <= most) powers++;
    uint32_t from = least << study_below(r, powers);
    uint32_t size = from + study_below(r, from + 1);
    return size < most ? size : most;
}

void study_load_make(struct study_load *load, const struct study_tree *tree, struct study_random *r,
                     uint32_t n, uint32_t least, uint32_t most, enum study_sizes sizes,
                     uint32_t load_percent) {
    uint64_t capacity = 0, asked = 0;
    load->n = n;
    load->gangs = calloc(n, sizeof load->gangs[0]);
    if (!load->gangs) abort();
    for (uint32_t i = 0; i < tree->n_hosts; i++) capacity += tree->hosts[i].gpus;
    for (uint32_t i = 0; i < n; i++)
        asked += load->gangs[i].gpus = draw_size(r, least, most, sizes);
    /* Arrivals for which an average gang stays; a stay is drawn evenly from 1 to twice that. */
    uint64_t stay = capacity * load_percent * n / (asked * 100);
    for (uint32_t i = 0; i < n; i++)
        load->gangs[i].until = i + 1 + study_below(r, (uint32_t)(2 * stay + 1));
}

void study_load_free(struct study_load *load) {
    free(load->gangs);
    load->gangs = NULL;
    load->n = 0;
}

/* ---- what is possible, and what became of it ------------------------------------------------- */

enum { LEVEL_CORE, LEVEL_GROUP, LEVEL_SWITCH, LEVEL_HOST };

struct books {
    const struct study_tree *tree;
    uint8_t free_gpus[HOSTS_MAX];
    uint32_t in_switch[SWITCHES_MAX], in_group[GROUPS_MAX], in_all;
};

static void count_free(struct books *b) {
    memset(b->in_switch, 0, sizeof b->in_switch);
    memset(b->in_group, 0, sizeof b->in_group);
    b->in_all = 0;
    for (uint32_t i = 0; i < b->tree->n_hosts; i++) {
        const struct study_host *h = &b->tree->hosts[i];
        b->in_switch[h->sw] += b->free_gpus[i];
        b->in_group[h->group] += b->free_gpus[i];
        b->in_all += b->free_gpus[i];
    }
}

static int best_level(const struct books *b, uint32_t gpus) {
    for (uint32_t i = 0; i < b->tree->n_hosts; i++)
        if (b->free_gpus[i] >= gpus) return LEVEL_HOST;
    for (uint32_t i = 0; i < b->tree->n_switches; i++)
        if (b->in_switch[i] >= gpus) return LEVEL_SWITCH;
    for (uint32_t i = 0; i < b->tree->n_groups; i++)
        if (b->in_group[i] >= gpus) return LEVEL_GROUP;
    return LEVEL_CORE;
}

static int more_first(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x > y ? -1 : x < y;
}

static uint32_t least_switches(const struct books *b, uint32_t gpus) {
    uint32_t sorted[SWITCHES_MAX], n = 0;
    memcpy(sorted, b->in_switch, sizeof sorted);
    qsort(sorted, b->tree->n_switches, sizeof sorted[0], more_first);
    for (uint32_t sum = 0; sum < gpus; n++) sum += sorted[n];
    return n;
}

static void count_placed(const struct books *b, const uint8_t *taken, uint32_t gpus,
                         struct study_result *result) {
    uint8_t is_switch[SWITCHES_MAX] = {0}, is_group[GROUPS_MAX] = {0};
    uint32_t hosts = 0, switches = 0, groups = 0;
    for (uint32_t i = 0; i < b->tree->n_hosts; i++) {
        const struct study_host *h = &b->tree->hosts[i];
        if (!taken[i]) continue;
        hosts++;
        switches += !is_switch[h->sw];
        groups += !is_group[h->group];
        is_switch[h->sw] = is_group[h->group] = 1;
    }
    int level = hosts == 1                         ? LEVEL_HOST
                : switches == 1                    ? LEVEL_SWITCH
                : groups == 1 && b->tree->n_groups ? LEVEL_GROUP
                                                   : LEVEL_CORE;
    result->placed++;
    result->switches += switches;
    result->least_switches += least_switches(b, gpus);
    result->at_best += level == best_level(b, gpus);
}

/* ---- the run --------------------------------------------------------------------------------- */

struct run {
    struct books books;
    const struct study_load *load;
    const struct study_strategy *strategy;
    uint8_t *taken; /* [gang][host] */
    uint32_t alive[HOSTS_MAX * 16], n_alive;
};

static int complain(const struct run *run, uint32_t gang, const char *what) {
    fprintf(stderr, "%s: gang %u of %u GPUs: %s\n", run->strategy->name, gang,
            run->load->gangs[gang].gpus, what);
    return -1;
}

static uint8_t *taken_by(struct run *run, uint32_t gang) {
    return run->taken + (size_t)gang * run->books.tree->n_hosts;
}

static int leave_before(struct run *run, uint32_t step) {
    uint32_t left = 0;
    for (uint32_t a = 0; a < run->n_alive; a++) {
        uint32_t gang = run->alive[a];
        if (run->load->gangs[gang].until > step) {
            run->alive[left++] = gang;
            continue;
        }
        for (uint32_t i = 0; i < run->books.tree->n_hosts; i++)
            run->books.free_gpus[i] = (uint8_t)(run->books.free_gpus[i] + taken_by(run, gang)[i]);
        if (run->strategy->leave && run->strategy->leave(run->strategy->self, gang) < 0) return -1;
    }
    run->n_alive = left;
    return 0;
}

static int arrive(struct run *run, uint32_t gang, struct study_result *result) {
    struct books *b = &run->books;
    uint32_t gpus = run->load->gangs[gang].gpus, sum = 0;
    uint8_t *taken = taken_by(run, gang);
    count_free(b);
    int rc = run->strategy->place(run->strategy->self, gang, gpus, b->free_gpus, taken);
    if (rc < 0) return complain(run, gang, "the strategy failed");
    if (rc != (b->in_all >= gpus)) return complain(run, gang, "placed though full, or not placed");
    if (rc == 0) {
        memset(taken, 0, b->tree->n_hosts);
        result->dropped++;
        return 0;
    }
    for (uint32_t i = 0; i < b->tree->n_hosts; i++) {
        if (taken[i] > b->free_gpus[i]) return complain(run, gang, "takes what is not free");
        sum += taken[i];
    }
    if (sum != gpus) return complain(run, gang, "got another number of GPUs");
    count_placed(b, taken, gpus, result);
    for (uint32_t i = 0; i < b->tree->n_hosts; i++)
        b->free_gpus[i] = (uint8_t)(b->free_gpus[i] - taken[i]);
    run->alive[run->n_alive++] = gang;
    return 0;
}

int study_run(const struct study_tree *tree, const struct study_load *load,
              const struct study_strategy *strategy, struct study_result *result) {
    struct run *run = calloc(1, sizeof *run);
    uint64_t capacity = 0;
    int rc = 0;
    if (run) run->taken = calloc(load->n, tree->n_hosts);
    if (!run || !run->taken) abort();
    run->books.tree = tree;
    run->load = load;
    run->strategy = strategy;
    memset(result, 0, sizeof *result);
    for (uint32_t i = 0; i < tree->n_hosts; i++)
        capacity += run->books.free_gpus[i] = (uint8_t)tree->hosts[i].gpus;
    for (uint32_t g = 0; rc == 0 && g < load->n; g++) {
        rc = leave_before(run, g);
        if (rc == 0) rc = arrive(run, g, result);
        count_free(&run->books);
        result->used_gpus += capacity - run->books.in_all;
    }
    free(run->taken);
    free(run);
    return rc;
}
