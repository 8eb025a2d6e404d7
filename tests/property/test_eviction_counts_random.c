/*
 * What counts for disruptions_max and per_hour, under random events: hosts that confirm, reject,
 * revoke, let proposals expire and report that tasks are gone.
 *
 * A model outside the library keeps a list of disruptions: one for each job and decision group that
 * a plan stops. A disruption leaves the list when the last of its tasks runs on and none is gone.
 * After each event, the library counts for each job and for the hour what the model counts, no more
 * (what did not happen is given back) and no less (what is proposed or took place counts). No plan
 * disrupts a job beyond its budget, or stops more tasks in an hour than the policy allows.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS=1 replay one seed; a failure prints seed and step.
 */
#include "property/evict_world.h"

#include "engine/state/cluster.h"

enum { STEPS = 120, DISRUPTIONS = 4096, STOPS = 16384 };

struct disruption {
    lsched_id job;
    uint64_t group;
    int64_t at;
    uint32_t open; /* evictions that can be undone */
    int gone;      /* a task of it is gone */
    int counts;    /* it is in the job's list */
};

struct stop {
    lsched_id decision;
    uint32_t of;     /* index of its disruption */
    int64_t hour_at; /* since then it counts in an hour; 0: it does not */
    int open, moves;
};

struct budget {
    uint32_t max;
    int64_t window;
};

struct model {
    struct ev_world w;
    uint64_t per_hour, undone, gone, refused;
    uint32_t n_disruptions, n_stops;
    struct budget budget[EV_JOBS];
    struct disruption disruption[DISRUPTIONS];
    struct stop stop[STOPS];
};

/* ---- the model ---- */

static uint32_t job_index(const struct model *m, lsched_id job) {
    uint32_t j = 0;
    while (j < m->w.n_jobs && m->w.job[j].id != job) j++;
    EV_CHECK(&m->w, j < m->w.n_jobs, "a job that nobody submitted");
    return j;
}

/* Sets *since to the time of the earliest disruption of the list, and returns their number. */
static uint32_t listed(const struct model *m, lsched_id job, int64_t *since) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_disruptions; i++) {
        const struct disruption *d = &m->disruption[i];
        if (d->job != job || !d->counts) continue;
        if (n++ == 0 || d->at < *since) *since = d->at;
    }
    return n;
}

static uint32_t in_window(const struct model *m, uint32_t j) {
    int64_t since = 0, window = m->budget[j].window;
    uint32_t n = listed(m, m->w.job[j].id, &since);
    return window && m->w.now_us - since >= window ? 0 : n;
}

static uint64_t in_hour(const struct model *m) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < m->n_stops; i++)
        n += m->stop[i].hour_at / EV_HOUR_US == m->w.now_us / EV_HOUR_US;
    return n;
}

static uint32_t disruption_of(struct model *m, const lsched_decision *d) {
    for (uint32_t i = m->n_disruptions; i-- > 0;)
        if (m->disruption[i].job == d->job && m->disruption[i].group == d->group) return i;
    uint32_t j = job_index(m, d->job), n = in_window(m, j);
    EV_CHECK(&m->w, m->budget[j].max == 0 || n < m->budget[j].max,
             "j%u was disrupted %u times of %u and is disrupted again", j, n, m->budget[j].max);
    if (n == 0) /* a new window begins */
        for (uint32_t i = 0; i < m->n_disruptions; i++)
            if (m->disruption[i].job == d->job) m->disruption[i].counts = 0;
    EV_CHECK(&m->w, m->n_disruptions < DISRUPTIONS, "too many disruptions");
    m->disruption[m->n_disruptions] = (struct disruption){d->job, d->group, m->w.now_us, 0, 0, 1};
    return m->n_disruptions++;
}

static void plan_counts(struct model *m, const lsched_plan *plan) {
    int stops = 0;
    for (size_t i = 0; i < lsched_plan_size(plan); i++) {
        const lsched_decision *d = lsched_plan_at(plan, i);
        int moves = d->kind == LSCHED_DECIDE_MIGRATE;
        if ((!moves && d->kind != LSCHED_DECIDE_EVICT) || d->reason == LSCHED_FOR_STALE_GANG)
            continue;
        stops |= !moves;
        EV_CHECK(&m->w, m->n_stops < STOPS, "too many evictions");
        uint32_t of = disruption_of(m, d);
        m->disruption[of].open++;
        m->stop[m->n_stops++] = (struct stop){d->id, of, moves ? 0 : m->w.now_us, 1, moves};
    }
    uint64_t n = in_hour(m);
    EV_CHECK(&m->w, !stops || m->per_hour == 0 || n <= m->per_hour, "%llu evictions in an hour",
             (unsigned long long)n);
}

/* Finds the moves that the event made evictions, because they lost their new places. */
static void event_ends_moves(struct model *m) {
    for (uint32_t i = 0; i < m->n_stops; i++) {
        struct stop *s = &m->stop[i];
        lsched_decision d = {.size = sizeof d};
        if (!s->open || !s->moves) continue;
        EV_CHECK(&m->w, lsched_decision_get(m->w.c, s->decision, &d, NULL) >= 0, "no decision");
        if (d.kind != LSCHED_DECIDE_EVICT) continue;
        s->moves = 0;
        s->hour_at = m->w.now_us;
    }
}

