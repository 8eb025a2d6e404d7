/* candidate.c -- see candidate.h. */
#include "policy/candidate.h"

#define CANDIDATE_GIB 1073741824.0

enum { CHUNK = 128 };

/* Returns the field of a job or queue that gives the value of a candidate's field. Returns
 * POLICY_FIELDS if the value is a member of struct policy_candidate. */
static enum policy_field behind(enum policy_field field) {
    switch (field) {
    case POLICY_F_CANDIDATE_NAME: return POLICY_F_JOB_NAME;
    case POLICY_F_CANDIDATE_QUEUE: return POLICY_F_JOB_QUEUE;
    case POLICY_F_CANDIDATE_PRIORITY: return POLICY_F_JOB_PRIORITY;
    case POLICY_F_CANDIDATE_SUBMITTED: return POLICY_F_JOB_SUBMITTED;
    case POLICY_F_CANDIDATE_DURATION: return POLICY_F_JOB_DURATION;
    case POLICY_F_CANDIDATE_DEADLINE: return POLICY_F_JOB_DEADLINE;
    case POLICY_F_CANDIDATE_INTERACTIVE: return POLICY_F_JOB_INTERACTIVE;
    case POLICY_F_CANDIDATE_TASKS_PLACED: return POLICY_F_JOB_TASKS_PLACED;
    case POLICY_F_CANDIDATE_QUEUE_GPU_USED: return POLICY_F_QUEUE_GPU_USED;
    case POLICY_F_CANDIDATE_QUEUE_GPU_QUOTA: return POLICY_F_QUEUE_GPU_QUOTA;
    default: return POLICY_FIELDS;
    }
}

static union policy_value own(enum policy_field field, const struct policy_candidate *c) {
    switch (field) {
    case POLICY_F_CANDIDATE_TASKS: return (union policy_value){.number = c->tasks};
    case POLICY_F_CANDIDATE_WHOLE: return (union policy_value){.boolean = c->whole};
    case POLICY_F_CANDIDATE_CPU: return (union policy_value){.number = (double)c->cpu_milli / 1000};
    case POLICY_F_CANDIDATE_MEMORY:
        return (union policy_value){.number = (double)c->memory_bytes / CANDIDATE_GIB};
    case POLICY_F_CANDIDATE_GPU: return (union policy_value){.number = (double)c->gpu_milli / 1000};
    case POLICY_F_CANDIDATE_RUNTIME:
        return (union policy_value){.number = (double)c->runtime_us / 1e6};
    case POLICY_F_CANDIDATE_LOST: return (union policy_value){.number = (double)c->lost_us / 1e6};
    case POLICY_F_CANDIDATE_RESTART:
        return (union policy_value){.number = (double)c->restart_us / 1e6};
    default: return (union policy_value){.number = c->disruptions};
    }
}

void policy_candidate_fill(const struct policy_view *view, enum policy_field field,
                           const struct policy_candidate *candidates, size_t n,
                           union policy_value *out) {
    enum policy_field other = behind(field);
    if (other == POLICY_FIELDS) {
        for (size_t i = 0; i < n; i++) out[i] = own(field, &candidates[i]);
        return;
    }
    int is_queue = policy_field_infos[other].object == POLICY_QUEUE;
    for (size_t i = 0; i < n; i += CHUNK) {
        uint32_t rows[CHUNK];
        size_t m = n - i < CHUNK ? n - i : CHUNK;
        for (size_t j = 0; j < m; j++)
            rows[j] = is_queue ? candidates[i + j].queue : candidates[i + j].job;
        view->fill(view->engine, other, rows, m, out + i);
    }
}
