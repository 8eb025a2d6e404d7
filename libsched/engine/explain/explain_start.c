/*
 * explain_start.c -- see explain_start.h.
 *
 * The job can start at the first time at which all of these hold: its minimum fits on the nodes,
 * the limits of its queues leave what it needs, and its queues are below their maximum numbers of
 * jobs. The computation assumes that no other job takes the room first. If other jobs of the queue
 * are tried before this job, the time is only a lower bound; therefore the text names these jobs.
 *
 * The time is found by bisection. Each step reads all nodes and tasks.
 */
#include "engine/explain/explain_start.h"

#include "base/bisect.h"
#include "engine/exclusions/explain_absence.h"
#include "engine/exclusions/explain_machine.h"
#include "engine/explain/explain_protection.h"
#include "model/devices/contention.h"
#include "model/shapes/daily_demand.h"
#include "model/shapes/domain.h"
#include "model/shapes/job_states.h"
#include "model/nodes/node.h"
#include "model/queues/queue.h"
#include "model/absences/job_absence.h"
#include "model/jobs/job_limits.h"
#include "model/demand/job_counts.h"
#include "model/jobs/task_row.h"
#include "model/jobs/bundle.h"

/* Returns the time at which the task will be gone from its node, LSCHED_NEVER_US if unknown. An end
 * that should have come already counts as unknown. */
static int64_t task_gone(const struct explain *e, uint32_t t, enum task_end_why *why) {
    int64_t at = task_ends_first_at(e->k, t, why);
    return at < e->now ? LSCHED_NEVER_US : at;
}

static int is_gone_at(const struct explain *e, uint32_t t, int64_t at) {
    enum task_end_why why;
    return task_gone(e, t, &why) <= at;
}

/* Returns the number of tasks of the shape that the node can hold at the time `at`. */
static int64_t holds_at(const struct explain *e, uint32_t node, uint32_t shape, int64_t at) {
    const struct columns *k = e->k;
    struct daily_room amount[KINDS_MAX];
    int64_t most = INT32_MAX, parts = 0;
    int64_t used[LSCHED_DEVICES_PER_NODE_MAX] = {0};
    uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
    device_set bad = 0; /* devices with a task beside which one of the shape may not be */
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        daily_room_of(k, node, r, DEVICE_EMPTY, &amount[r]);
    for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[node]; t != NO_ROW;
         t = k->c[C_TASK_NODE_NEXT].u32[t]) {
        uint32_t s = task_shape(k, t);
        if (is_gone_at(e, t, at)) continue;
        for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
            daily_room_add(k, s, r, task_amount(k, t, r), -1, &amount[r]);
        DEVICE_SET_EACH(m, task_device_set(k, t)) {
            uint32_t d = m.at;
            used[d] += device_milli_need(k, first + d, s);
            if (work_kinds_bar(k, shape, s) && contention_can_be(k, first + d))
                bad |= device_set_bit(d);
        }
    }
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++) {
        int64_t fit = r == LSCHED_GPU ? most : daily_room_count(k, shape, r, &amount[r]);
        most = fit < most ? fit : most;
    }
    uint32_t devices = k->c[C_SHAPE_DEVICES].u32[shape];
    if (devices == 0) return most;
    for (uint32_t d = 0; d < k->c[C_NODE_N_DEVICES].u8[node]; d++) {
        int64_t fit =
            used[d] < 1000 ? (1000 - used[d]) / device_milli_need(k, first + d, shape) : 0;
        if (fit > 1 && work_kinds_bar(k, shape, shape) && contention_can_be(k, first + d)) fit = 1;
        parts += device_set_has(bad, d) ? 0 : fit;
    }
    return parts / devices < most ? parts / devices : most;
}

struct gone_by {
    const struct explain *e;
    int64_t at;
};

static int is_gone_by(const void *of, uint32_t task) {
    const struct gone_by *g = of;
    return is_gone_at(g->e, task, g->at);
}

