/* site_read.c -- see site_read.h. */
#include "cli/slurm/site_read.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/input/input_file.h"
#include "cli/slurm_records/conf_reader.h"
#include "cli/slurm_records/dump_reader.h"
#include "cli/slurm_records/host_list.h"
#include "cli/slurm_records/json_records.h"
#include "cli/slurm/site_jobs.h"
#include "cli/slurm/site_licences.h"
#include "cli/support/cli_errors.h"

enum { INCLUDES_MAX = 64, NODE_CPUS_MAX = 1 << 20 };
#define NODE_MEMORY_MB_MAX ((int64_t)1 << 36)

enum conf_kind { CONF_SLURM, CONF_GRES, CONF_TOPOLOGY };

struct source {
    struct site *site;
    const char *file;
    enum conf_kind kind;
    struct record node_defaults, partition_defaults, merged;
    char *includes[INCLUDES_MAX]; /* owned; files that are still to be read */
    size_t n_includes;
    /* the record whose fields are given to each host of a list */
    const struct record *record;
    size_t partition;
    uint64_t unknown; /* hosts of a list that are no node */
    const char *first_unknown;
    const char *switch_name;
};

/* ---- nodes ---- */

static void number_field(struct site *site, const char *file, const struct record *record,
                         const char *keys, bool (*parse)(const char *, int64_t *), int64_t *out) {
    uint32_t line = record->line;
    int64_t value = 0;
    const char *text = record_find(record, keys, &line);
    if (text == NULL) return;
    if (parse(text, &value)) {
        *out = value;
    } else {
        size_t shown = strcspn(keys, "|");
        site_remark(site, file, line, "%.*s: expected a number, got '%.*s'; the field is ignored",
                    (int)shown, keys, RECORD_WORD_SHOWN, text);
    }
}

static bool state_has(const char *state, const char *word) {
    size_t n = strlen(word);
    for (const char *at = state; *at != '\0';) {
        size_t len = strcspn(at, "+,*$#~!%@^- ");
        if (same_word(at, len, word, n)) return true;
        at += len;
        at += *at != '\0';
    }
    return false;
}

static bool node_is_down(const char *state) {
    static const char *const words[] = {"DOWN",         "DRAIN",   "DRAINED", "DRAINING",
                                        "FAIL",         "FAILING", "INVAL",   "NOT_RESPONDING",
                                        "POWERED_DOWN", "ERROR",   "REBOOT",  "FUTURE"};
    if (strchr(state, '*') != NULL) return true; /* the node does not respond */
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (state_has(state, words[i])) return true;
    }
    return false;
}

static void set_text(struct site *site, const char **out, const struct record *record,
                     const char *keys) {
    const char *text = record_find(record, keys, NULL);
    if (text != NULL) *out = site_text(site, text);
}

static void read_cpus(struct source *source, struct site_node *node, const struct record *record) {
    int64_t part[4] = {1, 1, 1, 1}, cpus = 0, reserved = 0;
    static const char *const keys[] = {"Boards", "Sockets|SocketsPerBoard", "CoresPerSocket",
                                       "ThreadsPerCore"};
    number_field(source->site, source->file, record, "CPUEfctv|effective_cpus|CPUs|CPUTot|Procs",
                 slurm_number, &cpus);
    if (cpus == 0 && source->kind == CONF_SLURM) {
        cpus = 1;
        for (size_t i = 0; i < 4; i++) {
            number_field(source->site, source->file, record, keys[i], slurm_number, &part[i]);
            if (part[i] > 0 && part[i] < 65536 && cpus < 65536) cpus *= part[i];
        }
    }
    if (cpus > 0) node->cpus = cpus;
    number_field(source->site, source->file, record, "CoreSpecCount", slurm_number, &reserved);
    if (reserved > 0 && reserved < node->cpus && record_find(record, "CPUEfctv", NULL) == NULL)
        node->cpus -= reserved;
    reserved = 0;
    number_field(source->site, source->file, record, "RealMemory|real_memory", slurm_number,
                 &node->memory_mb);
    number_field(source->site, source->file, record, "MemSpecLimit|specialized_memory",
                 slurm_number, &reserved);
    if (reserved > 0 && reserved < node->memory_mb) node->memory_mb -= reserved;
    if (node->cpus <= NODE_CPUS_MAX && node->memory_mb <= NODE_MEMORY_MB_MAX) return;
    site_remark(source->site, source->file, record->line,
                "node %s: expected at most %d CPUs and %" PRId64 " MiB of memory; 1 is taken",
                node->name, NODE_CPUS_MAX, NODE_MEMORY_MB_MAX);
    node->cpus = node->memory_mb = 1;
}

