/*
 * The engine under random events, in two clusters at once. Both get the same calls by name; the
 * second gets the elements of every batch of nodes, queues and jobs in another order and in two
 * batches. After each event
 *   - the verifier passes, and a count over what the test gave agrees (random_checks.h);
 *   - both clusters mean the same, and both plans are the same;
 *   - nobody waits in vain (random_waits.h), and a call that fails has changed nothing;
 *   - a clone and a loaded copy plan the same (now and then they take the original's place).
 * Policies come and go, among them such that evict: then hosts also agree to claims and evictions
 * or refuse them, and report what stopped. LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one
 * seed; a failure prints seed, step and event.
 */
#include "engine/state/cache_check.h"
#include "property/random_checks.h"
#include "property/random_policies.h"
#include "property/random_updates.h"
#include "property/random_waits.h"
#include "support/settle.h"
#include "support/queue_update.h"

#define STEPS 60u
#define BATCH 8u

struct side {
    lsched_cluster *c;
    struct chance shuffle; /* of the order of batches */
    int shuffles;
};

/* What the run came across: a test in which nothing happens would pass too. */
struct tally {
    uint64_t beyond; /* decisions about devices that are not in the first word */
    uint64_t events, cycles, partial, decisions, evictions, waiting, withdrawn, imports, excess,
        stale, copies, held;
};

struct twins {
    struct where at;
    struct tally tally; /* over all seeds */
    struct world w;
    struct side side[2];
    int closed;       /* a policy is loaded that refuses jobs or nodes, or was that evicts */
    struct seen seen; /* of side 0, after the last event */
};

/* Of side s, whose call returned `code`. */
static void must(const struct twins *t, int32_t code, const lsched_error *err) {
    CHECK(&t->at, code >= 0, "%d %s", code, err->message);
}

/* ---- hashes, clones and copies --------------------------------------------------------------- */

static uint64_t hash_of(const lsched_cluster *c, uint32_t which) {
    uint64_t hash = 0;
    assert_true(lsched_cluster_hash(c, which, &hash, NULL) >= 0);
    return hash;
}

struct bytes {
    uint8_t *data;
    size_t n, capacity;
};

static int32_t append(void *user, const void *data, size_t n) {
    struct bytes *b = user;
    if (b->n + n > b->capacity) {
        b->capacity = (b->n + n) * 2;
        b->data = realloc(b->data, b->capacity);
        if (!b->data) return -1;
    }
    memcpy(b->data + b->n, data, n);
    b->n += n;
    return 0;
}

static lsched_cluster *copy_of(struct twins *t, const lsched_cluster *c, int by_save) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *copy = NULL;
    if (by_save) {
        struct bytes bytes = {0};
        must(t, lsched_cluster_save(c, append, &bytes, &err), &err);
        must(t, lsched_cluster_load(NULL, bytes.data, bytes.n, &copy, &err), &err);
        free(bytes.data);
    } else {
        must(t, lsched_cluster_clone(c, &copy, &err), &err);
    }
    CHECK(&t->at, hash_of(copy, LSCHED_HASH_IMAGE) == hash_of(c, LSCHED_HASH_IMAGE),
          "image of a copy");
    CHECK(&t->at, hash_of(copy, LSCHED_HASH_MEANING) == hash_of(c, LSCHED_HASH_MEANING),
          "meaning of a copy");
    return copy;
}

static void event_copy_takes_over(struct twins *t) {
    struct side *s = &t->side[chance_below(&t->w.chance, 2)];
    lsched_cluster *copy = copy_of(t, s->c, (int)chance_below(&t->w.chance, 2));
    lsched_cluster_destroy(s->c);
    cache_check_on(s->c = copy);
    t->tally.copies++;
}

/* ---- batches of descriptions ----------------------------------------------------------------- */

/* Put index[0..n) into a random order on the side that shuffles; returns where to cut the batch. */
static uint32_t shuffle(struct side *s, uint32_t *index, uint32_t n) {
    if (!s->shuffles) return n;
    for (uint32_t i = n; i > 1; i--) {
        uint32_t j = chance_below(&s->shuffle, i);
        uint32_t kept = index[i - 1];
        index[i - 1] = index[j];
        index[j] = kept;
    }
    return chance_below(&s->shuffle, n + 1);
}

static void add_nodes(struct twins *t, uint32_t first, uint32_t n) {
    for (int i = 0; i < 2; i++) {
        struct side *s = &t->side[i];
        uint32_t index[WORLD_NODES];
        lsched_node_desc batch[WORLD_NODES];
        const size_t one = sizeof batch[0];
        lsched_error err = LSCHED_ERROR_INIT;
        for (uint32_t k = 0; k < n; k++) index[k] = first + k;
        uint32_t cut = shuffle(s, index, n);
        for (uint32_t k = 0; k < n; k++) batch[k] = t->w.nodes[index[k]].desc;
        must(t, lsched_nodes_add(s->c, batch, cut, one, NULL, NULL, NULL, &err), &err);
        must(t, lsched_nodes_add(s->c, batch + cut, n - cut, one, NULL, NULL, NULL, &err), &err);
    }
    for (uint32_t k = 0; k < n; k++) t->w.nodes[first + k].live = 1;
}

