/*
 * advice_state.h -- the advice that earlier runs of `lsched advise` gave, so that it does not flap:
 * the file of `--state`.
 *
 * The file has a line for each job: what the job had, what was advised, and when that changed. It
 * has a line for each group of nodes (cli/advise/node_bounds.h) whose advice changed within the
 * last day, and one for each node that the latest run advised to add or to drain. Each run reads
 * the file whole before it decides anything, and replaces it whole at the end (state_file.h).
 * An empty file has no state. The last line has the number of jobs and a checksum. So what always
 * holds: a file that was cut off or changed by hand is an error with its line, and so are a file of
 * another version, of another scenario (by the name of its file), and of a time after that of the
 * samples or of the scenario. A file of version 1, which had no nodes, is read, too.
 *
 *   lsched-advice,2
 *   scenario,cluster.yaml
 *   at,1767720000000000         time of the latest sample; `-`: no run had samples
 *   nodes-at,1767720000000000   time of the latest run that had one: `start`, or the latest sample
 *                               if that is later; `-`: no run had a time
 *   group,NAME,CHANGED,CHANGED
 *   add,NAME,PRICE              price of an hour when it was advised, in 1/1,000,000
 *   drain,NAME
 *   job,NAME,DEVICE,KIND,HAD,SIZE,BEFORE,CHANGED,CHANGED,MODE,DEMAND,CHANGED,CHANGED
 *   end,1,9c0a1f30b2d4e5f6
 *
 * Times are microseconds since 1970; `-` stands for none. In texts, bytes that a field cannot hold
 * are written as %2C. A node to add without PRICE has an unknown one. Lines of one kind are in the
 * order of their names. Cost: O(n log n).
 */
#ifndef LSCHED_CLI_ADVICE_STATE_H
#define LSCHED_CLI_ADVICE_STATE_H

#include <libsched/sizing.h>

#include "cli/support/name_table.h"

enum { ADVICE_STATE_TEXT = 32, ADVICE_STATE_MIB_MAX = 256, ADVICE_DEMAND_MAX = 5 };

/* The advice for one job. A size of the advice is known by its name, because the sizes of a job
 * change with its devices. */
struct kept_advice {
    char device[LSCHED_NAME_BYTES_MAX + 1]; /* MIG table, or model of the device */
    char kind[ADVICE_STATE_TEXT];           /* "profile", "share" or "memory" */
    char had[ADVICE_STATE_TEXT], size[ADVICE_STATE_TEXT];
    char before[ADVICE_STATE_TEXT]; /* empty: none */
    int64_t changed_us[2];          /* LSCHED_NEVER_US: not changed */
    uint32_t mode;                  /* LSCHED_MODE_* */
    uint32_t demand;    /* what the job required when the mode was chosen: isolation * 2 + timed */
    int64_t mode_us[2]; /* when the mode changed, the latest first */
};

/* The advice on nodes. */
struct kept_nodes {
    int64_t at_us; /* time of the run that gave it; LSCHED_NEVER_US: there was none */
    struct name_table groups;
    int64_t (*changed_us)[2]; /* owned; by index of the group */
    size_t capacity;
    struct name_table added, drained;
    int64_t
        *price_micro; /* owned; by index of the added node: what an hour of it cost; -1: unknown */
    size_t price_capacity;
};

struct advice_state {
    int64_t at_us; /* time of the run that wrote it; LSCHED_NEVER_US: there was none */
    struct kept_nodes nodes;
    struct name_table jobs;
    struct kept_advice *kept; /* owned; by index of the job */
    size_t capacity;
};

void advice_state_begin(struct advice_state *state);
void kept_nodes_free(struct kept_nodes *nodes);
/* Adds a group, or sets its times. */
void kept_nodes_put(struct kept_nodes *nodes, lsched_text group, const int64_t changed_us[2]);
/* Adds a node to add, or sets its price. */
void kept_nodes_add(struct kept_nodes *nodes, lsched_text node, int64_t price_micro);
void advice_state_free(struct advice_state *state);
/* The advice for a job; NULL if there is none. */
const struct kept_advice *advice_state_find(const struct advice_state *state, lsched_text job);
/* Sets the advice for a job. */
void advice_state_put(struct advice_state *state, lsched_text job, const struct kept_advice *kept);
/* Reads the text of a file for the scenario of this name. Returns LSCHED_OK; or an error, and *err
 * has the line. The caller calls advice_state_free() in any case. */
int32_t advice_state_read(const char *text, size_t len, const char *scenario,
                          struct advice_state *out, lsched_error *err);
/* Returns the text of a file, which the caller frees, and its length. */
char *advice_state_text(const struct advice_state *state, const char *scenario, size_t *len);

#endif
