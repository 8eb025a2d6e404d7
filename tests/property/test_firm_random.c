/*
 * Firm starts (backfill_firm = 1 and 2) against a model outside the library: on random clusters of
 * 1 to 5 nodes, jobs arrive in any order of priority, run shorter than estimated or longer, fail,
 * change while they wait, are removed; nodes close, open and leave for a time, estimates of
 * running work grow, running tasks get more and fewer cores, limits of queues change, the policy
 * loses and gets the parameter, budgets of cycles are small, work is imported or adopted from a
 * clone, places are rejected, work is stopped for jobs with a higher priority, runs start late,
 * and cycles come late, some after the clock was set forwards. In a third of the rounds some jobs
 * have a node or a rack for themselves. The model knows of each waiting job
 * until when its start is firm, on which node, and what has happened. Each start that is later
 * than the model knows, and each firm start that is not told any more, needs a record of the
 * change feed whose cause is something that happened. A record about a job without a firm start
 * fails, too, also if the cycle itself gave and dropped that start.
 *
 * In a third of the rounds no cause exists, and then no firm start is lost at all. With
 * backfill_firm = 1, jobs without a time limit outlast their estimates also in these rounds.
 *
 * Now and then a clone of the cluster, or what was saved of it, takes its place, and the cluster
 * is asked what would start, which leaves nothing behind. Now and then memory runs out in a cycle:
 * it then changes nothing, and the model goes on. LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay
 * one seed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <libsched/libsched.h>
#include <libsched/readback.h>

#include "property/firm_world.h"
#include "support/settle.h"

static uint64_t first_seed, rounds, granted, earlier, kept;
static uint64_t starved, loads, asked, adopted, rejected, by_limit, lates, claims;
static uint64_t lost[64];
static struct site site;

/* ---- copies ---- */

struct saved {
    char bytes[1u << 20];
    size_t n;
};

static int32_t add_bytes(void *user, const void *bytes, size_t n) {
    struct saved *to = user;
    if (n > sizeof to->bytes - to->n) return LSCHED_E_NOMEM;
    memcpy(to->bytes + to->n, bytes, n);
    to->n += n;
    return LSCHED_OK;
}

/* Saves the cluster, and makes another of the bytes. */
static void load(struct site *s, lsched_cluster **other) {
    static struct saved saved;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_allocator hooks = fault_hooks(&s->memory);
    opts.verify_every_plan = 1;
    opts.allocator = &hooks;
    saved.n = 0;
    OK(lsched_cluster_save(s->c, add_bytes, &saved, &err));
    OK(lsched_cluster_load(&opts, saved.bytes, saved.n, other, &err));
    loads++;
}

/* Goes on with a clone, or with what was saved. */
static void copy(struct site *s, struct chance *r) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_cluster *other = NULL;
    if (chance_one_in(r, 2))
        load(s, &other);
    else
        OK(lsched_cluster_clone(s->c, &other, &err));
    uint64_t mine, its;
    OK(lsched_cluster_hash(s->c, LSCHED_HASH_IMAGE, &mine, &err));
    OK(lsched_cluster_hash(other, LSCHED_HASH_IMAGE, &its, &err));
    assert_true(mine == its);
    if (chance_one_in(r, 2)) {
        lsched_cluster_destroy(s->c);
        s->c = other;
        cache_check_on(s->c);
        s->cursor = lsched_changes_end(s->c);
    } else {
        lsched_cluster_destroy(other);
    }
}

/* ---- what a cycle may do ---- */

/* True if what happens to the node can take room of the firm start of the job. */
static int touches(const struct site *s, const struct work *w, uint32_t node) {
    return w->firm_on == s->node[node] || w->firm_on == 0 || s->has_exclusive;
}

static int has_overdue(const struct site *s, lsched_id node, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        const struct work *w = &s->job[j];
        if (!w->leaving && (!runs(w) || !w->length)) continue;
        if (!w->leaving && !w->late_start && w->start + w->length > now) continue;
        if (s->firm == 1 && !w->limit && !(s->can & ~(uint32_t)BUDGETS)) continue;
        for (uint32_t t = 0; t < w->tasks; t++)
            if (w->on[t] == node || node == 0) return 1;
    }
    return 0;
}

/* True if a job has a claim on the node: room that comes free there. */
static int has_claim(const struct site *s, lsched_id node) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_task_info task = {.size = sizeof task};
    uint64_t cursor = 0;
    int32_t rc;
    while ((rc = lsched_tasks_next(s->c, 0, node, &cursor, &task, &err)) == 1)
        if (task.state == LSCHED_TASK_NOMINATED) return 1;
    OK(rc);
    return 0;
}

