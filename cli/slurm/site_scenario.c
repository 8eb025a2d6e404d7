/* site_scenario.c -- see site_scenario.h. */
#define _POSIX_C_SOURCE 200809L /* needed for open_memstream */
#include "cli/slurm/site_scenario.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/slurm_records/host_list.h"
#include "cli/slurm/site_licences.h"
#include "cli/slurm/site_names.h"
#include "cli/slurm/site_request.h"
#include "cli/support/cli_errors.h"
#include "cli/support/time_text.h"

enum {
    NODE_PARTS = 65536, /* amount of slurm_node of each node: an exclusive task takes all of it */
    RULES_MAX = 32,     /* most alternatives of a job, and most rules of an alternative */
    LISTED_MAX = 200,   /* most hosts that a rule lists; longer lists become a label */
    LONG_LISTS_MAX = 16,
    FEATURES_MAX = 100,
    GRES_COUNT_MAX = 1 << 30
};

struct writer {
    struct site *site;
    const struct site_scenario_opts *opts;
    FILE *out;
    struct name_table queues, kinds;
    bool any_job; /* true if the list of jobs has begun */
    /* lists of hosts of --nodelist and --exclude that are too long for a rule, and for each node
     * the set of the lists that have it; nodes get the labels list/0, list/1 ... */
    struct name_table long_lists;
    uint16_t *in_lists;     /* owned by this struct */
    struct node_room *room; /* what running jobs leave of each node */
    bool node_kind;         /* the kind slurm_node is used */
};

struct node_room {
    int64_t cpus, memory_mb, gpu_milli;
};

/* ---- nodes ---- */

/* Writes the labels "feature/F" for a list of features with commas. */
static void put_features(struct writer *w, const struct site_node *node) {
    const char *list = node->features;
    uint32_t n = 0;
    for (const char *at = list; *at != '\0';) {
        size_t len = strcspn(at, ",");
        if (len > 0 && n == FEATURES_MAX) {
            site_remark(w->site, node->name, node->line, "expected at most %d features of a node",
                        FEATURES_MAX);
            return;
        }
        if (len > 0 && !site_name_stands_before(list, at, len, ",")) {
            fputs(", ", w->out);
            site_name_put(w->out, "feature/", at, len);
            fputs(": \"yes\"", w->out);
            n++;
        }
        at += len + (at[len] == ',');
    }
}

static void put_labels(struct writer *w, const struct site_node *node) {
    FILE *out = w->out;
    fputs("labels: {node: ", out);
    site_name_put_text(out, node->name);
    for (size_t i = 0; i < w->site->n_partitions; i++) {
        if ((node->partitions[i / 64] >> (i % 64) & 1) == 0) continue;
        fputs(", ", out);
        site_name_put(out, "partition/", w->site->partitions[i].name,
                      strlen(w->site->partitions[i].name));
        fputs(": \"yes\"", out);
    }
    for (size_t i = 0; i < w->long_lists.n; i++)
        if ((w->in_lists[node - w->site->nodes] >> i & 1) != 0)
            fprintf(out, ", \"list/%zu\": \"yes\"", i);
    if (node->features != NULL) put_features(w, node);
    if (node->switch_name != NULL) {
        fputs(", switch: ", out);
        site_name_put_text(out, node->switch_name);
    }
    if (node->reservation != NULL) {
        fputs(", reservation: ", out);
        site_name_put_text(out, node->reservation);
    }
    fputc('}', out);
}

