/*
 * api_metrics.c -- lsched_metrics_write: the counters and some present values of a cluster as
 * OpenMetrics text.
 *
 * Each family is one row of a table with the position of its field, so that families of the cluster
 * and of queues come from one table. A family of queues visits all queues once.
 */
#include <stdio.h>

#include "api/door/args.h"
#include "api/metrics/metrics_text.h"
#include "engine/state/cluster.h"
#include "model/told/tally.h"

/* Families of words of a block (tally.h), of the cluster and, with "queue_" in the name, of queues.
 * word_name: the word of a code in the label `label`. */
struct event_family {
    const char *cluster_name, *queue_name, *label, *help;
    uint32_t word;
    const char *(*word_name)(uint32_t code);
};
static const struct event_family coded[] = {
    {"lsched_decisions", "lsched_queue_decisions", "kind", "Decisions of plans, by kind.",
     TALLY_DECISIONS, lsched_decision_kind_name},
    {"lsched_evictions", "lsched_queue_evictions", "cause",
     "Decisions that stop or move a task, by cause.", TALLY_EVICTIONS, lsched_reason_name},
    {"lsched_changes", "lsched_queue_changes", "kind",
     "Effects of calls beyond what was asked for, by kind.", TALLY_CHANGES, lsched_change_name}};

/* Families with a fixed list of words, each with its label value. */
struct word_value {
    uint32_t word;
    const char *value;
};
struct list_family {
    const char *cluster_name, *queue_name, *label, *help;
    struct word_value words[5];
};
static const struct list_family listed[] = {
    {"lsched_settled",
     "lsched_queue_settled",
     "outcome",
     "Decisions that the orchestrator settled, by outcome.",
     {{TALLY_CONFIRMED, "confirmed"}, {TALLY_REJECTED, "rejected"}}},
    {"lsched_tasks",
     "lsched_queue_tasks",
     "event",
     "Tasks that the orchestrator reported, by event.",
     {{TALLY_STARTED, "started"},
      {TALLY_ENDED, "ended"},
      {TALLY_FAILED, "failed"},
      {TALLY_STOPPED, "stopped"},
      {TALLY_IMPORTED, "imported"}}},
    {"lsched_jobs",
     "lsched_queue_jobs",
     "call",
     "Jobs that the orchestrator submitted and removed.",
     {{TALLY_SUBMITTED, "submitted"}, {TALLY_REMOVED, "removed"}}}};

#define FIELD(name, type, unit, field, help) \
    { "lsched_" name, type, unit, help, offsetof(lsched_counters, field) }
static const struct number_family {
    const char *name, *type, *unit, *help;
    size_t at;
} numbers[] = {
    FIELD("cycles", "counter", "", cycles, "Cycles that returned a plan."),
    FIELD("cycles_partial", "counter", "", cycles_partial, "Cycles that a budget or bound ended."),
    FIELD("cycles_interrupted", "counter", "", cycles_interrupted, "Cycles that were interrupted."),
    FIELD("cycles_policy_failed", "counter", "", cycles_policy_failed,
          "Cycles in which a hook of the policy failed."),
    FIELD("jobs_tried", "counter", "", jobs_tried, "Jobs that cycles tried to place."),
    FIELD("work_units", "counter", "", work_units, "Work units that cycles spent."),
    FIELD("steps", "counter", "", steps, "Nodes, tasks and list entries that cycles read."),
    FIELD("nodes_scored", "counter", "", nodes_scored, "Nodes that cycles scored."),
    FIELD("victim_searches_proven", "counter", "", searches_proven,
          "Searches for victims that proved that no eviction helps."),
    FIELD("victim_searches_cut", "counter", "", searches_cut,
          "Searches for victims that their budget ended."),
    FIELD("victim_searches_skipped", "counter", "", searches_skipped,
          "Searches for victims that were left out because their result was known."),
    FIELD("search_hits", "counter", "", search_hits, "Searches for a node that found an index."),
    FIELD("search_fills", "counter", "", search_fills,
          "Searches for a node that had to score all nodes."),
    FIELD("policy_instructions", "counter", "", policy_instructions,
          "Instructions that hooks of the policy executed."),
    FIELD("allocations", "counter", "", allocations, "Allocations of memory."),
    FIELD("memory_bytes", "gauge", "bytes", memory_bytes, "Memory that the cluster holds."),
    FIELD("memory_peak_bytes", "gauge", "bytes", memory_peak_bytes,
          "Most memory that the cluster has held.")};