/* A parent comes before its children, in any order otherwise. */
static void parents_first(const struct world *w, uint32_t *index, uint32_t n) {
    uint32_t sorted[WORLD_QUEUES];
    uint32_t done = 0;
    for (uint32_t depth = 0; depth <= WORLD_QUEUES && done < n; depth++)
        for (uint32_t i = 0; i < n; i++)
            if (w->queues[index[i]].depth == depth) sorted[done++] = index[i];
    memcpy(index, sorted, n * sizeof index[0]);
}

static void add_queues(struct twins *t, uint32_t first, uint32_t n) {
    for (int i = 0; i < 2; i++) {
        struct side *s = &t->side[i];
        uint32_t index[WORLD_QUEUES];
        lsched_queue_desc batch[WORLD_QUEUES];
        const size_t one = sizeof batch[0];
        lsched_error err = LSCHED_ERROR_INIT;
        for (uint32_t k = 0; k < n; k++) index[k] = first + k;
        uint32_t cut = shuffle(s, index, n);
        parents_first(&t->w, index, n);
        for (uint32_t k = 0; k < n; k++) batch[k] = t->w.queues[index[k]].desc;
        must(t, lsched_queues_add(s->c, batch, cut, one, NULL, NULL, NULL, &err), &err);
        must(t, lsched_queues_add(s->c, batch + cut, n - cut, one, NULL, NULL, NULL, &err), &err);
    }
    for (uint32_t k = 0; k < n; k++) t->w.queues[first + k].live = 1;
}

static void event_submit(struct twins *t) {
    uint32_t first = t->w.n_jobs;
    uint32_t n = 1 + chance_below(&t->w.chance, BATCH);
    if (first + n > WORLD_JOBS) return;
    for (uint32_t k = 0; k < n; k++) world_new_job(&t->w);
    for (int i = 0; i < 2; i++) {
        struct side *s = &t->side[i];
        uint32_t index[BATCH];
        lsched_job_desc batch[BATCH];
        const size_t one = sizeof batch[0];
        lsched_error err = LSCHED_ERROR_INIT;
        for (uint32_t k = 0; k < n; k++) index[k] = first + k;
        uint32_t cut = shuffle(s, index, n);
        for (uint32_t k = 0; k < n; k++) batch[k] = t->w.jobs[index[k]].desc;
        must(t, lsched_jobs_submit(s->c, batch, cut, one, NULL, NULL, NULL, &err), &err);
        must(t, lsched_jobs_submit(s->c, batch + cut, n - cut, one, NULL, NULL, NULL, &err), &err);
    }
    for (uint32_t k = 0; k < n; k++) t->w.jobs[first + k].live = 1;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static lsched_plan *plan_of(const struct twins *t, lsched_cluster *c,
                            const lsched_schedule_opts *opts, lsched_plan_info *info) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    must(t, lsched_schedule(c, opts, &plan, &err), &err);
    must(t, lsched_verify(c, plan, &err), &err);
    memset(info, 0, sizeof *info);
    info->size = sizeof *info;
    must(t, lsched_plan_get(plan, info, NULL), &err);
    return plan;
}

static void check_same_plan(const struct twins *t, const lsched_plan_info *a,
                            const lsched_plan_info *b, const char *what) {
    CHECK(&t->at, a->decisions == b->decisions && a->plan_hash == b->plan_hash,
          "%s: %llu decisions %016llx, %llu decisions %016llx", what,
          (unsigned long long)a->decisions, (unsigned long long)a->plan_hash,
          (unsigned long long)b->decisions, (unsigned long long)b->plan_hash);
    CHECK(&t->at,
          a->waiting == b->waiting && a->work_spent == b->work_spent && a->flags == b->flags &&
              a->next_wake_us == b->next_wake_us && a->jobs_tried == b->jobs_tried,
          "%s: waiting %llu %llu, work %llu %llu, flags %u %u", what,
          (unsigned long long)a->waiting, (unsigned long long)b->waiting,
          (unsigned long long)a->work_spent, (unsigned long long)b->work_spent, a->flags, b->flags);
}

