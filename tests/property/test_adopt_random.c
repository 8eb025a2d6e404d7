/*
 * test_adopt_random.c -- a plan of a clone is adopted by an original that has had random events.
 *
 * A cluster gets random changes of every kind (random_changes.h). Now and then, a clone is made and
 * makes a plan; the original gets 0, 1, 10 or 100 changes, some of which end the jobs and nodes of the
 * plan, and adopts it.
 *   - The state and the adopted plan pass the verifier.
 *   - No placement can run into an absence (absence_model.h).
 *   - Each group is whole: all of its decisions are open decisions, with equal task, node and kind,
 *     or none is.
 *   - Without a change in between, each group is adopted, with equal devices, times and costs.
 *   - A job of one task that was dropped for its place gets no place there either, by the same
 *     alternative, in a cycle of a clone in which every other node is closed and every other job is
 *     held. A group that rules forbid is judged only if no later group is adopted: a group is judged
 *     in its turn, and a later job can be the one that the rules want near. Nothing is judged on a
 *     node for which another task is nominated, because to hold its job gives its room back.
 *   - If memory runs out, nothing has changed, and the plan can be adopted afterwards.
 *   - The clone's plan cannot be adopted twice.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed.
 */
#include "api/calls/skip_check.h"
#include "engine/state/cache_check.h"
#include "property/absence_model.h"
#include "property/random_changes.h"
#include "support/fault_alloc.h"

enum { STEPS = 40, EVENTS = 4, RESULTS = LSCHED_ADOPTION_BUDGET + 1 };

static const uint32_t event_counts[EVENTS] = {0, 1, 10, 100};

static struct {
    struct fault_alloc memory;
    struct chance chance; /* of the adoptions alone */
    uint64_t adoptions, groups, whole_plans, judged, starved, withdrawn, evicting, moving;
    uint64_t absent;                     /* starts on nodes with an absence */
    uint64_t upkeep;                     /* decisions for no job that were adopted */
    uint64_t by_result[EVENTS][RESULTS]; /* by number of changes in between: event_counts */
} all;

static void watch_caches(struct run *r) {
    cache_check_on(r->c);
    skip_check_on(r->c, 0);
}

static lsched_cluster *clone_of(const struct run *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    must(r, lsched_cluster_clone(r->c, &copy, &err), &err);
    return copy;
}

/* ---- what was adopted ---- */

static const lsched_decision *decision_of(const lsched_plan *plan, lsched_id id) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++)
        if (lsched_plan_at(plan, i)->id == id) return lsched_plan_at(plan, i);
    return NULL;
}

static void check_equal(const struct run *r, const lsched_decision *d, const lsched_decision *e,
                        int exactly) {
    CHECK(&r->at,
          d->kind == e->kind && d->job == e->job && d->task_index == e->task_index &&
              d->group_index == e->group_index && d->node == e->node && d->to_node == e->to_node &&
              d->alternative == e->alternative && d->for_job == e->for_job,
          "a decision about task %u of job %llu differs: kind %u, task %u", d->task_index,
          (unsigned long long)d->job_tag, e->kind, e->task_index);
    if (exactly)
        CHECK(&r->at,
              is_same_set(d->device_words, e->device_words) &&
                  d->device_starts == e->device_starts && d->nic_mask == e->nic_mask &&
                  d->numa_mask == e->numa_mask && d->at_us == e->at_us && d->cost == e->cost &&
                  d->reason == e->reason,
              "task %u has devices %#llx:%#llx at %lld; in the clone %#llx:%#llx at %lld",
              d->task_index, (unsigned long long)e->device_words[1],
              (unsigned long long)e->device_words[0], (long long)e->at_us,
              (unsigned long long)d->device_words[1], (unsigned long long)d->device_words[0],
              (long long)d->at_us);
}

static void check_group(const struct run *r, const lsched_plan *from, const lsched_plan *to,
                        const lsched_adopted_group *g, uint32_t events) {
    int untouched = events == 0;
    CHECK(&r->at, g->result < RESULTS && (g->result == 0) == (g->group != 0),
          "result %u, group %llu", g->result, (unsigned long long)g->group);
    all.groups++;
    all.by_result[events][g->result]++;
    for (uint64_t i = g->first; i < g->first + g->count; i++) {
        const lsched_decision *d = lsched_plan_at(from, i);
        lsched_id id = lsched_adopted_id(to, i);
        const lsched_decision *e = id ? decision_of(to, id) : NULL;
        CHECK(&r->at, d->group == g->from_group, "decision %llu is of another group",
              (unsigned long long)i);
        all.evicting += d->kind == LSCHED_DECIDE_EVICT && id;
        all.moving += d->kind == LSCHED_DECIDE_MIGRATE && id;
        all.upkeep += d->reason && !d->for_job && id;
        all.withdrawn += g->result == 0 && !id;
        CHECK(&r->at, g->result == 0 || !id, "a dropped group has an open decision");
        if (!id) continue;
        CHECK(&r->at, e && e->group == g->group, "the decision is not in the plan");
        check_equal(r, d, e, untouched);
    }
    if (untouched)
        CHECK(&r->at, g->result == LSCHED_ADOPTION_APPLIED,
              "nothing changed, but the group of job %llu was dropped: %s",
              (unsigned long long)lsched_plan_at(from, g->first)->job_tag,
              lsched_adopt_result_name(g->result));
}

