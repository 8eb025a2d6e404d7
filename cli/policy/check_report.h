/*
 * check_report.h -- the report of `lsched check` about a policy without errors. For each hook the
 * report has the fields that the hook reads, whether the hook is compiled, and the estimated cost.
 * The report also has warnings about likely mistakes in the policy.
 */
#ifndef LSCHED_CLI_CHECK_REPORT_H
#define LSCHED_CLI_CHECK_REPORT_H

#include <stdbool.h>

#include <libsched/libsched.h>

#include "cli/support/json_writer.h"

enum {
    CHECK_HOOKS_MAX = 32,
    CHECK_REMARKS_MAX = 128,
    CHECK_READS_BYTES = 1024,
    CHECK_TEXT_BYTES = 1024
};

/* size of the cluster for which the costs are estimated */
struct check_size {
    uint64_t nodes, jobs, queues;
};

struct check_hook {
    lsched_policy_hook_info info;
    uint64_t each;     /* estimated instructions for one call of the hook */
    uint64_t elements; /* largest number of calls in a cycle, such as jobs x nodes */
    char asked[96];    /* text for `elements`, such as "10000 jobs x 1000 nodes" */
    char reads[CHECK_READS_BYTES];
};

/* a warning or a note about the policy */
struct check_remark {
    /* true for a warning about a likely mistake; false for a note about something that works but
     * could be better */
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
    uint64_t cycle; /* estimated instructions of all hooks in one cycle */
};

/* Makes the report about the policy that the cluster has loaded. `file` is the name of the policy
 * in error messages. */
void check_report_make(const lsched_cluster *cluster, const char *file,
                       const struct check_size *size, struct check_report *out);
/* Adds a warning that has no position in the policy file. */
void check_report_warn(struct check_report *report, const char *text);
void check_report_print(const struct check_report *report, const char *file);
/* Writes the members hook_details, cost, warnings and notes into the JSON object that the caller
 * has opened. */
void check_report_json(struct json *json, const struct check_report *report);

#endif
