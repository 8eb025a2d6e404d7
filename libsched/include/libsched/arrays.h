/*
 * arrays.h -- job arrays: many equal jobs that are submitted, changed and removed as one object.
 *
 * lsched_job_desc.array_count makes a job an array of that many elements. An element is a job of its
 * own from the time on at which a cycle first tries it: it has an id, a start, an end, retries and a
 * place in the order as any other job, and its name is that of the array with "#" and its index,
 * "sweep#00042"; all elements of an array have the same number of digits. The array itself stands
 * for the elements that have not begun, and counts as that many jobs. Decisions name the jobs of
 * elements: lsched_array_get() says of which array and with which index.
 *
 * What is said of an array holds for the elements that have not begun: an update, a hold, a begin.
 * Its removal removes all elements. It ends with its last element: with success if all elements
 * ended with success, so that other jobs can wait for it. libsched.h includes this header.
 *
 * If its expiry comes, the elements that have not begun are over, and each of the others expires for
 * itself. lsched_would_start() answers for the next element.
 *
 * A description of an array (lsched_describe()) also says how many elements have begun (array_next)
 * and how many of them ended with success (array_succeeded). Elements that still run are described
 * as jobs, and are elements again when jobs with their names are submitted after the array. A new
 * array has neither.
 *
 * Source of the rules: job arrays of Slurm (docs/job-arrays.md).
 */
#ifndef LIBSCHED_ARRAYS_H
#define LIBSCHED_ARRAYS_H

#include <libsched/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LSCHED_ARRAY_COUNT_MAX 1048576 /* elements of one array, times the tasks of an element */
#define LSCHED_ARRAY_NO_INDEX  0xFFFFFFFFu

typedef struct lsched_array_info {
    uint32_t size;
    uint32_t count;   /* elements */
    uint32_t waiting; /* elements that have not begun: no job of their own */
    uint32_t begun;   /* elements with a job of their own: waiting again, placed, running */
    uint32_t succeeded, failed; /* elements that are over */
    lsched_id array;            /* the array's job */
    uint32_t index;             /* of the element that was asked for; else LSCHED_ARRAY_NO_INDEX */
    uint32_t reserved_zero;
} lsched_array_info;

/* Writes the record of an array to *out; `job` is the array or one of its elements.
 * LSCHED_E_STATE: it is neither. */
LSCHED_API int32_t lsched_array_get(const lsched_cluster *cluster, lsched_id job,
                                    lsched_array_info *out, lsched_error *err);

/* clang-format off */
#define LSCHED_ARRAY_INFO_INIT LSCHED_INIT(lsched_array_info)
/* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
