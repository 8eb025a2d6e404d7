/*
 * study_tree.h -- the hosts of a network of switches, for the study of where gangs land: read from
 * a list of real hosts (the columns ip, DSW, PSW, ASW of the Lingjun data set), or made up with the
 * same statistics, or random and small.
 *
 * The list names 48 switches, but the same name stands below several groups, so it can be read in
 * two ways: SWITCH_BY_NAME takes a name for one switch (48 of 3 to 23 hosts, all below the core),
 * SWITCH_BY_PATH takes group and name together (119 of 2 to 8 hosts, below three groups). Only the
 * second is a tree of three levels.
 *
 * Invariant: hosts are sorted by group, switch and position in the list; switches are numbered in
 * that order, so first fit by host number is the kind one, which fills switch after switch.
 */
#ifndef TESTS_STUDY_TREE_H
#define TESTS_STUDY_TREE_H

#include <stddef.h>
#include <stdint.h>

enum { HOSTS_MAX = 1024, SWITCHES_MAX = 256, GROUPS_MAX = 8, STUDY_TEXT = 16 };
enum switch_identity { SWITCH_BY_NAME, SWITCH_BY_PATH };

struct study_host {
    uint32_t group, sw, gpus;
    uint32_t listed; /* position in the list */
    char group_name[STUDY_TEXT], switch_name[STUDY_TEXT];
};

struct study_tree {
    uint32_t n_hosts, n_switches, n_groups; /* n_groups 0: switches are directly below the core */
    struct study_host hosts[HOSTS_MAX];
};

/* SplitMix64: the numbers behind a seed. */
struct study_random {
    uint64_t state;
};
uint32_t study_below(struct study_random *r, uint32_t n);

/* 0, or -1 with a complaint on stderr. */
int study_tree_read(struct study_tree *tree, const char *path, enum switch_identity identity);
/* 847 hosts as ragged as the real ones. */
void study_tree_make(struct study_tree *tree, struct study_random *r,
                     enum switch_identity identity);
/* 3 or 4 switches of 1 to 3 hosts with 2 GPUs. */
void study_tree_small(struct study_tree *tree, struct study_random *r);

#endif