/* True if the cause of a loss is something that the model saw happen. others: other jobs lost their
 * firm starts before in this cycle. */
static int happened(const struct site *s, const struct work *w, uint32_t because, int others,
                    int64_t now) {
    int is_gone = 0, grew = w->grew, claimed = w->claimed;
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        if (!touches(s, w, i)) continue;
        is_gone |= s->is_closed[i] || s->leaves[i];
        grew |= s->grew[i];
        claimed |= s->claimed[i] || has_claim(s, s->node[i]);
    }
    switch (because) {
    case LSCHED_BECAUSE_NODE: return is_gone;
    case LSCHED_BECAUSE_OVERRUN:
        /* work that was adopted just now, or whose claim became a place just now, has not started */
        return has_overdue(s, s->has_exclusive ? 0 : w->firm_on, now) ||
               ((s->can & ADOPTS) && grew) || claimed;
    case LSCHED_BECAUSE_CLAIM: return claimed;
    case LSCHED_BECAUSE_ROOM:
        /* after a late cycle, jobs whose starts have come need the room at the same time */
        return w->off || grew || claimed || (s->can & LATES);
    case LSCHED_BECAUSE_JOB: return w->is_changed;
    case LSCHED_BECAUSE_LIMIT:
        /* what the limit allows is used by work that should have ended before the start */
        return w->off || w->limited || s->limit_changed ||
               (s->can & (OVERRUNS | GROWS | IMPORTS | DELAYS | ADOPTS | LATES | PREEMPTS)) ||
               (s->firm == 1 && (s->can & LIMITS));
    case LSCHED_BECAUSE_RULE:
        /* plans do not know which nodes were refused, and how long work can run before an absence */
        return !s->is_firm || w->refused || s->any_refused || s->any_leaves;
    case LSCHED_BECAUSE_BUDGET: return (s->was_partial || (s->can & ADOPTS)) && w->firm < now;
    case LSCHED_BECAUSE_GUARANTEE: return s->has_quota;
    case LSCHED_BECAUSE_EARLIER: return others;
    default: return 0;
    }
}

/* Reads the change feed: each loss must be of a firm start, and have a cause that happened. */
static void read_losses(struct site *s, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_change change = {.size = sizeof change};
    int others = 0;
    int32_t rc;
    while ((rc = lsched_changes_next(s->c, &s->cursor, &change, &err)) == 1) {
        uint32_t j = 0;
        if (change.kind != LSCHED_CHANGE_FIRM_LOST) continue;
        while (j < s->n_jobs && s->job[j].id != change.job) j++;
        assert_true(j < s->n_jobs);
        struct work *w = &s->job[j];
        if (w->firm == NEVER)
            fail_msg("seed %llu, at +%lld s: %s lost a firm start (%s) that it did not have",
                     (unsigned long long)seed_now, (long long)((now - START) / 1000000), w->name,
                     lsched_because_name(change.because));
        if (!happened(s, w, change.because, others, now))
            fail_msg(
                "seed %llu, at +%lld s (kinds %#x, firm %u): %s lost its firm start at +%lld s "
                "because of %s, which did not happen",
                (unsigned long long)seed_now, (long long)((now - START) / 1000000),
                (unsigned)s->can, (unsigned)s->firm, w->name,
                (long long)((w->firm - START) / 1000000), lsched_because_name(change.because));
        if (change.until_us > w->firm)
            fail_msg(
                "seed %llu, at +%lld s: the record says that the start of %s was firm at +%lld "
                "s, and not at +%lld s",
                (unsigned long long)seed_now, (long long)((now - START) / 1000000), w->name,
                (long long)((change.until_us - START) / 1000000),
                (long long)((w->firm - START) / 1000000));
        others |= change.because != LSCHED_BECAUSE_JOB;
        lost[change.because]++;
        w->firm = NEVER;
    }
    OK(rc);
}

static void late(const struct work *w, int64_t at, int64_t now) {
    fail_msg("seed %llu, at +%lld s: the start of %s was firm at +%lld s, is at +%lld s, and no "
             "record tells why",
             (unsigned long long)seed_now, (long long)((now - START) / 1000000), w->name,
             (long long)((w->firm - START) / 1000000),
             (long long)(at == NEVER ? -1 : (at - START) / 1000000));
}

