/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_site.c -- loads the site's file into a new cluster.
 *
 * A reload makes a new cluster beside the one in use, so that the last good one stays on an error.
 */
#include "slurm_site.h"

#include <libsched/scenario.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "slurm_compat.h"

#define FILE_BYTES_MAX (16l << 20)

/* Files that the scenario names stand beside it. */
struct files {
    char *folder;
    char *text; /* the latest one, which must stay until the next call */
};

static char *read_file(const char *path, size_t *len) {
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    long size = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) size = ftell(file);
    if (size >= 0 && size <= FILE_BYTES_MAX && fseek(file, 0, SEEK_SET) == 0)
        text = malloc((size_t)size + 1);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    if (text) text[size] = '\0', *len = (size_t)size;
    if (file) fclose(file);
    return text;
}

static int32_t read_named(void *user, const char *name, const char **text, size_t *len) {
    struct files *files = user;
    char path[4096];
    bool whole = name[0] == '/';
    snprintf(path, sizeof path, "%s%s%s", whole ? "" : files->folder, whole ? "" : "/", name);
    free(files->text);
    files->text = read_file(path, len);
    *text = files->text;
    return files->text ? 0 : -1;
}

static long number(const char *name, long least, long otherwise) {
    char *text = compat_parameter(name);
    long value = text ? strtol(text, NULL, 10) : otherwise;
    free(text);
    return value < least ? least : value;
}

/* Queues, policy and resources only: nodes and jobs are Slurm's. */
static bool apply(struct site *site, lsched_scenario *scenario, struct files *files,
                  const char *path, char *message, size_t capacity) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario_info info = {.size = sizeof info};
    lsched_scenario_run_opts opts = LSCHED_SCENARIO_RUN_OPTS_INIT;
    opts.user = files, opts.read_file = read_named;
    if (lsched_scenario_get(scenario, &info, &err) < 0) return false;
    if (info.nodes || info.jobs) {
        snprintf(message, capacity, "%s: nodes and jobs are those of Slurm; remove them here",
                 path);
        return false;
    }
    if (lsched_scenario_apply(scenario, site->cluster, &opts, &err) < 0) {
        snprintf(message, capacity, "%s", err.message);
        return false;
    }
    if (info.queues) return true;
    site->make_queues = true;
    return true;
}

static bool load_file(struct site *site, const char *path, bool required, char *message,
                      size_t capacity) {
    size_t len = 0;
    lsched_error err = LSCHED_ERROR_INIT;
    char *text = read_file(path, &len);
    if (!text) {
        site->make_queues = true;
        snprintf(message, capacity, "%s: the file cannot be read", path);
        return !required;
    }
    lsched_scenario *scenario = NULL;
    struct files files = {strdup(path), NULL};
    char *slash = files.folder ? strrchr(files.folder, '/') : NULL;
    if (slash) *slash = '\0';
    bool ok = files.folder && lsched_scenario_parse(NULL, (lsched_text){text, len},
                                                    lsched_cstr(path), &scenario, &err) >= 0;
    if (!ok) snprintf(message, capacity, "%s", err.message);
    if (ok) ok = apply(site, scenario, &files, path, message, capacity);
    lsched_scenario_destroy(scenario);
    free(files.folder);
    free(files.text);
    free(text);
    return ok;
}

static char *config_path(bool *required) {
    char *path = compat_parameter("libsched_config"), *folder = NULL;
    *required = path != NULL;
    if (path) return path;
    folder = compat_config_folder();
    size_t n = folder ? strlen(folder) + 32 : 0;
    path = n ? malloc(n) : NULL;
    if (path) snprintf(path, n, "%s/libsched.yaml", folder);
    free(folder);
    return path;
}

bool site_load(struct site *out, char *message, size_t capacity) {
    struct site site = {0};
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    bool required;
    char *path = config_path(&required);
    snprintf(message, capacity, "no memory");
    opts.verify_every_plan = number("libsched_verify", 0, 0) != 0;
    site.interval_ms = (uint32_t)number("libsched_interval_ms", 10, 200);
    site.window = (uint32_t)number("libsched_array_window", 1, 100);
    site.debug = number("libsched_debug", 0, 0) != 0;
    site.default_queue = compat_parameter("libsched_queue");
    if (!site.default_queue) site.default_queue = strdup("default");
    char *priority = compat_parameter("libsched_priority");
    site.slurm_priority = priority && strcmp(priority, "slurm") == 0;
    free(priority);
    bool ok = path && site.default_queue;
    if (ok && lsched_cluster_create(&opts, &site.cluster, &err) < 0) {
        snprintf(message, capacity, "%s", err.message);
        ok = false;
    }
    ok = ok && load_file(&site, path, required, message, capacity);
    free(path);
    if (!ok) {
        site_free(&site);
        return false;
    }
    *out = site;
    return true;
}

void site_free(struct site *site) {
    lsched_cluster_destroy(site->cluster);
    free(site->default_queue);
    memset(site, 0, sizeof *site);
}