#define ACTION(name, field, help) \
    { "lsched_action_" name, help, offsetof(struct action_tally, field) }
static const struct action_family {
    const char *name, *help;
    size_t at;
} of_actions[] = {ACTION("runs", runs, "Runs of an action in cycles."),
                  ACTION("jobs_tried", jobs_tried, "Jobs that an action tried."),
                  ACTION("decisions", decisions, "Decisions that an action made."),
                  ACTION("evictions", evictions, "Tasks that an action stopped or moved."),
                  ACTION("work_units", work_units, "Work units that an action spent."),
                  ACTION("steps", steps, "Entries that an action read.")};

/* ---- events ---- */

/* Calls `family` for the block of the cluster, or for each queue with its name as first label. */
struct block_writer {
    struct metrics_text *t;
    const struct columns *k;
    int queues;
};
typedef void (*block_fn)(struct metrics_text *t, const uint64_t *block,
                         struct metrics_label *labels, size_t n, const void *family);

static void each_block(const struct block_writer *w, block_fn write, const void *family) {
    struct metrics_label labels[3] = {{"queue", NULL, 0}};
    if (!w->queues) {
        write(w->t, tally_block(w->k, NO_ROW), labels, 0, family);
        return;
    }
    EACH_LIVE(w->k, T_QUEUE, q) {
        lsched_text name = arg_name_of(w->k, arg_id_of(w->k, LSCHED_KIND_QUEUE, q));
        labels[0].value = name.ptr;
        labels[0].len = (size_t)name.len;
        write(w->t, tally_block(w->k, q), labels, 1, family);
    }
}

static void coded_block(struct metrics_text *t, const uint64_t *block, struct metrics_label *labels,
                        size_t n, const void *family) {
    const struct event_family *f = family;
    uint32_t codes = LSCHED_COUNTED_CODES;
    if (f->word == TALLY_CHANGES) codes += TALLY_WORDS - TALLY_CHANGES_MORE;
    for (uint32_t code = 0; code < codes; code++) {
        const char *word = f->word_name(code);
        if (strcmp(word, "unknown") == 0) continue;
        labels[n] = (struct metrics_label){f->label, word, strlen(word)};
        metrics_text_sample(t, "_total", labels, n + 1,
                            code < LSCHED_COUNTED_CODES
                                ? block[f->word + code]
                                : block[TALLY_CHANGES_MORE + code - LSCHED_COUNTED_CODES]);
    }
}

static void listed_block(struct metrics_text *t, const uint64_t *block,
                         struct metrics_label *labels, size_t n, const void *family) {
    const struct list_family *f = family;
    for (size_t i = 0; i < 5 && f->words[i].value; i++) {
        labels[n] = (struct metrics_label){f->label, f->words[i].value, strlen(f->words[i].value)};
        metrics_text_sample(t, "_total", labels, n + 1, block[f->words[i].word]);
    }
}

static void wait_block(struct metrics_text *t, const uint64_t *block, struct metrics_label *labels,
                       size_t n, const void *family) {
    uint64_t sum = 0;
    (void)family;
    for (uint32_t i = 0; i < LSCHED_WAIT_BUCKETS; i++) {
        int64_t bound = lsched_wait_bound_us(i);
        char le[32] = "+Inf";
        if (bound != LSCHED_NEVER_US)
            snprintf(le, sizeof le, "%lld.0", (long long)(bound / 1000000));
        sum += block[TALLY_WAIT + i];
        labels[n] = (struct metrics_label){"le", le, strlen(le)};
        metrics_text_sample(t, "_bucket", labels, n + 1, sum);
    }
    metrics_text_sample(t, "_count", labels, n, sum);
    metrics_text_seconds(t, "_sum", labels, n, block[TALLY_WAIT_SUM]);
}

static void write_events(const struct block_writer *w) {
    for (size_t i = 0; i < sizeof coded / sizeof *coded; i++) {
        const struct event_family *f = &coded[i];
        metrics_text_family(w->t, w->queues ? f->queue_name : f->cluster_name, "counter", "",
                            f->help);
        each_block(w, coded_block, f);
    }
    for (size_t i = 0; i < sizeof listed / sizeof *listed; i++) {
        const struct list_family *f = &listed[i];
        metrics_text_family(w->t, w->queues ? f->queue_name : f->cluster_name, "counter", "",
                            f->help);
        each_block(w, listed_block, f);
    }
    metrics_text_family(w->t, w->queues ? "lsched_queue_wait_seconds" : "lsched_wait_seconds",
                        "histogram", "seconds",
                        "Time from the submission of a job to the placement of a task.");
    each_block(w, wait_block, NULL);
}

