/*
 * advise_report.h -- prints the advice of `lsched advise`: the nodes to add and to drain, the waits
 * before and after, the prices, and what was assumed.
 */
#ifndef LSCHED_CLI_ADVISE_REPORT_H
#define LSCHED_CLI_ADVISE_REPORT_H

#include "cli/advise/node_search.h"
#include "cli/edit/scenario_edit.h"
#include "cli/support/json_writer.h"

/* Advice of another kind, which the report has, too. */
struct advise_more {
    const void *advice;
    void (*text)(const void *advice);
    void (*json)(const void *advice, struct json *json); /* writes members of the open object */
    /* Changes the scenario as advised. Returns an exit code; an error has been reported. */
    int (*patch)(const void *advice, struct scenario_edit *edit);
    /* True if the jobs of the changed scenario are as before, or as patch() wanted. */
    bool (*patched)(const void *advice, const lsched_cluster *before, const lsched_cluster *after);
};

/* `more` can be NULL. */
void advise_report_text(const struct node_trials *trials, const struct node_advice *advice,
                        const char *file, const struct advise_more *more);
void advise_report_json(const struct node_trials *trials, const struct node_advice *advice,
                        const char *file, const struct advise_more *more);

#endif
