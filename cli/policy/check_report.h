/*
 * check_report.h -- what `lsched check` reports about a policy that loads: for each hook, which
 * fields it reads, how it runs and what a call is estimated to cost; and what looks wrong in the
 * policy.
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

/* The size of the cluster for which costs are estimated. */
struct check_size {
    uint64_t nodes, jobs, queues;
};

struct check_hook {
    lsched_policy_hook_info info;
    uint64_t each;     /* instructions for one element */
    uint64_t elements; /* number of elements in a cycle that calls the hook once for each */
    char asked[96];    /* such as "10000 jobs x 1000 nodes" */
    char reads[CHECK_READS_BYTES];
};

/* A warning or a note about the policy. */
struct check_remark {
    /* true: a warning; false: a note about something that works but could be better */
    bool warning;
    uint32_t line, column;
    char text[CHECK_TEXT_BYTES];
};

struct check_report {
    struct check_size size;
    struct check_hook hooks[CHECK_HOOKS_MAX];
    size_t n_hooks;
    struct check_remark remarks[CHECK_REMARKS_MAX];
    size_t n_remarks, n_warnings;
    uint64_t cycle; /* sum of the instructions of all hooks in a cycle */
};

/* Makes the report of the policy that is loaded in the cluster. `file` is its name in errors. */
void check_report_make(const lsched_cluster *cluster, const char *file,
                       const struct check_size *size, struct check_report *out);
/* Adds a warning without a place in the file. */
void check_report_warn(struct check_report *report, const char *text);
void check_report_print(const struct check_report *report, const char *file);
/* Writes the members hook_details, cost, warnings and notes into the open JSON object. */
void check_report_json(struct json *json, const struct check_report *report);

#endif
