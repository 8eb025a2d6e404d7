/*
 * reassign_run.c -- see reassign_run.h.
 */
#include "cli/packing/reassign_run.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/packing/pack_report.h"
#include "cli/reassign/reassign_check.h"
#include "cli/reassign/reassign_moves.h"
#include "cli/reassign/reassign_read.h"
#include "cli/reassign/reassign_solve.h"
#include "cli/support/json_writer.h"
#include "cli/support/number_text.h"
#include "cli/support/output_file.h"

struct reassign_study {
    struct pack_run *run;
    struct output_file out, list; /* of --out and --moves */
    struct reassign problem;
    uint32_t *first; /* first machine of each process */
    struct reassign_result result;
    struct reassign_costs costs;   /* of the result, as the check computes them */
    struct reassign_moves moves;   /* the steps to the result */
    struct reassign_costs reached; /* of the assignment to which they lead */
};

static void show_step(void *user, int64_t best, uint32_t thousandths) {
    struct pack_run *run = user;
    (void)best;
    progress_step(&run->progress, thousandths, run->label);
}

static int read_study(struct reassign_study *s) {
    struct input_file *model = &s->run->files[0], *assignment = &s->run->files[1];
    lsched_error err = LSCHED_ERROR_INIT;
    struct reassign_costs costs;
    if (reassign_read_model(model->text, model->len, &s->problem, &err) < 0)
        return library_error(model->name, &err);
    free(model->text);
    model->text = NULL;
    if (reassign_read_assignment(assignment->text, assignment->len, &s->problem, &s->first, &err) <
        0)
        return library_error(assignment->name, &err);
    if (reassign_check(&s->problem, s->first, s->first, &costs, &err) == 0) return EXIT_OK;
    lsched_error said = LSCHED_ERROR_INIT;
    error_at(&said, LSCHED_E_RANGE, 0, 0, "the first assignment is not feasible: %s", err.message);
    return library_error(assignment->name, &said);
}

static int solve_study(struct reassign_study *s) {
    struct pack_run *run = s->run;
    lsched_error err = LSCHED_ERROR_INIT;
    struct reassign_wish wish = {.work = run->wish.work,
                                 .most_ns = run->wish.most_ns,
                                 .seed = run->wish.seed,
                                 .step = show_step,
                                 .user = run};
    run->label = run->files[0].name;
    progress_begin(&run->progress, run->args->progress, run->args->no_progress, 1000);
    reassign_solve(&s->problem, s->first, &wish, &s->result);
    progress_hide(&run->progress);
    if (reassign_check(&s->problem, s->first, s->result.at, &s->costs, &err) < 0)
        return library_error(run->files[0].name, &err);
    if (s->costs.total == s->result.cost) return EXIT_OK;
    complain("%s: the search says cost %" PRId64 ", and the check says %" PRId64,
             run->files[0].name, s->result.cost, s->costs.total);
    return EXIT_INTERNAL;
}

/* Finds the steps to the result, and checks the assignment to which they lead: the last step has
 * ended, so that no process needs transient amounts on the machine that it left. */
static int order_study(struct reassign_study *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct reassign_moves *moves = &s->moves;
    reassign_moves_find(&s->problem, s->first, s->result.at, REASSIGN_MOVES_WORK, moves);
    if (reassign_check(&s->problem, moves->at, moves->at, &s->reached, &err) < 0)
        return library_error(s->run->files[0].name, &err);
    reassign_check_moves(&s->problem, s->first, moves->at, &s->reached);
    return EXIT_OK;
}

/* Writes a line for each step: the process, the machine that it leaves, and the one to which it
 * goes. */
static int write_moves(struct reassign_study *s) {
    FILE *out = output_file_begin(&s->list);
    if (out == NULL) return EXIT_OK;
    for (size_t i = 0; i < s->moves.n_steps; i++) {
        const struct reassign_step *step = &s->moves.steps[i];
        fprintf(out, "%" PRIu32 " %" PRIu32 " %" PRIu32 "\n", step->process, step->from, step->to);
    }
    return output_file_end(&s->list);
}

/* Opens the files of results. */
static int open_outputs(struct reassign_study *s) {
    const struct pack_args *args = s->run->args;
    int rc = output_file_open(&s->out, args->out);
    if (rc == EXIT_OK) rc = output_file_open(&s->list, args->moves);
    /* two names of a file that this run made */
    if (rc == EXIT_OK && output_file_same(&s->out, &s->list))
        return usage_error("pack", "--moves: expected another file than that of --out, got '%s'",
                           args->moves);
    return rc;
}

/* Writes the assignment as the challenge does: the machines of all processes in one line. */
static int write_assignment(struct reassign_study *s) {
    FILE *out = output_file_begin(&s->out);
    if (out == NULL) return EXIT_OK;
    for (uint32_t i = 0; i < s->problem.n_processes; i++)
        fprintf(out, "%s%" PRIu32, i > 0 ? " " : "", s->result.at[i]);
    fputc('\n', out);
    return output_file_end(&s->out);
}