/* ---- numbers ---- */

static void write_numbers(struct metrics_text *t, const lsched_counters *n) {
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const struct number_family *f = &numbers[i];
        uint64_t value;
        memcpy(&value, (const char *)n + f->at, sizeof value);
        metrics_text_family(t, f->name, f->type, f->unit, f->help);
        metrics_text_sample(t, f->type[0] == 'c' ? "_total" : "", NULL, 0, value);
    }
}

static void gauge(struct metrics_text *t, const char *name, const char *help, uint64_t value) {
    metrics_text_family(t, name, "gauge", "", help);
    metrics_text_sample(t, "", NULL, 0, value);
}

static void write_state(struct metrics_text *t, const struct columns *k) {
    char semantics[16];
    struct metrics_label labels[] = {{"version", lsched_version(), strlen(lsched_version())},
                                     {"semantics", semantics, 0}};
    snprintf(semantics, sizeof semantics, "%u", lsched_semantics());
    labels[1].len = strlen(semantics);
    metrics_text_family(t, "lsched_library", "info", "", "Version of the library.");
    metrics_text_sample(t, "_info", labels, 2, 1);
    gauge(t, "lsched_nodes_present", "Nodes that exist.", table_live(k, T_NODE));
    gauge(t, "lsched_queues_present", "Queues that exist.", table_live(k, T_QUEUE));
    gauge(t, "lsched_jobs_present", "Jobs that exist.", table_live(k, T_JOB));
    gauge(t, "lsched_jobs_pending", "Jobs with waiting tasks.", meta(k, M_PENDING_JOBS));
    gauge(t, "lsched_decisions_open", "Decisions that are not settled.", meta(k, M_OPEN_COUNT));
    gauge(t, "lsched_tasks_nominated", "Tasks that wait for room that others leave.",
          meta(k, M_NOMINATED));
    gauge(t, "lsched_tasks_leaving", "Tasks that were told to stop.", meta(k, M_LEAVING));
}

static void write_actions(struct metrics_text *t, const struct lsched_cluster *c) {
    for (size_t i = 0; i < sizeof of_actions / sizeof *of_actions; i++) {
        metrics_text_family(t, of_actions[i].name, "counter", "", of_actions[i].help);
        for (uint32_t a = 0; a < c->n_algorithms; a++) {
            const struct action_tally *tally = &c->k.tally->actions[a];
            const char *name = c->algorithms[a].table->name;
            struct metrics_label label = {"action", name, strlen(name)};
            uint64_t value;
            if (tally->runs == 0) continue;
            memcpy(&value, (const char *)tally + of_actions[i].at, sizeof value);
            metrics_text_sample(t, "_total", &label, 1, value);
        }
    }
}

LSCHED_API int32_t lsched_metrics_write(const lsched_cluster *c, uint32_t flags,
                                        lsched_write_fn write, void *user, lsched_error *err) {
    lsched_counters n = {.size = sizeof n};
    struct metrics_text t = {.write = write, .user = user};
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c || !write) return fail(err, LSCHED_E_NULL, "cluster or write is NULL");
    if (flags & ~(uint32_t)LSCHED_METRICS_QUEUES)
        return fail(err, LSCHED_E_INVAL, "metrics: unknown flags %#x; expected LSCHED_METRICS_*",
                    flags);
    rc = lsched_counters_get(c, &n, err);
    if (rc != LSCHED_OK) return rc;
    struct lsched_cluster *marked = arg_caches_of(c);
    marked->busy = 1; /* so that the callback cannot change the cluster */
    write_state(&t, &c->k);
    write_numbers(&t, &n);
    write_actions(&t, c);
    write_events(&(struct block_writer){&t, &c->k, 0});
    if (flags & LSCHED_METRICS_QUEUES) write_events(&(struct block_writer){&t, &c->k, 1});
    metrics_text_end(&t);
    marked->busy = 0;
    if (!t.answer) return LSCHED_OK;
    return fail(err, LSCHED_E_STATE, "the write callback returned %d: the text is not complete",
                t.answer);
}