static int64_t holds_in(const struct explain *e, uint32_t n, uint32_t shape, int64_t at) {
    struct gone_by of = {e, at};
    if (!node_is_usable(e->k, n, shape)) return 0;
    if (at < LSCHED_NEVER_US && job_absence_bars(e->k, n, at, e->job)) return 0;
    if (e->k->c[C_SHAPE_PICKY].u8[shape] &&
        !explain_machine_fits_if(e->k, n, shape, is_gone_by, &of))
        return 0;
    return holds_at(e, n, shape, at);
}

/* True if `need` tasks of the shape fit at the time `at`. If `level` is not NO_ROW, all these tasks
 * must fit in one domain of that topology level. Else they can be on any nodes. */
static int fits_at(const struct explain *e, uint32_t shape, int64_t need, uint32_t tree,
                   uint32_t level, int64_t at) {
    const struct columns *k = e->k;
    int64_t sum = 0;
    for (uint32_t n = 0; level == NO_ROW && n < table_rows(k, T_NODE) && sum < need; n++)
        sum += holds_in(e, n, shape, at);
    if (level == NO_ROW) return sum >= need;
    for (uint32_t root = 0; root < table_rows(k, T_DOMAIN) && sum < need; root++) {
        if (!domain_is_at(k, root, tree, level)) continue;
        sum = 0;
        for (uint32_t d = root; d != NO_ROW; d = domain_next(k, root, d))
            for (uint32_t n = domain_first_node(k, d); n != NO_ROW; n = domain_next_node(k, d, n))
                sum += holds_in(e, n, shape, at);
    }
    return sum >= need;
}

/* Finds the task that leaves its node last, among the tasks that leave their nodes by the time
 * `by`. Returns the job of this task, NO_ROW if there is none. If several tasks leave at the same
 * time, the first job by name is returned. *when is set to the time at which the task leaves, and
 * *why to what ends it. */
static uint32_t ends_last(const struct explain *e, int64_t by, int64_t *when,
                          enum task_end_why *why) {
    const struct columns *k = e->k;
    uint32_t best = NO_ROW;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!row_is_live(k, T_NODE, n)) continue;
        for (uint32_t t = k->c[C_NODE_TASK_FIRST].u32[n]; t != NO_ROW;
             t = k->c[C_TASK_NODE_NEXT].u32[t]) {
            uint32_t j = k->c[C_TASK_JOB].u32[t];
            enum task_end_why reason;
            int64_t gone = task_gone(e, t, &reason);
            if (gone == LSCHED_NEVER_US || gone > by || (best != NO_ROW && gone < *when)) continue;
            if (best != NO_ROW && gone == *when && !name_before(k, C_JOB_NAME, j, best)) continue;
            *when = gone;
            *why = reason;
            best = j;
        }
    }
    return best;
}

/* ---- limits of queues ---- */

static int queue_counts(const struct explain *e, uint32_t job) {
    return queue_is_below(e->k, e->k->c[C_JOB_QUEUE].u32[job], (uint32_t)e->w.limiting_queue);
}

static int task_counts(const struct columns *k, uint32_t t) {
    uint8_t state = k->c[C_TASK_STATE].u8[t];
    return state == LSCHED_TASK_RUNNING || state == LSCHED_TASK_PROPOSED ||
           state == LSCHED_TASK_CONFIRMED;
}

/* Returns the amount of the limited resource kind that tasks below the limiting queue release by
 * the time `at`. */
static int64_t explain_start_given_back(const struct explain *e, int64_t at) {
    const struct columns *k = e->k;
    int64_t sum = 0;
    for (uint32_t t = 0; t < table_rows(k, T_TASK); t++)
        if (row_is_live(k, T_TASK, t) && task_counts(k, t) && is_gone_at(e, t, at) &&
            queue_counts(e, k->c[C_TASK_JOB].u32[t]))
            sum += task_amount(k, t, e->w.kind);
    return sum;
}