/* ---- a second opinion about places ---- */

static void close_others(const struct run *r, lsched_cluster *copy, lsched_id node) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t cursor = 0;
    lsched_id other;
    while ((other = lsched_next(copy, LSCHED_KIND_NODE, &cursor)) != 0) {
        lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
        if (other == node) continue;
        u.node = other;
        u.set = LSCHED_NODE_SET_STATE;
        u.state = LSCHED_NODE_CORDONED;
        must(r, lsched_nodes_update(copy, &u, 1, sizeof u, NULL, NULL, &err), &err);
    }
}

/* Keeps all other jobs from being tried, so that a cycle has only this one to place. Placements are
 * confirmed first, because a hold withdraws what is not. */
static void hold_others(const struct run *r, lsched_cluster *copy, lsched_id job) {
    uint64_t cursor = 0;
    lsched_id id;
    while ((id = lsched_next(copy, LSCHED_KIND_DECISION, &cursor)) != 0) {
        lsched_outcome o = LSCHED_OUTCOME_CONFIRMED;
        settle_each(copy, &id, &o, 1, NULL, NULL);
    }
    cursor = 0;
    while ((id = lsched_next(copy, LSCHED_KIND_JOB, &cursor)) != 0) {
        lsched_job_hold h = LSCHED_JOB_HOLD_INIT;
        lsched_batch_opts opts = {sizeof opts, LSCHED_BATCH_IDEMPOTENT};
        lsched_error err = LSCHED_ERROR_INIT;
        if (id == job) continue;
        h.job = id;
        must(r, lsched_jobs_hold(copy, &h, 1, sizeof h, &opts, NULL, &err), &err);
    }
}

/* True if a task is nominated for room on the node. To hold its job would withdraw the nomination and
 * free the room, which was not free when the group was dropped. */
static int is_nominated(const struct run *r, lsched_id node) {
    uint64_t cursor = 0;
    lsched_id id;
    while ((id = lsched_next(r->c, LSCHED_KIND_DECISION, &cursor)) != 0) {
        lsched_decision d = {0};
        d.size = sizeof d;
        lsched_error err = LSCHED_ERROR_INIT;
        must(r, lsched_decision_get(r->c, id, &d, &err), &err);
        if (d.kind == LSCHED_DECIDE_NOMINATE && d.node == node) return 1;
    }
    return 0;
}

/* The job of the dropped group gets no place on the node of the plan, with all other jobs held. */
static void judge(const struct run *r, const lsched_decision *d, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_cluster *copy = clone_of(r);
    lsched_plan *plan = NULL;
    opts.now_us = now;
    hold_others(r, copy, d->job);
    close_others(r, copy, d->node);
    must(r, lsched_schedule(copy, &opts, &plan, &err), &err);
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *e = lsched_plan_at(plan, i);
        CHECK(&r->at,
              e->job != d->job || e->kind != LSCHED_DECIDE_PLACE || e->node != d->node ||
                  e->alternative != d->alternative,
              "job %llu was dropped, but its place is free", (unsigned long long)d->job_tag);
    }
    all.judged++;
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(copy);
}

/* True if a group after this one is adopted. */
static int has_later(const lsched_plan *to, size_t i) {
    for (i++; i < lsched_adopted_group_size(to); i++)
        if (lsched_adopted_group_at(to, i)->result == LSCHED_ADOPTION_APPLIED) return 1;
    return 0;
}

static void judge_dropped(const struct run *r, const lsched_plan *from, const lsched_plan *to,
                          int64_t now) {
    uint32_t n = 0;
    for (size_t i = 0; i < lsched_adopted_group_size(to) && n < 3; i++) {
        const lsched_adopted_group *g = lsched_adopted_group_at(to, i);
        const lsched_decision *d = lsched_plan_at(from, g->first);
        int place = g->result == LSCHED_ADOPTION_ROOM || g->result == LSCHED_ADOPTION_NODE_CLOSED ||
                    (g->result == LSCHED_ADOPTION_RULES && !has_later(to, i));
        if (!place || g->count > 1 || d->kind != LSCHED_DECIDE_PLACE || !r->steady) continue;
        if (is_nominated(r, d->node)) continue;
        judge(r, d, now);
        n++;
    }
}

