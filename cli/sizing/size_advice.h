/*
 * size_advice.h -- which sizes the jobs of a cluster need by their samples, and which static MIG
 * layout serves them best.
 *
 * A job gets advice if it has one group of tasks with one request for GPUs, and if its tasks ask
 * for a MIG profile, a share of a GPU, or one whole GPU. Its GPU is of the kind on which its tasks
 * run; if it waits, of the kind on which they can run. If that is not one kind, or one of the
 * others does not hold, the job keeps its size, and the row has the reason. The present size is
 * what the library charges: the largest of share, memory and multiprocessors. A need with fewer
 * than SIZE_OBSERVED_MIN observations changes no size.
 *
 * The layout is of the devices in mode MIG. Each task counts with its advised profile, or, without
 * advice, with its own. The present time is that of the latest sample. With a state, the advice
 * follows from that of earlier runs (kept_sizes.h), and the state is changed to that of this run.
 */
#ifndef LSCHED_CLI_SIZE_ADVICE_H
#define LSCHED_CLI_SIZE_ADVICE_H

#include "cli/sizing/kept_sizes.h"
#include "cli/sizing/share_mode.h"

enum {
    SIZE_TEXT_BYTES = 256,
    SIZE_NAME_BYTES = 32,
    LAYOUT_ROWS_MAX = 1024,
    SIZE_OBSERVED_MIN = 6 /* an hour of slots */
};

/* Reasons to keep a size that the library does not have, behind LSCHED_ADVICE_*. */
enum size_reason {
    SIZE_KINDS = 100,  /* its GPU can be of several kinds */
    SIZE_NO_KIND,      /* no GPU of the cluster is what it asks for */
    SIZE_GROUPS,       /* several groups of tasks */
    SIZE_ALTERNATIVES, /* several requests for GPUs */
    SIZE_DEVICES,      /* several whole GPUs */
    SIZE_MEDIA,        /* a profile with media engines */
    SIZE_UNIT          /* samples of memory that its GPU cannot have */
};

struct size_row {
    char *job;        /* owned */
    const char *kind; /* "profile", "share" or "memory"; NULL: the size is not known */
    char from[SIZE_NAME_BYTES], to[SIZE_NAME_BYTES];
    uint32_t reason; /* LSCHED_ADVICE_* or SIZE_* */
    uint32_t risk_ppm;
    int64_t saved_milli; /* of all tasks; below 0 if the job grows */
    bool by_compute;     /* compute decided, not memory */
    /* How the device should be shared, and by which rule; rule_text is NULL if kind is NULL. */
    uint32_t mode, rule;
    const char *rule_text; /* static */
    int64_t since_us;      /* when the advice changed last; LSCHED_NEVER_US: it did not */
    char memory[SIZE_TEXT_BYTES], compute[SIZE_TEXT_BYTES]; /* evidence; empty if kind is NULL */
};

struct size_opts {
    uint32_t risk_ppm;
    struct share_rules_opts share;
    struct advice_state *state; /* NULL: each advice is the first one */
};

struct size_layout {
    const struct gpu_kind *kind; /* the first kind with this table */
    uint32_t devices;            /* in mode MIG */
    uint32_t others;             /* in another mode: not cut */
    lsched_forecast_layout found;
    lsched_forecast_layout_row *rows; /* owned */
};

struct size_advice {
    struct gpu_kinds kinds;
    struct size_row *rows; /* owned */
    size_t n_rows, capacity;
    uint32_t wanted[GPU_KINDS_MAX][LSCHED_FORECAST_LAYOUT_PROFILES]; /* instances by kind */
    struct size_layout layouts[GPU_KINDS_MAX];
    size_t n_layouts;
    size_t silent;      /* jobs with GPUs and without samples */
    char *silent_first; /* owned; one of them; NULL: there is none */
    /* samples of names that are no jobs of the cluster: number of samples and of names */
    uint64_t unknown_samples;
    size_t unknown_names;
    char *unknown_first; /* owned; the first such name in the samples; NULL: there is none */
    uint64_t skipped[USAGE_SKIPS];
};

/* Returns the word of a reason, such as "grown" or "kinds". */
const char *size_reason_word(uint32_t reason);

/* True if the row advises another size. */
static inline bool size_row_changes(const struct size_row *row) {
    return row->reason == LSCHED_ADVICE_GROWN || row->reason == LSCHED_ADVICE_SHRUNK;
}

/* Makes the advice for all jobs. Returns 0 or a negative error code, and fills *err after an error.
 * The caller calls size_advice_free() in any case. */
int32_t size_advice_make(const lsched_cluster *cluster, const struct usage_list *usage,
                         const struct size_opts *opts, struct size_advice *out, lsched_error *err);
void size_advice_free(struct size_advice *advice);

#endif