static void read_node(struct source *source, struct site_node *node, const struct record *record) {
    struct site *site = source->site;
    node->line = record->line;
    read_cpus(source, node, record);
    set_text(site, &node->gres, record, "Gres");
    set_text(site, &node->features, record,
             "Feature|Features|ActiveFeatures|active_features|AvailableFeatures");
    set_text(site, &node->state, record, "State");
    const char *flags = record_find(record, "state_flags", NULL);
    const char *state = record_find(record, "State", NULL);
    if (state != NULL) node->down = node_is_down(state);
    if (flags != NULL && node_is_down(flags)) node->down = true;
    /* the node is of a reservation that is active; its name is in another output */
    bool reserved =
        (state != NULL && (state_has(state, "RESERVED") || state_has(state, "MAINT"))) ||
        (flags != NULL && (state_has(flags, "RESERVED") || state_has(flags, "MAINT")));
    if (reserved && node->reservation == NULL) node->reservation = "unknown";
}

static void join_partitions(struct site *site, struct site_node *node, const char *list) {
    for (const char *at = list; *at != '\0';) {
        size_t len = strcspn(at, ",");
        char name[128];
        if (len > 0 && len < sizeof name) {
            memcpy(name, at, len);
            name[len] = '\0';
            struct site_partition *partition = site_add_partition(site, name);
            if (partition != NULL) {
                size_t i = (size_t)(partition - site->partitions);
                node->partitions[i / 64] |= (uint64_t)1 << (i % 64);
            }
        }
        at += len + (at[len] == ',');
    }
}

static int add_host(void *user, const char *name) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
    struct source *source = user;
    if (name[strspn(name, letters)] != '\0') {
        site_remark(source->site, source->file, source->record->line,
                    "expected the name of a host, got '%.*s'; the node is ignored",
                    RECORD_WORD_SHOWN, name);
        return 0;
    }
    struct site_node *node = site_add_node(source->site, name);
    if (node == NULL) return 1;
    read_node(source, node, source->record);
    if (source->kind != CONF_SLURM) node->dumped = true;
    const char *partitions = record_find(source->record, "Partitions", NULL);
    if (source->kind != CONF_SLURM && partitions != NULL)
        join_partitions(source->site, node, partitions);
    return 0;
}

static void expand(struct source *source, const char *list, uint32_t line,
                   int (*host)(void *user, const char *name)) {
    const char *wrong = host_list_expand(list, host, source);
    if (wrong != NULL)
        site_remark(source->site, source->file, line, "%s, got '%.*s'; the list is cut there",
                    wrong, RECORD_WORD_SHOWN, list);
}

/* Appends the fields of `record` from index `from`, which count more than those before. */
static int32_t append_fields(struct record *out, const struct record *record, size_t from,
                             lsched_error *err) {
    int32_t rc = LSCHED_OK;
    for (size_t i = from; rc >= 0 && i < record->n; i++) {
        const char *key = record_key(record, i), *value = record_value(record, i);
        rc = record_add(out, key, strlen(key), value, strlen(value), record->fields[i].line, err);
    }
    return rc;
}

