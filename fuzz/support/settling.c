/* settling.c -- see settling.h. */
#include "support/settling.h"

#include <string.h>

#include "support/draw.h"

/* What the task of an open RESIZE has, and is to have, of cpu and memory. */
struct sizes {
    int64_t has[2], wants[2];
};

static struct sizes sizes_of(struct api_driver *d, lsched_id job, uint32_t task_index) {
    static const uint32_t kinds[] = {LSCHED_CPU, LSCHED_MEMORY};
    struct sizes s;
    for (uint32_t i = 0; i < 2; i++) {
        s.has[i] = lsched_resize_amount(d->cluster, job, task_index, kinds[i],
                                        LSCHED_RESIZE_AMOUNT_HAS, NULL);
        s.wants[i] = lsched_resize_amount(d->cluster, job, task_index, kinds[i],
                                          LSCHED_RESIZE_AMOUNT_WANTS, NULL);
        int64_t charged = lsched_resize_amount(d->cluster, job, task_index, kinds[i],
                                               LSCHED_RESIZE_AMOUNT_CHARGED, NULL);
        MUST(charged == s.has[i] || charged == s.wants[i]);
    }
    return s;
}

/* The RESIZE of the plan that is settled, and what is to be of it. */
struct resize_before {
    struct sizes sizes;
    int open;
};

static void resizes_note(struct api_driver *d, struct resize_before *before) {
    for (size_t i = 0; i < lsched_plan_size(d->plan); i++) {
        const lsched_decision *x = lsched_plan_at(d->plan, i);
        before[i].open = x->kind == LSCHED_DECIDE_RESIZE &&
                         lsched_decision_state(d->cluster, x->id, NULL) == LSCHED_DECISION_PROPOSED;
        if (before[i].open) before[i].sizes = sizes_of(d, x->job, x->task_index);
    }
}

/* A task that was resized has exactly what was confirmed; one that was refused has what it had. */
static void resizes_check(struct api_driver *d, const struct resize_before *before,
                          const lsched_outcome *outcomes, const int32_t *status) {
    for (size_t i = 0; i < lsched_plan_size(d->plan); i++) {
        const lsched_decision *x = lsched_plan_at(d->plan, i);
        lsched_resize_info info = LSCHED_RESIZE_INFO_INIT;
        if (!before[i].open || status[i] != LSCHED_OK ||
            lsched_resize_get(d->cluster, x->job, x->task_index, &info, NULL) != LSCHED_OK ||
            info.node != x->node)
            continue;
        int confirmed = !outcomes || outcomes[i] == LSCHED_OUTCOME_CONFIRMED;
        struct sizes after = sizes_of(d, x->job, x->task_index);
        const int64_t *expected = confirmed ? before[i].sizes.wants : before[i].sizes.has;
        MUST(memcmp(after.has, expected, sizeof after.has) == 0);
        MUST(memcmp(after.wants, after.has, sizeof after.has) == 0);
    }
}

/* Answers the latest plan, soon or late, or again; also a plan of another cluster. */
static int64_t settle_plan(struct api_driver *d) {
    static lsched_outcome outcomes[DRIVER_OPEN];
    static int32_t status[DRIVER_OPEN];
    static struct resize_before before[DRIVER_OPEN];
    size_t n = lsched_plan_size(d->plan);
    int64_t applied = 0;
    int all = draw_byte(d) & 1;
    if (n > DRIVER_OPEN) return LSCHED_OK;
    for (size_t i = 0; i < n; i++) outcomes[i] = all ? 0 : (lsched_outcome)draw_below(d, 3);
    if (n > 0 && draw_byte(d) == 255) outcomes[0] = 9;
    resizes_note(d, before);
    int64_t code = lsched_settle_plan(d->cluster, d->plan, all ? NULL : outcomes, status, &d->err);
    if (d->plan_is_foreign) MUST(code == LSCHED_E_INVAL);
    if (code < 0) return code;
    for (size_t i = 0; i < n; i++) {
        int unanswered = !all && outcomes[i] == 0;
        if (unanswered) MUST(status[i] == LSCHED_UNCHANGED);
        if (status[i] == LSCHED_OK) applied++;
        if (status[i] < 0) MUST(d->err.code < 0);
    }
    MUST(code >= applied && code <= (int64_t)n);
    resizes_check(d, before, all ? NULL : outcomes, status);
    return code;
}

