/*
 * pack_samples.h -- reads measured demands of services from files of two layouts. A file has either
 * one sample in each row (time, name and value, as monitoring systems export them), or one service
 * in each row with one sample in each column.
 *
 * Files of both layouts become lists of the same type. The samples of all resources become one
 * grid. By default the grid's step is the shortest time between two samples. A grid step with
 * several samples of a service gets the largest. A grid step without a sample gets the value of the
 * step before it. A service needs nothing before its first sample and after its last sample. Values
 * are in millionths.
 */
#ifndef LSCHED_CLI_PACK_SAMPLES_H
#define LSCHED_CLI_PACK_SAMPLES_H

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
    /* end of the last column in a file with one service per row; 0 if it is not known */
    int64_t end_us;
    /* notation of the first time that was read (seconds or dates); all other times must have the
     * same notation */
    enum time_words times;
};

/* Reads the samples of one resource and adds them to *out. For a file with one service per row and
 * no header, sample_us is the duration of one column; if sample_us is 0, all columns together are
 * one day. */
int32_t pack_samples_read(const char *text, size_t len, uint32_t resource, int64_t sample_us,
                          struct sample_list *out, lsched_error *err);
void pack_samples_free(struct sample_list *list);

struct sample_grid {
    uint32_t n_names, n_resources, n_steps;
    int64_t first_us, step_us;
    int64_t *values;   /* owned by this struct; demands in millionths by [name][resource][step] */
    uint32_t *samples; /* owned by this struct; number of samples by [name][resource] */
};

/* Makes the grid. If step_us is 0, the step is the shortest time between two different sample
 * times. */
int32_t sample_grid_make(const struct sample_list *list, uint32_t n_resources, int64_t step_us,
                         struct sample_grid *out, lsched_error *err);
void sample_grid_free(struct sample_grid *grid);

static inline int64_t *sample_row(const struct sample_grid *grid, uint32_t name,
                                  uint32_t resource) {
    return grid->values + ((size_t)name * grid->n_resources + resource) * grid->n_steps;
}

#endif