struct trace {
    uint64_t image, feed;
    int64_t wake;
};

static struct trace trace_of(const struct site *s) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct trace t = {.feed = lsched_changes_end(s->c), .wake = lsched_next_wake(s->c)};
    OK(lsched_cluster_hash(s->c, LSCHED_HASH_IMAGE, &t.image, &err));
    return t;
}

static void left_nothing(const struct site *s, const struct trace *before, const char *what) {
    struct trace now = trace_of(s);
    if (now.image != before->image || now.feed != before->feed || now.wake != before->wake)
        fail_msg("seed %llu: %s left something behind", (unsigned long long)seed_now, what);
}

/* Asks whether a job would start now. */
static void ask(struct site *s, struct chance *r, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    struct work *w = &s->job[chance_below(r, s->n_jobs)];
    lsched_schedule_opts schedule = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_would_start_opts opts = {.size = sizeof opts, .schedule = &schedule};
    lsched_would_start_answer answer = {.size = sizeof answer};
    struct trace before = trace_of(s);
    if (!waits(w)) return;
    schedule.now_us = now;
    OK(lsched_would_start(s->c, w->id, NULL, &opts, &answer, &err));
    left_nothing(s, &before, "a question what would start");
    asked++;
}

#define KINDS_WITH_RESIZE (LSCHED_DECISION_KINDS_DEFAULT | 1u << LSCHED_DECIDE_RESIZE)

/* Makes a plan. Memory runs out now and then. */
static void plan_now(struct site *s, struct chance *r, int64_t now, lsched_plan **plan) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    opts.now_us = now;
    if (s->can & RESIZES) opts.decision_kinds = KINDS_WITH_RESIZE;
    if ((s->can & BUDGETS) && !chance_one_in(r, 4)) opts.work_budget = 1 + chance_below(r, 6);
    if (chance_one_in(r, 4)) {
        struct trace before = trace_of(s);
        s->memory.fail_at = s->memory.calls + 1 + chance_below(r, 60);
        int32_t rc = lsched_schedule(s->c, &opts, plan, &err);
        s->memory.fail_at = 0;
        if (rc >= 0) return;
        assert_int_equal(rc, LSCHED_E_NOMEM);
        left_nothing(s, &before, "a cycle without memory");
        starved++;
    }
    OK(lsched_schedule(s->c, &opts, plan, &err));
}

/* Notes the tasks that get more cores, before the records of the plan are read. */
static void touch_resized(struct site *s, const lsched_plan *plan) {
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        if (d->kind != LSCHED_DECIDE_RESIZE) continue;
        for (uint32_t j = 0; j < s->n_jobs; j++)
            if (runs(&s->job[j]) && s->job[j].id == d->job) touch(s, &s->job[j]);
        resized++;
    }
}

/* A place of a job is confirmed or rejected. A job whose place is rejected has no firm start any
 * more. */
static lsched_outcome settle_place(struct site *s, struct chance *r, struct work *w, uint32_t task,
                                   lsched_id node, int64_t now) {
    w->on[task] = node;
    if (w->end < 0 && (s->can & REJECTS) && chance_one_in(r, 6)) {
        w->firm = NEVER;
        s->any_refused = 1;
        rejected++;
        return LSCHED_OUTCOME_REJECTED;
    }
    w->end = now;
    return LSCHED_OUTCOME_CONFIRMED;
}

/* Work stops or moves for a job, or a job gets a claim on room that comes free. */
static void settle_claim(struct site *s, struct work *w, const lsched_decision *d) {
    if (d->kind == LSCHED_DECIDE_NOMINATE) {
        w->firm = NEVER;
        claims++;
    } else if (!w->leaving) {
        touch(s, w);
        w->leaving = 1;
        w->firm = NEVER; /* the job has started, possibly as an import */
        w->start = w->end = -1;
        w->late_start = 0;
    }
    for (uint32_t i = 0; i < s->n_nodes; i++) s->claimed[i] |= s->node[i] == d->node;
}

