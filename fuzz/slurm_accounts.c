/*
 * slurm_accounts.c -- any bytes as an accounting dump of Slurm, text or JSON: a list of jobs that
 * the simulator takes, or an error with a line. The first byte chooses the unit and the queues.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cli/slurm/sacct_log.h"

static void require(bool condition) {
    if (!condition) abort();
}

static void check_list(const struct job_list *list) {
    require(list->n_jobs > 0 && list->n_queues <= JOB_QUEUES_MAX);
    for (size_t i = 0; i < list->n_jobs; i++) {
        const struct listed_job *job = &list->jobs[i];
        require(job->units >= 1 && job->units <= JOB_UNITS_MAX);
        require(job->submit_us >= 0 && job->duration_us >= 0 && job->estimate_us >= 0);
        require(job->queue < list->n_queues && job->user < list->n_users);
        require(i == 0 || list->jobs[i - 1].submit_us <= job->submit_us);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    struct sacct_log log;
    lsched_error err = LSCHED_ERROR_INIT;
    if (len == 0) return 0;
    char *text = malloc(len);
    require(text != NULL);
    memcpy(text, data + 1, len - 1);
    int32_t rc = sacct_read(text, len - 1, (enum sacct_unit)(data[0] % 3),
                            (enum sacct_queues)(data[0] / 4 % 4), &log, &err);
    if (rc == LSCHED_OK) {
        check_list(&log.list);
    } else {
        require(rc == err.code && rc < 0 && err.line >= 1);
        require(memchr(err.message, '\0', sizeof err.message) != NULL && err.message[0] != '\0');
    }
    sacct_free(&log);
    free(text);
    return 0;
}
