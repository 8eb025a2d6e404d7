/* hook_strategy.c -- see hook_strategy.h. */
#include "engine/policy_hooks/hook_strategy.h"

#include <stdio.h>

#include "engine/policy_hooks/algorithm_names.h"
#include "engine/policy_hooks/hook_call.h"

/* ---- the pipeline of a cycle ---- */

static void take_default(struct lsched_cycle *cy) {
    const struct policy_desc *d = &cy->c->policy.policy.desc;
    struct policy_pipeline *p = &cy->policy.pipeline;
    int failed = (cy->policy.hooks_off & LSCHED_HOOK_PIPELINE) != 0;
    p->n = cy->c->policy.policy.ops && !failed ? d->n_pipeline : 0;
    for (uint32_t i = 0; i < p->n; i++)
        memcpy(p->actions[i].word, d->pipeline[i], sizeof p->actions[i].word);
    if (p->n == 0) memcpy(p->actions[p->n++].word, "allocate", sizeof "allocate");
}

int32_t hook_pipeline(struct lsched_cycle *cy) {
    struct hook_call h;
    struct policy_pipeline *p = &cy->policy.pipeline;
    memset(p, 0, sizeof *p);
    if (hook_on(cy, LSCHED_HOOK_PIPELINE)) {
        hook_begin(cy, &h);
        int32_t rc = h.ops->pipeline(h.self, &h.view, p, &h.err);
        if (rc != LSCHED_OK) return hook_fail(cy, LSCHED_HOOK_PIPELINE, rc, &h.err);
    }
    if (!p->given) take_default(cy);
    for (uint32_t i = 0; p->given && i < p->n; i++) {
        const char *name = p->actions[i].word;
        if (algorithm_find(cy->c, LSCHED_ROLE_ACT, name) ||
            algorithm_find(cy->c, LSCHED_ROLE_ADVISE, name))
            continue;
        algorithm_name_unknown(cy->c, &cy->c->policy, LSCHED_ROLE_ACT, "pipeline: action", name,
                               &h.err);
        return hook_fail(cy, LSCHED_HOOK_PIPELINE, LSCHED_E_POLICY, &h.err);
    }
    return LSCHED_OK;
}

/* ---- the placement of a job ---- */

static int32_t use(struct lsched_cycle *cy, const char *name) {
    struct algorithm_slot *slot = algorithm_find(cy->c, LSCHED_ROLE_PLACE, name);
    int32_t rc = slot ? algorithm_ready(cy->c, slot, cy->err) : LSCHED_E_NOENT;
    if (rc != LSCHED_OK) return rc;
    cycle_place_by(cy, slot);
    return cycle_prepare_place(cy);
}

static int32_t hook_strategy_refuse(struct lsched_cycle *cy, const char *name) {
    const struct columns *k = cy->k;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_text job = text_of(k, k->c[C_JOB_NAME].u32[cy->turn.job]);
    char what[80];
    snprintf(what, sizeof what, "placement of job '%.*s%s': strategy",
             job.len < 40 ? (int)job.len : 40, job.ptr, job.len > 40 ? "..." : "");
    algorithm_name_unknown(cy->c, &cy->c->policy, LSCHED_ROLE_PLACE, what, name, &err);
    return hook_fail(cy, LSCHED_HOOK_PLACEMENT, LSCHED_E_POLICY, &err);
}

int32_t hook_placement(struct lsched_cycle *cy) {
    const struct columns *k = cy->k;
    struct choice *c = &cy->policy.choice;
    if (!hook_on(cy, LSCHED_HOOK_PLACEMENT)) return LSCHED_OK;
    uint32_t queue = k->c[C_JOB_QUEUE].u32[cy->turn.job],
             shape = k->c[C_JOB_SHAPE].u32[cy->turn.job];
    if (c->made && c->job == cy->turn.job && c->tried == cy->counts.jobs_tried) return LSCHED_OK;
    int same = c->made && c->queue == queue && c->shape == shape && cy->policy.look_placement < 2;
    *c = (struct choice){1, cy->turn.job, queue, shape, cy->counts.jobs_tried};
    if (same) return LSCHED_OK;
    struct hook_call h;
    struct policy_word out = {""};
    uint32_t group = cy->policy.group;
    hook_begin(cy, &h);
    cy->policy.group = 0; /* hooks about whole jobs are called with group 0 */
    int32_t rc = h.ops->placement(h.self, &h.view, &cy->turn.job, &queue, 1, &out, &h.err);
    cy->policy.group = group;
    if (rc != LSCHED_OK) return hook_fail(cy, LSCHED_HOOK_PLACEMENT, rc, &h.err);
    rc = use(cy, out.word[0] ? out.word : "binpack");
    return rc == LSCHED_E_NOENT ? hook_strategy_refuse(cy, out.word) : rc;
}
