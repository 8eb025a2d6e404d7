/*
 * act_evicting.c -- the actions reclaim, preempt and consolidate, which place a waiting job by
 * evicting or moving running work.
 *
 *   reclaim      evicts work of other queues that are above their entitlement
 *   preempt      evicts work of lower priority in the job's own queue
 *   consolidate  moves any movable work, if all of it finds a new place at once
 *
 * If a pipeline has both reclaim and preempt, the later one of the two runs a second time. In this
 * second run it looks for sets of victims that contain work of both kinds.
 *
 * The actions try the jobs that wait for room in the order of the share and order algorithms. The
 * engine says whether a job is allowed to evict and whether evictions could help at all. Then the
 * action places the gang as allocate does (gang_walk.h), with one difference: for a task that finds
 * no room, victims are evicted on the node where this costs least.
 *
 * Some jobs have not been tried in this pass yet, because the action comes before allocate in the
 * pipeline, or because the job began to wait in the meantime. The action first tries to place these
 * jobs without evictions, as allocate does. This also helps a job that is not allowed to evict.
 * While planned starts stand, the engine puts such a start off until the plan was made again
 * (put_off.h), and a job with a planned start finds free room only after it stopped work (evict.h).
 *
 * When the gang is placed, victims that turn out to be unnecessary keep running. The other victims
 * are given new places where possible. The transaction is kept only if the whole gang is placed, so
 * no task is stopped for a placement that does not happen. A consolidation is kept only if every
 * victim has a new place. Otherwise the next cheapest nodes are tried, up to a bound.
 */
#include "algorithms/builtin.h"
#include "algorithms/support/gang_walk.h"
#include "algorithms/act/moves_plan.h"
#include "algorithms/support/replace_victims.h"

#include <string.h>

/* Places one task. The task gets room that is free or comes free later. If there is no such room,
 * victims are evicted on the node where this costs least. */
static int32_t seat_or_evict(struct gang *g, uint32_t group, uint32_t domain) {
    uint32_t node;
    int32_t rc = gang_seat_free(g, group, domain);
    if (rc != 0) return rc;
    rc = g->act->relieve(g->cycle, g->job, group);
    if (rc > 0) rc = gang_seat_free(g, group, domain);
    if (rc != 0) return rc;
    rc = g->act->find_victims(g->cycle, g->job, group, domain, &node);
    if (rc != 1) return rc;
    rc = g->act->evict_on(g->cycle, g->job, group, node);
    if (rc <= 0) return rc;
    rc = g->act->place(g->cycle, g->job, group, node);
    if (rc != 0) return rc;
    /* A queue's limit can still keep the task out, because the task is charged more on this node
     * than elsewhere. Therefore work below this queue is evicted, too. */
    rc = g->act->relieve(g->cycle, g->job, group);
    return rc > 0 ? g->act->place(g->cycle, g->job, group, node) : rc;
}

/* Tries to place the job by moving its victims. If some victim finds no new place, the transaction
 * is rolled back, and the nodes of its victims are excluded from the next attempt. When no node is
 * left, all nodes are tried again. In this second search, the jobs with a task that found no new
 * place are excluded instead. */
static int32_t try_moves(struct gang *g) {
    uint64_t mark;
    int32_t rc = g->act->checkpoint(g->cycle, &mark);
    while (rc >= 0) {
        rc = gang_look(g, g->job);
        if (rc >= 0) rc = gang_step(g);
        if (rc < 0) return rc;
        if (rc == 1) {
            rc = replace_victims(g, NULL);
            if (rc != 0) return rc;
            rc = g->act->exclude(g->cycle);
            if (rc == 0) return 0;
            if (rc == 1) rc = g->act->rollback(g->cycle, mark);
        } else {
            rc = g->act->rollback(g->cycle, mark);
            if (rc >= 0) rc = g->act->another_way(g->cycle);
            if (rc == 0) return 0;
        }
    }
    return rc;
}

/* Tries to place the job by evictions. Victims that turn out to be unnecessary keep running. If the
 * job cannot be placed, the search is repeated with victims in another order, as long as the engine
 * knows one (another_way). */
static int32_t try_ways(struct gang *g) {
    uint64_t mark;
    int32_t rc = g->act->checkpoint(g->cycle, &mark), again = 1;
    while (rc >= 0 && again == 1) {
        rc = gang_look(g, g->job);
        if (rc >= 0) rc = gang_step(g);
        if (rc == 1) rc = g->act->pay_rights(g->cycle);
        int32_t spared = rc == 1 ? g->act->spare(g->cycle) : 0;
        if (rc != 0 || spared < 0) return spared < 0 ? spared : rc;
        rc = g->act->rollback(g->cycle, mark);
        if (rc >= 0) again = rc = g->act->another_way(g->cycle);
    }
    return rc < 0 ? rc : 0;
}

/* Tries to place the job without evictions, as allocate does. If there is no room, the transaction
 * is rolled back to its state before the call. */
static int32_t try_free(struct gang *g) {
    uint64_t mark;
    int32_t rc = g->act->checkpoint(g->cycle, &mark);
    g->seat = gang_seat_free;
    if (rc >= 0) rc = g->act->look(g->cycle, LSCHED_LOOK_NOW);
    if (rc >= 0) rc = gang_try(g);
    if (rc == 0) rc = gang_try_later(g, mark);
    g->seat = seat_or_evict;
    int32_t back = g->act->look(g->cycle, LSCHED_LOOK_LATER);
    if (rc == 0 && back >= 0) back = g->act->rollback(g->cycle, mark);
    return back < 0 ? back : rc;
}