/* Every decision is open, new, about one task, and the task says so. */
static void check_decisions(struct twins *t, const lsched_cluster *c, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_task_info info = {.size = sizeof info};
        uint64_t cursor = 0;
        int found = 0;
        CHECK(&t->at, d->group != 0, "decision %zu", i);
        CHECK(&t->at, lsched_decision_state(c, d->id, NULL) == LSCHED_DECISION_PROPOSED,
              "decision %zu", i);
        while (lsched_tasks_next(c, d->job, 0, &cursor, &info, NULL) == 1) {
            if (info.task_index != d->task_index || info.state != state_by(d->kind)) continue;
            found++;
            CHECK(&t->at,
                  info.decision == d->id && info.node == d->node &&
                      is_same_set(info.device_words, d->device_words) &&
                      info.device_mask == d->device_mask && info.device_milli == d->device_milli,
                  "decision %zu and its task differ", i);
        }
        CHECK(&t->at, found == 1, "decision %zu: %d tasks", i, found);
        t->tally.beyond += d->device_words[1] != 0;
    }
}

static void event_schedule(struct twins *t) {
    struct chance *c = &t->w.chance;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan_info info[2];
    t->w.now_us += chance_one_in(c, 4) ? chance_between(c, 0, 120) * 1000000 : 1;
    if (chance_one_in(&t->w.limits, 5)) t->w.now_us += chance_between(&t->w.limits, 0, 300000000);
    opts.now_us = t->w.now_us;
    opts.flags = chance_one_in(c, 2) ? LSCHED_SCHEDULE_VERIFY : 0;
    opts.work_budget = chance_one_in(c, 8) ? 1 + chance_below(c, 200) : 0;
    opts.decisions_max = chance_one_in(c, 8) ? 1 + chance_below(c, 10) : 0;
    lsched_cluster *copy =
        chance_one_in(c, 3) ? copy_of(t, t->side[0].c, (int)chance_below(c, 2)) : NULL;
    for (int i = 0; i < 2; i++) {
        lsched_plan *plan = plan_of(t, t->side[i].c, &opts, &info[i]);
        check_decisions(t, t->side[i].c, plan);
        for (size_t k = 0; k < lsched_plan_size(plan); k++)
            t->tally.held += lsched_plan_at(plan, k)->reason >= LSCHED_FOR_TIME_LIMIT;
        lsched_plan_destroy(plan);
    }
    check_same_plan(t, &info[0], &info[1], "another order of batches");
    if (!(info[0].flags & LSCHED_PLAN_PARTIAL) && !t->closed)
        check_nobody_waits_in_vain(&t->at, &t->w, t->side[0].c);
    t->tally.cycles++;
    t->tally.partial += (info[0].flags & LSCHED_PLAN_PARTIAL) != 0;
    t->tally.decisions += info[0].decisions;
    t->tally.evictions += info[0].evictions + info[0].moves;
    t->tally.waiting += info[0].waiting;
    if (!copy) return;
    lsched_plan_info copied;
    lsched_plan_destroy(plan_of(t, copy, &opts, &copied));
    check_same_plan(t, &info[0], &copied, "a copy");
    CHECK(&t->at, hash_of(copy, LSCHED_HASH_IMAGE) == hash_of(t->side[0].c, LSCHED_HASH_IMAGE),
          "image");
    lsched_cluster_destroy(copy);
}

/* ---- what happens to tasks ------------------------------------------------------------------- */

/* Up to BATCH different tasks in one of the states (bit set), in random order. */
static uint32_t pick_tasks(struct twins *t, uint32_t states, const struct seen_task **out) {
    uint32_t n = 0;
    uint32_t at_most = 1 + chance_below(&t->w.chance, BATCH);
    for (uint32_t attempt = 0; t->seen.n && attempt < 4 * BATCH && n < at_most; attempt++) {
        const struct seen_task *task = &t->seen.task[chance_below(&t->w.chance, t->seen.n)];
        uint32_t twice = !(states >> task->state & 1);
        for (uint32_t i = 0; i < n; i++) twice |= out[i] == task;
        if (!twice) out[n++] = task;
    }
    return n;
}

static lsched_id job_on(const struct twins *t, int side, uint32_t job) {
    return find_by(t->side[side].c, LSCHED_KIND_JOB, t->w.jobs[job].name);
}

static lsched_id decision_on(const struct twins *t, int side, const struct seen_task *task) {
    lsched_task_info info = {.size = sizeof info};
    uint64_t cursor = 0;
    while (lsched_tasks_next(t->side[side].c, job_on(t, side, task->job), 0, &cursor, &info,
                             NULL) == 1)
        if (info.task_index == task->task && info.state == task->state) return info.decision;
    return 0;
}

/* Claims and evictions may have been agreed to before. */
static uint32_t still_proposed(const struct twins *t, const struct seen_task **task, uint32_t n) {
    uint32_t left = 0;
    for (uint32_t k = 0; k < n; k++) {
        lsched_id id = decision_on(t, 0, task[k]);
        if (id && lsched_decision_state(t->side[0].c, id, NULL) == LSCHED_DECISION_PROPOSED)
            task[left++] = task[k];
    }
    return left;
}

