/*
 * psplib_text.c -- any bytes as a project of PSPLIB: a project that can be scheduled, or an error
 * with a line and a column. The check of schedules, which shares no code with the searches, must
 * accept the schedule of a small project.
 *
 * The reader belongs to the program and not to the library, so its sources are compiled into this
 * harness.
 */
#include "cli/support/cli_errors.c"
#include "cli/input/row_scan.c"
#include "cli/projects/project.c"
#include "cli/projects/project_check.c"
#include "cli/projects/psplib_read.c"
#include "cli/projects/list_schedule.c"

enum { SCHEDULED_MAX = 64 };

static void require(bool condition) {
    if (!condition) abort();
}

static void check_project(const struct project *p) {
    int64_t total = 0;
    require(p->n >= 1 && p->n <= PROJECT_ACTIVITIES_MAX);
    require(p->n_resources <= PROJECT_RESOURCES_MAX && p->n_links <= PROJECT_LINKS_MAX);
    for (uint32_t i = 0; i < p->n; i++) {
        require(p->duration[i] >= 0 && p->order[i] < p->n);
        total += p->duration[i];
        for (uint32_t k = 0; k < p->n_resources; k++)
            require(p->duration[i] == 0 || project_demand(p, i, k) <= p->capacity[k]);
    }
    require(total <= PROJECT_TIME_MAX);
}

static void check_schedule(const struct project *p) {
    struct list_schedule s;
    int32_t start[SCHEDULED_MAX];
    uint32_t list[SCHEDULED_MAX];
    lsched_error err = LSCHED_ERROR_INIT;
    list_schedule_begin(&s, p);
    int32_t makespan = list_schedule_make(&s, p->order, start);
    require(project_check(p, start, makespan, &err) == 0);
    int32_t justified = list_schedule_justify(&s, start, list);
    require(project_check(p, start, justified, &err) == 0 && justified <= makespan);
    list_schedule_end(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    struct project p;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = psplib_read((const char *)data, len, &p, &err);
    if (rc == LSCHED_OK) {
        check_project(&p);
        if (p.n <= SCHEDULED_MAX) check_schedule(&p);
    } else {
        require(rc == err.code && rc < 0);
        require(err.line >= 1 && err.column >= 1 && err.column <= len + 1);
        require(memchr(err.message, '\0', sizeof err.message) != NULL && err.message[0] != '\0');
    }
    project_free(&p);
    return 0;
}