static int32_t try_job(struct gang *g, uint32_t reason) {
    int32_t moves = reason == LSCHED_FOR_CONSOLIDATE, rc = g->act->untried(g->cycle, g->job);
    if (rc == 1) rc = try_free(g);
    if (rc != 0) return rc;
    rc = 1;
    if (moves) rc = g->act->within_limits(g->cycle, g->job);
    if (rc == 1) rc = g->act->may_evict(g->cycle, g->job);
    if (rc != 1) return rc;
    if (moves) return try_moves(g);
    rc = try_ways(g);
    if (rc != 1) return rc;
    rc = replace_victims(g, NULL);
    return rc < 0 ? rc : 1;
}

static int32_t run(void *self, const lsched_act *act, lsched_cycle *cycle, uint32_t reason) {
    struct gang g = {act, cycle, self, LSCHED_NO_ROW, NULL, 0, seat_or_evict, UINT32_MAX, 0};
    int32_t rc = act->evict_begin(cycle, reason);
    if (rc != 1) return rc;
    while ((rc = act->next_job(cycle, &g.job)) == 1) {
        rc = try_job(&g, reason);
        if (rc < 0) return rc;
        rc = rc == 1 ? act->commit(cycle, g.job) : act->park(cycle, g.job);
        if (rc < 0) return rc;
    }
    return rc < 0 ? rc : act->evict_end(cycle);
}

/* Runs one action, then runs it again with victims of both kinds (reclaim and preempt), for jobs
 * that no victims of one kind alone can help. The engine allows the second run only in the later
 * one of the two actions. */
static int32_t run_both(void *self, const lsched_act *act, lsched_cycle *cycle, uint32_t reason) {
    int32_t rc = run(self, act, cycle, reason);
    return rc < 0 ? rc : run(self, act, cycle, LSCHED_ACT_BOTH);
}

static int32_t reclaim_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    return run_both(self, act, cycle, LSCHED_FOR_RECLAIM);
}

static int32_t preempt_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    return run_both(self, act, cycle, LSCHED_FOR_PREEMPT);
}

struct consolidate {
    struct gang_memory memory;
    lsched_algorithm_env env;
    uint64_t work; /* work units of the packer for each plan */
};

/* Frees whole nodes although no job waits for the room, as long as the orchestrator's number of
 * allowed moves lasts. First, nodes are emptied one by one. When no single node can be emptied any
 * more, moves between several nodes are planned together. Therefore at least as many nodes become
 * free as by emptying single nodes. */
static int32_t defragment(void *self, const lsched_act *act, lsched_cycle *cycle) {
    struct consolidate *s = self;
    struct gang g = {act, cycle, &s->memory, LSCHED_NO_ROW, NULL, 0, gang_seat_free, UINT32_MAX, 0};
    uint32_t node;
    int32_t rc = act->defrag_begin(cycle);
    if (rc != 1) return rc;
    while ((rc = act->next_sparse(cycle, &node)) == 1) {
        rc = act->empty_node(cycle, node);
        if (rc == 1) rc = replace_victims(&g, NULL);
        if (rc >= 0) rc = act->keep_moves(cycle);
        if (rc < 0) return rc;
    }
#if !defined(LSCHED_NO_PACK)
    if (rc == 0) rc = moves_plan(&s->env, act, cycle, s->work);
#endif
    return rc < 0 ? rc : act->defrag_end(cycle);
}

static int32_t consolidate_run(void *self, const lsched_act *act, lsched_cycle *cycle) {
    struct consolidate *s = self;
    int32_t rc = run(&s->memory, act, cycle, LSCHED_FOR_CONSOLIDATE);
    return rc < 0 ? rc : defragment(self, act, cycle);
}

/* Reads the parameter consolidate_work: the number of the packer's work units for each plan. With
 * 0, nodes are only emptied one by one. A build without the packer has no other number. */
static int32_t consolidate_create(const lsched_algorithm_env *env, void **self, lsched_error *err) {
    struct consolidate *s = *self = env_new(env, sizeof *s);
    (void)err;
    if (!s) return LSCHED_E_NOMEM;
    s->env = *env;
    s->work = (uint64_t)env_number(env, "consolidate_work", MOVES_WORK_DEFAULT, MOVES_WORK_MAX);
    return LSCHED_OK;
}

static void consolidate_destroy(const lsched_algorithm_env *env, void *self) {
    env->free(env->engine, self, sizeof(struct consolidate));
}

static const lsched_act_ops reclaim_ops = {sizeof(lsched_act_ops), 1u << LSCHED_FOR_RECLAIM,
                                           reclaim_run};
static const lsched_act_ops preempt_ops = {sizeof(lsched_act_ops), 1u << LSCHED_FOR_PREEMPT,
                                           preempt_run};
static const lsched_act_ops consolidate_ops = {sizeof(lsched_act_ops), 1u << LSCHED_FOR_CONSOLIDATE,
                                               consolidate_run};

#define ACT(what, text, memory)                                                                 \
    const lsched_algorithm act_##what = {BUILTIN(ACT), .name = text, .create = memory##_create, \
                                         .destroy = memory##_destroy, .act = &what##_ops}
ACT(reclaim, "reclaim", gang_memory);
ACT(preempt, "preempt", gang_memory);
ACT(consolidate, "consolidate", consolidate);
#undef ACT
