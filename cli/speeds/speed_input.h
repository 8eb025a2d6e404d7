/*
 * speed_input.h -- what `lsched speeds` reads: the models, a table of speeds, and a list of jobs.
 *
 * The table is the operator's, and the list of jobs is the tenants': two files, so that no job can
 * state a speed. A list with a column `speed`, or one with the name of a model, is an error.
 *
 * A row of the table is a kind of job and its number of devices. An empty cell is a speed that
 * nobody has measured, and so is every cell of a row that a job names and the table does not have.
 * Such a row is added behind the rows of the table.
 */
#ifndef LSCHED_CLI_SPEED_INPUT_H
#define LSCHED_CLI_SPEED_INPUT_H

#include <libsched/speeds.h>

#include "cli/support/name_table.h"

struct speed_row {
    lsched_text kind; /* points into the text of a file */
    uint32_t devices;
};

struct speed_input {
    char *names[LSCHED_SPEEDS_MODELS_MAX]; /* names of the models, owned */
    lsched_speeds_model models[LSCHED_SPEEDS_MODELS_MAX];
    size_t n_models;
    uint64_t priced;        /* mask of the models whose price was read */
    struct name_table keys; /* the number of devices and the kind of each row */
    struct speed_row *rows; /* owned; as many as keys.n */
    double *speeds;         /* owned; rows x models */
    size_t row_capacity;
    size_t measured;         /* number of rows that the table has */
    struct name_table jobs;  /* names of the jobs */
    lsched_speeds_job *list; /* owned; as many as jobs.n */
    uint32_t *lines;         /* owned; line of each job */
    size_t job_capacity, line_capacity;
};

/* Reads models with their numbers of devices, such as "v100=36,k80=8". Returns an exit code; a
 * wrong word has been reported. */
int speed_models_read(const char *words, struct speed_input *input);
/* Reads prices of models, such as "v100=3.06". */
int speed_prices_read(const char *words, struct speed_input *input);
/* Returns the index of a model, or n_models. */
size_t speed_model_find(const struct speed_input *input, const char *name, size_t len);

/* Reads the table: columns `kind` and `devices`, and one for each model. The text must stay.
 * Returns 0 or a negative error code; fills *err after an error. */
int32_t speed_table_read(const char *text, size_t len, struct speed_input *input,
                         lsched_error *err);
/* Divides each row by its speed on one model. A row that has speeds and none above 0 on this model
 * is an error, because it would stay in another unit. */
int32_t speed_table_divide(struct speed_input *input, size_t model, lsched_error *err);
/* Reads jobs: columns `name`, `kind` and `devices`, and if there are any `weight`, `work` and
 * `least`. The text must stay. */
int32_t speed_jobs_read(const char *text, size_t len, struct speed_input *input, lsched_error *err);
void speed_input_free(struct speed_input *input);

#endif