/* ---- events ---- */

/* Ends or removes something that the plan names, so that many groups meet a change. */
static void hit_plan(struct run *r, const lsched_plan *from) {
    struct chance *c = &all.chance;
    size_t n = lsched_plan_size(from);
    if (n == 0) return;
    const lsched_decision *d = lsched_plan_at(from, chance_below(c, (uint32_t)n));
    lsched_node_update u = LSCHED_NODE_UPDATE_INIT;
    u.node = d->node;
    u.set = LSCHED_NODE_SET_STATE;
    u.state = LSCHED_NODE_CORDONED;
    switch (chance_below(c, 3)) {
    case 0: (void)lsched_jobs_remove(r->c, &d->job, 1, NULL, NULL, NULL); break;
    case 1: (void)lsched_nodes_update(r->c, &u, 1, sizeof u, NULL, NULL, NULL); break;
    default: change_some(r);
    }
}

/* Another job of the same kind takes what a group of the plan wants. */
static uint32_t change_between(struct run *r, const lsched_plan *from) {
    uint32_t drawn = chance_below(&all.chance, 40), events = drawn < 38 ? drawn % 3 : 3;
    for (uint32_t i = 0; i < event_counts[events]; i++) {
        if (chance_one_in(&all.chance, 3))
            hit_plan(r, from);
        else
            change_some(r);
    }
    return events;
}

/* ---- an adoption ---- */

static void adopt_starved(struct run *r, lsched_plan *from, const lsched_adopt_opts *opts) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *to = NULL;
    uint64_t image = image_of(r->c);
    for (uint32_t at = 1; at < 400; at += 1 + chance_below(&all.chance, 40)) {
        all.memory.fail_at = all.memory.calls + at;
        all.memory.fail_period = 1;
        int32_t rc = lsched_adopt(r->c, from, opts, &to, &err);
        all.memory.fail_at = all.memory.fail_period = 0;
        if (rc == LSCHED_OK) break;
        CHECK(&r->at, rc == LSCHED_E_NOMEM && !to, "%d %s", rc, err.message);
        CHECK(&r->at, image_of(r->c) == image, "a failed adoption left something behind");
        all.starved++;
    }
    if (!to) return;
    /* it had memory enough: the plan is taken, and the caller has nothing to adopt */
    lsched_plan_destroy(to);
}

static void check_adopted(struct run *r, const lsched_plan *from, const lsched_plan *to,
                          uint32_t events, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    must(r, lsched_verify(r->c, to, &err), &err);
    size_t n = lsched_adopted_group_size(to);
    uint64_t decisions = 0;
    for (size_t i = 0; i < n; i++) {
        check_group(r, from, to, lsched_adopted_group_at(to, i), events);
        decisions += lsched_adopted_group_at(to, i)->count;
    }
    CHECK(&r->at, decisions == lsched_plan_size(from), "%llu decisions in groups",
          (unsigned long long)decisions);
    all.whole_plans += n > 0 && !events;
    if (events) judge_dropped(r, from, to, now);
}

static void schedule_and_adopt(struct run *r) {
    struct chance *c = &all.chance;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_adopt_opts opts = LSCHED_ADOPT_OPTS_INIT;
    lsched_schedule_opts at = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *from = NULL, *to = NULL;
    lsched_cluster *copy = clone_of(r);
    r->w.now_us += chance_one_in(c, 3) ? chance_between(c, 1, 200) * 1000000 : 1;
    at.now_us = r->w.now_us;
    must(r, lsched_schedule(copy, &at, &from, &err), &err);
    lsched_cluster_destroy(copy);
    uint32_t n = change_between(r, from);
    if (n) at.now_us = r->w.now_us += chance_one_in(c, 4) ? 1000000 : 1;
    opts.schedule = &at;
    opts.flags = chance_one_in(c, 4) ? LSCHED_ADOPT_UNFAIR_OK : 0;
    if (chance_one_in(c, 6)) {
        adopt_starved(r, from, &opts);
    }
    int32_t rc = lsched_adopt(r->c, from, &opts, &to, &err);
    if (rc == LSCHED_OK) {
        check_adopted(r, from, to, n, at.now_us);
        CHECK(&r->at, !absence_model_wrong(r->c, to, at.now_us, &all.absent), "absence");
        all.adoptions++;
        rc = lsched_adopt(r->c, from, &opts, &to, &err);
    }
    CHECK(&r->at, rc == LSCHED_E_STATE, "%d %s", rc, err.message);
    lsched_plan_destroy(from);
    lsched_plan_destroy(to);
}