/* Makes source->merged of the defaults and the record. */
static int32_t merge(struct source *source, const struct record *defaults,
                     const struct record *record, lsched_error *err) {
    record_begin(&source->merged, record->line);
    int32_t rc = append_fields(&source->merged, defaults, 0, err);
    return rc < 0 ? rc : append_fields(&source->merged, record, 0, err);
}

static bool is_default_name(const char *name) {
    return same_word(name, strlen(name), "DEFAULT", 7);
}

/* Names of fields of a NodeName line; others are told of. */
static void remark_node_fields(struct source *source, const struct record *record) {
    static const char known[] =
        "|nodename|nodehostname|nodeaddr|bcastaddr|boards|corespeccount|corespersocket|cpubind|"
        "cpus|cpuspeclist|features|feature|gres|memspeclimit|port|procs|realmemory|reason|sockets|"
        "socketsperboard|state|threadspercore|tmpdisk|weight|restrictedcorespergpu|topology|"
        "parameters|";
    for (size_t i = 0; i < record->n; i++) {
        char word[RECORD_WORD_SHOWN + 3];
        const char *key = record_key(record, i);
        size_t len = strlen(key);
        if (len <= RECORD_WORD_SHOWN) {
            word[0] = word[len + 1] = '|';
            word[len + 2] = '\0';
            for (size_t k = 0; k < len; k++)
                word[k + 1] = (char)(key[k] >= 'A' && key[k] <= 'Z' ? key[k] + 32 : key[k]);
            if (strstr(known, word) != NULL) continue;
        }
        site_remark(source->site, source->file, record->fields[i].line,
                    "%.*s is no field of NodeName that lsched knows; it is ignored",
                    RECORD_WORD_SHOWN, key);
    }
}

static int32_t node_line(struct source *source, const struct record *record, lsched_error *err) {
    const char *names = record_value(record, 0);
    remark_node_fields(source, record);
    if (is_default_name(names)) return append_fields(&source->node_defaults, record, 1, err);
    int32_t rc = merge(source, &source->node_defaults, record, err);
    if (rc < 0) return rc;
    source->record = &source->merged;
    expand(source, names, record->line, add_host);
    return LSCHED_OK;
}

/* ---- partitions ---- */

static void read_partition(struct source *source, struct site_partition *partition,
                           const struct record *record) {
    struct site *site = source->site;
    partition->file = source->file;
    partition->line = record->line;
    set_text(site, &partition->nodes, record, "Nodes");
    number_field(site, source->file, record, "PriorityTier|Priority", slurm_number,
                 &partition->priority_tier);
    number_field(site, source->file, record, "MaxTime", slurm_duration, &partition->max_seconds);
    if (partition->max_seconds != SLURM_UNLIMITED && partition->max_seconds > SLURM_SECONDS_MAX)
        partition->max_seconds = SLURM_UNLIMITED;
    const char *word = record_find(record, "Default", NULL);
    if (word != NULL) partition->is_default = same_word(word, strlen(word), "YES", 3);
    word = record_find(record, "OverSubscribe|Shared", NULL);
    if (word != NULL) partition->exclusive = same_word(word, strlen(word), "EXCLUSIVE", 9);
    word = record_find(record, "State", NULL);
    if (word != NULL) partition->up = same_word(word, strlen(word), "UP", 2);
}

static int32_t partition_line(struct source *source, const struct record *record,
                              lsched_error *err) {
    const char *name = record_value(record, 0);
    if (is_default_name(name)) return append_fields(&source->partition_defaults, record, 1, err);
    struct site_partition *partition = site_add_partition(source->site, name);
    if (partition == NULL) {
        site_remark(source->site, source->file, record->line,
                    "expected at most %d partitions; partition %.*s is ignored",
                    SITE_PARTITIONS_MAX, RECORD_WORD_SHOWN, name);
        return LSCHED_OK;
    }
    int32_t rc = merge(source, &source->partition_defaults, record, err);
    if (rc >= 0) read_partition(source, partition, &source->merged);
    return rc;
}