/* Finds the evictions that the event closed. gone: 1 if it closes them because tasks are gone. */
static void event_closes(struct model *m, int gone) {
    for (uint32_t i = 0; i < m->n_stops; i++) {
        struct stop *s = &m->stop[i];
        struct disruption *d = &m->disruption[s->of];
        if (!s->open || lsched_decision_state(m->w.c, s->decision, NULL) >= 0) continue;
        s->open = 0;
        if (!gone) s->hour_at = 0;
        d->gone |= gone;
        if (--d->open == 0 && !d->gone) d->counts = 0;
        m->gone += (uint64_t)gone;
        m->undone += (uint64_t)!gone;
    }
    event_ends_moves(m);
}

static void compare(struct model *m) {
    const struct columns *k = &m->w.c->k;
    lsched_error err = LSCHED_ERROR_INIT;
    ev_must(&m->w, lsched_verify(m->w.c, NULL, &err), &err);
    uint64_t same = meta(k, M_EVICTED_SINCE) == (uint64_t)(m->w.now_us / EV_HOUR_US);
    uint64_t hour = same ? meta(k, M_EVICTED_HOUR) : 0, model = in_hour(m);
    EV_CHECK(&m->w, hour == model, "the hour counts %llu evictions; %llu count",
             (unsigned long long)hour, (unsigned long long)model);
    for (uint32_t j = 0; j < m->w.n_jobs; j++) {
        uint32_t row = (uint32_t)m->w.job[j].id;
        if (!m->w.job[j].live || !row_is_live(k, T_JOB, row) ||
            id_make(k, LSCHED_KIND_JOB, row) != m->w.job[j].id)
            continue;
        uint32_t c = k->c[C_JOB_COST].u32[row], n = 0;
        if (c != NO_ROW && (m->budget[j].window == 0 ||
                            m->w.now_us - k->c[C_COST_WINDOW_START].i64[c] < m->budget[j].window))
            n = k->c[C_COST_DISRUPTIONS].u32[c];
        EV_CHECK(&m->w, n == in_window(m, j), "j%u counts %u disruptions, and had %u", j, n,
                 in_window(m, j));
    }
}

/* ---- events ---- */

static void event_submit(struct model *m) {
    struct chance *c = &m->w.chance;
    for (uint32_t n = 1 + chance_below(c, 5); n > 0; n--) {
        uint32_t j = m->w.n_jobs;
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_job_update u = LSCHED_JOB_UPDATE_INIT;
        ev_random_job(&m->w);
        if (m->w.n_jobs == j) return;
        u.job = m->w.job[j].id;
        u.set = LSCHED_JOB_SET_DISRUPTIONS;
        u.disruptions_max = chance_below(c, 4);
        if (u.disruptions_max && !chance_one_in(c, 3))
            u.disruption_window_us = chance_between(c, 1, 60) * 60 * INT64_C(1000000);
        m->budget[j] = (struct budget){u.disruptions_max, u.disruption_window_us};
        ev_must(&m->w, lsched_jobs_update(m->w.c, &u, 1, sizeof u, NULL, NULL, &err), &err);
    }
}

static void event_cycle(struct model *m) {
    struct chance *c = &m->w.chance;
    lsched_schedule_opts opts = LSCHED_SCHEDULE_OPTS_INIT;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_plan *plan = NULL;
    m->w.now_us += chance_one_in(c, 4) ? chance_between(c, 1, 900) * 1000000 : 1000000;
    opts.now_us = m->w.now_us;
    if (chance_one_in(c, 3)) opts.proposal_life_us = chance_between(c, 1, 300) * 1000000;
    ev_must(&m->w, lsched_schedule(m->w.c, &opts, &plan, &err), &err);
    ev_must(&m->w, lsched_verify(m->w.c, plan, &err), &err);
    event_closes(m, 0);
    plan_counts(m, plan);
    ev_tally(&m->w, plan);
    if (!chance_one_in(c, 3))
        for (size_t i = 0; i < lsched_plan_size(plan); i++) {
            lsched_id id = lsched_plan_at(plan, i)->id;
            lsched_outcome yes = LSCHED_OUTCOME_CONFIRMED;
            if (chance_one_in(c, 3) ||
                lsched_decision_state(m->w.c, id, NULL) != LSCHED_DECISION_PROPOSED)
                continue;
            ev_must(&m->w, settle_each(m->w.c, &id, &yes, 1, NULL, &err), &err);
        }
    lsched_plan_destroy(plan);
}

/* Rejects a few evictions, proposed or confirmed. */
static void event_reject(struct model *m) {
    for (uint32_t i = 0; i < m->n_stops; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_outcome no = LSCHED_OUTCOME_REJECTED;
        struct stop *s = &m->stop[i];
        if (!s->open || chance_below(&m->w.chance, 3) ||
            lsched_decision_state(m->w.c, s->decision, NULL) < 0)
            continue;
        ev_must(&m->w, settle_each(m->w.c, &s->decision, &no, 1, NULL, &err), &err);
        event_closes(m, 0);
        compare(m);
        m->refused++;
    }
}