int64_t settling_some(struct api_driver *d) {
    lsched_settlement s[6];
    size_t n = 1 + draw_below(d, 6);
    for (size_t i = 0; i < n; i++) {
        s[i] = (lsched_settlement){sizeof s[i], 0, draw_open_decision(d), {NULL, 0}, NULL};
        uint8_t b = draw_byte(d);
        s[i].outcome = b == 255 ? 7 : b & 1 ? LSCHED_OUTCOME_CONFIRMED : LSCHED_OUTCOME_REJECTED;
        if (b & 2) s[i].reason = draw_name(d, 'w');
    }
    const lsched_batch_opts *opts = draw_options(d);
    lsched_id withdrawn[4];
    lsched_settle_report report = LSCHED_SETTLE_REPORT_INIT;
    report.withdrawn = withdrawn;
    report.withdrawn_capacity = 4;
    return lsched_settle(d->cluster, s, n, sizeof s[0], opts, &report, NULL, &d->err);
}

/* Everything that was proposed is confirmed, so that long chains are reached. Bits of the state
 * decide for an answer to the latest plan instead, so that old inputs keep their meaning. */
int64_t settling_all(struct api_driver *d) {
    lsched_settlement s[DRIVER_OPEN];
    size_t n = 0;
    uint64_t cursor = 0;
    if (d->plan && (draw_image(d) & 6) == 6) return settle_plan(d);
    for (lsched_id id;
         n < DRIVER_OPEN && (id = lsched_next(d->cluster, LSCHED_KIND_DECISION, &cursor)) != 0;) {
        if (lsched_decision_state(d->cluster, id, NULL) != LSCHED_DECISION_PROPOSED) continue;
        s[n++] = (lsched_settlement){sizeof s[0], LSCHED_OUTCOME_CONFIRMED, id, {NULL, 0}, NULL};
    }
    return lsched_settle(d->cluster, s, n, sizeof s[0], NULL, NULL, NULL, &d->err);
}

/* Other amounts for tasks. What the call takes is what the tasks are to have, and what they have
 * stays. */
int64_t settling_resize(struct api_driver *d) {
    lsched_task_resize z[3];
    struct sizes before[3];
    int32_t status[3] = {0};
    size_t n = 1 + draw_below(d, 3);
    for (size_t i = 0; i < n; i++) {
        lsched_text by_name = draw_name(d, 'j');
        z[i] = (lsched_task_resize)LSCHED_TASK_RESIZE_INIT;
        z[i].job = draw_byte(d) & 1 ? lsched_find(d->cluster, LSCHED_KIND_JOB, by_name) : 0;
        z[i].job_name = by_name;
        z[i].task_index = draw_below(d, 4);
        z[i].n_request = draw_below(d, 4);
        z[i].request = draw_amounts(d, z[i].n_request);
        lsched_id job = lsched_find(d->cluster, LSCHED_KIND_JOB, by_name);
        before[i] = sizes_of(d, job, z[i].task_index);
    }
    const lsched_batch_opts *opts = draw_options(d);
    int64_t code = lsched_tasks_resize(d->cluster, z, n, sizeof z[0], opts, status, &d->err);
    for (size_t i = 0; code >= 0 && i < n; i++) {
        lsched_id job = lsched_find(d->cluster, LSCHED_KIND_JOB, z[i].job_name);
        struct sizes after = sizes_of(d, job, z[i].task_index);
        MUST(memcmp(after.has, before[i].has, sizeof after.has) == 0);
        MUST(status[i] < 0 || after.has[0] >= 0);
    }
    return code;
}