/* Confirmations first: a rejection may withdraw what a later element would confirm. */
static void event_settle(struct twins *t) {
    const struct seen_task *task[BATCH];
    uint32_t states =
        1u << LSCHED_TASK_PROPOSED | 1u << LSCHED_TASK_NOMINATED | 1u << LSCHED_TASK_RELEASING;
    uint32_t n = still_proposed(t, task, pick_tasks(t, states, task));
    uint32_t n_confirmed = n ? chance_below(&t->w.chance, n + 1) : 0;
    uint64_t withdrawn[2] = {0};
    lsched_outcome outcome[BATCH];
    for (uint32_t k = 0; k < n; k++)
        outcome[k] = k < n_confirmed ? LSCHED_OUTCOME_CONFIRMED : LSCHED_OUTCOME_REJECTED;
    for (int i = 0; i < 2; i++) {
        lsched_cluster *c = t->side[i].c;
        lsched_id ids[BATCH];
        lsched_id taken_back[SEEN_MAX];
        lsched_settle_report report = LSCHED_SETTLE_REPORT_INIT;
        lsched_error err = LSCHED_ERROR_INIT;
        report.withdrawn = taken_back;
        report.withdrawn_capacity = SEEN_MAX;
        for (uint32_t k = 0; k < n; k++) ids[k] = decision_on(t, i, task[k]);
        must(t, settle_each(c, ids, outcome, n, &report, &err), &err);
        withdrawn[i] = report.n_withdrawn;
        for (uint64_t k = 0; k < report.n_withdrawn; k++)
            CHECK(&t->at, lsched_decision_state(c, taken_back[k], NULL) == LSCHED_E_STALE,
                  "withdrawn %llu", (unsigned long long)k);
        for (uint32_t k = 0; k < n; k++) {
            int32_t want = k < n_confirmed ? LSCHED_DECISION_CONFIRMED : LSCHED_E_STALE;
            int32_t is = lsched_decision_state(c, ids[k], NULL);
            int lost = is == LSCHED_E_STALE && n_confirmed < n; /* its room, by a refusal */
            CHECK(&t->at, is == want || lost, "decision %u is %d", k, is);
            CHECK(&t->at, settle_each(c, &ids[k], outcome, 1, NULL, NULL) < 0, "settled twice");
        }
    }
    CHECK(&t->at, withdrawn[0] == withdrawn[1], "withdrawn");
    t->tally.withdrawn += withdrawn[0];
}

/* Reports: starts, then ends, then failures, since a failure may take back what a later element
 * would start. */
static void report_tasks(struct twins *t, uint32_t states, uint32_t event) {
    const struct seen_task *task[BATCH];
    uint32_t n = pick_tasks(t, states, task);
    int64_t late_us =
        chance_one_in(&t->w.chance, 3) ? 0 : t->w.now_us - chance_between(&t->w.chance, 0, 5);
    for (int i = 0; i < 2; i++) {
        lsched_task_event events[BATCH];
        lsched_error err = LSCHED_ERROR_INIT;
        for (uint32_t k = 0; k < n; k++) {
            events[k] = (lsched_task_event)LSCHED_TASK_EVENT_INIT;
            events[k].event = event;
            events[k].job = job_on(t, i, task[k]->job);
            events[k].task_index = task[k]->task;
            events[k].at_us = late_us;
        }
        lsched_cluster *c = t->side[i].c;
        must(t, lsched_tasks_report(c, events, n, sizeof events[0], NULL, NULL, &err), &err);
    }
    /* A job whose last task has ended well is gone. */
    for (uint32_t k = 0; k < n && event == LSCHED_EVENT_ENDED; k++)
        t->w.jobs[task[k]->job].live = job_on(t, 0, task[k]->job) != 0;
}

static void event_started(struct twins *t) {
    report_tasks(t, 1u << LSCHED_TASK_PROPOSED | 1u << LSCHED_TASK_CONFIRMED, LSCHED_EVENT_STARTED);
}

static void event_ended(struct twins *t) {
    report_tasks(t, 1u << LSCHED_TASK_RUNNING | 1u << LSCHED_TASK_CONFIRMED, LSCHED_EVENT_ENDED);
}

static void event_failed(struct twins *t) {
    report_tasks(t, 1u << LSCHED_TASK_RUNNING | 1u << LSCHED_TASK_CONFIRMED, LSCHED_EVENT_FAILED);
}

/* What was evicted has stopped as asked, or ended before. */
static void event_stopped(struct twins *t) {
    report_tasks(t, 1u << LSCHED_TASK_RELEASING,
                 chance_one_in(&t->w.chance, 5) ? LSCHED_EVENT_ENDED : LSCHED_EVENT_FAILED);
}

