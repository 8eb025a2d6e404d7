/* site.c -- see site.h. */
#include "cli/slurm/site.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

void site_begin(struct site *site) {
    memset(site, 0, sizeof *site);
    site->memory_counts = true;
}

void site_free(struct site *site) {
    for (size_t i = 0; i < site->n_texts; i++) free(site->texts[i]);
    for (size_t i = 0; i < site->n_remarks; i++) free(site->remarks[i]);
    free(site->texts);
    free(site->remarks);
    free(site->nodes);
    free(site->partitions);
    free(site->jobs);
    free(site->licences);
    name_table_free(&site->node_names);
    memset(site, 0, sizeof *site);
}

static const char *adopt(struct site *site, char *text) {
    site->texts =
        must_grow(site->texts, site->n_texts, &site->texts_capacity, sizeof site->texts[0]);
    return site->texts[site->n_texts++] = text;
}

const char *site_text(struct site *site, const char *text) {
    return text != NULL ? adopt(site, must_copy(text, strlen(text))) : NULL;
}

static char *format_text(const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = must_alloc((size_t)(len > 0 ? len : 0) + 1);
    text[0] = '\0';
    if (len > 0) vsnprintf(text, (size_t)len + 1, format, args);
    return text;
}

const char *site_format(struct site *site, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = adopt(site, format_text(format, args));
    va_end(args);
    return text;
}

void site_remark(struct site *site, const char *file, uint32_t line, const char *format, ...) {
    va_list args;
    if (site->n_remarks == SITE_REMARKS_MAX) {
        site->remarks_dropped++;
        return;
    }
    va_start(args, format);
    char *message = format_text(format, args);
    va_end(args);
    size_t bytes = strlen(message) + strlen(file) + 16;
    char *text = must_alloc(bytes);
    snprintf(text, bytes, "%s:%u: %s", file, line, message);
    free(message);
    site->remarks =
        must_grow(site->remarks, site->n_remarks, &site->remarks_capacity, sizeof site->remarks[0]);
    site->remarks[site->n_remarks++] = text;
}

struct site_node *site_add_node(struct site *site, const char *name) {
    size_t before = site->node_names.n;
    if (before == SITE_NODES_MAX) return site_find_node(site, name);
    uint32_t i = name_table_add(&site->node_names, (lsched_text){name, strlen(name)});
    if (i < before) return &site->nodes[i];
    site->nodes =
        must_grow(site->nodes, site->n_nodes, &site->nodes_capacity, sizeof site->nodes[0]);
    site->nodes[site->n_nodes] = (struct site_node){.cpus = 1, .memory_mb = 1};
    site->nodes[site->n_nodes].name = site_text(site, name);
    return &site->nodes[site->n_nodes++];
}

struct site_node *site_find_node(struct site *site, const char *name) {
    uint32_t i = name_table_find(&site->node_names, (lsched_text){name, strlen(name)});
    return i < site->n_nodes ? &site->nodes[i] : NULL;
}

size_t site_find_partition(const struct site *site, const char *name, size_t len) {
    for (size_t i = 0; i < site->n_partitions; i++) {
        if (strlen(site->partitions[i].name) == len &&
            memcmp(site->partitions[i].name, name, len) == 0)
            return i;
    }
    return site->n_partitions;
}

struct site_partition *site_add_partition(struct site *site, const char *name) {
    size_t i = site_find_partition(site, name, strlen(name));
    if (i < site->n_partitions) return &site->partitions[i];
    if (i == SITE_PARTITIONS_MAX) return NULL;
    site->partitions = must_grow(site->partitions, site->n_partitions, &site->partitions_capacity,
                                 sizeof site->partitions[0]);
    site->partitions[i] = (struct site_partition){.name = site_text(site, name),
                                                  .priority_tier = 1,
                                                  .max_seconds = SLURM_UNLIMITED,
                                                  .up = true};
    site->n_partitions++;
    return &site->partitions[i];
}

bool site_is_part(struct slurm_part gres) {
    return slurm_part_is(gres, "mps") || slurm_part_is(gres, "shard");
}

/* How many of the parts one GPU has on each node that has any; 0: the nodes differ. */
static int64_t parts_of_gpu(const struct site *site, const char *gres) {
    int64_t all = 0;
    for (size_t i = 0; i < site->n_nodes; i++) {
        int64_t parts = slurm_gres_count(site->nodes[i].gres, gres);
        int64_t gpus = parts > 0 ? slurm_gres_count(site->nodes[i].gres, "gpu") : 0;
        if (parts == 0) continue;
        if (gpus == 0 || parts % gpus != 0 || (all != 0 && all != parts / gpus)) return 0;
        all = parts / gpus;
    }
    return all;
}

void site_find_parts(struct site *site) {
    site->mps_of_gpu = parts_of_gpu(site, "mps");
    site->shards_of_gpu = parts_of_gpu(site, "shard");
}

struct site_job *site_add_job(struct site *site) {
    if (site->n_jobs == SITE_JOBS_MAX) return NULL;
    site->jobs = must_grow(site->jobs, site->n_jobs, &site->jobs_capacity, sizeof site->jobs[0]);
    site->jobs[site->n_jobs] = (struct site_job){.limit_s = SLURM_UNLIMITED, .requeue = true};
    return &site->jobs[site->n_jobs++];
}

void site_job_no_image(struct site *site, struct site_job *job, const char *option) {
    job->fate = SITE_NO_IMAGE;
    job->why = site_format(site, "the option %s has no image in libsched", option);
}
