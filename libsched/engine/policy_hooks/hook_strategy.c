/* hook_strategy.c -- see hook_strategy.h. */
#include "engine/policy_hooks/hook_strategy.h"

#include <stdio.h>

#include "engine/policy_hooks/algorithm_names.h"
#include "engine/policy_hooks/hook_call.h"

/* ---- the pipeline of a cycle ---- */

static void take_default(struct lsched_cycle *y) {
    const struct policy_desc *d = &y->c->policy.policy.desc;
    struct policy_pipeline *p = &y->pipeline;
    int failed = (y->hooks_off & LSCHED_HOOK_PIPELINE) != 0;
    p->n = y->c->policy.policy.ops && !failed ? d->n_pipeline : 0;
    for (uint32_t i = 0; i < p->n; i++)
        memcpy(p->actions[i].word, d->pipeline[i], sizeof p->actions[i].word);
    if (p->n == 0) memcpy(p->actions[p->n++].word, "allocate", sizeof "allocate");
}

int32_t hook_pipeline(struct lsched_cycle *y) {
    struct policy_view view;
    lsched_error err = LSCHED_ERROR_INIT;
    struct policy_pipeline *p = &y->pipeline;
    memset(p, 0, sizeof *p);
    if (hook_on(y, LSCHED_HOOK_PIPELINE)) {
        hooks_view(y, &view);
        const struct policy *policy = &y->c->policy.policy;
        int32_t rc = policy->ops->pipeline(policy->self, &view, p, &err);
        if (rc != LSCHED_OK) return hook_fail(y, LSCHED_HOOK_PIPELINE, rc, &err);
    }
    if (!p->given) take_default(y);
    for (uint32_t i = 0; p->given && i < p->n; i++) {
        const char *name = p->actions[i].word;
        if (algorithm_find(y->c, LSCHED_ROLE_ACT, name) ||
            algorithm_find(y->c, LSCHED_ROLE_ADVISE, name))
            continue;
        algorithm_name_unknown(y->c, &y->c->policy, LSCHED_ROLE_ACT, "pipeline: action", name,
                               &err);
        return hook_fail(y, LSCHED_HOOK_PIPELINE, LSCHED_E_POLICY, &err);
    }
    return LSCHED_OK;
}

/* ---- the placement of a job ---- */

static int32_t use(struct lsched_cycle *y, const char *name) {
    struct algorithm_slot *slot = algorithm_find(y->c, LSCHED_ROLE_PLACE, name);
    int32_t rc = slot ? algorithm_ready(y->c, slot, y->err) : LSCHED_E_NOENT;
    if (rc != LSCHED_OK) return rc;
    y->place = slot->table->place;
    y->place_self = slot->self;
    y->place_slot = slot;
    return cycle_prepare_place(y);
}

static int32_t hook_strategy_refuse(struct lsched_cycle *y, const char *name) {
    const struct columns *k = y->k;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_text job = text_of(k, k->c[C_JOB_NAME].u32[y->job]);
    char what[80];
    snprintf(what, sizeof what, "placement of job '%.*s%s': strategy",
             job.len < 40 ? (int)job.len : 40, job.ptr, job.len > 40 ? "..." : "");
    algorithm_name_unknown(y->c, &y->c->policy, LSCHED_ROLE_PLACE, what, name, &err);
    return hook_fail(y, LSCHED_HOOK_PLACEMENT, LSCHED_E_POLICY, &err);
}

int32_t hook_placement(struct lsched_cycle *y) {
    const struct columns *k = y->k;
    struct choice *c = &y->choice;
    if (!hook_on(y, LSCHED_HOOK_PLACEMENT)) return LSCHED_OK;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[y->job], shape = k->c[C_JOB_SHAPE].u32[y->job];
    if (c->made && c->job == y->job && c->tried == y->jobs_tried) return LSCHED_OK;
    int same = c->made && c->queue == queue && c->shape == shape && y->look_placement < 2;
    *c = (struct choice){1, y->job, queue, shape, y->jobs_tried};
    if (same) return LSCHED_OK;
    struct policy_view view;
    lsched_error err = LSCHED_ERROR_INIT;
    struct policy_word out = {""};
    uint32_t group = y->policy_group;
    hooks_view(y, &view);
    y->policy_group = 0; /* as for all hooks about whole jobs */
    const struct policy *p = &y->c->policy.policy;
    int32_t rc = p->ops->placement(p->self, &view, &y->job, &queue, 1, &out, &err);
    y->policy_group = group;
    if (rc != LSCHED_OK) return hook_fail(y, LSCHED_HOOK_PLACEMENT, rc, &err);
    rc = use(y, out.word[0] ? out.word : "binpack");
    return rc == LSCHED_E_NOENT ? hook_strategy_refuse(y, out.word) : rc;
}
