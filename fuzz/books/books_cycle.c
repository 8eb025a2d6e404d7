/* books_cycle.c -- see books.h: cycles, their decisions, and how the host settles them. */
#include "books/books.h"

static void tell(struct books *b, const lsched_decision *d) {
    struct book_job *j = book_job_of(b, d->job);
    if (d->kind != LSCHED_DECIDE_EVICT && d->kind != LSCHED_DECIDE_MIGRATE &&
        d->kind != LSCHED_DECIDE_CHECKPOINT)
        return;
    b->counts.evictions++;
    if (!j || d->task_index >= BOOK_TASKS)
        book_finding(b, "an eviction of a job that does not exist");
    struct book_task *t = &j->task[d->task_index];
    if (!t->running) book_finding(b, "%s/%u is to stop, and never ran", j->name, d->task_index);
    if (t->told_to_leave && d->checkpoint == LSCHED_CHECKPOINT_NONE)
        book_finding(b, "%s/%u is told twice to stop", j->name, d->task_index);
    if (d->checkpoint && lsched_decision_state(b->c, t->eviction, NULL) >= 0)
        book_finding(b, "%s/%u is told to stop, and its CHECKPOINT is open", j->name,
                     d->task_index);
    t->told_to_leave = 1;
    t->moved |= d->kind == LSCHED_DECIDE_MIGRATE;
    t->eviction = d->id;
}

static void untell(struct books *b, lsched_id decision) {
    for (uint32_t i = 0; i < BOOK_JOBS; i++)
        for (uint32_t t = 0; t < BOOK_TASKS; t++) {
            struct book_task *own = &b->job[i].task[t];
            if (b->job[i].id && own->told_to_leave && own->eviction == decision)
                own->told_to_leave = 0;
        }
}

static void settle_one(struct books *b, lsched_id id, int is_eviction) {
    lsched_settle_report report = LSCHED_SETTLE_REPORT_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id withdrawn[BOOK_OPEN];
    lsched_outcome outcome = book_one_in(b, 5) ? LSCHED_OUTCOME_REJECTED : LSCHED_OUTCOME_CONFIRMED;
    if (lsched_decision_state(b->c, id, NULL) != LSCHED_DECISION_PROPOSED) return;
    report.withdrawn = withdrawn;
    report.withdrawn_capacity = BOOK_OPEN;
    b->doing = "settle";
    b->counts.calls++;
    lsched_settlement answer = {.size = sizeof answer, .outcome = outcome, .decision = id};
    int32_t rc = lsched_settle(b->c, &answer, 1, sizeof answer, NULL, &report, NULL, &err);
    if (!book_ok(b, rc, &err, "settle")) return;
    if (outcome == LSCHED_OUTCOME_REJECTED && is_eviction) untell(b, id);
    for (uint64_t i = 0; i < report.n_withdrawn && i < BOOK_OPEN; i++) {
        if (lsched_decision_state(b->c, withdrawn[i], NULL) >= 0)
            book_finding(b, "a decision that was withdrawn is open");
        untell(b, withdrawn[i]);
    }
}

void books_settle(struct books *b, const lsched_plan *plan) {
    size_t n = lsched_plan_size(plan);
    uint32_t leave_out = book_draw(b, 4); /* one host in four leaves the rest for later */
    for (size_t i = 0; i < n; i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (leave_out == 0 && book_one_in(b, 3)) continue;
        settle_one(b, d->id,
                   d->kind == LSCHED_DECIDE_EVICT || d->kind == LSCHED_DECIDE_MIGRATE ||
                       d->kind == LSCHED_DECIDE_CHECKPOINT);
    }
}

static void draw_opts(struct books *b, lsched_schedule_opts *opts) {
    static const int64_t steps[] = {0,        1,         1000000,           30000000,
                                    60000000, 600000000, INT64_C(864000000)};
    b->now_us += steps[book_draw(b, sizeof steps / sizeof *steps)];
    if (book_one_in(b, 500)) b->now_us += INT64_C(86400000000) * 400;
    opts->now_us = b->now_us;
    opts->flags = LSCHED_SCHEDULE_VERIFY;
    if (book_one_in(b, 3)) opts->flags |= LSCHED_SCHEDULE_ALL_WAITING;
    if (book_one_in(b, 4)) opts->work_budget = 1 + book_draw(b, 200);
    if (book_one_in(b, 5)) opts->decisions_max = 1 + book_draw(b, 10);
    if (book_one_in(b, 4)) opts->moves_max = 1 + book_draw(b, 8);
    if (book_one_in(b, 4)) opts->release_us = 1000000 * (int64_t)(1 + book_draw(b, 100));
    if (book_one_in(b, 2))
        opts->decision_kinds = LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_CHECKPOINT;
    if (book_one_in(b, 4)) opts->proposal_life_us = 1000000 * (int64_t)(1 + book_draw(b, 600));
}

/* A clone, asked the same, plans the same. */
static void check_clone(struct books *b, lsched_cluster *clone, const lsched_schedule_opts *opts,
                        const lsched_plan *plan) {
    lsched_plan_info own = {.size = sizeof own}, other = {.size = sizeof other};
    lsched_plan *twin = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = lsched_schedule(clone, opts, &twin, &err);
    if (rc < 0) book_finding(b, "the clone cannot plan: %s", err.message);
    lsched_plan_get(plan, &own, NULL);
    lsched_plan_get(twin, &other, NULL);
    if (own.plan_hash != other.plan_hash)
        book_finding(b, "the clone plans %016llx, the original %016llx, work %llu and %llu",
                     (unsigned long long)other.plan_hash, (unsigned long long)own.plan_hash,
                     (unsigned long long)other.work_spent, (unsigned long long)own.work_spent);
    if (own.work_spent != other.work_spent) book_finding(b, "the clone spends other work");
    lsched_plan_destroy(twin);
}

void books_cycle(struct books *b) {
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_cluster *clone = NULL;
    lsched_plan *plan = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    draw_opts(b, &opts);
    struct book_before *before = books_before_plan(b);
    int twin = book_one_in(b, 4);
    b->doing = "clone";
    if (twin && !book_ok(b, lsched_cluster_clone(b->c, &clone, &err), &err, "clone")) return;
    b->doing = "schedule";
    b->counts.calls++;
    b->counts.plans++;
    uint64_t was = books_image(b);
    if (b->fail_per_mille && book_draw(b, 1000) < b->fail_per_mille)
        b->memory.fail_in = 1 + book_draw(b, 200);
    int32_t rc = lsched_schedule(b->c, &opts, &plan, &err);
    b->memory.fail_in = 0;
    if (!book_ok(b, rc, &err, "schedule")) {
        if (books_image(b) != was) book_finding(b, "a cycle that failed changed the state");
        rc = lsched_schedule(b->c, &opts, &plan, &err); /* there is memory again */
        if (rc < 0) book_finding(b, "the cycle fails again: %s", err.message);
    }
    b->cycle_us = b->now_us;
    b->plan = plan;
    size_t n = lsched_plan_size(plan), n_withdrawn = lsched_plan_withdrawn_size(plan);
    for (size_t i = 0; i < n_withdrawn; i++) untell(b, lsched_plan_withdrawn_at(plan, i));
    for (size_t i = 0; i < n; i++) tell(b, lsched_plan_at(plan, i));
    b->counts.decisions += n;
    books_check_plan(b, before, plan, &opts);
    if (clone) check_clone(b, clone, &opts, plan);
    lsched_cluster_destroy(clone);
    books_check_books(b);
    books_settle(b, plan);
    b->plan = NULL;
    lsched_plan_destroy(plan);
}