/* Returns how many jobs below the limiting queue hold tasks now, but have no task left at the time
 * `at`. */
static int64_t jobs_over(const struct explain *e, int64_t at) {
    const struct columns *k = e->k;
    int64_t n = 0;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        uint32_t held = 0, left = 0;
        if (!row_is_live(k, T_JOB, j) || !queue_counts(e, j)) continue;
        for (uint32_t l = k->c[C_JOB_LEAVES].u32[j]; l != NO_ROW; l = k->c[C_LEAF_NEXT].u32[l])
            for (uint32_t t = k->c[C_LEAF_TASK_FIRST].u32[l]; t != NO_ROW;
                 t = k->c[C_TASK_NEXT].u32[t]) {
                if (!task_counts(k, t)) continue;
                held++;
                left += !is_gone_at(e, t, at);
            }
        n += held && left == 0;
    }
    return n;
}

/* ---- room and limits together ---- */

struct start_wish {
    /* 1 if the job has only one group, without a limit on its tasks in one domain or on one
     * node. Only for such a job can the room be computed. */
    int has_room;
    uint32_t shape, tree, level;
    int64_t need;
};

static int is_possible(const struct explain *e, const struct start_wish *w, int64_t at) {
    const lsched_waiting *r = &e->w;
    if (r->code == LSCHED_WAIT_LIMIT && r->have + explain_start_given_back(e, at) < r->need)
        return 0;
    if (r->code == LSCHED_WAIT_JOBS && jobs_over(e, at) < r->need - r->have) return 0;
    return !w->has_room || fits_at(e, w->shape, w->need, w->tree, w->level, at);
}

/* Fills *w with the tasks that the job lacks for its minimum, and where they must be. */
static void start_wish_of(const struct explain *e, struct start_wish *w) {
    const struct columns *k = e->k;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[e->job], lacks[LSCHED_GROUPS_PER_JOB_MAX];
    *w = (struct start_wish){.has_room = k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape] == 1 &&
                                         !group_is_spread(k, group_row(k, jobshape, 0))};
    if (!w->has_room) return;
    job_lacks(k, e->job, lacks);
    w->shape = group_shape(k, jobshape, 0);
    w->level = jobshape_required_level(k, jobshape, 0, &w->tree);
    w->need = lacks[0] ? lacks[0] : 1;
}

/* Returns the time at which the job can start because other work ends. *ends is set to the job
 * whose end makes the start possible, and *why to what ends it. Returns LSCHED_NEVER_US if the end
 * of other work does not let the job start, or if the ends are not known. */
static int64_t starts_by_ends(const struct explain *e, uint32_t *ends, enum task_end_why *why) {
    int64_t low = e->now, high = low;
    int queues = e->w.code == LSCHED_WAIT_LIMIT || e->w.code == LSCHED_WAIT_JOBS;
    struct start_wish w;
    start_wish_of(e, &w);
    *ends = NO_ROW;
    if (!w.has_room && !queues) return LSCHED_NEVER_US;
    if (e->w.code == LSCHED_WAIT_LIMIT && e->w.kind >= KINDS_MAX) return LSCHED_NEVER_US;
    if (ends_last(e, LSCHED_NEVER_US - 1, &high, why) == NO_ROW || is_possible(e, &w, low - 1) ||
        !is_possible(e, &w, high))
        return LSCHED_NEVER_US;
    low--;
    BISECT_LAST(low, high, middle, !is_possible(e, &w, middle));
    *ends = ends_last(e, high, &high, why);
    return high;
}

/* ---- jobs that are tried first ---- */

static int takes_room(const struct columns *k, uint32_t job) {
    if (k->c[C_JOB_PHASE].u8[job] != JOB_QUEUED) return 0;
    uint32_t code = k->c[C_BUNDLE_CODE].u8[k->c[C_JOB_BUNDLE].u32[job]];
    return code == LSCHED_WAIT_NONE || waits_for_room(code);
}