/* Of devices: what a policy calls idle by. */
static void event_usage(struct twins *t) {
    const struct seen_task *task[BATCH];
    uint32_t n = pick_tasks(t, 1u << LSCHED_TASK_RUNNING, task);
    int64_t used = chance_one_in(&t->w.chance, 3) ? chance_between(&t->w.chance, 0, 4000) : 0;
    for (int i = 0; i < 2; i++) {
        for (uint32_t k = 0; k < n; k++) {
            lsched_usage_sample s = LSCHED_USAGE_SAMPLE_INIT;
            s.job = job_on(t, i, task[k]->job);
            s.task_index = task[k]->task;
            s.kind = LSCHED_GPU;
            s.amount = used;
            s.at_us = t->w.now_us;
            assert_true(lsched_usage_report(t->side[i].c, &s, 1, sizeof s, NULL, NULL, NULL) >= 0);
        }
    }
}

static int has_row(const struct twins *t, uint32_t job, uint32_t task) {
    for (uint32_t i = 0; i < t->seen.n; i++)
        if (t->seen.task[i].job == job && t->seen.task[i].task == task) return 1;
    return 0;
}

/* A task that waits is found running on a node. It may not fit there; it fails only where
 * devices are too few. */
static void event_import(struct twins *t) {
    struct chance *c = &t->w.chance;
    if (t->w.n_jobs == 0 || t->w.n_nodes == 0) return;
    uint32_t j = chance_below(c, t->w.n_jobs);
    uint32_t node = chance_below(c, t->w.n_nodes);
    uint32_t task = chance_below(c, world_tasks_of(&t->w.jobs[j]));
    if (!t->w.jobs[j].live || !t->w.nodes[node].live || has_row(t, j, task)) return;
    int32_t code[2];
    for (int i = 0; i < 2; i++) {
        lsched_task_import import = LSCHED_TASK_IMPORT_INIT;
        import.task_index = task;
        import.job_name = world_text(t->w.jobs[j].name);
        import.node_name = world_text(t->w.nodes[node].name);
        import.start_us = t->w.now_us - 1000000;
        code[i] = lsched_tasks_import(t->side[i].c, &import, 1, sizeof import, NULL, NULL, NULL);
    }
    CHECK(&t->at, code[0] == code[1], "%d %d", code[0], code[1]);
    t->tally.imports += code[0] >= 0;
    t->w.jobs[j].is_imported |= code[0] >= 0;
}

/* ---- what happens to nodes, queues and jobs -------------------------------------------------- */

static void event_node_added(struct twins *t) {
    if (t->w.n_nodes == WORLD_NODES) return;
    add_nodes(t, world_new_node(&t->w), 1);
}

static void event_node_updated(struct twins *t) {
    static const int64_t unit[] = {4000, 16 * GIB, 1};
    struct chance *c = &t->w.chance;
    struct world_node *node = &t->w.nodes[chance_below(c, t->w.n_nodes)];
    if (!node->live) return;
    lsched_node_update update = LSCHED_NODE_UPDATE_INIT;
    update.name = world_text(node->name);
    if (t->w.has_rules && chance_one_in(&t->w.rules, 2)) {
        random_rules_update(&t->w.rules, &node->desc, &node->taint, &update);
    } else if (chance_one_in(c, 2)) {
        update.set = LSCHED_NODE_SET_STATE;
        update.state = node->desc.state = chance_below(c, 2);
    } else if (chance_one_in(c, 3)) {
        update.set = LSCHED_NODE_SET_PRICE;
        update.price_micro_per_hour = chance_between(c, 0, 5) * 1000000;
    } else {
        uint32_t which = chance_below(c, node->desc.n_capacity);
        node->capacity[which].amount = chance_between(c, 0, 20) * unit[which];
        update.set = LSCHED_NODE_SET_CAPACITY;
        update.capacity = &node->capacity[which];
        update.n_capacity = 1;
    }
    for (int i = 0; i < 2; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        must(t, lsched_nodes_update(t->side[i].c, &update, 1, sizeof update, NULL, NULL, &err),
             &err);
    }
}

static void event_node_removed(struct twins *t) {
    struct world_node *node = &t->w.nodes[chance_below(&t->w.chance, t->w.n_nodes)];
    if (!node->live) return;
    for (int i = 0; i < 2; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_id id = find_by(t->side[i].c, LSCHED_KIND_NODE, node->name);
        must(t, lsched_nodes_remove(t->side[i].c, &id, 1, NULL, NULL, &err), &err);
        lsched_node_info gone = {.size = sizeof gone};
        CHECK(&t->at, lsched_node_get(t->side[i].c, id, &gone, NULL) == LSCHED_E_STALE, "a node");
    }
    node->live = 0;
}

static void event_queue_updated(struct twins *t) {
    struct world_queue *queue = &t->w.queues[chance_below(&t->w.chance, t->w.n_queues)];
    if (!queue->live) return;
    world_queue_numbers(&t->w, queue);
    for (int i = 0; i < 2; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_id id = find_by(t->side[i].c, LSCHED_KIND_QUEUE, queue->name);
        must(t, queue_update_all(t->side[i].c, id, &queue->desc, &err), &err);
    }
}

