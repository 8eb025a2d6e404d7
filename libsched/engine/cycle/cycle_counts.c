/* cycle_counts.c -- see cycle_counts.h. */
#include "engine/cycle/cycle_counts.h"

struct cycle_moment cycle_counts_now(const struct lsched_cycle *cy) {
    return (struct cycle_moment){.jobs_tried = cy->counts.jobs_tried,
                                 .decisions = cy->decisions.n_fresh,
                                 .evictions = cy->counts.evictions + cy->counts.moves,
                                 .work_units = cy->spend.spent,
                                 .steps = *cy->k->steps};
}

/* A stage can withdraw decisions that an earlier one made, so a difference can be below zero. */
static uint64_t count_rise(uint64_t now, uint64_t before) {
    return now > before ? now - before : 0;
}

struct cycle_moment cycle_counts_since(const struct lsched_cycle *cy,
                                       const struct cycle_moment *before) {
    struct cycle_moment n = cycle_counts_now(cy);
    n.jobs_tried = count_rise(n.jobs_tried, before->jobs_tried);
    n.decisions = count_rise(n.decisions, before->decisions);
    n.evictions = count_rise(n.evictions, before->evictions);
    n.work_units = count_rise(n.work_units, before->work_units);
    n.steps = count_rise(n.steps, before->steps);
    return n;
}

void cycle_counts_action(struct lsched_cycle *cy, uint32_t i, const struct cycle_moment *in) {
    struct action_tally *t = &cy->counts.actions[i];
    t->runs++;
    t->jobs_tried += in->jobs_tried;
    t->decisions += in->decisions;
    t->evictions += in->evictions;
    t->work_units += in->work_units;
    t->steps += in->steps;
}

static void keep_actions(const struct lsched_cycle *cy, struct tally *t) {
    for (uint32_t i = 0; i < cy->policy.pipeline.n; i++) {
        const struct action_tally *a = &cy->counts.actions[i];
        const struct algorithm_slot *slot =
            algorithm_find(cy->c, LSCHED_ROLE_ACT, cy->policy.pipeline.actions[i].word);
        if (!slot || a->runs == 0) continue;
        struct action_tally *to = &t->actions[slot - cy->c->algorithms];
        to->runs += a->runs;
        to->jobs_tried += a->jobs_tried;
        to->decisions += a->decisions;
        to->evictions += a->evictions;
        to->work_units += a->work_units;
        to->steps += a->steps;
    }
}

static void keep_decision(struct columns *k, uint32_t d, int64_t now) {
    uint32_t kind = k->c[C_DECISION_KIND].u8[d], reason = k->c[C_DECISION_REASON].u8[d];
    uint32_t job = k->c[C_TASK_JOB].u32[k->c[C_DECISION_TASK].u32[d]];
    int64_t wait = now - k->c[C_JOB_SUBMIT].i64[job];
    uint64_t *blocks[] = {tally_block(k, NO_ROW), tally_block(k, k->c[C_JOB_QUEUE].u32[job])};
    for (int i = 0; i < 2; i++) {
        if (kind < LSCHED_COUNTED_CODES) blocks[i][TALLY_DECISIONS + kind]++;
        if ((kind == LSCHED_DECIDE_EVICT || kind == LSCHED_DECIDE_MIGRATE) &&
            reason < LSCHED_COUNTED_CODES)
            blocks[i][TALLY_EVICTIONS + reason]++;
        if (kind != LSCHED_DECIDE_PLACE) continue;
        blocks[i][TALLY_WAIT + tally_bucket(wait)]++;
        if (wait > 0) blocks[i][TALLY_WAIT_SUM] += (uint64_t)wait;
    }
}

void cycle_counts_keep(const struct lsched_cycle *cy) {
    struct columns *k = cy->k;
    struct tally *t = k->tally;
    if (!t) return;
    t->cycles++;
    t->partial += (cy->flags & LSCHED_PLAN_PARTIAL) != 0;
    t->interrupted += (cy->flags & LSCHED_PLAN_INTERRUPTED) != 0;
    t->policy_failed += (cy->flags & LSCHED_PLAN_POLICY_FAILED) != 0;
    t->jobs_tried += cy->counts.jobs_tried;
    t->work_units += cy->spend.spent;
    t->steps += *k->steps - cy->counts.steps_before;
    t->nodes_scored += cy->c->search.scored - cy->counts.scored_before;
    t->proven += cy->counts.proven;
    t->cut += cy->counts.cut;
    t->skipped += cy->c->searches_skipped - cy->counts.skipped_before;
    t->hits += cy->c->search.hits - cy->counts.hits_before;
    t->fills += cy->c->search.fills - cy->counts.fills_before;
    t->instructions += cy->c->policy.instructions;
    keep_actions(cy, t);
    for (uint32_t i = 0; i < cy->decisions.n_fresh; i++)
        keep_decision(k, cy->decisions.fresh[i], cy->now);
}
