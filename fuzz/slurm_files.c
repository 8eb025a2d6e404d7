/*
 * slurm_files.c -- any bytes as slurm.conf and as an output of scontrol, squeue or sinfo: refused
 * with a line, or a site whose image is a scenario that the library takes.
 *
 * The text is cut at lines that are "====": what stands before the first such line is slurm.conf,
 * and each part behind it is an output.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/scenario.h>

#include "cli/slurm/site_read.h"
#include "cli/slurm/site_scenario.h"

enum { TEXT_MAX = 1 << 16, ELEMENTS_MAX = 20000 };

static void require(bool condition) {
    if (!condition) abort();
}

static void check_error(int32_t rc, const lsched_error *err) {
    require(rc == err->code && rc < 0 && err->line >= 1);
    require(memchr(err->message, '\0', sizeof err->message) != NULL && err->message[0] != '\0');
}

/* The image is a scenario whose objects a cluster takes. */
static void check_scenario(struct site *site) {
    struct site_scenario_opts opts = {.default_queue = "default"};
    struct input_file file;
    lsched_scenario *scenario = NULL;
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_scenario_opts limits = LSCHED_SCENARIO_OPTS_INIT;
    lsched_cluster_opts cluster_opts = LSCHED_CLUSTER_OPTS_INIT;
    site_scenario_write(site, &opts, &file);
    int32_t rc = lsched_scenario_parse(&limits, (lsched_text){file.text, file.len},
                                       LSCHED_TEXT("site"), &scenario, &err);
    if (rc >= 0) {
        require(lsched_cluster_create(&cluster_opts, &cluster, &err) == LSCHED_OK);
        rc = lsched_scenario_apply(scenario, cluster, NULL, &err);
    }
    if (rc < 0) {
        fprintf(stderr, "%u:%u: %s\n%.4000s\n", err.line, err.column, err.message, file.text);
        abort();
    }
    lsched_cluster_destroy(cluster);
    lsched_scenario_destroy(scenario);
    input_free(&file);
}

static size_t part_length(const char *text, size_t len) {
    for (size_t at = 0; at + 6 <= len; at++)
        if (memcmp(text + at, "\n====\n", 6) == 0) return at + 1;
    return len;
}

static int32_t read_parts(struct site *site, char *text, size_t len) {
    lsched_error err = LSCHED_ERROR_INIT;
    size_t n = part_length(text, len);
    int32_t rc = site_read_conf_text(site, "conf", text, n, &err);
    while (rc >= 0 && n < len) {
        text += n + 5;
        len -= n + 5;
        n = part_length(text, len);
        rc = site_read_dump_text(site, "dump", text, n, &err);
        /* the reader of JSON shortens its text in place, within its part */
    }
    if (rc < 0) check_error(rc, &err);
    return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    struct site site;
    if (len > TEXT_MAX) return 0;
    char *text = malloc(len + 1);
    require(text != NULL);
    memcpy(text, data, len);
    text[len] = '\0';
    site_begin(&site);
    if (read_parts(&site, text, len) >= 0) {
        site_read_end(&site);
        uint64_t tasks = site.n_nodes;
        for (size_t i = 0; i < site.n_jobs; i++)
            tasks += (uint64_t)(site.jobs[i].tasks + site.jobs[i].nodes_max);
        if (tasks <= ELEMENTS_MAX) check_scenario(&site);
    }
    site_free(&site);
    free(text);
    return 0;
}