static void settle_plan(struct site *s, struct chance *r, const lsched_plan *plan, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id refused = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        lsched_outcome how = LSCHED_OUTCOME_CONFIRMED;
        uint32_t j = 0;
        if (d->job == refused) continue;
        while (!s->job[j].is_there || s->job[j].is_done || s->job[j].id != d->job) j++;
        if (d->kind == LSCHED_DECIDE_RESIZE && chance_one_in(r, 4)) how = LSCHED_OUTCOME_REJECTED;
        if (d->kind == LSCHED_DECIDE_PLACE)
            how = settle_place(s, r, &s->job[j], d->task_index, d->node, now);
        if (d->kind == LSCHED_DECIDE_PLACE && how == LSCHED_OUTCOME_REJECTED) refused = d->job;
        if (d->kind == LSCHED_DECIDE_NOMINATE || d->kind == LSCHED_DECIDE_EVICT ||
            d->kind == LSCHED_DECIDE_MIGRATE)
            settle_claim(s, &s->job[j], d);
        OK(settle_each(s->c, &d->id, &how, 1, NULL, &err));
    }
}

/* Adopts the plan of a clone, which was made before something happened. */
static void adopt(struct site *s, struct chance *r, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_schedule_opts schedule = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_adopt_opts opts = {.size = sizeof opts, .schedule = &schedule};
    lsched_cluster *other = NULL;
    lsched_plan *from = NULL, *plan = NULL;
    schedule.now_us = now;
    OK(lsched_cluster_clone(s->c, &other, &err));
    OK(lsched_schedule(other, &schedule, &from, &err));
    happen(s, r, now);
    OK(lsched_adopt(s->c, from, &opts, &plan, &err));
    read_losses(s, now);
    settle_plan(s, r, plan, now);
    for (uint32_t j = 0; j < s->n_jobs; j++)
        if (waits(&s->job[j]) && s->job[j].end == now) touch(s, &s->job[j]);
    adopted += lsched_plan_size(plan);
    lsched_plan_destroy(from);
    lsched_plan_destroy(plan);
    lsched_cluster_destroy(other);
}

static void cycle(struct site *s, struct chance *r, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan *plan;
    plan_now(s, r, now, &plan);
    touch_resized(s, plan);
    read_losses(s, now);
    settle_plan(s, r, plan, now);
    read_losses(s, now);
    lsched_plan_get(plan, &info, &err);
    if (info.flags & LSCHED_PLAN_PARTIAL) s->was_partial = 1;
    lsched_plan_destroy(plan);
    events++;
}

static void follow_wait(struct site *s, struct work *w, int64_t now) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_waiting why = {.size = sizeof why};
    OK(lsched_waiting_get(s->c, w->id, &why, &err));
    if (w->firm != NEVER && (why.firm_us > w->firm || (now > w->firm && !s->was_partial)))
        late(w, why.firm_us, now);
    int64_t was = w->firm;
    granted += w->firm == NEVER && why.firm_us != NEVER;
    earlier += why.firm_us < w->firm && w->firm != NEVER;
    if (w->firm == NEVER) {
        w->grew = w->limited = w->claimed = w->off = 0;
        w->refused = s->any_refused;
    } else {
        for (uint32_t i = 0; i < s->n_nodes; i++) {
            if (!touches(s, w, i)) continue;
            w->grew |= s->grew[i];
            w->claimed |= s->claimed[i];
        }
        w->limited |= s->limit_changed;
        w->off |= !s->is_firm;
        w->refused |= s->any_refused;
    }
    w->firm = why.firm_us;
    /* a job that a budget left in line has no node in its record, also if its start has moved */
    if (w->firm != NEVER && (why.plan_node || w->firm != was)) w->firm_on = why.plan_node;
    /* the claims of a cycle come after its plan */
    for (uint32_t i = 0; i < s->n_nodes; i++) w->claimed |= s->claimed[i] && touches(s, w, i);
}

/* Begins the runs that the plan placed, and reads until when the starts of the others are firm. */
static void follow(struct site *s, struct chance *r, int64_t now) {
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        struct work *w = &s->job[j];
        w->is_changed = 0;
        if (runs(w)) w->firm = NEVER; /* imported */
        if (!waits(w)) continue;
        if (w->end < 0) {
            follow_wait(s, w, now);
            continue;
        }
        if (w->firm != NEVER && now > w->firm && w->firm <= s->cycled) late(w, now, now);
        kept += w->firm != NEVER;
        by_limit += w->firm != NEVER && s->firm == 1;
        w->firm = NEVER;
        w->start = now;
        w->end = now + (w->fails ? w->runs / 2 + 1 : w->runs);
        if ((s->can & DELAYS) && chance_one_in(r, 4)) {
            w->late_start = now + chance_between(r, 1, HOUR);
            w->end += w->late_start - now;
            continue;
        }
        report(s, w, LSCHED_EVENT_STARTED, now);
    }
    memset(s->grew, 0, sizeof s->grew);
    memset(s->claimed, 0, sizeof s->claimed);
    s->limit_changed = s->any_refused = 0;
    s->cycled = now;
}

