/*
 * job_list.c -- see job_list.h. job_list_find_queue() compares the name with all queues, because
 * most traces have only tens of queues. A reader of traces with more queues must have an index of
 * its own.
 */
#include "cli/traces/job_list.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/command.h"

/* Adds a job at the end of the list. */
void job_list_add(struct job_list *list, const struct listed_job *job) {
    list->jobs = must_grow(list->jobs, list->n_jobs, &list->capacity, sizeof *job);
    list->jobs[list->n_jobs++] = *job;
}

static bool same_name(lsched_text a, lsched_text b) {
    return a.len == b.len && memcmp(a.ptr, b.ptr, a.len) == 0;
}

size_t job_list_find_queue(const struct job_list *list, lsched_text name) {
    size_t i = 0;
    while (i < list->n_queues && !same_name(list->queues[i].name, name)) i++;
    return i;
}

size_t job_list_add_queue(struct job_list *list, lsched_text name, int64_t nodes) {
    if (list->queues == NULL) list->queues = must_alloc(JOB_QUEUES_MAX * sizeof list->queues[0]);
    list->queues[list->n_queues] = (struct listed_queue){name, nodes};
    return list->n_queues++;
}

size_t job_list_add_user(struct job_list *list, lsched_text name) {
    list->users = must_grow(list->users, list->n_users, &list->users_capacity, sizeof name);
    list->users[list->n_users] = name;
    return list->n_users++;
}

static int by_submission(const void *a, const void *b) {
    const struct listed_job *x = a, *y = b;
    if (x->submit_us != y->submit_us) return x->submit_us < y->submit_us ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* a queue and its index before the queues were sorted */
struct place {
    struct listed_queue queue;
    size_t old;
};

static int by_name(const void *a, const void *b) {
    const lsched_text *x = &((const struct place *)a)->queue.name;
    const lsched_text *y = &((const struct place *)b)->queue.name;
    size_t both = x->len < y->len ? (size_t)x->len : (size_t)y->len;
    int order = memcmp(x->ptr, y->ptr, both);
    if (order != 0) return order;
    return (x->len > y->len) - (x->len < y->len);
}

/* Sorts the queues by name and updates the queue indexes of the jobs. */
static void sort_queues(struct job_list *list) {
    struct place *places = must_alloc(list->n_queues * sizeof places[0]);
    uint32_t *new_of_old = must_alloc(list->n_queues * sizeof new_of_old[0]);
    for (size_t i = 0; i < list->n_queues; i++) places[i] = (struct place){list->queues[i], i};
    qsort(places, list->n_queues, sizeof places[0], by_name);
    for (size_t i = 0; i < list->n_queues; i++) {
        list->queues[i] = places[i].queue;
        new_of_old[places[i].old] = (uint32_t)i;
    }
    for (size_t i = 0; i < list->n_jobs; i++) list->jobs[i].queue = new_of_old[list->jobs[i].queue];
    free(new_of_old);
    free(places);
}

void job_list_sort(struct job_list *list) {
    qsort(list->jobs, list->n_jobs, sizeof list->jobs[0], by_submission);
    sort_queues(list);
}

void job_list_cut(struct job_list *list, int64_t from_us, int64_t to_us, size_t most) {
    size_t kept = 0;
    for (size_t i = 0; i < list->n_jobs && (most == 0 || kept < most); i++) {
        const struct listed_job *job = &list->jobs[i];
        if (job->submit_us >= from_us && job->submit_us < to_us) list->jobs[kept++] = *job;
    }
    list->n_jobs = kept;
}

/* Reads a day from 0 to JOB_DAYS_MAX and moves *text behind it. */
static bool read_day(const char **text, int64_t *out) {
    char *end = NULL;
    if (**text < '0' || **text > '9') return false;
    *out = strtoll(*text, &end, 10);
    *text = end;
    return *out <= JOB_DAYS_MAX;
}

int job_list_days(const char *command, const char *word, int64_t days[2]) {
    const char *text = word;
    if (word == NULL || (read_day(&text, &days[0]) && *text++ == ':' && read_day(&text, &days[1]) &&
                         *text == '\0' && days[0] < days[1]))
        return EXIT_OK;
    return usage_error(command, "--window-days: expected two days such as 14:70, got '%s'", word);
}

void job_list_free(struct job_list *list) {
    free(list->jobs);
    free(list->queues);
    free(list->users);
    memset(list, 0, sizeof *list);
}