static int join_host(void *user, const char *name) {
    struct source *source = user;
    struct site_node *node = site_find_node(source->site, name);
    if (node == NULL) {
        if (source->unknown++ == 0) source->first_unknown = site_text(source->site, name);
        return 0;
    }
    node->partitions[source->partition / 64] |= (uint64_t)1 << (source->partition % 64);
    return 0;
}

/* Of each array, no more elements start than its %N allows beside those that run. */
static void apply_throttles(struct site *site) {
    struct name_table arrays = {0};
    int64_t *used = must_alloc_zero((site->n_jobs + 1) * sizeof used[0]);
    for (int running = 1; running >= 0; running--) {
        for (size_t i = 0; i < site->n_jobs; i++) {
            struct site_job *job = &site->jobs[i];
            if (job->array == NULL || job->fate != (running ? SITE_RUNS : SITE_WAITS)) continue;
            uint32_t at = name_table_add(&arrays, (lsched_text){job->array, strlen(job->array)});
            bool over = job->throttle > 0 && used[at] >= job->throttle;
            if (over && !running) {
                job->fate = SITE_SLURM_HOLDS;
                job->why = "JobArrayTaskLimit";
            } else {
                used[at]++;
            }
        }
    }
    name_table_free(&arrays);
    free(used);
}

/* Leaves out the jobs that an output, or an earlier output, has already. */
static void leave_out_repeated(struct site *site) {
    struct name_table ids = {0};
    for (size_t i = 0; i < site->n_jobs; i++) {
        struct site_job *job = &site->jobs[i];
        if (job->fate == SITE_ENDED) continue;
        size_t before = ids.n;
        name_table_add(&ids, (lsched_text){job->id, strlen(job->id)});
        if (ids.n > before) continue;
        site_remark(site, job->file, job->line, "job %s stands here again; it is left out",
                    job->id);
        job->fate = SITE_ENDED;
    }
    name_table_free(&ids);
}

/* If an output has nodes, it should have all nodes of slurm.conf: the state of the others is not
 * known, and they count as up. */
static void remark_missing_nodes(struct site *site) {
    uint64_t missing = 0;
    const struct site_node *first = NULL;
    for (size_t i = 0; i < site->n_nodes; i++) {
        if (site->nodes[i].dumped) continue;
        if (missing++ == 0) first = &site->nodes[i];
    }
    if (missing == 0 || missing == site->n_nodes) return;
    site_remark(site, "slurm.conf", first->line,
                "%" PRIu64
                " node%s of slurm.conf %s not in the output of scontrol show node, first "
                "%s: the state is not known, and counts as up; is the output whole?",
                missing, missing == 1 ? "" : "s", missing == 1 ? "is" : "are", first->name);
}

void site_read_end(struct site *site) {
    remark_missing_nodes(site);
    leave_out_repeated(site);
    apply_throttles(site);
    site_find_parts(site);
    for (size_t i = 0; i < site->n_partitions; i++) {
        struct site_partition *partition = &site->partitions[i];
        struct source source = {
            .site = site, .file = partition->file != NULL ? partition->file : "-", .partition = i};
        if (partition->nodes != NULL &&
            same_word(partition->nodes, strlen(partition->nodes), "ALL", 3)) {
            for (size_t k = 0; k < site->n_nodes; k++) join_host(&source, site->nodes[k].name);
        } else if (partition->nodes != NULL) {
            expand(&source, partition->nodes, partition->line, join_host);
        }
        if (source.unknown > 0)
            site_remark(site, source.file, partition->line,
                        "partition %s names %" PRIu64
                        " node%s that no NodeName line has, first %s; "
                        "expected names of nodes",
                        partition->name, source.unknown, source.unknown == 1 ? "" : "s",
                        source.first_unknown);
        for (size_t k = 0; k < site->n_nodes; k++)
            partition->n_nodes += site->nodes[k].partitions[i / 64] >> (i % 64) & 1;
    }
}

