/* verify_replay.c -- see verify_replay.h. All arrays are one block of memory. */
#include "engine/verify_plan/verify_replay.h"

#include "engine/verify/verify_device.h"
#include "engine/verify/verify_guarantees.h"
#include "engine/verify/verify_read.h"
#include "engine/verify/verify_resource_part.h"

void verify_replay_charge(struct replay *y, uint32_t task, int sign) {
    const struct columns *k = y->c->k;
    uint32_t queues = table_rows(k, T_QUEUE), queue = verify_queue_of(k, task);
    for (uint32_t r = 1; r < verify_kinds(k); r++)
        verify_add_up(k, queue, y->used + (size_t)r * queues, 1,
                      sign * verify_device_amount(k, task, r));
    for (uint32_t d = 0; d < table_rows(k, T_DERIVED); d++)
        verify_add_up(k, queue, y->parts + (size_t)d * queues, 1,
                      sign * (wide_i128)verify_resource_part_held(k, task, d));
    y->held[k->c[C_TASK_LEAF].u32[task]] += (uint32_t)sign;
}

void verify_replay_resize(struct replay *y, uint32_t task) {
    const struct columns *k = y->c->k;
    uint32_t queues = table_rows(k, T_QUEUE), queue = verify_queue_of(k, task),
             size = k->c[C_TASK_SIZE].u32[task];
    wide_i128 more[KINDS_MAX] = {0};
    if (size == 0) return;
    for (uint32_t r = 1; r < verify_kinds(k); r++) {
        if (r == LSCHED_GPU) continue;
        more[r] = (wide_i128)k->c[C_SHAPE_REQ + r].i64[k->c[C_RESIZE_SHAPE].u32[size - 1]] -
                  k->c[C_SHAPE_REQ + r].i64[k->c[C_RESIZE_REAL].u32[size - 1]];
        verify_add_up(k, queue, y->used + (size_t)r * queues, 1, -more[r]);
    }
    for (uint32_t d = 0; d < table_rows(k, T_DERIVED); d++) {
        uint32_t base = k->c[C_DERIVED_BASE].u32[d];
        if (base != LSCHED_GPU && verify_resource_part_held(k, task, d))
            verify_add_up(k, queue, y->parts + (size_t)d * queues, 1, -more[base]);
    }
}

static void load(struct replay *y) {
    const struct columns *k = y->c->k;
    size_t queues = table_rows(k, T_QUEUE);
    for (uint32_t q = 0; q < queues; q++)
        for (uint32_t r = 1; r < verify_kinds(k); r++)
            y->used[queues * r + q] = k->c[C_QUEUE_USED + r].i64[q];
    for (uint32_t a = 0; a < table_rows(k, T_QAMOUNT); a++)
        if (row_is_live(k, T_QAMOUNT, a))
            y->parts[queues * k->c[C_QAMOUNT_DERIVED].u32[a] + k->c[C_QAMOUNT_QUEUE].u32[a]] =
                k->c[C_QAMOUNT_USED].i64[a];
    for (uint32_t l = 0; l < table_rows(k, T_LEAF); l++)
        y->held[l] = k->c[C_LEAF_PLACED].u32[l] + k->c[C_LEAF_DONE].u32[l];
    verify_guarantees(k, y->right);
}

int32_t verify_replay_open(struct replay *y) {
    const struct columns *k = y->c->k;
    size_t amounts = (size_t)table_rows(k, T_QUEUE) * verify_kinds(k),
           leaves = table_rows(k, T_LEAF), jobs = table_rows(k, T_JOB);
    size_t parts = (size_t)table_rows(k, T_QUEUE) * table_rows(k, T_DERIVED);
    y->words = (table_rows(k, T_DERIVED) + 63u) / 64;
    y->bytes = (amounts + parts) * sizeof *y->used + amounts * sizeof *y->right +
               y->plan->n * y->words * sizeof *y->entitled + jobs * sizeof *y->job +
               (leaves + y->plan->n) * sizeof(uint32_t) + sizeof *y->used + table_rows(k, T_QUEUE);
    y->used = alloc_zero(k->alloc, y->bytes);
    if (!y->used) return check_nomem(y->c);
    y->parts = y->used + amounts;
    y->right = (int64_t *)(void *)(y->parts + parts);
    y->entitled = (uint64_t *)(void *)(y->right + amounts);
    y->job = (struct replayed_job *)(void *)(y->entitled + y->plan->n * y->words);
    y->held = (uint32_t *)(void *)(y->job + jobs);
    y->unit_at = y->held + leaves;
    y->unknown = (uint8_t *)(y->unit_at + y->plan->n);
    y->withdrawn = y->plan->under->n_withdrawn;
    for (size_t i = 0; i < y->plan->n; i++)
        if (evicts(y, i)) y->job[job_at(y, i)].loses = 1;
    load(y);
    return LSCHED_OK;
}

void verify_replay_close(struct replay *y) {
    alloc_free(y->c->k->alloc, y->used, y->bytes);
}
