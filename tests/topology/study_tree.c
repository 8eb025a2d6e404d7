/* study_tree.c -- see study_tree.h. */
#include "topology/study_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HOST_GPUS = 8, LINE_BYTES = 512 };

uint32_t study_below(struct study_random *r, uint32_t n) {
    uint64_t z = r->state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) % n);
}

/* "S9" before "S10": by length, then by bytes. */
static int compare_names(const char *a, const char *b) {
    size_t la = strlen(a), lb = strlen(b);
    return la != lb ? (la < lb ? -1 : 1) : strcmp(a, b);
}

static int compare_hosts(const void *a, const void *b) {
    const struct study_host *x = a, *y = b;
    int c = compare_names(x->group_name, y->group_name);
    if (c == 0) c = compare_names(x->switch_name, y->switch_name);
    if (c != 0) return c;
    return x->listed < y->listed ? -1 : x->listed > y->listed;
}

/* Sort the hosts and number groups and switches. */
static void number(struct study_tree *tree, enum switch_identity identity) {
    if (identity == SWITCH_BY_NAME)
        for (uint32_t i = 0; i < tree->n_hosts; i++) strcpy(tree->hosts[i].group_name, "core");
    qsort(tree->hosts, tree->n_hosts, sizeof tree->hosts[0], compare_hosts);
    tree->n_groups = tree->n_switches = 0;
    for (uint32_t i = 0; i < tree->n_hosts; i++) {
        struct study_host *h = &tree->hosts[i], *before = i ? h - 1 : NULL;
        int new_group = !before || strcmp(before->group_name, h->group_name) != 0;
        int new_switch = new_group || strcmp(before->switch_name, h->switch_name) != 0;
        tree->n_groups += new_group ? 1 : 0;
        tree->n_switches += new_switch ? 1 : 0;
        h->group = tree->n_groups - 1;
        h->sw = tree->n_switches - 1;
    }
    if (identity == SWITCH_BY_NAME) tree->n_groups = 0;
}

static struct study_host *add_host(struct study_tree *tree, const char *group, const char *sw,
                                   uint32_t gpus) {
    struct study_host *h = &tree->hosts[tree->n_hosts];
    memset(h, 0, sizeof *h);
    snprintf(h->group_name, sizeof h->group_name, "%s", group);
    snprintf(h->switch_name, sizeof h->switch_name, "%s", sw);
    h->gpus = gpus;
    h->listed = tree->n_hosts++;
    return h;
}

/* ---- the real list --------------------------------------------------------------------------- */

static int complain(const char *path, unsigned line, const char *what) {
    fprintf(stderr, "%s:%u: expected %s\n", path, line, what);
    return -1;
}

static int read_lines(struct study_tree *tree, FILE *file, const char *path) {
    char text[LINE_BYTES], ip[128], core[STUDY_TEXT], group[STUDY_TEXT], sw[STUDY_TEXT];
    unsigned line = 0;
    while (fgets(text, sizeof text, file)) {
        line++;
        if (line == 1 && strncmp(text, "ip,DSW,PSW,ASW", 14) != 0)
            return complain(path, line, "the columns ip,DSW,PSW,ASW");
        if (line == 1) continue;
        if (sscanf(text, "%127[^,],%15[^,],%15[^,],%15[^,\r\n]", ip, core, group, sw) != 4)
            return complain(path, line, "four fields");
        if (tree->n_hosts == HOSTS_MAX) return complain(path, line, "at most 1024 hosts");
        add_host(tree, group, sw, HOST_GPUS);
    }
    return tree->n_hosts ? 0 : complain(path, line, "at least one host");
}

int study_tree_read(struct study_tree *tree, const char *path, enum switch_identity identity) {
    FILE *file = fopen(path, "r");
    memset(tree, 0, sizeof *tree);
    if (!file) {
        fprintf(stderr, "%s: cannot be opened\n", path);
        return -1;
    }
    int rc = read_lines(tree, file, path);
    fclose(file);
    number(tree, identity);
    return rc;
}

/* ---- made-up trees --------------------------------------------------------------------------- */

/* A group of n switches: all have `most` hosts, then hosts are taken from switches at random,
 * none below `least`, until `hosts` are left. Real racks are like that: most are full, and some
 * lack a few. */
static void make_group(struct study_tree *tree, struct study_random *r, const char *group,
                       uint32_t n, uint32_t hosts, uint32_t least, uint32_t most) {
    uint32_t size[SWITCHES_MAX], sum = n * most;
    for (uint32_t i = 0; i < n; i++) size[i] = most;
    while (sum > hosts) {
        uint32_t i = study_below(r, n), some = 1 + study_below(r, most - least);
        while (some && size[i] > least && sum > hosts) size[i]--, sum--, some--;
    }
    for (uint32_t i = 0; i < n; i++) {
        char name[STUDY_TEXT];
        snprintf(name, sizeof name, "S%u", i + 1);
        for (uint32_t j = 0; j < size[i]; j++) add_host(tree, group, name, HOST_GPUS);
    }
}

/* The position in the list says nothing about the place, as in the real one. */
static void shuffle_list(struct study_tree *tree, struct study_random *r) {
    for (uint32_t i = tree->n_hosts; i > 1; i--) {
        uint32_t j = study_below(r, i), held = tree->hosts[i - 1].listed;
        tree->hosts[i - 1].listed = tree->hosts[j].listed;
        tree->hosts[j].listed = held;
    }
}

void study_tree_make(struct study_tree *tree, struct study_random *r,
                     enum switch_identity identity) {
    memset(tree, 0, sizeof *tree);
    if (identity == SWITCH_BY_NAME) {
        make_group(tree, r, "core", 48, 847, 3, 23);
    } else {
        make_group(tree, r, "P1", 48, 362, 2, 8);
        make_group(tree, r, "P2", 42, 306, 2, 8);
        make_group(tree, r, "P3", 29, 179, 2, 8);
    }
    shuffle_list(tree, r);
    number(tree, identity);
}

void study_tree_small(struct study_tree *tree, struct study_random *r) {
    uint32_t switches = 3 + study_below(r, 2);
    memset(tree, 0, sizeof *tree);
    for (uint32_t i = 0; i < switches; i++) {
        char name[STUDY_TEXT];
        uint32_t hosts = 1 + study_below(r, 3);
        snprintf(name, sizeof name, "S%u", i + 1);
        for (uint32_t j = 0; j < hosts; j++) add_host(tree, "core", name, 2);
    }
    number(tree, SWITCH_BY_NAME);
}