/* ---- the rest of slurm.conf ---- */

static void read_setting(struct source *source, const struct record *record, size_t i) {
    struct site *site = source->site;
    const char *key = record_key(record, i), *value = record_value(record, i);
    size_t len = strlen(key);
    uint32_t line = record->fields[i].line;
    if (same_word(key, len, "Licenses", 8)) {
        site_licences_conf(site, source->file, line, value);
    } else if (same_word(key, len, "SelectType", 10)) {
        site->whole_nodes = strstr(value, "linear") != NULL;
    } else if (same_word(key, len, "SelectTypeParameters", 20)) {
        site->memory_counts = strstr(value, "emory") != NULL || strstr(value, "EMORY") != NULL;
    } else if (same_word(key, len, "PreemptType", 11) && strstr(value, "none") == NULL) {
        site_remark(site, source->file, line,
                    "PreemptType=%.*s has no image: the policy of libsched decides who is stopped",
                    RECORD_WORD_SHOWN, value);
    } else if (same_word(key, len, "PriorityType", 12) && strstr(value, "multifactor") != NULL) {
        site_remark(site, source->file, line,
                    "PriorityType=%.*s: libsched orders by the tier of the partition; "
                    "--slurm-priority orders by Slurm's number",
                    RECORD_WORD_SHOWN, value);
    }
}

/* A line that looks like nodes or partitions, but begins with another word. */
static void remark_line(struct source *source, const struct record *record) {
    static const char *const starts[] = {"Node", "Part", "Swit", "Down", "Fron"};
    const char *key = record_key(record, 0);
    size_t len = strlen(key);
    if (record->n < 2 || same_word(key, len, "DownNodes", 9) ||
        same_word(key, len, "FrontendName", 12) || same_word(key, len, "NodeSet", 7))
        return;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        if (len < 4 || !same_word(key, 4, starts[i], 4)) continue;
        site_remark(source->site, source->file, record->line,
                    "expected NodeName or PartitionName at the begin of the line, got '%.*s'; the "
                    "line is ignored",
                    RECORD_WORD_SHOWN, key);
        return;
    }
}

static int32_t slurm_line(void *user, const struct record *record, lsched_error *err) {
    struct source *source = user;
    const char *key = record_key(record, 0);
    size_t len = strlen(key);
    if (same_word(key, len, "NodeName", 8)) return node_line(source, record, err);
    if (same_word(key, len, "PartitionName", 13)) return partition_line(source, record, err);
    remark_line(source, record);
    for (size_t i = 0; i < record->n; i++) read_setting(source, record, i);
    return LSCHED_OK;
}

/* ---- gres.conf and topology.conf ---- */

static int check_host(void *user, const char *name) {
    struct source *source = user;
    struct site_node *node = site_find_node(source->site, name);
    if (node == NULL) {
        if (source->unknown++ == 0) source->first_unknown = site_text(source->site, name);
    } else if (source->switch_name != NULL) {
        node->switch_name = source->switch_name;
    }
    return 0;
}

static void check_hosts(struct source *source, const char *list, uint32_t line) {
    source->unknown = 0;
    expand(source, list, line, check_host);
    if (source->unknown > 0)
        site_remark(source->site, source->file, line,
                    "%" PRIu64 " of the nodes are not in slurm.conf, first %s", source->unknown,
                    source->first_unknown);
}

static int32_t gres_line(void *user, const struct record *record, lsched_error *err) {
    struct source *source = user;
    const char *nodes = record_find(record, "NodeName", NULL);
    const char *name = record_find(record, "Name", NULL);
    (void)err;
    if (nodes != NULL) check_hosts(source, nodes, record->line);
    if (name == NULL) {
        if (record_find(record, "AutoDetect", NULL) == NULL)
            site_remark(source->site, source->file, record->line,
                        "expected Name= or AutoDetect= in each line of gres.conf");
        return LSCHED_OK;
    }
    return LSCHED_OK;
}

