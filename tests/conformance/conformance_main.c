/*
 * conformance_main.c -- plays folders of scheduling cases with known answers and prints what libsched makes of them.
 *
 *   conformance [options] DIR [TEXT]     all *.yaml in DIR; with TEXT only cases whose id contains it
 *     --strict            a key that is not understood is an error, not a remark
 *     --explain           decisions and reasons on stderr
 *     --keep              mode rounds: nominations are confirmed and hold, instead of being refused
 *     --fair-share NAME   instead of "quota"
 *     --policy LUA        further keys of the policy, for instance "placement = 'spread',"
 *     --eviction LUA      further keys of its eviction table
 *
 * One JSON line per case: {"id": ..., "tasks": {"job-0": {"state": ..., "node": ...}}, "evictions_per_cycle_max": n,
 * "flapped": bool}. It judges nothing. Uses the public API only, so what it does a host can do; docs/conformance.md.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_cluster.h"
#include "case_cycles.h"
#include "case_reader.h"

struct options {
    const char *directory, *only;
    int strict;
    struct play_choice play;
    struct policy_choice policy;
};

/* ---- JSON ------------------------------------------------------------------------------------ */

static void print_text(const char *text) {
    putchar('"');
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (byte == '"' || byte == '\\')
            printf("\\%c", byte);
        else if (byte < 0x20)
            printf("\\u%04x", byte);
        else
            putchar(byte);
    }
    putchar('"');
}

static void print_case(const struct case_form *c) {
    const char *comma = "";
    printf("{\"id\": ");
    print_text(c->id);
    printf(", \"tasks\": {");
    for (uint32_t j = 0; j < c->n_jobs; j++)
        for (uint32_t i = 0; i < c->jobs[j].n_tasks; i++) {
            const struct task_form *task = &c->jobs[j].tasks[i];
            char name[300];
            snprintf(name, sizeof name, "%s-%u", c->jobs[j].name, i);
            printf("%s", comma);
            print_text(name);
            printf(": {\"state\": \"%s\", \"node\": ", task_state_name(task->now));
            if (task->now_at)
                print_text(task->now_at);
            else
                printf("null");
            printf("}");
            comma = ", ";
        }
    printf("}, \"evictions_per_cycle_max\": %u, \"flapped\": %s}\n", c->evictions_max,
           c->flapped ? "true" : "false");
    fflush(stdout);
}

/* ---- files ----------------------------------------------------------------------------------- */

/* Returns how many cases could not be played. */
static uint32_t play_file(const struct options *o, const char *path, uint32_t *played) {
    struct yaml_file file;
    uint32_t failed = 0;
    if (!yaml_open(&file, path)) return 1;
    const yaml_node_t *list = yaml_document_get_root_node(&file.document);
    for (uint32_t i = 0; i < yaml_list_size(list); i++) {
        struct pool pool = {NULL};
        struct case_form c;
        uint32_t complaints = file.complaints;
        int ok = case_read(&c, &pool, &file, yaml_list_at(&file, list, i));
        if (o->strict && file.complaints > complaints) ok = 0;
        if (ok && o->only && !strstr(c.id, o->only)) {
            pool_drop(&pool);
            continue;
        }
        if (ok && o->play.explain) fprintf(stderr, "%s\n", c.id);
        lsched_cluster *cluster = ok ? case_cluster(&c, &pool, &o->policy) : NULL;
        ok = cluster && case_play(&c, &pool, cluster, o->play);
        if (ok) print_case(&c);
        failed += !ok;
        (*played)++;
        lsched_cluster_destroy(cluster);
        pool_drop(&pool);
    }
    yaml_close(&file);
    return failed;
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of the *.yaml of a directory in order; the caller frees each and the list. */
static char **list_files(const char *directory, size_t *n) {
    char **names = NULL;
    DIR *dir = opendir(directory);
    *n = 0;
    if (!dir) {
        fprintf(stderr, "%s: %s\n", directory, strerror(errno));
        return NULL;
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        const char *dot = strrchr(entry->d_name, '.');
        char **more = names;
        if (!dot || strcmp(dot, ".yaml") != 0) continue;
        more = realloc(names, (*n + 1) * sizeof *names);
        if (!more) break;
        names = more;
        names[*n] = malloc(strlen(entry->d_name) + 1);
        if (!names[*n]) break;
        strcpy(names[(*n)++], entry->d_name);
    }
    closedir(dir);
    if (names) qsort(names, *n, sizeof *names, by_bytes);
    return names;
}

/* ---- the program ----------------------------------------------------------------------------- */

static int read_options(struct options *o, int argc, char **argv) {
    *o = (struct options){.policy = {"quota", "", ""}};
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], **value = NULL;
        if (strcmp(word, "--strict") == 0)
            o->strict = 1;
        else if (strcmp(word, "--explain") == 0)
            o->play.explain = 1;
        else if (strcmp(word, "--keep") == 0)
            o->play.keep = 1;
        else if (strcmp(word, "--fair-share") == 0)
            value = &o->policy.fair_share;
        else if (strcmp(word, "--policy") == 0)
            value = &o->policy.more;
        else if (strcmp(word, "--eviction") == 0)
            value = &o->policy.eviction;
        else if (*word == '-')
            return 0;
        else if (!o->directory)
            o->directory = word;
        else if (!o->only)
            o->only = word;
        else
            return 0;
        if (value && ++i == argc) return 0;
        if (value) *value = argv[i];
    }
    return o->directory != NULL;
}

int main(int argc, char **argv) {
    struct options o;
    size_t n = 0;
    uint32_t failed = 0, played = 0;
    if (!read_options(&o, argc, argv)) {
        fprintf(stderr, "usage: conformance [--strict] [--explain] [--keep] [--fair-share NAME] "
                        "[--policy LUA] [--eviction LUA] DIR [TEXT]\n");
        return 2;
    }
    char **names = list_files(o.directory, &n);
    for (size_t i = 0; i < n; i++) {
        char path[4096];
        int len = snprintf(path, sizeof path, "%s/%s", o.directory, names[i]);
        if (len > 0 && (size_t)len < sizeof path) failed += play_file(&o, path, &played);
        free(names[i]);
    }
    free(names);
    if (played == 0) fprintf(stderr, "%s: no cases\n", o.directory);
    return failed > 0 || played == 0;
}
