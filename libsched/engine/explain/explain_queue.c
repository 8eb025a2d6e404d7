/* explain_queue.c -- see explain_queue.h. */
#include "engine/explain/explain_queue.h"

#include "engine/queues/share_ask.h"
#include "model/demand/job_counts.h"
#include "model/devices/device.h"
#include "model/queues/user_queue.h"

/* ---- guarantees and fair shares ---- */

static int is_guaranteed(const struct columns *k, uint32_t kind) {
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++)
        if (row_is_live(k, T_QUEUE, q) && k->c[C_QUEUE_QUOTA_NOW + kind].i64[q] > 0) return 1;
    return 0;
}

static int asks_for(const struct columns *k, uint32_t job, uint32_t kind) {
    uint32_t jobshape = k->c[C_JOB_SHAPE].u32[job];
    for (uint32_t g = 0; g < k->c[C_JOBSHAPE_N_GROUPS].u32[jobshape]; g++) {
        uint32_t shape = group_shape(k, jobshape, g);
        if (shape != NO_ROW && k->c[C_SHAPE_REQ + kind].i64[shape]) return 1;
    }
    return 0;
}

/* Chooses the job's main resource kind and writes it first into kinds[]. Then adds each other kind
 * that the job asks for and for which some queue has a quota. */
static void pick_kinds(struct explain *e) {
    const struct columns *k = e->k;
    e->kind = LSCHED_CPU; /* default: the first kind that the job asks for, from CPU on */
    while (e->kind < meta(k, M_N_KINDS) && !asks_for(k, e->job, e->kind)) e->kind++;
    if (e->kind == meta(k, M_N_KINDS)) e->kind = LSCHED_CPU;
    if (asks_for(k, e->job, LSCHED_GPU)) e->kind = LSCHED_GPU;
    e->n_kinds = 0;
    for (uint32_t r = 1; r < meta(k, M_N_KINDS); r++)
        if (asks_for(k, e->job, r) && is_guaranteed(k, r)) e->kinds[e->n_kinds++] = r;
    for (uint32_t i = 1; i < e->n_kinds; i++) {
        if (e->kinds[i] != e->kind) continue;
        e->kinds[i] = e->kinds[0];
        e->kinds[0] = e->kind;
    }
    if (e->n_kinds == 0) e->kinds[e->n_kinds++] = e->kind;
}

int32_t explain_queue_read(struct explain *e) {
    const struct columns *k = e->k;
    pick_kinds(e);
    e->n_path = 0;
    for (uint32_t q = e->queue; q != NO_ROW; q = k->c[C_QUEUE_PARENT].u32[q])
        e->path[e->n_path++] = q;
    for (uint32_t i = 0; i < e->n_kinds; i++) {
        for (uint32_t level = 0; level < e->n_path; level++) {
            uint32_t q = e->path[level], r = e->kinds[i];
            struct right *t = &e->right[i][level];
            *t = (struct right){.used = k->c[C_QUEUE_USED + r].i64[q],
                                .core = k->c[C_QUEUE_CORE + r].i64[q],
                                .quota = k->c[C_QUEUE_QUOTA_NOW + r].i64[q],
                                .limit = k->c[C_QUEUE_LIMIT_NOW + r].i64[q]};
            int32_t rc = share_ask(e->c, q, r, &t->guarantee, &t->share, NULL);
            if (rc < 0) return rc;
            e->has_rights = rc;
        }
    }
    return LSCHED_OK;
}

void explain_queue_refresh(struct explain *e) {
    lsched_waiting *w = &e->w;
    if (w->evict_code != LSCHED_NO_VICTIM_SHARE || !e->has_rights || w->evict_queue == 0) return;
    for (uint32_t i = 0; i < e->n_kinds; i++) {
        for (uint32_t level = 0; level < e->n_path; level++) {
            const struct right *t = &e->right[i][level];
            int64_t most = t->guarantee > t->share ? t->guarantee : t->share;
            if (e->kinds[i] != w->evict_kind || e->path[level] != (uint32_t)w->evict_queue)
                continue;
            w->evict_have = most > t->used ? most - t->used : 0;
        }
    }
}

int explain_queue_exceeded(const struct explain *e, uint32_t level, uint32_t *kind) {
    for (uint32_t i = 0; i < e->n_kinds; i++) {
        if (e->right[i][level].used <= e->right[i][level].guarantee) continue;
        *kind = i;
        return 1;
    }
    *kind = 0;
    return 0;
}

/* ---- as text ---- */

/* Writes the queue's use next to its guarantee, such as " uses 200 of 256 guaranteed GPUs" or "
 * uses 296 GPUs, 40 above its guarantee of 256". */