static void print_reassign_json(const struct reassign_study *s) {
    const struct reassign_result *result = &s->result;
    struct json json;
    json_begin_object(&json, stdout);
    json_string(&json, "file", s->run->files[0].name);
    json_string(&json, "kind", "reassign");
    json_uint(&json, "machines", s->problem.n_machines);
    json_uint(&json, "processes", s->problem.n_processes);
    json_int(&json, "cost", result->cost);
    json_int(&json, "start_cost", result->start_cost);
    json_int(&json, "lower_bound", result->lower_bound);
    if (result->lower_bound == 0 && result->cost == 0) {
        json_fixed(&json, "gap_percent", 0, 4);
    } else {
        json_fixed(&json, "gap_percent",
                   pack_report_gap((double)result->cost, (double)result->lower_bound), 4);
    }
    json_fixed(&json, "seconds", (double)result->core_ns * 1e-9, 4);
    json_bool(&json, "proved", result->cost == result->lower_bound);
    json_uint(&json, "moves", s->costs.moved);
    json_uint(&json, "steps", s->moves.n_steps);
    json_uint(&json, "dropped", s->moves.dropped);
    json_int(&json, "steps_cost", s->moves.price);
    json_int(&json, "straight_cost", s->moves.straight);
    json_int(&json, "reached_cost", s->reached.total);
    json_int(&json, "load_cost", s->costs.load);
    json_int(&json, "balance_cost", s->costs.balance);
    json_int(&json, "process_move_cost", s->costs.process_moves);
    json_int(&json, "service_move_cost", s->costs.service_moves);
    json_int(&json, "machine_move_cost", s->costs.machine_moves);
    json_uint(&json, "tried", result->tried);
    json_uint(&json, "work", result->work);
    if (s->run->args->items) {
        json_array(&json, "assignment", JSON_LINE);
        for (uint32_t i = 0; i < s->problem.n_processes; i++) json_uint(&json, NULL, result->at[i]);
        json_close(&json);
    }
    json_end(&json);
}

static void print_order(const struct reassign_study *s) {
    const struct reassign_moves *moves = &s->moves;
    if (s->costs.moved == 0) return;
    printf("%zu step%s, one at a time, at a price of %" PRId64, moves->n_steps,
           plural(moves->n_steps), moves->price);
    if (moves->price != moves->straight) printf(" (%" PRId64 " without detours)", moves->straight);
    if (moves->dropped == 0) {
        printf("\n");
    } else {
        printf("; %" PRIu32 " move%s cannot be done, and the cost reached is %" PRId64 "\n",
               moves->dropped, plural(moves->dropped), s->reached.total);
    }
}

static void print_reassign(const struct reassign_study *s) {
    const struct reassign_result *result = &s->result;
    const struct reassign_costs *costs = &s->costs;
    uint32_t machines = s->problem.n_machines, processes = s->problem.n_processes;
    printf("%s: %" PRIu32 " process%s on %" PRIu32 " machine%s\n\n", s->run->files[0].name,
           processes, processes == 1 ? "" : "es", machines, plural(machines));
    printf("cost %" PRId64 " instead of %" PRId64, result->cost, result->start_cost);
    if (result->cost == result->lower_bound) {
        printf("; no assignment costs less\n");
    } else {
        printf("; no assignment costs less than %" PRId64 "\n", result->lower_bound);
    }
    printf("%" PRIu32 " move%s; load %" PRId64 ", balance %" PRId64 ", moves of processes %" PRId64
           ", of services %" PRId64 ", between machines %" PRId64 "\n",
           costs->moved, plural(costs->moved), costs->load, costs->balance, costs->process_moves,
           costs->service_moves, costs->machine_moves);
    print_order(s);
    if (!s->run->args->items) return;
    printf("\n");
    for (uint32_t i = 0; i < processes; i++)
        if (result->at[i] != s->first[i])
            printf("process %" PRIu32 ": machine %" PRIu32 " to %" PRIu32 "\n", i, s->first[i],
                   result->at[i]);
}

int reassign_run(struct pack_run *run) {
    struct reassign_study s = {.run = run};
    if (run->n_files != 2)
        return usage_error("pack", "reassign needs two files, MODEL and ASSIGNMENT, got %zu",
                           run->n_files);
    int rc = read_study(&s);
    if (rc == EXIT_OK) rc = open_outputs(&s);
    if (rc == EXIT_OK) rc = solve_study(&s);
    if (rc == EXIT_OK) rc = order_study(&s);
    if (rc == EXIT_OK) rc = write_assignment(&s);
    if (rc == EXIT_OK) rc = write_moves(&s);
    if (rc == EXIT_OK && run->args->json) print_reassign_json(&s);
    if (rc == EXIT_OK && !run->args->json) print_reassign(&s);
    output_file_drop(&s.out);
    output_file_drop(&s.list);
    reassign_moves_free(&s.moves);
    reassign_result_free(&s.result);
    reassign_free(&s.problem);
    free(s.first);
    return rc;
}
