/*
 * pack_samples.h -- reads measured demands of services: either one sample per row (time, name,
 * value, as monitoring systems export it), or one service per row with a sample in every column.
 *
 * Both kinds of files become the same list. Lists of any number of resources become one grid whose
 * step is the least distance between two samples. A gap between two samples of a service gets the
 * value of the sample before it. Before its first and after its last sample a service needs
 * nothing. Values are in millionths.
 */
#ifndef LSCHED_CLI_PACK_SAMPLES_H
#define LSCHED_CLI_PACK_SAMPLES_H

#include "cli/input/csv_reader.h"
#include "cli/support/name_table.h"
#include "cli/packing/pack_input.h"

struct sample {
    uint32_t name, resource;
    int64_t at_us, micro;
    struct pack_origin origin;
};

enum time_words { TIMES_UNKNOWN, TIMES_SECONDS, TIMES_DATES };

struct sample_list {
    struct sample *items; /* owned by this struct */
    size_t n, capacity;
    struct name_table names;
    int64_t end_us; /* one service per row: end of the last column; 0: not known */
    /* how the first time was written; all other times must be written in the same way */
    enum time_words times;
};

/* Adds the samples of one resource. sample_us is the time per column of a file without a header;
 * 0: the columns together are a day. */
int32_t pack_samples_read(const char *text, size_t len, uint32_t resource, int64_t sample_us,
                          struct sample_list *out, lsched_error *err);
void pack_samples_free(struct sample_list *list);

struct sample_grid {
    uint32_t n_names, n_resources, n_steps;
    int64_t first_us, step_us;
    int64_t *values;   /* owned; indexes are [name][resource][step] */
    uint32_t *samples; /* owned; number of samples by [name][resource] */
};

/* Makes the grid. step_us 0: the step follows from the samples. */
int32_t sample_grid_make(const struct sample_list *list, uint32_t n_resources, int64_t step_us,
                         struct sample_grid *out, lsched_error *err);
void sample_grid_free(struct sample_grid *grid);

static inline int64_t *sample_row(const struct sample_grid *grid, uint32_t name,
                                  uint32_t resource) {
    return grid->values + ((size_t)name * grid->n_resources + resource) * grid->n_steps;
}

#endif
