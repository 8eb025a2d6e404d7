/*
 * topology_study.c -- where gangs land on a ragged tree of switches: the library with and without
 * wishes, first fit, the best that is possible at each moment, and on small trees the best that is
 * possible at all.
 *
 *     topology_study [--hosts FILE] [--gangs N] [--seed S] [--small N]
 *
 * Prints the tables of docs/placement.md. Without --hosts the tree is made up. It fails if the
 * library breaks what keep_promises() states.
 */
#include "topology/study_baselines.h"
#include "topology/study_cluster.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SMALL_GANGS = 8, SMALL_STATES = 1 << 16 };

struct options {
    const char *hosts;
    uint32_t gangs, small;
    uint64_t seed;
};

/* ---- a large tree ---------------------------------------------------------------------------- */

struct setting {
    const char *title;
    enum switch_identity identity;
    enum study_sizes sizes;
    uint32_t load_percent;
};
static const struct setting settings[] = {
    {"119 switches, even, 75 %", SWITCH_BY_PATH, SIZES_EVEN, 75},
    {"119 switches, even, 95 %", SWITCH_BY_PATH, SIZES_EVEN, 95},
    {"119 switches, log-even, 95 %", SWITCH_BY_PATH, SIZES_LOG_EVEN, 95},
    {"48 switches, even, 75 %", SWITCH_BY_NAME, SIZES_EVEN, 75},
    {"48 switches, even, 95 %", SWITCH_BY_NAME, SIZES_EVEN, 95},
    {"48 switches, log-even, 95 %", SWITCH_BY_NAME, SIZES_LOG_EVEN, 95},
};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static double mean(uint64_t sum, uint64_t n) {
    return n ? (double)sum / (double)n : 0;
}

/* The order of contest.strategies. */
enum { BY_LIST, BY_SWITCH, BLIND, LIBRARY, BEST_NOW, STRATEGIES };

struct contest {
    struct study_first_fit by_list, by_switch;
    struct study_cluster library, blind;
    struct study_strategy strategies[STRATEGIES];
};

static int contest_open(struct contest *c, const struct study_tree *tree, uint32_t gangs) {
    study_first_fit_init(&c->by_list, tree, 1);
    study_first_fit_init(&c->by_switch, tree, 0);
    if (study_cluster_open(&c->library, tree, gangs, "binpack", 1, 0) < 0) return -1;
    if (study_cluster_open(&c->blind, tree, gangs, "binpack", 0, 0) < 0) return -1;
    const struct study_strategy all[] = {
        {"first fit, in the order of the list", &c->by_list, study_first_fit_place, NULL},
        {"first fit, switch after switch", &c->by_switch, study_first_fit_place, NULL},
        {"libsched `binpack`, no wish", &c->blind, study_cluster_place, study_cluster_leave},
        {"libsched, `preferred: host`", &c->library, study_cluster_place, study_cluster_leave},
        {"best for each gang alone", (void *)(uintptr_t)tree, study_best_now_place, NULL},
    };
    memcpy(c->strategies, all, sizeof all);
    return 0;
}

static int broken(const char *what, uint64_t got, uint64_t other) {
    fprintf(stderr, "promise broken: %s: %" PRIu64 " and %" PRIu64 "\n", what, got, other);
    return -1;
}

/* A gang is in one domain of the deepest level that can hold it, always. On the whole it spans at
 * most three quarters of the switches of first fit, and no more than if each were placed as well as
 * is possible at that moment, but for what another past makes. */
static int keep_promises(const struct study_result *result) {
    const struct study_result *own = &result[LIBRARY];
    if (own->at_best != own->placed)
        return broken("gangs at the best level", own->at_best, own->placed);
    if (own->switches * 4 > result[BY_SWITCH].switches * 3)
        return broken("switches, against first fit", own->switches, result[BY_SWITCH].switches);
    if (own->switches * 100 > result[BEST_NOW].switches * 103)
        return broken("switches, against the best for each", own->switches,
                      result[BEST_NOW].switches);
    return 0;
}

/* Of each strategy: switches a gang, and how many of 100 gangs are in one domain of the best
 * level. */
static void print_setting(const struct setting *s, const struct study_result *result) {
    const struct study_result *own = &result[LIBRARY];
    printf("| %s |", s->title);
    for (int i = 0; i < STRATEGIES; i++)
        printf(" %.2f, %.0f %% |", mean(result[i].switches, result[i].placed),
               100 * mean(result[i].at_best, result[i].placed));
    printf(" %.2f |\n", mean(own->least_switches, own->placed));
}

/* What the table leaves out. */
static void print_aside(const struct setting *s, const struct study_tree *tree, uint32_t n,
                        const struct contest *c, const struct study_result *result) {
    const struct study_result *own = &result[LIBRARY];
    uint64_t capacity = 0;
    for (uint32_t i = 0; i < tree->n_hosts; i++) capacity += tree->hosts[i].gpus;
    fprintf(stderr,
            "%s: %" PRIu64 " placed, %" PRIu64 " dropped, %.1f %% in use, %.1f us a cycle\n",
            s->title, own->placed, own->dropped, 100 * mean(own->used_gpus, capacity * n),
            c->library.spent_s / n * 1e6);
}

