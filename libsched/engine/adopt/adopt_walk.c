/* adopt_walk.c -- see adopt_walk.h. */
#include "engine/adopt/adopt_walk.h"

#include "base/sort.h"
#include "base/vec.h"
#include "engine/adopt/adopt_claims.h"
#include "engine/adopt/adopt_group.h"
#include "engine/actions/evict.h"
#include "engine/victims/victim_search.h"
#include "model/store/steps.h"

static uint32_t count_groups(const struct lsched_plan *p) {
    uint32_t n = 0;
    for (size_t i = 0; i < p->n_decisions; i++)
        n += i == 0 || p->decisions[i].group != p->decisions[i - 1].group;
    return n;
}

static void list_groups(struct adoption *a) {
    const struct lsched_plan *p = a->from;
    uint32_t n = 0;
    for (size_t i = 0; i < p->n_decisions; i++) {
        const lsched_decision *d = &p->decisions[i];
        if (i == 0 || d->group != p->decisions[i - 1].group)
            a->groups[n++] = (lsched_adopted_group){
                .size = sizeof *a->groups, .first = i, .from_group = d->group};
        a->groups[n - 1].count++;
    }
}

static uint32_t adopt_walk_hooks_off(const struct adoption *a, const struct lsched_cluster *c) {
    const lsched_plan_info *made = &a->from->info;
    int same = c->policy.policy.ops && c->policy.policy.desc.hash == made->policy_hash;
    return same ? made->hooks_off : 0;
}

/* Sets all results to those of a plan that was not looked at. */
static void adopt_walk_forget(struct adoption *a) {
    for (uint32_t i = 0; i < a->n_groups; i++) {
        a->groups[i].result = LSCHED_ADOPTION_APPLIED;
        a->groups[i].group = a->groups[i].failed_at = 0;
        a->groups[i].object = 0;
    }
    for (size_t i = 0; i < a->from->n_decisions; i++) a->became[i].row = NO_ROW;
    a->ran = a->own_at = 0;
}

/* Drops a group that the jobs that arrived keep from its room. If it could not be adopted without
 * them either, the reason of that stays. Returns 0 or a negative error code. */
static int32_t drop_claimed(lsched_cycle *cy, uint32_t i) {
    struct adoption *a = cy->adopt;
    int32_t rc = adopt_group(cy, i, 1);
    if (rc <= 0) return rc;
    a->groups[i].result = LSCHED_ADOPTION_CLAIM;
    a->groups[i].object = a->claimer[i];
    a->groups[i].failed_at = a->groups[i].first;
    return 0;
}

#define ADOPT_ROW_BEFORE(of, a, b) ((a) < (b))
SORT_IN_PLACE(adopt_walk_sort, uint32_t, const void *, ADOPT_ROW_BEFORE)

/* Lists the decisions that the cycle has made so far. */
static int32_t list_before(lsched_cycle *cy) {
    struct adoption *a = cy->adopt;
    uint32_t n = cy->decisions.n_fresh;
    a->n_before = 0;
    if (!VEC_ROOM(a->alloc, a->before, a->cap_before, n)) return LSCHED_E_NOMEM;
    if (n) memcpy(a->before, cy->decisions.fresh, n * sizeof *a->before);
    adopt_walk_sort(NULL, a->before, n);
    steps_add(cy->k, n);
    a->n_before = n;
    return LSCHED_OK;
}

static int32_t adopt_walk_run(lsched_cycle *cy, const lsched_act *act) {
    struct adoption *a = cy->adopt;
    adopt_walk_forget(a);
    if (a->n_groups == 0) return LSCHED_OK;
    memset(a->claimed, 0, a->n_groups);
    a->act = act;
    int32_t rc = list_before(cy);
    if (rc == LSCHED_OK && !(a->flags & LSCHED_ADOPT_UNFAIR_OK)) rc = adopt_claims(cy, act);
    adopt_walk_forget(a); /* the results of the rehearsal */
    for (uint32_t i = 0; i < a->n_groups && rc >= 0; i++) {
        rc = a->claimed[i] ? drop_claimed(cy, i) : adopt_group(cy, i, 0);
        if (rc == 1) evict_settle(cy);
    }
    victim_search_close(cy);
    cy->turn.later = 0;
    cy->turn.job = NO_ROW;
    return rc < 0 ? rc : LSCHED_OK;
}

static lsched_id id_of(const struct columns *k, const struct adopted_decision *d) {
    if (d->row == NO_ROW || !row_is_live(k, T_DECISION, d->row) ||
        k->c[C_DECISION_GEN].u32[d->row] != d->gen)
        return 0;
    return id_make(k, LSCHED_KIND_DECISION, d->row);
}

static int32_t adopt_walk_tell(const lsched_cycle *cy, struct lsched_plan *p) {
    const struct adoption *a = cy->adopt;
    size_t n = a->from->n_decisions, bytes = a->n_groups * sizeof *p->adopted.groups;
    if (a->n_groups == 0) return LSCHED_OK;
    p->adopted.groups = alloc_new(&p->alloc, bytes);
    p->adopted.n_groups = a->n_groups;
    p->adopted.ids = alloc_new(&p->alloc, n * sizeof *p->adopted.ids);
    p->adopted.n_ids = n;
    if (!p->adopted.groups || !p->adopted.ids) return LSCHED_E_NOMEM;
    memcpy(p->adopted.groups, a->groups, bytes);
    for (size_t i = 0; i < n; i++) p->adopted.ids[i] = id_of(cy->k, &a->became[i]);
    return LSCHED_OK;
}

int32_t adopt_walk_open(struct adoption *a, struct alloc *alloc, const struct lsched_plan *from,
                        uint32_t flags) {
    *a = (struct adoption){.run = adopt_walk_run,
                           .tell = adopt_walk_tell,
                           .hooks_off = adopt_walk_hooks_off,
                           .from = from,
                           .flags = flags,
                           .alloc = alloc};
    a->n_groups = count_groups(from);
    if (a->n_groups == 0) return LSCHED_OK;
    a->groups = alloc_zero(alloc, a->n_groups * sizeof *a->groups);
    a->became = alloc_new(alloc, from->n_decisions * sizeof *a->became);
    a->claimed = alloc_zero(alloc, a->n_groups);
    a->claimer = alloc_zero(alloc, a->n_groups * sizeof *a->claimer);
    if (!a->groups || !a->became || !a->claimed || !a->claimer) return LSCHED_E_NOMEM;
    list_groups(a);
    return LSCHED_OK;
}

void adopt_walk_close(struct adoption *a) {
    alloc_free(a->alloc, a->groups, a->n_groups * sizeof *a->groups);
    alloc_free(a->alloc, a->became, a->from->n_decisions * sizeof *a->became);
    alloc_free(a->alloc, a->claimed, a->n_groups);
    alloc_free(a->alloc, a->claimer, a->n_groups * sizeof *a->claimer);
    alloc_free(a->alloc, a->before, a->cap_before * sizeof *a->before);
}