static int64_t next_time(const struct site *s, uint32_t arrived, int64_t now) {
    int64_t next = arrived < s->n_jobs ? s->job[arrived].submit : NEVER;
    int64_t wake = lsched_next_wake(s->c);
    if (wake < next) next = wake;
    for (uint32_t j = 0; j < s->n_jobs; j++) {
        int64_t at = s->job[j].late_start ? s->job[j].late_start : s->job[j].end;
        if (s->job[j].leaving) return now + 1000000;
        if (s->job[j].start >= 0 && at < next) next = at;
    }
    return next;
}

/* Lets the next cycle come late, possibly after the clock was set forwards. */
static int64_t be_late(struct site *s, struct chance *r, int64_t now, int64_t next) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (!(s->can & LATES) || !chance_one_in(r, 4)) return next;
    next += chance_between(r, 1, HOUR);
    if (chance_one_in(r, 2)) OK(lsched_clock_set(s->c, chance_between(r, now + 1, next), &err));
    lates++;
    return next;
}

static void play(struct site *s, struct chance *r) {
    int64_t now = START;
    for (uint32_t arrived = 0, step = 0; step < 600; step++) {
        end_leaving(s, now);
        start_late_runs(s, now);
        end_runs(s, now);
        while (arrived < s->n_jobs && s->job[arrived].submit <= now) submit(s, &s->job[arrived++]);
        happen(s, r, now);
        read_losses(s, now);
        if (chance_one_in(r, 20)) copy(s, r);
        if (chance_one_in(r, 20)) ask(s, r, now);
        if ((s->can & ADOPTS) && chance_one_in(r, 6)) adopt(s, r, now);
        cycle(s, r, now);
        follow(s, r, now);
        int64_t next = next_time(s, arrived, now);
        if (next == NEVER) break;
        now = be_late(s, r, now, next > now ? next : now + 1);
    }
}

static void test_starts_are_firm(void **state) {
    uint64_t all = 0, quiet_lost = 0;
    (void)state;
    for (uint64_t i = 0; i < rounds; i++) {
        struct chance r = {seed_now = first_seed + i};
        uint64_t before = 0, after = 0;
        draw(&site, &r);
        for (uint32_t b = 0; b < 64; b++) before += b == LSCHED_BECAUSE_JOB ? 0 : lost[b];
        make(&site);
        play(&site, &r);
        lsched_cluster_destroy(site.c);
        assert_true(site.memory.live_blocks == 0 && site.memory.wrong_sizes == 0);
        for (uint32_t b = 0; b < 64; b++) after += b == LSCHED_BECAUSE_JOB ? 0 : lost[b];
        if (site.can == 0) quiet_lost += after - before;
    }
    for (uint32_t b = 0; b < 64; b++) {
        all += lost[b];
        if (lost[b])
            print_message("lost because of %s: %llu\n", lsched_because_name(b),
                          (unsigned long long)lost[b]);
    }
    print_message("seeds %llu .. +%llu: %llu events, %llu firm starts, %llu moved earlier, %llu "
                  "kept, %llu lost; %llu rounds without causes\n",
                  (unsigned long long)first_seed, (unsigned long long)rounds,
                  (unsigned long long)events, (unsigned long long)granted,
                  (unsigned long long)earlier, (unsigned long long)kept, (unsigned long long)all,
                  (unsigned long long)quiet_rounds);
    print_message(
        "%llu starts behind time limits kept; %llu cycles without memory, %llu loads, "
        "%llu questions, %llu imports, %llu rejections, %llu adopted decisions, %llu late cycles, "
        "%llu resizes, %llu claims\n",
        (unsigned long long)by_limit, (unsigned long long)starved, (unsigned long long)loads,
        (unsigned long long)asked, (unsigned long long)imported, (unsigned long long)rejected,
        (unsigned long long)adopted, (unsigned long long)lates, (unsigned long long)resized,
        (unsigned long long)claims);
    assert_true(quiet_lost == 0);
    assert_true(rounds < 100 || (by_limit && starved && loads && asked && imported && rejected &&
                                 adopted && lates && resized && claims));
    assert_true(rounds < 20 || (granted > rounds && kept > rounds / 2 && earlier > 0 && all > 0));
}

int main(void) {
    first_seed = chance_seed(9300);
    rounds = chance_rounds(150);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_starts_are_firm)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
