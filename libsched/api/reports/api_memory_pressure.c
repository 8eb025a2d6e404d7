/* api_memory_pressure.c -- reports of devices whose memory ran out. Cost: O(tasks on the node)
 * for each report. */
#include "api/door/args.h"
#include "api/door/door.h"
#include "base/text_out.h"
#include "model/pressure/memory_pressure.h"

/* If the report names the task that could not get memory, checks that this task is on the
 * device. */
static int32_t check_asker(const struct columns *k, const lsched_collision *m, uint32_t node,
                           lsched_error *err) {
    uint32_t job, t;
    if (m->job == 0) {
        if (m->task_index == 0) return LSCHED_OK;
        return fail(err, LSCHED_E_INVAL, "memory pressure: task %u is named without a job",
                    m->task_index);
    }
    int32_t rc = arg_task(k, m->job, m->task_index, &job, &t, err);
    if (rc != LSCHED_OK) return rc;
    lsched_text name = text_of(k, k->c[C_JOB_NAME].u32[job]);
    if (t == NO_ROW || k->c[C_TASK_NODE].u32[t] != node ||
        !device_set_has(task_device_set(k, t), m->device))
        return fail(err, LSCHED_E_STATE, "task %u of job '%.*s' is not on that device",
                    m->task_index, (int)name.len, name.ptr);
    return LSCHED_OK;
}

static int32_t element_collision(struct lsched_cluster *c, const struct call *call, size_t i,
                                 const void *element, lsched_error *err) {
    struct columns *k = &c->k;
    lsched_collision m;
    uint32_t node;
    int32_t rc = arg_struct(&m, sizeof m, element, call->elem_size, "collision", err);
    if (rc == LSCHED_OK)
        rc = arg_reserved_at(m.reserved_zero, "reserved_zero", NULL, "collision", i, err);
    if (rc == LSCHED_OK) rc = arg_ref(k, m.node, m.node_name, LSCHED_KIND_NODE, &node, err);
    if (rc != LSCHED_OK) return rc;
    lsched_text name = text_of(k, k->c[C_NODE_NAME].u32[node]);
    if (m.device >= k->c[C_NODE_N_DEVICES].u8[node])
        return fail(err, LSCHED_E_RANGE, "node '%.*s' has %s; device %u does not exist",
                    (int)name.len, name.ptr,
                    counted(k->c[C_NODE_N_DEVICES].u8[node], "device").text, m.device);
    if (m.need_bytes < 0 || m.need_bytes > LSCHED_AMOUNT_MAX)
        return fail(err, LSCHED_E_RANGE, "collision: %lld bytes; expected 0 to 2^62",
                    (long long)m.need_bytes);
    rc = arg_time(m.at_us, "collision: at_us", err);
    if (rc == LSCHED_OK) rc = arg_reported(k, m.at_us, "collision: at_us", err);
    if (rc == LSCHED_OK) rc = check_asker(k, &m, node, err);
    if (rc != LSCHED_OK) return rc;
    struct memory_pressure_spec s = {.node = node,
                                     .device = m.device,
                                     .job = id_outside(k, m.job),
                                     .index = m.task_index,
                                     .need = m.need_bytes,
                                     .at = m.at_us ? m.at_us : (int64_t)meta(k, M_NOW)};
    return memory_pressure_note(k, &s);
}

static const struct call_kind call_collisions_report = {.op = CALL_COLLISIONS_REPORT,
                                                        .apply = element_collision};

LSCHED_API int32_t lsched_collisions_report(lsched_cluster *c, const lsched_collision *collisions,
                                            size_t n, size_t elem_size,
                                            const lsched_batch_opts *opts, int32_t *status,
                                            lsched_error *err) {
    struct call call = {.kind = &call_collisions_report,
                        .n = n,
                        .elem_size = elem_size,
                        .elements = collisions,
                        .status = status};
    return door_batch(c, &call, opts, err);
}