static int32_t topology_line(void *user, const struct record *record, lsched_error *err) {
    struct source *source = user;
    const char *name = record_find(record, "SwitchName", NULL);
    const char *nodes = record_find(record, "Nodes", NULL);
    (void)err;
    if (name == NULL) {
        site_remark(source->site, source->file, record->line,
                    "expected SwitchName= at the begin of the line, got '%.*s'", RECORD_WORD_SHOWN,
                    record_key(record, 0));
        return LSCHED_OK;
    }
    source->switch_name = site_text(source->site, name);
    if (nodes != NULL) check_hosts(source, nodes, record->line);
    return LSCHED_OK;
}

/* ---- texts ---- */

static void odd_text(void *user, uint32_t line, const char *what, const char *text, size_t len) {
    struct source *source = user;
    site_remark(source->site, source->file, line, "%s, got '%.*s'; it is ignored", what,
                (int)(len < RECORD_WORD_SHOWN ? len : RECORD_WORD_SHOWN), text);
}

static int32_t remember_include(void *user, const char *name, uint32_t line, lsched_error *err) {
    struct source *source = user;
    (void)err;
    if (source->n_includes == INCLUDES_MAX) {
        site_remark(source->site, source->file, line, "expected at most %d included files",
                    INCLUDES_MAX);
        return LSCHED_OK;
    }
    source->includes[source->n_includes++] = must_copy(name, strlen(name));
    return LSCHED_OK;
}

static int32_t read_text(struct source *source, const char *text, size_t len, lsched_error *err) {
    static const record_fn lines[] = {slurm_line, gres_line, topology_line};
    struct conf_calls calls = {.user = source,
                               .line = lines[source->kind],
                               .include = source->kind == CONF_SLURM ? remember_include : NULL,
                               .odd = odd_text};
    return conf_read(text, len, &calls, err);
}

static void source_end(struct source *source) {
    for (size_t i = 0; i < source->n_includes; i++) free(source->includes[i]);
    record_free(&source->node_defaults);
    record_free(&source->partition_defaults);
    record_free(&source->merged);
}

int32_t site_read_conf_text(struct site *site, const char *file, const char *text, size_t len,
                            lsched_error *err) {
    struct source *source = must_alloc_zero(sizeof *source);
    source->site = site;
    source->file = file;
    int32_t rc = read_text(source, text, len, err);
    source_end(source);
    free(source);
    return rc;
}

/* ---- files ---- */

static int read_file(struct source *source, const char *path) {
    struct input_file file;
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = input_read(path, &file);
    if (rc != EXIT_OK) return rc;
    source->file = site_text(source->site, file.name);
    if (read_text(source, file.text, file.len, &err) < 0) rc = library_error(file.name, &err);
    input_free(&file);
    return rc;
}

/* Returns the path of an included file: names are relative to the directory of slurm.conf. */
static const char *included_path(struct site *site, const char *conf, const char *name) {
    const char *slash = strrchr(conf, '/');
    if (name[0] == '/' || slash == NULL) return site_text(site, name);
    return site_format(site, "%.*s%s", (int)(slash + 1 - conf), conf, name);
}

static int read_conf_files(struct site *site, const char *path, enum conf_kind kind) {
    struct source *source = must_alloc_zero(sizeof *source);
    source->site = site;
    source->kind = kind;
    int rc = read_file(source, path);
    for (size_t i = 0; rc == EXIT_OK && i < source->n_includes; i++)
        rc = read_file(source, included_path(site, path, source->includes[i]));
    source_end(source);
    free(source);
    return rc;
}