static void event_news(struct model *m) {
    lsched_task_info t[EV_TASKS];
    struct chance *c = &m->w.chance;
    uint32_t all = 1u << LSCHED_TASK_CONFIRMED | 1u << LSCHED_TASK_RUNNING |
                   1u << LSCHED_TASK_RELEASING | 1u << LSCHED_TASK_PROPOSED;
    uint32_t n = ev_tasks(&m->w, all, t, EV_TASKS);
    for (uint32_t i = 0; i < n; i++) {
        lsched_error err = LSCHED_ERROR_INIT;
        lsched_task_event e = LSCHED_TASK_EVENT_INIT;
        if (chance_one_in(c, 2)) continue;
        e.job = t[i].job;
        e.task_index = t[i].task_index;
        e.event = LSCHED_EVENT_STARTED;
        if (t[i].state == LSCHED_TASK_RELEASING) e.event = LSCHED_EVENT_FAILED;
        if (t[i].state == LSCHED_TASK_RUNNING) {
            if (!chance_one_in(c, 20)) continue;
            e.event = chance_one_in(c, 4) ? LSCHED_EVENT_FAILED : LSCHED_EVENT_ENDED;
        }
        /* an earlier report may have taken the task along */
        int32_t rc = lsched_tasks_report(m->w.c, &e, 1, sizeof e, NULL, NULL, &err);
        EV_CHECK(&m->w, rc >= 0 || rc == LSCHED_E_STATE || rc == LSCHED_E_STALE, "%d %s", rc,
                 err.message);
        event_closes(m, 1);
    }
}

static void event_node(struct model *m) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (chance_one_in(&m->w.chance, 2) && m->w.n_nodes < EV_NODES) {
        ev_add_node(&m->w);
    } else if (m->w.n_nodes > 1) {
        uint32_t i = chance_below(&m->w.chance, m->w.n_nodes);
        ev_must(&m->w, lsched_nodes_remove(m->w.c, &m->w.node[i], 1, NULL, NULL, &err), &err);
        m->w.node[i] = m->w.node[--m->w.n_nodes];
        event_closes(m, 1);
    }
}

static void event_job_removed(struct model *m) {
    lsched_error err = LSCHED_ERROR_INIT;
    if (m->w.n_jobs == 0) return;
    struct ev_job *job = &m->w.job[chance_below(&m->w.chance, m->w.n_jobs)];
    if (ev_info(&m->w, job).tasks_wanted == 0) return;
    ev_must(&m->w, lsched_jobs_remove(m->w.c, &job->id, 1, NULL, NULL, &err), &err);
    job->live = 0;
    event_closes(m, 1);
}

static void event_quotas(struct model *m) {
    ev_update_queue(&m->w);
    event_closes(m, 0);
}

static const struct {
    uint32_t weight;
    void (*run)(struct model *m);
} events[] = {{12, event_submit}, {30, event_cycle},      {12, event_reject}, {12, event_news},
              {1, event_node},    {1, event_job_removed}, {2, event_quotas}};

static void random_event(struct model *m) {
    uint32_t total = 0;
    size_t e = 0;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) total += events[i].weight;
    uint32_t drawn = chance_below(&m->w.chance, total);
    while (drawn >= events[e].weight) drawn -= events[e++].weight;
    events[e].run(m);
    compare(m);
}

static void run_seed(struct model *m, uint64_t seed) {
    struct chance c = {seed ^ 0x0b5e55ed};
    char eviction[100];
    memset(m, 0, sizeof *m);
    ev_begin(&m->w, seed,
             (struct ev_options){.one_gpu = chance_one_in(&c, 3),
                                 .limits = chance_one_in(&c, 3),
                                 .trees = chance_one_in(&c, 2),
                                 .scarce = chance_one_in(&c, 3)});
    m->per_hour = chance_one_in(&c, 2) ? 1 + chance_below(&c, 8) : 0;
    snprintf(eviction, sizeof eviction, "per_hour = %u", (uint32_t)m->per_hour);
    ev_policy(&m->w, "quota", EV_PIPELINE, eviction);
    for (m->w.step = 1; m->w.step <= STEPS; m->w.step++) random_event(m);
    ev_end(&m->w);
}

static void what_did_not_happen_is_given_back(void **unused) {
    (void)unused;
    uint64_t first = chance_seed(1), undone = 0, gone = 0, refused = 0;
    uint32_t n = chance_rounds(60);
    struct model *m = malloc(sizeof *m);
    assert_non_null(m);
    for (uint64_t seed = first; seed < first + n; seed++) {
        run_seed(m, seed);
        undone += m->undone;
        gone += m->gone;
        refused += m->refused;
    }
    print_message("seeds %llu .. +%u: %llu evictions undone (%llu rejections), %llu took place\n",
                  (unsigned long long)first, n, (unsigned long long)undone,
                  (unsigned long long)refused, (unsigned long long)gone);
    assert_true(n < 50 || (undone > n && gone > n));
    free(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_did_not_happen_is_given_back)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
