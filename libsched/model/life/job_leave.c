/* job_leave.c -- see job_leave.h. */
#include "model/life/job_leave.h"

#include "model/jobs/job.h"
#include "model/jobs/losses.h"
#include "model/news/queue_news.h"
#include "model/told/tally.h"

static int32_t leave_alone(struct columns *k, uint32_t job, withdrawn_fn tell, void *user) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[job];
    int32_t rc = tasks_drop_all(k, job, tell, user);
    if (rc == LSCHED_OK) rc = job_remove_room(k, job);
    if (rc != LSCHED_OK) return rc;
    queue_news(k, queue);
    tally_add_many(k, queue, TALLY_REMOVED, array_weight(k, job));
    job_remove(k, job);
    return undo_room(k);
}

/* Removes the elements that have begun. *gone is 1 if the array has ended with them. */
static int32_t elements_leave(struct columns *k, uint32_t array, withdrawn_fn tell, void *user,
                              int *gone) {
    uint32_t a = k->c[C_JOB_ARRAY].u32[array], live = k->c[C_ARRAY_LIVE].u32[a];
    for (uint32_t i = 0; live > 0; i++) {
        struct array_name name;
        array_name_of(k, a, i, &name);
        uint32_t job = name_find(k, T_IX_JOB, name.text, name.n);
        if (job == NO_ROW || k->c[C_JOB_ARRAY].u32[job] != a) continue;
        *gone = array_ends_with(k, job) != NO_ROW;
        int32_t rc = leave_alone(k, job, tell, user);
        if (rc != LSCHED_OK) return rc;
        live--;
    }
    return LSCHED_OK;
}

int32_t job_leave(struct columns *k, uint32_t job, withdrawn_fn tell, void *user) {
    int gone = 0;
    int32_t rc = array_is(k, job) ? elements_leave(k, job, tell, user, &gone) : LSCHED_OK;
    return rc == LSCHED_OK && !gone ? leave_alone(k, job, tell, user) : rc;
}
