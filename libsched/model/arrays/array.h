/*
 * array.h -- job arrays: many equal jobs that are one object until they begin.
 *
 * An array is a job with a row of ARRAY. The job stands for those of its elements that have no job
 * of their own yet, and counts as that many jobs (array_weight()): in the numbers of jobs of its
 * queues, in their demand and in its bundle. When an action is about to try the array, its next
 * element, which is the one with the lowest index, begins: it gets a job of its own
 * (model/life/array_begin.h). An action so meets ordinary jobs only, and limits, shares, evictions,
 * retries, time limits and planned starts of an element are those of a job, without further code.
 * As soon as all elements have begun, the array is in no bundle (phase JOB_ARRAY). It ends with its
 * last element.
 *
 * Order: element 42 of the array "sweep" with 100,000 elements is the job "sweep#00042". All
 * numbers of an array have the same number of digits, so that names of elements are in the order of
 * their indexes, and an array equals the jobs with these names one by one. While it waits, an array
 * comes where its next element would come (array_compare()).
 *
 * Always: LIVE is the number of jobs with the row, without the array itself; NEXT <= COUNT;
 * elements below NEXT have a job or are over, and the others have none. The array exists as long as
 * an element has not ended.
 *
 * Cost: what waits is one job, whatever COUNT is. A job that is no element costs four bytes. Why
 * not one job with COUNT tasks: the tasks of a job start, grow, stop, fail and end together, and
 * each of these rules would need a second form for tasks that do not.
 */
#ifndef LIBSCHED_ARRAY_H
#define LIBSCHED_ARRAY_H

#include "model/store/intern.h"

/* Returns the array to which an element belongs; NO_ROW if the job is no element. */
static inline uint32_t array_of_element(const struct columns *k, uint32_t job) {
    uint32_t a = k->c[C_JOB_ARRAY].u32[job];
    return a == NO_ROW || k->c[C_ARRAY_JOB].u32[a] == job ? NO_ROW : k->c[C_ARRAY_JOB].u32[a];
}
/* True if the job is an array, and not an element or another job. */
static inline int array_is(const struct columns *k, uint32_t job) {
    uint32_t a = k->c[C_JOB_ARRAY].u32[job];
    return a != NO_ROW && k->c[C_ARRAY_JOB].u32[a] == job;
}
/* Returns the number of jobs for which the job stands: 1, or the number of elements of an array
 * that have not begun. */
static inline uint32_t array_weight(const struct columns *k, uint32_t job) {
    uint32_t a = k->c[C_JOB_ARRAY].u32[job];
    if (a == NO_ROW || k->c[C_ARRAY_JOB].u32[a] != job) return 1;
    return k->c[C_ARRAY_COUNT].u32[a] - k->c[C_ARRAY_NEXT].u32[a];
}

/* True if the job is an array of which elements that have begun have not ended. */
static inline int array_lives(const struct columns *k, uint32_t job) {
    return array_is(k, job) && k->c[C_ARRAY_LIVE].u32[k->c[C_JOB_ARRAY].u32[job]] > 0;
}

/* The elements that an array has, or an element that is added. */
struct array_spec {
    uint32_t count, next, succeeded; /* of a new array; count 0: the job is none */
    uint32_t of;                     /* row of ARRAY of an element, NO_ROW: the job is none */
};
/* Makes the job, which is being added, an array or an element. Can return LSCHED_E_NOMEM. */
int32_t array_add(struct columns *k, uint32_t job, const struct array_spec *spec);
/* The job is about to be removed. Returns the array that ends with it, because it was the last
 * element; else NO_ROW. */
uint32_t array_leave(struct columns *k, uint32_t job);
/* Returns the array that ends when the job is removed; NO_ROW if none does. */
uint32_t array_ends_with(const struct columns *k, uint32_t job);
/* The element is about to be removed because it had done its work. */
void array_succeeds(struct columns *k, uint32_t job);
/* Returns the number of elements that are over and had no success. */
uint32_t array_failed(const struct columns *k, uint32_t array);

/* The name of an element. */
struct array_name {
    char text[LSCHED_NAME_BYTES_MAX + 1];
    uint32_t n;
};
/* Sets the name of element `index` of an array with this name and so many elements. */
void array_name_make(lsched_text of, uint32_t count, uint32_t index, struct array_name *name);
/* Does the same for a row of ARRAY. */
void array_name_of(const struct columns *k, uint32_t array, uint32_t index,
                   struct array_name *name);
/* Returns the number of bytes by which the names of elements are longer than the array's. */
uint32_t array_name_more(uint32_t count);
/* If the name is that of an element of an array that exists, returns its row of ARRAY and sets
 * *index; else returns NO_ROW. */
uint32_t array_named(const struct columns *k, lsched_text name, uint32_t *index);
/* Compares two jobs by name, as text_compare() does, an array by the name of its next element. */
int array_compare(const struct columns *k, uint32_t a, uint32_t b);

#endif