static void event_queue_added(struct twins *t) {
    struct world *w = &t->w;
    if (w->n_queues == WORLD_QUEUES) return;
    uint32_t parent = chance_below(&w->chance, w->n_queues);
    if (!w->queues[parent].live || w->queues[parent].depth >= 4 || world_jobs_in(w, parent)) return;
    uint32_t q = world_new_queue(w);
    world_set_parent(w, q, parent);
    add_queues(t, q, 1);
}

/* Refused while it has jobs or children; the root that is left over can get jobs. */
static void event_queue_removed(struct twins *t) {
    struct world *w = &t->w;
    uint32_t q = chance_below(&w->chance, w->n_queues);
    if (!w->queues[q].live || w->queues[q].parent == WORLD_QUEUES) return;
    int may = w->queues[q].n_children == 0 && world_jobs_in(w, q) == 0;
    for (int i = 0; i < 2; i++) {
        lsched_id id = find_by(t->side[i].c, LSCHED_KIND_QUEUE, w->queues[q].name);
        int32_t code = lsched_queues_remove(t->side[i].c, &id, 1, NULL, NULL, NULL);
        CHECK(&t->at, may ? code >= 0 : code == LSCHED_E_BUSY, "remove queue %s: %d",
              w->queues[q].name, code);
    }
    if (!may) return;
    w->queues[q].live = 0;
    w->queues[w->queues[q].parent].n_children--;
}

static void event_job_removed(struct twins *t) {
    if (t->w.n_jobs == 0) return;
    uint32_t j = chance_below(&t->w.chance, t->w.n_jobs);
    if (!t->w.jobs[j].live) return;
    for (int i = 0; i < 2; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_id id = job_on(t, i, j);
        must(t, lsched_jobs_remove(t->side[i].c, &id, 1, NULL, NULL, &err), &err);
    }
    t->w.jobs[j].live = 0;
}

static void event_update(struct twins *t) {
    if (t->w.n_jobs == 0) return;
    struct world_job *job = &t->w.jobs[chance_below(&t->w.chance, t->w.n_jobs)];
    uint32_t queue = world_random_leaf(&t->w);
    lsched_job_update u;
    lsched_group_count n;
    lsched_job_hold h = random_hold(&t->w);
    int32_t code[2];
    if (!job->live) return;
    random_update(&t->w, job, queue, &u, &n);
    for (int i = 0; i < 2; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        u.job = job_on(t, i, (uint32_t)(job - t->w.jobs));
        code[i] = random_update_make(t->side[i].c, &u, &h, &err);
        if (code[i] != LSCHED_E_STATE && code[i] != LSCHED_E_RANGE && code[i] != LSCHED_E_LIMIT)
            must(t, code[i], &err);
    }
    CHECK(&t->at, code[0] == code[1], "update %#x: %d and %d", u.set, code[0], code[1]);
    if (code[0] > 0 && !h.size) random_update_note(job, &u, &n, queue);
}

static void event_mix(struct twins *t) {
    lsched_mix_entry mix[4];
    uint32_t n = 0;
    for (uint32_t tries = 0; t->w.n_jobs && tries < 4; tries++) {
        const struct world_job *job = &t->w.jobs[chance_below(&t->w.chance, t->w.n_jobs)];
        if (job->desc.n_groups != 1) continue;
        mix[n] = (lsched_mix_entry){.size = sizeof mix[n], .task = &job->groups[0], .count = 1 + n};
        n++;
    }
    for (int i = 0; i < 2; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        must(t, lsched_task_mix_set(t->side[i].c, mix, n, sizeof mix[0], &err), &err);
    }
}

/* ---- policies ---- */

static void load_policy(struct twins *t, const char *name, const char *text, int refuses) {
    int32_t code[2];
    for (int i = 0; i < 2; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        code[i] =
            lsched_policy_load(t->side[i].c, lsched_cstr(name), lsched_cstr(text), NULL, &err);
        if (code[i] != LSCHED_E_NOLUA && code[i] != LSCHED_E_POLICY) must(t, code[i], &err);
    }
    CHECK(&t->at, code[0] == code[1], "policy: %d %d", code[0], code[1]);
    if (code[0] < 0) return;
    if (t->closed < 2) t->closed = refuses;
    if (evicts(name, text)) t->closed = 2; /* from now on room may be spoken for */
}

static void event_policy(struct twins *t) {
    struct chance *c = &t->w.chance;
    const char *name = "hooks";
    uint32_t which = chance_below(c, (uint32_t)N_HOOKS);
    if (chance_one_in(c, 2)) {
        load_policy(t, name, hooks[which], which == 1);
        return;
    }
    lsched_ready_policy ready = {.size = sizeof ready};
    which = chance_below(c, (uint32_t)lsched_ready_policies_size());
    CHECK(&t->at, lsched_ready_policies_at(which, &ready, NULL) == LSCHED_OK, "policy");
    load_policy(t, ready.name.ptr, NULL, 0);
}

/* ---- calls that must fail -------------------------------------------------------------------- */