/* A policy that stops work for other reasons than waiting jobs. */
static void load_upkeep(struct run *r) {
    static const char *const actions[] = {
        "'drain', 'allocate'", "'evict-overdue', 'allocate', 'drain'",
        "'allocate', 'evict-stale-gangs', 'evict-overdue', 'drain', 'reclaim'"};
    char text[256];
    lsched_error err = LSCHED_ERROR_INIT;
    snprintf(text, sizeof text,
             "return { api = 1, name = 'upkeep', fair_share = 'quota', pipeline = { %s }, "
             "eviction = { stale_grace_seconds = 30 } }",
             actions[chance_below(&all.chance, 3)]);
    must(r, lsched_policy_load(r->c, world_text("upkeep"), world_text(text), NULL, &err), &err);
}

static void schedule_plainly(struct run *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    opts.now_us = r->w.now_us += 1;
    must(r, lsched_schedule(r->c, &opts, &plan, &err), &err);
    must(r, lsched_verify(r->c, plan, &err), &err);
    CHECK(&r->at, !absence_model_wrong(r->c, plan, opts.now_us, &all.absent), "absence");
    lsched_plan_destroy(plan);
}

static void run_seed(struct run *r, uint64_t seed) {
    lsched_allocator hooks = fault_hooks(&all.memory);
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    opts.allocator = &hooks;
    opts.id_salt = seed % 3;
    all.chance.state = seed ^ 0xad0;
    memset(r, 0, sizeof *r);
    begin_world(r, seed, &opts, watch_caches);
    for (r->at.step = 1; r->at.step <= STEPS; r->at.step++) {
        change_some(r);
        if (chance_one_in(&all.chance, 16)) load_upkeep(r);
        if (chance_one_in(&all.chance, 4))
            schedule_plainly(r);
        else
            schedule_and_adopt(r);
    }
    lsched_cluster_destroy(r->c);
    CHECK(&r->at, all.memory.live_blocks == 0 && all.memory.wrong_sizes == 0, "memory");
}

/* What became of the groups, by the number of changes in between. */
static void print_results(void) {
    uint64_t groups[EVENTS] = {0};
    for (uint32_t e = 0; e < EVENTS; e++)
        for (uint32_t i = 0; i < RESULTS; i++) groups[e] += all.by_result[e][i];
    for (uint32_t e = 0; e < EVENTS; e++)
        print_message("  after %3u changes, %6llu of %6llu groups are dropped: %.1f %%\n",
                      event_counts[e],
                      (unsigned long long)(groups[e] - all.by_result[e][LSCHED_ADOPTION_APPLIED]),
                      (unsigned long long)groups[e],
                      100.0 - 100.0 * (double)all.by_result[e][LSCHED_ADOPTION_APPLIED] /
                                  (double)(groups[e] ? groups[e] : 1));
    for (uint32_t i = 0; i < RESULTS; i++)
        print_message(
            "  %-12s %8llu %8llu %8llu %8llu\n", lsched_adopt_result_name(i),
            (unsigned long long)all.by_result[0][i], (unsigned long long)all.by_result[1][i],
            (unsigned long long)all.by_result[2][i], (unsigned long long)all.by_result[3][i]);
}

static void test_adopted_plans_are_legal_and_whole(void **state) {
    (void)state;
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(60);
    struct run *r = calloc(1, sizeof *r);
    assert_non_null(r);
    for (uint64_t seed = first; seed < first + rounds; seed++) run_seed(r, seed);
    print_message(
        "seeds %llu .. +%u: %llu adoptions, %llu groups; %llu plans without a change; %llu evictions, %llu moves; %llu places "
        "judged again; %llu decisions for no job; %llu withdrawn at once; %llu times without memory\n",
        (unsigned long long)first, rounds, (unsigned long long)all.adoptions,
        (unsigned long long)all.groups, (unsigned long long)all.whole_plans,
        (unsigned long long)all.evicting, (unsigned long long)all.moving,
        (unsigned long long)all.judged, (unsigned long long)all.upkeep,
        (unsigned long long)all.withdrawn, (unsigned long long)all.starved);
    print_results();
    assert_true(chance_enough(all.judged, 1, 60) && chance_enough(all.evicting, 1, 60) &&
                chance_enough(all.upkeep, 1, 60) && chance_enough(all.absent, 1, 60));
    free(r);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_adopted_plans_are_legal_and_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