/* Adds the kind of a gres, or finds it. Returns UINT32_MAX if there are too many. */
static uint32_t add_kind(struct writer *w, struct slurm_part name) {
    char text[48] = "gres_";
    size_t n = strlen(text);
    for (size_t i = 0; i < name.len && n + 1 < sizeof text; i++) {
        char c = name.text[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        text[n++] = (char)(plain ? c : '_');
    }
    lsched_text key = {text, n};
    return w->kinds.n < SITE_GRES_MAX ? name_table_add(&w->kinds, key)
                                      : name_table_find(&w->kinds, key);
}

/* Writes the amounts of all kinds that are not 0. */
static void put_kinds(struct writer *w, const int64_t sums[SITE_GRES_MAX]) {
    for (size_t k = 0; k < w->kinds.n; k++)
        if (sums[k] > 0) fprintf(w->out, ", %s: %" PRId64, w->kinds.names[k].ptr, sums[k]);
}

static void add_count(int64_t sums[SITE_GRES_MAX], uint32_t kind, int64_t count) {
    if (kind < SITE_GRES_MAX && count <= GRES_COUNT_MAX && sums[kind] <= GRES_COUNT_MAX)
        sums[kind] += count;
}

static bool has_parts(const char *gres) {
    struct slurm_part name, type;
    int64_t count = 0;
    for (const char *at = gres; slurm_next_tres(&at, &name, &type, &count) > 0;)
        if (site_is_part(name) && count > 0) return true;
    return false;
}

/* Writes the GPUs, a list if there are several models, and the other gres of a node. */
static void put_node_gres(struct writer *w, const struct site_node *node, struct node_room *room) {
    struct slurm_part name, type;
    int64_t count = 0, gpus = 0;
    bool shared = has_parts(node->gres);
    const char *before = ", gpus: [";
    int rc = 0;
    for (const char *at = node->gres; (rc = slurm_next_tres(&at, &name, &type, &count)) > 0;) {
        if (!slurm_part_is(name, "gpu") || count < 1) continue;
        if (count > LSCHED_DEVICES_PER_NODE_MAX - gpus) {
            site_remark(w->site, node->name, node->line, "expected at most %d GPUs on a node",
                        LSCHED_DEVICES_PER_NODE_MAX);
            continue;
        }
        fprintf(w->out, "%s{count: %" PRId64, before, count);
        if (type.len > 0) {
            fputs(", model: ", w->out);
            site_name_put(w->out, "", type.text, type.len);
        }
        fputs(shared ? ", sharing: fraction}" : "}", w->out);
        gpus += count;
        before = ", ";
    }
    if (gpus > 0) fputc(']', w->out);
    room->gpu_milli = gpus * 1000;
    if (rc < 0)
        site_remark(w->site, node->name, node->line, "Gres: expected name:type:count, got '%.*s'",
                    (int)(name.len < 60 ? name.len : 60), name.text);
    int64_t sums[SITE_GRES_MAX] = {0};
    for (const char *at = node->gres; slurm_next_tres(&at, &name, &type, &count) > 0;)
        if (!slurm_part_is(name, "gpu"))
            add_count(sums, add_kind(w, name),
                      slurm_part_is(name, "mps") ? w->site->mps_of_gpu : count);
    put_kinds(w, sums);
}

static void put_node(struct writer *w, size_t i) {
    const struct site_node *node = &w->site->nodes[i];
    struct node_room *room = &w->room[i];
    *room = (struct node_room){.cpus = node->cpus, .memory_mb = node->memory_mb};
    fputs("  - {name: ", w->out);
    site_name_put_text(w->out, node->name);
    fputs(", ", w->out);
    put_labels(w, node);
    fprintf(w->out, ", cpu: %" PRId64 ", memory: %" PRId64 "Mi", node->cpus, node->memory_mb);
    if (node->gres != NULL) put_node_gres(w, node, room);
    if (w->node_kind) fprintf(w->out, ", slurm_node: %d", NODE_PARTS);
    if (node->down) fputs(", cordoned: true", w->out);
    fputs("}\n", w->out);
}

/* ---- where a job may run ---- */

/* Writes "feature/a: yes, feature/b: yes" for one alternative of a constraint such as a&b. */
static void put_conjunction(FILE *out, const char *text, size_t len, const char *before) {
    for (size_t at = 0; at < len;) {
        size_t n = strcspn(text + at, "&,|");
        if (n > 0 && !site_name_stands_before(text, text + at, n, "&,|")) {
            fputs(before, out);
            site_name_put(out, "feature/", text + at, n);
            fputs(": \"yes\"", out);
            before = ", ";
        }
        at += n + 1;
    }
}

static int put_host(void *user, const char *name) {
    FILE *out = user;
    fputs(", ", out);
    site_name_put_text(out, name);
    return 0;
}

/* Writes the rule for a list of hosts. */
static void put_hosts(struct writer *w, const char *list, bool excluded) {
    uint32_t label = name_table_find(&w->long_lists, (lsched_text){list, strlen(list)});
    if (label != UINT32_MAX) {
        fprintf(w->out, "\"list/%u\": %s", label, excluded ? "{absent: true}" : "\"yes\"");
        return;
    }
    /* the list begins with a name that no node has, so that each name has a comma before it */
    fputs(excluded ? "node: {not-in: [\"-\"" : "node: [\"-\"", w->out);
    (void)host_list_expand(list, put_host, w->out);
    fputs(excluded ? "]}" : "]", w->out);
}

struct words {
    const char *text;
    size_t len;
};

/* Writes one alternative: a partition, a conjunction of features, and nodes that are left out. */
static void put_alternative(struct writer *w, const struct site_job *job, struct words partition,
                            struct words features) {
    FILE *out = w->out;
    const char *before = "";
    fputc('{', out);
    if (partition.len > 0) {
        site_name_put(out, "partition/", partition.text, partition.len);
        fputs(": \"yes\"", out);
        before = ", ";
    }
    put_conjunction(out, features.text, features.len, before);
    if (strspn(features.text, "&,") < features.len) before = ", ";
    if (job->only_nodes != NULL || job->not_nodes != NULL) {
        fputs(before, out);
        put_hosts(w, job->only_nodes != NULL ? job->only_nodes : job->not_nodes,
                  job->only_nodes == NULL);
        before = ", ";
    }
    fprintf(out, "%sreservation: ", before);
    if (job->reservation != NULL) {
        site_name_put_text(out, job->reservation);
    } else {
        fputs("{absent: true}", out);
    }
    fputc('}', out);
}

static void put_where(struct writer *w, const struct site_job *job) {
    const char *before = ", affinity: {required: [";
    for (const char *f = job->features != NULL ? job->features : "";;) {
        struct words features = {f, strcspn(f, "|")};
        for (const char *p = job->partitions != NULL ? job->partitions : "";;) {
            struct words partition = {p, strcspn(p, ",")};
            fputs(before, w->out);
            put_alternative(w, job, partition, features);
            before = ", ";
            p += partition.len;
            if (*p++ == '\0') break;
        }
        f += features.len;
        if (*f++ == '\0') break;
    }
    fputs("]}", w->out);
}

static uint64_t count_words(const char *list, char separator) {
    uint64_t n = 1;
    for (; list != NULL && *list != '\0'; list++) n += *list == separator;
    return n;
}

/* Returns the option whose rules are too many for one job, or NULL. */
static const char *too_many_rules(const struct writer *w, const struct site_job *job) {
    uint64_t rules = count_words(job->features, '&') + count_words(job->features, ',');
    const char *list = job->only_nodes != NULL ? job->only_nodes : job->not_nodes;
    if (count_words(job->features, '|') * count_words(job->partitions, ',') > RULES_MAX ||
        rules + 4 > RULES_MAX)
        return "--constraint with so many alternatives";
    if (list != NULL && site_request_hosts(list) > LISTED_MAX &&
        name_table_find(&w->long_lists, (lsched_text){list, strlen(list)}) == UINT32_MAX)
        return "--nodelist or --exclude of that length (16 different long lists have one)";
    return NULL;
}

/* ---- jobs ---- */

static const char *queue_of(const struct writer *w, const struct site_job *job) {
    return job->account != NULL ? job->account : w->opts->default_queue;
}

static int64_t priority_of(const struct writer *w, const struct site_job *job) {
    int64_t most = 0;
    if (w->opts->slurm_priority) return job->priority < INT32_MAX ? job->priority : INT32_MAX;
    for (const char *at = job->partitions != NULL ? job->partitions : ""; *at != '\0';) {
        size_t len = strcspn(at, ","), i = site_find_partition(w->site, at, len);
        if (i < w->site->n_partitions && w->site->partitions[i].priority_tier > most)
            most = w->site->partitions[i].priority_tier;
        at += len + (at[len] == ',');
    }
    return most < INT32_MAX ? most : INT32_MAX;
}

static void put_gres(struct writer *w, const struct site_request *request) {
    int64_t sums[SITE_GRES_MAX] = {0};
    for (size_t i = 0; i < request->n_gres; i++)
        add_count(sums, add_kind(w, request->gres[i].name), request->gres[i].count);
    put_kinds(w, sums);
}

static void put_tasks(struct writer *w, const struct site_job *job,
                      const struct site_request *request, const struct node_room *amounts) {
    FILE *out = w->out;
    fprintf(out, ", tasks: {count: %" PRId64, request->tasks_max);
    if (request->tasks_min < request->tasks_max)
        fprintf(out, ", min: %" PRId64 ", fixed_at_start: true", request->tasks_min);
    if (request->one_per_node && request->tasks_max > 1) fputs(", max_tasks_per_node: 1", out);
    if (amounts->cpus > 0) fprintf(out, ", cpu: %" PRId64, amounts->cpus);
    if (amounts->memory_mb > 0) fprintf(out, ", memory: %" PRId64 "Mi", amounts->memory_mb);
    if (amounts->gpu_milli > 0) fprintf(out, ", gpu: %" PRId64, amounts->gpu_milli / 1000);
    if (amounts->gpu_milli % 1000 > 0) fprintf(out, ".%03d", (int)(amounts->gpu_milli % 1000));
    if (amounts->gpu_milli > 0 && request->model.len > 0) {
        fputs(", models: ", out);
        site_name_put(out, "", request->model.text, request->model.len);
    }
    put_gres(w, request);
    site_licences_put_need(out, w->site, job, request->tasks_min);
    if (w->node_kind)
        fprintf(out, ", slurm_node: %d",
                request->exclusive && job->fate != SITE_RUNS ? NODE_PARTS : 1);
    if (job->fate != SITE_RUNS) put_where(w, job);
    fputc('}', out);
}

struct places {
    struct writer *w;
    struct node_room least; /* the least room of the job's nodes */
    int64_t n;
    const char *unknown; /* first node that the site does not have, owned by the site */
    FILE *out;           /* NULL: the nodes are only looked at */
    const struct node_room *taken;
};

static int64_t smaller(int64_t a, int64_t b) {
    return a < b ? a : b;
}

static int look_at_place(void *user, const char *name) {
    struct places *places = user;
    const struct site_node *node = site_find_node(places->w->site, name);
    if (node == NULL) {
        if (places->unknown == NULL) places->unknown = site_text(places->w->site, name);
        return 0;
    }
    struct node_room *room = &places->w->room[node - places->w->site->nodes];
    if (places->out == NULL) {
        places->least.cpus = smaller(places->least.cpus, room->cpus);
        places->least.memory_mb = smaller(places->least.memory_mb, room->memory_mb);
        places->least.gpu_milli = smaller(places->least.gpu_milli, room->gpu_milli);
    } else {
        fputs(places->n > 0 ? ", " : "", places->out);
        site_name_put_text(places->out, name);
        room->cpus -= places->taken->cpus;
        room->memory_mb -= places->taken->memory_mb;
        room->gpu_milli -= places->taken->gpu_milli;
    }
    places->n++;
    return 0;
}

/* Computes what each task of a running job holds. What Slurm gave to each node is not in all
 * outputs; the largest share that fits the node is taken. Returns false if the job has no known
 * nodes. */
static bool running_amounts(struct writer *w, struct site_job *job, struct site_request *request,
                            struct node_room *amounts) {
    struct places places = {.w = w, .least = {INT64_MAX, INT64_MAX, INT64_MAX}};
    if (job->nodes != NULL) (void)host_list_expand(job->nodes, look_at_place, &places);
    if (places.n == 0 || places.unknown != NULL) {
        site_remark(w->site, job->file, job->line,
                    "job %s runs on %s, which is no node of this cluster; the job is left out",
                    job->id, places.unknown != NULL ? places.unknown : "no node");
        return false;
    }
    amounts->cpus = smaller(amounts->cpus, places.least.cpus);
    amounts->memory_mb = smaller(amounts->memory_mb, places.least.memory_mb);
    amounts->gpu_milli = smaller(amounts->gpu_milli, places.least.gpu_milli);
    if (amounts->cpus <= 0 && amounts->memory_mb <= 0 && amounts->gpu_milli <= 0) {
        /* a task needs something: another job seems to hold all that the outputs tell */
        site_remark(w->site, job->file, job->line,
                    "job %s runs where the other jobs hold all cores; the job is left out",
                    job->id);
        return false;
    }
    request->tasks_min = request->tasks_max = places.n;
    return true;
}

static void put_running(struct writer *w, const struct site_job *job,
                        const struct node_room *amounts) {
    struct places places = {.w = w, .out = w->out, .taken = amounts};
    char at[TIME_TEXT_BYTES];
    fputs(", running_on: [", w->out);
    (void)host_list_expand(job->nodes, look_at_place, &places);
    fprintf(w->out, "], running_since: %s", time_format(job->start_s * 1000000, at));
}

static void put_job(struct writer *w, struct site_job *job) {
    struct site_request request;
    char at[TIME_TEXT_BYTES];
    const char *option = site_request_of(w->site, job, &request);
    if (option == NULL) option = too_many_rules(w, job);
    if (job->fate == SITE_WAITS && option != NULL) {
        site_job_no_image(w->site, job, option);
    }
    if (job->fate != SITE_WAITS && job->fate != SITE_RUNS) return;
    struct node_room amounts = {request.cpus, request.memory_mb,
                                request.gpus * 1000 + request.part_milli};
    if (job->fate == SITE_RUNS && !running_amounts(w, job, &request, &amounts)) {
        job->fate = SITE_ENDED;
        return;
    }
    if (!w->any_job) fputs("jobs:\n", w->out);
    w->any_job = true;
    fputs("  - {name: ", w->out);
    site_name_put_text(w->out, job->id);
    fputs(", queue: ", w->out);
    site_name_put_text(w->out, queue_of(w, job));
    fprintf(w->out, ", priority: %" PRId64, priority_of(w, job));
    if (!job->requeue || !job->batch) fputs(", preemptible: false", w->out);
    if (job->limit_s > 0 && job->limit_s != SLURM_UNLIMITED)
        fprintf(w->out, ", duration: %" PRId64 "s", job->limit_s);
    int64_t submit_s = smaller(job->submit_s, w->site->now_s);
    fprintf(w->out, ", submitted: %s", time_format(submit_s * 1000000, at));
    put_tasks(w, job, &request, &amounts);
    if (job->fate == SITE_RUNS) put_running(w, job, &amounts);
    fputs("}\n", w->out);
}

/* ---- the file ---- */

/* A job whose account is no queue waits; one that runs stays, in the default queue. */
static void check_queue(struct writer *w, struct site_job *job) {
    const char *name = queue_of(w, job);
    lsched_text key = {name, strlen(name)};
    if (job->fate != SITE_WAITS && job->fate != SITE_RUNS) return;
    if (w->opts->queues_text == NULL) {
        char clean[SITE_NAME_BYTES];
        key = (lsched_text){clean, site_name_clean("", name, strlen(name), clean)};
        name_table_add(&w->queues, key);
        return;
    }
    if (name_table_find(w->opts->queue_names, key) != UINT32_MAX) return;
    key = (lsched_text){w->opts->default_queue, strlen(w->opts->default_queue)};
    bool has_default = name_table_find(w->opts->queue_names, key) != UINT32_MAX;
    if (job->fate == SITE_RUNS && has_default) {
        job->account = NULL;
        return;
    }
    if (job->fate == SITE_RUNS)
        site_remark(w->site, job->file, job->line,
                    "job %s runs for the account %s, which is no queue; the job is left out",
                    job->id, name);
    job->why = site_format(w->site, "the account %s is no queue of libsched", name);
    job->fate = job->fate == SITE_RUNS ? SITE_ENDED : SITE_NO_IMAGE;
}

/* The kinds of gres must be known before the nodes are written. */
static void find_kinds(struct writer *w) {
    const struct site *site = w->site;
    struct slurm_part name, type;
    int64_t count = 0;
    w->node_kind = site->whole_nodes;
    for (size_t i = 0; i < site->n_partitions; i++)
        if (site->partitions[i].exclusive) w->node_kind = true;
    for (size_t i = 0; i < site->n_jobs; i++)
        if (site->jobs[i].exclusive != NULL && site->jobs[i].fate == SITE_WAITS)
            w->node_kind = true;
    for (size_t i = 0; i < site->n_nodes; i++) {
        for (const char *at = site->nodes[i].gres != NULL ? site->nodes[i].gres : "";
             slurm_next_tres(&at, &name, &type, &count) > 0;)
            if (!slurm_part_is(name, "gpu")) add_kind(w, name);
    }
    for (size_t i = 0; i < site->n_jobs; i++) {
        struct site_request request;
        if (site->jobs[i].fate != SITE_WAITS && site->jobs[i].fate != SITE_RUNS) continue;
        /* a job that runs is written with what is known of its request */
        if (site_request_of(site, &site->jobs[i], &request) != NULL &&
            site->jobs[i].fate != SITE_RUNS)
            continue;
        for (size_t k = 0; k < request.n_gres; k++) add_kind(w, request.gres[k].name);
    }
}

static void put_head(struct writer *w) {
    const struct site *site = w->site;
    char at[TIME_TEXT_BYTES];
    if (w->opts->queues_text != NULL)
        fprintf(w->out, "%.*s\n", (int)w->opts->queues_len, w->opts->queues_text);
    fprintf(w->out, "start: %s\n", time_format(site->now_s * 1000000, at));
    if (w->kinds.n > 0 || w->node_kind) {
        fputs("resources: [", w->out);
        for (size_t i = 0; i < w->kinds.n; i++)
            fprintf(w->out, "%s%s", i > 0 ? ", " : "", w->kinds.names[i].ptr);
        if (w->node_kind) fprintf(w->out, "%sslurm_node", w->kinds.n > 0 ? ", " : "");
        fputs("]\n", w->out);
    }
    if (w->queues.n > 0 && w->opts->queues_text == NULL) {
        fputs("queues:\n", w->out);
        for (size_t i = 0; i < w->queues.n; i++) {
            fputs("  - {name: ", w->out);
            site_name_put_quoted(w->out, w->queues.names[i].ptr, (size_t)w->queues.names[i].len);
            fputs("}\n", w->out);
        }
    }
}

static int mark_listed(void *user, const char *name) {
    struct writer *w = user;
    const struct site_node *node = site_find_node(w->site, name);
    if (node != NULL) w->in_lists[node - w->site->nodes] |= (uint16_t)(1u << (w->long_lists.n - 1));
    return 0;
}

/* Finds the lists of hosts that are too long for a rule. */
static void find_long_lists(struct writer *w) {
    for (size_t i = 0; i < w->site->n_jobs; i++) {
        const struct site_job *job = &w->site->jobs[i];
        const char *list = job->only_nodes != NULL ? job->only_nodes : job->not_nodes;
        if (job->fate != SITE_WAITS || list == NULL || w->long_lists.n == LONG_LISTS_MAX) continue;
        if (site_request_hosts(list) <= LISTED_MAX) continue;
        size_t before = w->long_lists.n;
        name_table_add(&w->long_lists, (lsched_text){list, strlen(list)});
        if (w->long_lists.n > before) (void)host_list_expand(list, mark_listed, w);
    }
}

static void put_all(struct writer *w) {
    struct site *site = w->site;
    for (size_t i = 0; i < site->n_jobs; i++) check_queue(w, &site->jobs[i]);
    find_kinds(w);
    find_long_lists(w);
    put_head(w);
    if (site->n_nodes > 0) fputs("nodes:\n", w->out);
    for (size_t i = 0; i < site->n_nodes; i++) put_node(w, i);
    /* running jobs come first: they leave what the others may have */
    for (size_t i = 0; i < site->n_jobs; i++)
        if (site->jobs[i].fate == SITE_RUNS) put_job(w, &site->jobs[i]);
    for (size_t i = 0; i < site->n_jobs; i++)
        if (site->jobs[i].fate == SITE_WAITS) put_job(w, &site->jobs[i]);
    site_licences_put(w->out, site);
}

void site_scenario_write(struct site *site, const struct site_scenario_opts *opts,
                         struct input_file *out) {
    struct writer w = {.site = site, .opts = opts};
    memset(out, 0, sizeof *out);
    w.out = open_memstream(&out->text, &out->len);
    if (w.out == NULL) {
        complain("out of memory");
        exit(EXIT_INTERNAL);
    }
    w.room = must_alloc_zero((site->n_nodes + 1) * sizeof w.room[0]);
    w.in_lists = must_alloc_zero((site->n_nodes + 1) * sizeof w.in_lists[0]);
    put_all(&w);
    if (fclose(w.out) != 0) {
        complain("out of memory");
        exit(EXIT_INTERNAL);
    }
    free(w.room);
    free(w.in_lists);
    name_table_free(&w.long_lists);
    name_table_free(&w.queues);
    name_table_free(&w.kinds);
    out->name = "scenario of the site";
}