/* Returns the first of the queue's jobs that wait for room and are tried before this job, NO_ROW if
 * there is none. *n is set to the number of such jobs. */
static uint32_t first_before(const struct explain *e, uint32_t *n) {
    const struct columns *k = e->k;
    uint32_t first = NO_ROW;
    *n = 0;
    if (k->c[C_JOB_PHASE].u8[e->job] != JOB_QUEUED) return NO_ROW;
    for (uint32_t j = 0; j < table_rows(k, T_JOB); j++) {
        if (!row_is_live(k, T_JOB, j) || j == e->job || k->c[C_JOB_QUEUE].u32[j] != e->queue ||
            !takes_room(k, j) || !job_before(k, j, e->job))
            continue;
        ++*n;
        if (first == NO_ROW || job_before(k, j, first)) first = j;
    }
    return first;
}

static void put_before(const struct explain *e) {
    uint32_t n, first = first_before(e, &n);
    if (first == NO_ROW) {
        text_put(e->o, ", if nothing takes the room before it");
        return;
    }
    text_put(e->o, "; %s", shown_job(e->k, first).text);
    if (n > 1) text_put(e->o, " and %u more", n - 1);
    text_put(e->o,
             n > 1 ? " wait for room and are tried before it"
                   : " (priority %d) waits for room and is tried before it",
             e->k->c[C_JOB_PRIORITY].i32[first]);
}

/* ---- writing the line ---- */

/* Returns the first time at which the job can perhaps start because work stops for it. */
static int64_t by_evicting(const struct explain *e) {
    const lsched_waiting *w = &e->w;
    int64_t at = LSCHED_NEVER_US;
    switch (w->evict_code) {
    case LSCHED_NO_VICTIM_DELAY:
    case LSCHED_NO_VICTIM_MIN_RUNTIME:
    case LSCHED_NO_VICTIM_RATE:
    case LSCHED_NO_VICTIM_REFUSED: at = w->until_us; break;
    default:
        if (waits_for_room(w->code)) at = explain_protection_soft_end(e->c, w);
        break;
    }
    return at < e->now ? LSCHED_NEVER_US : at; /* what time alone allows has come already */
}

static int is_given(const struct explain *e) {
    const lsched_waiting *w = &e->w;
    return (w->code == LSCHED_WAIT_BACKOFF || w->code == LSCHED_WAIT_REFUSED ||
            w->code == LSCHED_WAIT_HOST_HOLD || w->code == LSCHED_WAIT_NOMINATED ||
            w->code == LSCHED_WAIT_BEGIN || (w->code == LSCHED_WAIT_PLANNED && w->plan_node) ||
            (w->code == LSCHED_WAIT_LEAVING && !job_is_held_back(e->k, e->job))) &&
           w->until_us != LSCHED_NEVER_US && w->until_us > e->now;
}

/* Writes when the job can start and which jobs are tried before it, such as "not before 14:20, when
 * job x ends by its estimate". */
static void put_end(const struct explain *e, uint32_t ends, int64_t at, enum task_end_why why) {
    static const char *const words[] = {[TASK_END_ESTIMATE] = "ends by its estimate",
                                        [TASK_END_LIMIT] = "ends by its time limit",
                                        [TASK_END_ALLOWANCE] = "is stopped, its allowance spent",
                                        [TASK_END_RELEASE] = "should have left"};
    uint32_t n;
    if (first_before(e, &n) != NO_ROW) text_put(e->o, "not before ");
    text_put(e->o, "%s, when %s %s", shown_moment(at, e->now).text, shown_job(e->k, ends).text,
             words[why]);
    put_before(e);
}

/* Writes when the first node is back that keeps the job out now, and can hold it then. */
static void start_after_absence(struct explain *e) {
    uint32_t node;
    int64_t back = explain_absence_back(e->k, &e->w, &node);
    if (back == LSCHED_NEVER_US) return;
    e->w.starts_us = back;
    put_label(e->o, "starts");
    put_moment(e->o, back, e->now);
    text_put(e->o, ", when node %s is %s", shown_node(e->k, node).text,
             e->k->c[C_NODE_RESERVATION].u32[node] == NO_ROW ? "back" : "free for others again");
    put_before(e);
    text_put(e->o, "\n");
}

