/*
 * check_report.h -- what `lsched check` finds out about a policy beyond that it loads: for each
 * hook what it reads, how it runs and what it costs, and what looks wrong.
 */
#ifndef LSCHED_CLI_CHECK_REPORT_H
#define LSCHED_CLI_CHECK_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include <libsched/libsched.h>

#include "cli/support/json_writer.h"

enum {
    CHECK_HOOKS_MAX = 32,
    CHECK_REMARKS_MAX = 128,
    CHECK_READS_BYTES = 1024,
    CHECK_TEXT_BYTES = 1024
};

/* A cluster to reckon costs for. */
struct check_size {
    uint64_t nodes, jobs, queues;
};

struct check_hook {
    lsched_policy_hook_info info;
    uint64_t each;     /* instructions for one element */
    uint64_t elements; /* in a cycle that asks for all of them once */
    char asked[96];    /* "10000 jobs x 1000 nodes" */
    char reads[CHECK_READS_BYTES];
};

/* Something worth saying. */
struct check_remark {
    bool warning; /* else a note: it works, and could be better */
    uint32_t line, column;
    char text[CHECK_TEXT_BYTES];
};

struct check_report {
    struct check_size size;
    struct check_hook hooks[CHECK_HOOKS_MAX];
    size_t n_hooks;
    struct check_remark remarks[CHECK_REMARKS_MAX];
    size_t n_remarks, n_warnings;
    uint64_t cycle; /* instructions of all hooks together */
};

/* Of the policy that is loaded in the cluster. file: as errors name it. */
void check_report_make(const lsched_cluster *cluster, const char *file,
                       const struct check_size *size, struct check_report *out);
/* One more warning, without a place. */
void check_report_warn(struct check_report *report, const char *text);
void check_report_print(const struct check_report *report, const char *file);
/* The members hook_details, cost, warnings and notes of the object that is open. */
void check_report_json(struct json *json, const struct check_report *report);

#endif