static void put_use(const struct explain *e, uint32_t kind, const struct right *t) {
    struct text_out *o = e->o;
    if (t->guarantee != LSCHED_UNLIMITED && t->guarantee && t->used <= t->guarantee) {
        text_put(o, " uses %s of %s guaranteed", shown_number(kind, t->used).text,
                 shown_number(kind, t->guarantee).text);
        put_unit(e->k, o, kind, t->guarantee);
        return;
    }
    text_put(o, " uses %s", shown_amount(e->k, kind, t->used).text);
    if (t->guarantee == LSCHED_UNLIMITED || t->guarantee == 0)
        text_put(o, t->guarantee ? ", all of it guaranteed" : " and has no guarantee");
    else
        text_put(o, ", %s above its guarantee of %s",
                 shown_number(kind, t->used - t->guarantee).text,
                 shown_number(kind, t->guarantee).text);
}

static void explain_queue_put_share(const struct explain *e, uint32_t kind, const struct right *t) {
    if (t->share == LSCHED_UNLIMITED) return;
    text_put(e->o, "; its fair share is %s", shown_amount(e->k, kind, t->share).text);
}

/* Writes how much of the guarantee non-preemptible work does not use yet. The minimum of a
 * non-preemptible job must fit into this amount. */
static void put_firm(const struct explain *e, uint32_t kind, const struct right *t) {
    int64_t left = t->guarantee > t->core ? t->guarantee - t->core : 0;
    text_put(e->o,
             "; of its guarantee %s are left to work that is not preemptible, and the job "
             "needs %s",
             shown_number(kind, left).text, shown_number(kind, e->need[kind]).text);
}

/* Writes how the queue's use would compare with its guarantee and its fair share if the job got the
 * amount that it needs next. */
static void put_verdict(const struct explain *e, uint32_t kind, uint32_t level,
                        const struct right *t) {
    struct text_out *o = e->o;
    int64_t need = e->need[kind], after = t->used + need;
    if (t->guarantee == LSCHED_UNLIMITED) return;
    if ((e->k->c[C_JOB_FLAGS].u8[e->job] & LSCHED_JOB_NON_PREEMPTIBLE) &&
        !job_satisfied(e->k, e->job)) {
        put_firm(e, kind, t);
        return;
    }
    if (after <= t->guarantee) {
        text_put(o, ": it may have the job's %s now", shown_number(kind, need).text);
        return;
    }
    text_put(o, "; with the job's %s it would be ", shown_number(kind, need).text);
    if (t->guarantee > 0 && t->used <= t->guarantee) {
        text_put(o, "%s above that%s", shown_number(kind, after - t->guarantee).text,
                 t->share == LSCHED_UNLIMITED ? "" : ", ");
    } else if (t->share == LSCHED_UNLIMITED) {
        text_put(o, "above its guarantee");
    }
    if (t->share == LSCHED_UNLIMITED) return;
    text_put(o, "%s its fair share of %s", after <= t->share ? "within" : "above",
             shown_number(kind, t->share).text);
    if (after <= t->share) return;
    text_put(o, level == 0 ? ": the job may borrow idle amounts, but not stop other work"
                           : ": no work outside this queue may be stopped for the job");
}

static void put_limits(const struct explain *e, uint32_t kind, uint32_t level,
                       const struct right *t) {
    struct text_out *o = e->o;
    if (t->quota != t->guarantee && t->quota > 0 && t->quota != LSCHED_UNLIMITED) {
        text_put(o, "; its quota is %s", shown_number(kind, t->quota).text);
        if (t->guarantee < t->quota && t->guarantee != t->limit && level + 1 < e->n_path)
            text_put(o,
                     ", scaled down because the quotas below %s add up to more than its guarantee",
                     shown_queue(e->k, e->path[level + 1]).text);
    }
    if (t->limit == LSCHED_UNLIMITED) return;
    text_put(o, "; its limit is %s", shown_number(kind, t->limit).text);
}

static void quota_line(const struct explain *e, uint32_t i, uint32_t level, int waits) {
    const struct right *t = &e->right[i][level];
    uint32_t kind = e->kinds[i], q = e->path[level];
    PUT_LINE(e->o, "quota", "%s", shown_queue(e->k, q).text);
    if (queue_is_of_user(e->k, q)) {
        text_put(e->o, " uses %s", shown_amount(e->k, kind, t->used).text);
        explain_queue_put_share(e, kind, t);
    } else {
        put_use(e, kind, t);
        if (waits)
            put_verdict(e, kind, level, t);
        else
            explain_queue_put_share(e, kind, t);
    }
    put_limits(e, kind, level, t);
    text_put(e->o, "\n");
}