static int play_setting(const struct options *o, const struct setting *s) {
    static struct study_tree tree;
    static struct contest contest;
    struct study_random random = {o->seed};
    struct study_load load;
    struct study_result result[STRATEGIES];
    int rc = 0;
    if (o->hosts)
        rc = study_tree_read(&tree, o->hosts, s->identity);
    else
        study_tree_make(&tree, &random, s->identity);
    if (rc < 0 || contest_open(&contest, &tree, o->gangs) < 0) return -1;
    study_load_make(&load, &tree, &random, o->gangs, 2, 256, s->sizes, s->load_percent);
    for (int i = 0; rc == 0 && i < STRATEGIES; i++)
        rc = study_run(&tree, &load, &contest.strategies[i], &result[i]);
    if (rc == 0) {
        print_setting(s, result);
        print_aside(s, &tree, load.n, &contest, result);
        rc = keep_promises(result);
    }
    study_load_free(&load);
    study_cluster_close(&contest.library);
    study_cluster_close(&contest.blind);
    return rc;
}

/* ---- small trees, exactly -------------------------------------------------------------------- */

struct small_sums {
    uint64_t cases, cut, solved_best; /* solved_best: the library is as good as is possible */
    uint64_t exact, library, first_fit, best_now;
};

static int play_small(const struct options *o, uint32_t number, struct small_sums *sums) {
    static struct study_tree tree;
    static struct contest contest;
    struct study_random random = {o->seed * 1000003 + number};
    struct study_load load;
    struct study_result result;
    uint32_t total[STRATEGIES];
    int rc = 0;
    study_tree_small(&tree, &random);
    study_load_make(&load, &tree, &random, SMALL_GANGS, 2, 7, SIZES_EVEN, 70);
    if (contest_open(&contest, &tree, SMALL_GANGS) < 0) return -1;
    for (int i = 0; rc == 0 && i < STRATEGIES; i++) {
        rc = study_run(&tree, &load, &contest.strategies[i], &result);
        total[i] = (uint32_t)result.switches;
    }
    if (rc == 0) {
        uint32_t exact = study_exact(&tree, &load, total[LIBRARY], SMALL_STATES);
        sums->cut += exact == UINT32_MAX;
        if (exact != UINT32_MAX) {
            sums->cases++;
            sums->exact += exact;
            sums->library += total[LIBRARY];
            sums->first_fit += total[BY_SWITCH];
            sums->best_now += total[BEST_NOW];
            sums->solved_best += total[LIBRARY] == exact;
        }
    }
    study_load_free(&load);
    study_cluster_close(&contest.library);
    study_cluster_close(&contest.blind);
    return rc;
}

static int play_all_small(const struct options *o) {
    struct small_sums s = {0};
    for (uint32_t i = 0; i < o->small; i++)
        if (play_small(o, i, &s) < 0) return -1;
    if (s.cut) return broken("cases that the exact search did not finish", s.cut, 0);
    if (!s.cases) return 0;
    if ((s.library - s.exact) * 100 > s.exact * 8)
        return broken("switches on small trees, against the optimum", s.library, s.exact);
    printf("\n%" PRIu64 " sequences of %d gangs on 3 or 4 switches:\n\n", s.cases, SMALL_GANGS);
    printf("| | switches in all | above the optimum |\n|---|---|---|\n");
    printf("| optimum, knowing all arrivals | %" PRIu64 " | |\n", s.exact);
    printf("| libsched | %" PRIu64 " | %.1f %% |\n", s.library,
           100 * mean(s.library - s.exact, s.exact));
    printf("| best for each gang alone | %" PRIu64 " | %.1f %% |\n", s.best_now,
           100 * mean(s.best_now - s.exact, s.exact));
    printf("| first fit, switch after switch | %" PRIu64 " | %.1f %% |\n", s.first_fit,
           100 * mean(s.first_fit - s.exact, s.exact));
    printf("\nlibsched needs as few switches as the optimum in %.1f %% of the sequences.\n",
           100 * mean(s.solved_best, s.cases));
    return 0;
}

/* ---- the program ----------------------------------------------------------------------------- */

static int parse(struct options *o, int argc, char **argv) {
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--hosts") == 0)
            o->hosts = argv[i + 1];
        else if (strcmp(argv[i], "--gangs") == 0)
            o->gangs = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--seed") == 0)
            o->seed = strtoull(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--small") == 0)
            o->small = (uint32_t)strtoul(argv[i + 1], NULL, 10);
        else
            return -1;
    }
    return argc % 2 == 1 && o->gangs > 0 ? 0 : -1;
}

int main(int argc, char **argv) {
    struct options o = {.gangs = 1000, .small = 200, .seed = 1};
    if (parse(&o, argc, argv) < 0) {
        fprintf(stderr,
                "usage: topology_study [--hosts FILE] [--gangs N] [--seed S] [--small N]\n");
        return 2;
    }
    printf(
        "| | first fit, by list | first fit, by switch | no wish | **wish** | best alone | least |\n"
        "|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < SETTINGS; i++)
        if (play_setting(&o, &settings[i]) < 0) return 1;
    return play_all_small(&o) < 0 ? 1 : 0;
}
