/*
 * reassign_text.c -- any bytes as a model of machine reassignment and, behind a NUL byte, as an
 * assignment: a problem, or an error with a line and a column. If the assignment is feasible, a
 * short search must give one that the check accepts, with the cost that the search says, and steps
 * that lead to it, each of which the check accepts, too.
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
#include "cli/reassign/reassign_moves.c"
#include "cli/reassign/reassign_state.c"
#include "cli/reassign/reassign_yard.c"
#include "cli/reassign/reassign_solve.c"

enum { SEARCHED_MAX = 2000, STEPS_MAX = 200 };

static void require(bool condition) {
    if (!condition) abort();
}

static void require_error(int32_t rc, const lsched_error *err, size_t len) {
    require(rc == err->code && rc < 0);
    require(err->line >= 1 && err->column >= 1 && err->column <= len + 1);
    require(memchr(err->message, '\0', sizeof err->message) != NULL && err->message[0] != '\0');
}

/* Replays the steps from `at`, which it changes. */
static void require_steps(const struct reassign *p, uint32_t *at, const uint32_t *target) {
    struct reassign_moves moves;
    struct reassign_costs costs;
    lsched_error err = LSCHED_ERROR_INIT;
    uint32_t dropped = 0;
    reassign_moves_find(p, at, target, 20000, &moves);
    for (size_t i = 0; i < moves.n_steps; i++) {
        const struct reassign_step *step = &moves.steps[i];
        require(at[step->process] == step->from && step->from != step->to);
        at[step->process] = step->to;
        if (i < STEPS_MAX || i + 1 == moves.n_steps)
            require(reassign_check(p, at, at, &costs, &err) == 0);
    }
    for (uint32_t i = 0; i < p->n_processes; i++) dropped += at[i] != target[i];
    require(dropped == moves.dropped);
    require(memcmp(at, moves.at, p->n_processes * sizeof at[0]) == 0);
    reassign_moves_free(&moves);
}

static void require_result(const struct reassign *p, uint32_t *first) {
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
    require_steps(p, first, result.at);
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