/* A good element and then a bad one: nothing of the batch may stay. */
static int32_t bad_batch(struct twins *t, int i, uint32_t which) {
    lsched_cluster *c = t->side[i].c;
    struct world *w = &t->w;
    lsched_node_desc nodes[2] = {w->nodes[0].desc, w->nodes[0].desc};
    lsched_queue_desc queues[2] = {w->queues[0].desc, w->queues[0].desc};
    nodes[0].name = queues[0].name = queues[1].name = world_text("never there");
    queues[0].parent_name = queues[1].parent_name = world_text("");
    switch (which) {
    case 0:
        nodes[1].name = nodes[0].name;
        return lsched_nodes_add(c, nodes, 2, sizeof nodes[0], NULL, NULL, NULL, NULL);
    case 1: return lsched_queues_add(c, queues, 2, sizeof queues[0], NULL, NULL, NULL, NULL);
    case 2: {
        lsched_queue_update u[2] = {LSCHED_QUEUE_UPDATE_INIT, LSCHED_QUEUE_UPDATE_INIT};
        u[0].queue = find_by(c, LSCHED_KIND_QUEUE, w->queues[0].name), u[1].queue = 12345;
        return lsched_queues_update(c, u, 2, sizeof u[0], NULL, NULL, NULL);
    }
    case 3: {
        lsched_amount negative = {LSCHED_CPU, 0, -1};
        nodes[1].name = world_text("never there either");
        nodes[1].capacity = &negative;
        nodes[1].n_capacity = 1;
        return lsched_nodes_add(c, nodes, 2, sizeof nodes[0], NULL, NULL, NULL, NULL);
    }
    default: {
        lsched_job_desc jobs[2];
        struct world_job job = {.live = 0};
        lsched_init(&job.groups[0], sizeof job.groups[0]);
        lsched_init(&jobs[0], sizeof jobs[0]);
        jobs[0].groups = job.groups;
        jobs[0].n_groups = 1;
        jobs[1] = jobs[0];
        jobs[0].name = world_text("never there");
        jobs[1].name = world_text("never there either");
        jobs[0].queue_name = world_text(w->queues[world_random_leaf(w)].name);
        jobs[1].queue_name = world_text("no such queue");
        return lsched_jobs_submit(c, jobs, 2, sizeof jobs[0], NULL, NULL, NULL, NULL);
    }
    }
}

/* One call on things that are not there or in the wrong state. */
static int32_t bad_call(struct twins *t, int i, uint32_t which) {
    lsched_cluster *c = t->side[i].c;
    struct world *w = &t->w;
    lsched_id queue = find_by(c, LSCHED_KIND_QUEUE, w->queues[0].name);
    lsched_outcome confirmed = LSCHED_OUTCOME_CONFIRMED;
    lsched_task_event event = LSCHED_TASK_EVENT_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_plan *plan = NULL;
    switch (which) {
    case 0: return lsched_nodes_remove(c, &queue, 1, NULL, NULL, NULL);
    case 1: return settle_each(c, &queue, &confirmed, 1, NULL, NULL);
    case 2:
        event.job = queue;
        event.event = LSCHED_EVENT_STARTED;
        return lsched_tasks_report(c, &event, 1, sizeof event, NULL, NULL, NULL);
    case 3: opts.now_us = 1; return lsched_schedule(c, &opts, &plan, NULL);
    default: return lsched_jobs_remove(c, (lsched_id[]){0}, 1, NULL, NULL, NULL);
    }
}

static void event_bad(struct twins *t) {
    uint32_t which = chance_below(&t->w.chance, 10);
    for (int i = 0; i < 2; i++) {
        uint64_t image = hash_of(t->side[i].c, LSCHED_HASH_IMAGE);
        int32_t code = which < 5 ? bad_batch(t, i, which) : bad_call(t, i, which - 5);
        CHECK(&t->at, code < 0, "bad call %u was taken", which);
        CHECK(&t->at, hash_of(t->side[i].c, LSCHED_HASH_IMAGE) == image,
              "bad call %u changed something", which);
    }
}