void explain_start(struct explain *e) {
    lsched_waiting *w = &e->w;
    int asks =
        waits_for_room(w->code) || w->code == LSCHED_WAIT_LIMIT || w->code == LSCHED_WAIT_JOBS;
    uint32_t ends = NO_ROW;
    enum task_end_why why = TASK_END_ESTIMATE;
    if (w->code == LSCHED_WAIT_ABSENCE) {
        start_after_absence(e);
        return;
    }
    int64_t at = asks ? starts_by_ends(e, &ends, &why) : LSCHED_NEVER_US;
    int64_t evicting = by_evicting(e);
    int given = is_given(e), early = !given && evicting < at, known = early || given;
    if (!known && ends == NO_ROW) return;
    w->starts_us = early ? evicting : given ? w->until_us : at;
    if (!known) w->starts_job = id_make(e->k, LSCHED_KIND_JOB, ends);
    put_label(e->o, "starts");
    if (known) put_moment(e->o, w->starts_us, e->now);
    if (early) text_put(e->o, " at the earliest, by stopping others");
    if (given)
        text_put(e->o, w->code == LSCHED_WAIT_NOMINATED ? ", when its place is free"
                                                        : " at the earliest");
    if (early && ends != NO_ROW) text_put(e->o, "; ");
    if (ends != NO_ROW) put_end(e, ends, at, why);
    text_put(e->o, "\n");
}

/* ---- jobs that no end of other work lets start ---- */

/* True if the job asks for more than its queue may ever use, on whatever node it runs. */
static int is_beyond_queue(const struct explain *e) {
    const struct columns *k = e->k;
    const lsched_waiting *w = &e->w;
    uint32_t q = (uint32_t)w->limiting_queue;
    if (kind_is_part(k, w->kind) ||
        (w->kind == LSCHED_GPU && shape_charge_varies(k, waiting_shape(k, w))))
        return 0;
    if (w->code == LSCHED_WAIT_LIMIT) return queue_limit(k, q, w->kind).limit_now < w->need;
    return w->code == LSCHED_WAIT_QUOTA && w->have + k->c[C_QUEUE_CORE + w->kind].i64[q] < w->need;
}

/* True if the job has no tasks yet, and one group without alternatives. Else the wait reason is
 * about one of several ways to start. */
static int has_one_way(const struct explain *e) {
    const struct columns *k = e->k;
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[e->job];
    return k->c[C_JOB_LEAVES].u32[e->job] == NO_ROW && !jobshape_chooses(k, jobshape) &&
           k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape] == 1;
}

int explain_start_is_never(const struct explain *e) {
    struct start_wish w;
    switch (e->w.code) {
    case LSCHED_WAIT_HOST_HOLD: return e->w.until_us == LSCHED_NEVER_US;
    case LSCHED_WAIT_HELD:
    case LSCHED_WAIT_DEPENDENCY_NEVER:
    case LSCHED_WAIT_MEMBERS:
    case LSCHED_WAIT_GAIN:
    case LSCHED_WAIT_RETRIES:
    case LSCHED_WAIT_PIPELINE: return 1;
    case LSCHED_WAIT_NEVER_FITS: return has_one_way(e);
    case LSCHED_WAIT_LIMIT:
    case LSCHED_WAIT_QUOTA: return has_one_way(e) && is_beyond_queue(e);
    default: break;
    }
    if (!waits_for_room(e->w.code) || !has_one_way(e)) return 0;
    start_wish_of(e, &w);
    return w.has_room && !e->k->c[C_SHAPE_PICKY].u8[w.shape] &&
           !fits_at(e, w.shape, w.need, w.tree, w.level, LSCHED_NEVER_US);
}