int site_read_conf(struct site *site, const char *path) {
    return read_conf_files(site, path, CONF_SLURM);
}

int site_read_gres(struct site *site, const char *path) {
    return read_conf_files(site, path, CONF_GRES);
}

int site_read_topology(struct site *site, const char *path) {
    return read_conf_files(site, path, CONF_TOPOLOGY);
}

/* ---- dumps ---- */

static int mark_reserved(void *user, const char *name) {
    struct source *source = user;
    struct site_node *node = site_find_node(source->site, name);
    if (node != NULL) node->reservation = source->switch_name;
    return 0;
}

static const char *text_or(struct site *site, const char *name) {
    return name != NULL ? site_text(site, name) : "unknown";
}

static void reservation_record(struct source *source, const struct record *record) {
    const char *nodes = record_find(record, "Nodes|node_list", NULL);
    const char *state = record_find(record, "State", NULL);
    if (nodes == NULL || (state != NULL && strcmp(state, "ACTIVE") != 0)) return;
    source->switch_name = text_or(source->site, record_find(record, "ReservationName|name", NULL));
    expand(source, nodes, record->line, mark_reserved);
}

static int32_t dump_record(void *user, const struct record *record, lsched_error *err) {
    struct source *source = user;
    const char *key = record_key(record, 0);
    source->site->records++;
    if (strcmp(key, "JobId") == 0) return site_jobs_add(source->site, source->file, record, err);
    if (strcmp(key, "PartitionName") == 0) return partition_line(source, record, err);
    if (strcmp(key, "ReservationName") == 0) {
        reservation_record(source, record);
        return LSCHED_OK;
    }
    if (strcmp(key, "LicenseName") == 0) {
        site_licences_record(source->site, source->file, record);
        return LSCHED_OK;
    }
    source->record = record;
    expand(source, record_value(record, 0), record->line, add_host);
    return LSCHED_OK;
}

static int32_t json_record(void *user, const char *array, const struct record *record,
                           lsched_error *err) {
    struct source *source = user;
    const char *name = record_find(record, "name|description|error", NULL);
    source->site->records++;
    if (strcmp(array, "jobs") == 0) return site_jobs_add(source->site, source->file, record, err);
    if (strcmp(array, "nodes") == 0 && name != NULL) {
        source->record = record;
        expand(source, name, record->line, add_host);
    } else if (strcmp(array, "reservations") == 0) {
        reservation_record(source, record);
    } else if (strcmp(array, "licenses") == 0) {
        site_licences_record(source->site, source->file, record);
    } else if (strcmp(array, "sinfo") == 0) {
        return error_at(
            err, LSCHED_E_SYNTAX, record->line, 1,
            "expected a list of nodes, got the sums that newer releases of sinfo write; "
            "use the output of scontrol show nodes --json");
    } else if (strcmp(array, "errors") == 0 && name != NULL) {
        site_remark(source->site, source->file, record->line, "Slurm reports the error: %s", name);
    }
    return LSCHED_OK;
}

int32_t site_read_dump_text(struct site *site, const char *file, char *text, size_t len,
                            lsched_error *err) {
    struct source *source = must_alloc_zero(sizeof *source);
    source->site = site;
    source->file = file;
    source->kind = CONF_GRES; /* no defaults of slurm.conf */
    int32_t rc = json_records_here(text, len)
                     ? json_records_read(text, len, json_record, source, err)
                     : dump_read(text, len, dump_record, source, err);
    source_end(source);
    free(source);
    return rc;
}

int site_read_dump(struct site *site, const char *path) {
    struct input_file file;
    lsched_error err = LSCHED_ERROR_INIT;
    int rc = input_read(path, &file);
    if (rc != EXIT_OK) return rc;
    const char *name = site_text(site, file.name);
    if (site_read_dump_text(site, name, file.text, file.len, &err) < 0)
        rc = library_error(file.name, &err);
    input_free(&file);
    return rc;
}