/* ---- the run --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    uint32_t weight;
    void (*run)(struct twins *t);
} events[] = {
    {"submit", 12, event_submit},
    {"schedule", 20, event_schedule},
    {"settle", 14, event_settle},
    {"started", 14, event_started},
    {"ended", 10, event_ended},
    {"failed", 4, event_failed},
    {"stopped", 8, event_stopped},
    {"import", 3, event_import},
    {"usage", 4, event_usage},
    {"node added", 2, event_node_added},
    {"node updated", 5, event_node_updated},
    {"node removed", 2, event_node_removed},
    {"queue updated", 3, event_queue_updated},
    {"queue added", 1, event_queue_added},
    {"queue removed", 1, event_queue_removed},
    {"job removed", 3, event_job_removed},
    {"update", 10, event_update},
    {"mix", 1, event_mix},
    {"policy", 2, event_policy},
    {"copy takes over", 3, event_copy_takes_over},
    {"bad", 5, event_bad},
};

static void begin(struct twins *t, uint64_t seed) {
    static const lsched_text levels[] = {{"zone", 4}, {"rack", 4}};
    lsched_error err = LSCHED_ERROR_INIT;
    t->at = (struct where){seed, 0, "begin"};
    t->closed = 0;
    world_init(&t->w, seed);
    for (int i = 0; i < 2; i++) {
        struct side *s = &t->side[i];
        s->shuffles = i;
        s->shuffle.state = seed ^ 0x5eed;
        must(t, lsched_cluster_create(NULL, &s->c, &err), &err);
        cache_check_on(s->c);
        if (t->w.has_nic) must(t, lsched_resource_add(s->c, LSCHED_TEXT("nic"), &err), &err);
        if (t->w.has_models) must(t, world_add_parts(s->c, &err), &err);
        lsched_topology_desc site = LSCHED_TOPOLOGY_DESC_INIT;
        site.name = world_text("site");
        site.levels = levels;
        site.n_levels = 2;
        if (t->w.has_topology)
            must(t, lsched_topologies_add(s->c, &site, 1, 0, NULL, NULL, NULL, &err), &err);
    }
    t->at.event = "first cycle";
    event_schedule(t); /* of nothing at all; from here on there is a latest time */
    add_queues(t, 0, t->w.n_queues);
    add_nodes(t, 0, t->w.n_nodes);
    if (seed % 3) load_policy(t, "hooks", hooks[N_HOOKS - 1 - seed % 4], 0);
}

static void check_twins(struct twins *t) {
    lsched_cluster_stats stats[2];
    for (int i = 0; i < 2; i++) {
        check_all(&t->at, &t->w, t->side[1 - i].c,
                  &t->seen); /* side 0 last: its tasks stay in seen */
        memset(&stats[i], 0, sizeof stats[i]);
        stats[i].size = sizeof stats[i];
        assert_true(lsched_cluster_stats_get(t->side[i].c, &stats[i], NULL) >= 0);
    }
    CHECK(&t->at,
          stats[0].jobs == stats[1].jobs && stats[0].jobs_pending == stats[1].jobs_pending &&
              stats[0].jobs_parked == stats[1].jobs_parked &&
              stats[0].tasks_placed == stats[1].tasks_placed &&
              stats[0].decisions_open == stats[1].decisions_open,
          "statistics differ");
    CHECK(&t->at,
          hash_of(t->side[0].c, LSCHED_HASH_MEANING) == hash_of(t->side[1].c, LSCHED_HASH_MEANING),
          "the clusters mean different things");
}

static void run_seed(struct twins *t, uint64_t seed) {
    uint32_t total = 0;
    for (size_t e = 0; e < sizeof events / sizeof events[0]; e++) total += events[e].weight;
    begin(t, seed);
    check_twins(t);
    for (t->at.step = 1; t->at.step <= STEPS; t->at.step++) {
        uint32_t drawn = chance_below(&t->w.chance, total);
        size_t e = 0;
        while (drawn >= events[e].weight) drawn -= events[e++].weight;
        t->at.event = events[e].name;
        events[e].run(t);
        check_twins(t);
        t->tally.events++;
        t->tally.excess += t->seen.excess;
        t->tally.stale += t->seen.stale;
    }
    for (int i = 0; i < 2; i++) lsched_cluster_destroy(t->side[i].c);
}

static void test_random_events_in_twin_clusters(void **state) {
    (void)state;
    uint64_t first = chance_seed(1);
    uint32_t rounds = chance_rounds(200);
    struct twins *t = calloc(1, sizeof *t);
    assert_non_null(t);
    print_message("seeds %llu .. +%u\n", (unsigned long long)first, rounds);
    for (uint64_t seed = first; seed < first + rounds; seed++) run_seed(t, seed);
    const struct tally *n = &t->tally;
    print_message(
        "%llu events, %llu cycles (%llu partial): %llu decisions, %llu evictions, %llu reasons; "
        "%llu stopped by limits, %llu withdrawn, %llu imports; "
        "tasks in excess %llu, stale gangs %llu (per event); %llu copies; "
        "%llu decisions about devices from 64 on\n",
        (unsigned long long)n->events, (unsigned long long)n->cycles,
        (unsigned long long)n->partial, (unsigned long long)n->decisions,
        (unsigned long long)n->evictions, (unsigned long long)n->waiting,
        (unsigned long long)n->held / 2, (unsigned long long)n->withdrawn,
        (unsigned long long)n->imports, (unsigned long long)n->excess, (unsigned long long)n->stale,
        (unsigned long long)n->copies, (unsigned long long)n->beyond / 2);
    assert_true(n->decisions >= rounds);
    assert_true(n->beyond > 0 || rounds < 100);
    free(t);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_events_in_twin_clusters)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
