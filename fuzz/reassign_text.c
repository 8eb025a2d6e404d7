/*
 * reassign_text.c -- any bytes as a model of machine reassignment and, behind a NUL byte, as an
 * assignment: a problem, or an error with a line and a column. If the assignment is feasible, a
 * short search must give one that the check accepts, with the cost that the search says.
 *
 * The reader belongs to the program and not to the library, so its sources are compiled into this
 * harness.
 */
#define _GNU_SOURCE /* terminal.c */

#include "cli/support/cli_errors.c"
#include "cli/support/terminal.c"
#include "cli/input/row_scan.c"
#include "cli/reassign/reassign.c"
#include "cli/reassign/reassign_bound.c"
#include "cli/reassign/reassign_check.c"
#include "cli/reassign/reassign_counts.c"
#include "cli/reassign/reassign_heat.c"
#include "cli/reassign/reassign_read.c"
#include "cli/reassign/reassign_state.c"
#include "cli/reassign/reassign_solve.c"

enum { SEARCHED_MAX = 2000 };

static void require(bool condition) {
    if (!condition) abort();
}

static void require_error(int32_t rc, const lsched_error *err, size_t len) {
    require(rc == err->code && rc < 0);
    require(err->line >= 1 && err->column >= 1 && err->column <= len + 1);
    require(memchr(err->message, '\0', sizeof err->message) != NULL && err->message[0] != '\0');
}

static void require_result(const struct reassign *p, const uint32_t *first) {
    struct reassign_wish wish = {.work = 20000, .seed = 1};
    struct reassign_result result;
    struct reassign_costs costs;
    lsched_error err = LSCHED_ERROR_INIT;
    if (reassign_check(p, first, first, &costs, &err) < 0) return;
    reassign_solve(p, first, &wish, &result);
    require(costs.total == result.start_cost && result.cost <= result.start_cost);
    require(result.lower_bound <= result.cost);
    require(reassign_check(p, first, result.at, &costs, &err) == 0);
    require(costs.total == result.cost);
    reassign_result_free(&result);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    struct reassign p;
    uint32_t *first = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    const char *text = (const char *)data;
    const char *nul = len > 0 ? memchr(text, '\0', len) : NULL;
    size_t model = nul != NULL ? (size_t)(nul - text) : len;
    size_t rest = model < len ? len - model - 1 : 0;
    int32_t rc = reassign_read_model(text, model, &p, &err);
    if (rc < 0) require_error(rc, &err, model);
    if (rc == 0) {
        rc = reassign_read_assignment(text + len - rest, rest, &p, &first, &err);
        if (rc < 0) require_error(rc, &err, rest);
        if (rc == 0 && p.n_processes <= SEARCHED_MAX) require_result(&p, first);
    }
    free(first);
    reassign_free(&p);
    return 0;
}