/* Writes the line of a queue if the policy's share algorithm does not compute guarantees. */
static void plain_line(const struct explain *e, uint32_t level) {
    const struct right *t = &e->right[0][level];
    struct text_out *o = e->o;
    PUT_LINE(o, "queue", "%s uses %s", shown_queue(e->k, e->path[level]).text,
             shown_amount(e->k, e->kinds[0], t->used).text);
    if (t->quota)
        text_put(o, ", has a quota of %s that the policy's fair share does not guarantee",
                 t->quota == LSCHED_UNLIMITED ? "all" : shown_number(e->kinds[0], t->quota).text);
    if (t->limit == LSCHED_UNLIMITED)
        text_put(o, ", has no limit\n");
    else
        text_put(o, ", may use %s\n", shown_amount(e->k, e->kinds[0], t->limit).text);
}

/* Adds the amount that the job needs next to the queue's use. Returns 0 if the sum is within the
 * queue's guarantee, 1 if it is within the fair share, else 2. */
static int class_of(const struct explain *e, uint32_t i, uint32_t level) {
    const struct right *t = &e->right[i][level];
    int64_t after = t->used + e->need[e->kinds[i]];
    return t->guarantee == LSCHED_UNLIMITED || after <= t->guarantee ? 0
           : t->share == LSCHED_UNLIMITED || after <= t->share       ? 1
                                                                     : 2;
}

/* ---- guarantees that no job can use ---- */

/* Returns the milli-GPUs that tasks of the shape can use. The sum counts whole devices of the
 * allowed models, but no MIG devices. */
static int64_t gpus_usable(const struct columns *k, uint32_t shape) {
    int64_t n = 0;
    for (uint32_t node = 0; node < table_rows(k, T_NODE); node++) {
        if (!row_is_live(k, T_NODE, node)) continue;
        uint32_t first = k->c[C_NODE_DEVICE_FIRST].u32[node];
        for (uint32_t i = 0; i < k->c[C_NODE_N_DEVICES].u8[node]; i++)
            n += device_takes(k, first + i, shape, DEVICE_EMPTY);
    }
    return n * 1000;
}

/* Returns the sum of all guarantees for a resource kind. Only root queues count, because the
 * guarantees of the queues below a root are portions of the root's guarantee. */
static int64_t guaranteed_in_all(const struct columns *k, uint32_t kind) {
    int64_t sum = 0;
    for (uint32_t q = 0; q < table_rows(k, T_QUEUE); q++) {
        if (!row_is_live(k, T_QUEUE, q) || k->c[C_QUEUE_PARENT].u32[q] != NO_ROW) continue;
        int64_t quota = k->c[C_QUEUE_QUOTA_NOW + kind].i64[q];
        if (quota != LSCHED_UNLIMITED && sum <= LSCHED_AMOUNT_MAX - quota) sum += quota;
    }
    return sum;
}

/* Guarantees count GPUs of every model and mode. Therefore the sum of all guarantees can be larger
 * than the number of whole GPUs that the job's tasks can use. Then some queue whose tasks need
 * whole GPUs cannot get its guarantee, even by reclaim, and the function writes a warning. */
static void explain_unusable(const struct explain *e) {
    const struct columns *k = e->k;
    uint32_t shape = waiting_shape(k, &e->w);
    int whole =
        k->c[C_SHAPE_DEVICE_MILLI].u32[shape] == 1000 && !k->c[C_SHAPE_MIG_SLICES].u8[shape];
    if (e->kind != LSCHED_GPU || !whole || e->right[0][0].guarantee <= 0) return;
    int64_t all = guaranteed_in_all(k, LSCHED_GPU), usable = gpus_usable(k, shape);
    if (all <= usable) return;
    PUT_LINE(e->o, "guarantees",
             "%s are guaranteed in all, but such tasks can have only %s: MIG slices, "
             "devices of other models and devices that do not exist are not counted\n",
             shown_amount(k, LSCHED_GPU, all).text, shown_number(LSCHED_GPU, usable).text);
}

void explain_queue_all(const struct explain *e) {
    int waits = e->w.code != LSCHED_WAIT_NONE && e->w.code != LSCHED_WAIT_NOMINATED;
    for (uint32_t level = 0; level < e->n_path; level++) {
        if (!e->has_rights) {
            plain_line(e, level);
            continue;
        }
        quota_line(e, 0, level, waits);
        for (uint32_t i = 1; waits && i < e->n_kinds; i++)
            if (class_of(e, i, level) > class_of(e, 0, level)) quota_line(e, i, level, waits);
    }
    if (waits && e->has_rights) explain_unusable(e);
}
