/* run_fields.c -- see run_fields.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text_out.h"
#include "config/read/old_names.h"
#include "config/steps/expect_fields.h"
#include "config/run/run_fields.h"
#include "config/run/run_names.h"
#include "config/run/run_report.h"

int check_compare(const struct expectation *c, int64_t got) {
    switch ((enum compare)c->compare) {
    case COMPARE_EQ: return got == c->value;
    case COMPARE_NE: return got != c->value;
    case COMPARE_LT: return got < c->value;
    case COMPARE_LE: return got <= c->value;
    case COMPARE_GT: return got > c->value;
    case COMPARE_GE: return got >= c->value;
    }
    return 0;
}

/* ---- values as text ---- */

/* Returns a time as a text in the form of a scenario: as an offset from the start of the
 * scenario. */
static struct quote value_time(const struct runner *r, int64_t at_us) {
    struct quote q = {{0}};
    if (at_us == LSCHED_NEVER_US)
        memcpy(q.text, "never", 6);
    else
        units_format(UNITS_DURATION_US, at_us - r->scenario->start_us, q.text, sizeof q.text);
    return q;
}

static struct quote value_units(uint32_t units, int64_t value) {
    struct quote q = {{0}};
    if (value == LSCHED_UNLIMITED)
        memcpy(q.text, "unlimited", 10);
    else
        units_format((enum units_kind)units, value, q.text, sizeof q.text);
    return q;
}

static struct quote value_text(const struct runner *r, const struct expectation *c,
                               const struct expect_field *row, int64_t value) {
    struct quote q = {{0}};
    const char *word = "";
    switch ((enum value_type)row->type) {
    case VALUE_TIME: return value_time(r, value);
    case VALUE_HASH: snprintf(q.text, sizeof q.text, "0x%016" PRIx64, (uint64_t)value); return q;
    case VALUE_AMOUNT:
        return value_units((uint32_t)scn_kind_units(r->scenario, c->resource), value);
    case VALUE_FLAG: word = value ? "true" : "false"; break;
    case VALUE_CODE: word = lsched_error_name((int32_t)value); break;
    case VALUE_EVICT: word = lsched_no_victim_name((uint32_t)value); break;
    case VALUE_REASON: word = old_name_word(lsched_reason_name((uint32_t)value)); break;
    default: return value_units(row->units, value);
    }
    snprintf(q.text, sizeof q.text, "%s", word);
    return q;
}

static struct quote value_subject(const struct expectation *c) {
    struct quote q = {{0}};
    int task = c->object == OBJECT_TASK || c->object == OBJECT_DECISION;
    const lsched_text *name = task ? &c->task.job : &c->subject;
    snprintf(q.text, sizeof q.text, "%s%s%.*s", expect_objects[c->object], name->ptr ? " " : "",
             (int)name->len, name->ptr ? name->ptr : "");
    return q;
}

/* ---- fields ---- */

static int64_t field_number(const struct expect_field *row, const void *info) {
    const char *at = (const char *)info + row->offset;
    uint32_t u32 = 0;
    int32_t i32 = 0;
    int64_t i64 = 0;
    switch ((enum value_type)row->type) {
    case VALUE_EVICT:
    case VALUE_REASON:
    case VALUE_U32: memcpy(&u32, at, sizeof u32); return u32;
    case VALUE_FLAG: memcpy(&u32, at, sizeof u32); return (u32 & row->bit) != 0;
    case VALUE_I32:
    case VALUE_CODE: memcpy(&i32, at, sizeof i32); return i32;
    default: memcpy(&i64, at, sizeof i64); return i64;
    }
}

static void field_text(struct runner *r, const struct expectation *c,
                       const struct expect_field *row, const void *info) {
    const char *at = row->offset == SIZE_MAX ? lsched_plan_policy_error(r->plan)
                                             : (const char *)info + row->offset;
    lsched_text got = {at, 0};
    if (row->type == VALUE_NAME) {
        lsched_id id = 0;
        memcpy(&id, at, sizeof id);
        got = run_name(r, id);
    } else {
        got.len = strlen(at);
    }
    int same = row->type == VALUE_PART
                   ? strstr(at, c->text.ptr) != NULL
                   : got.len == c->text.len && memcmp(got.ptr, c->text.ptr, got.len) == 0;
    if (!same)
        run_failed(r, c->mark, "expected %s of %s to %s \"%s\", got \"%.*s\"", row->name,
                   value_subject(c).text, row->type == VALUE_PART ? "say" : "be", c->text.ptr,
                   (int)got.len, got.ptr);
}

void check_field(struct runner *r, const struct expectation *c, const void *info) {
    const struct expect_field *row = &expect_fields[c->object][c->field];
    if (row->type == VALUE_TEXT || row->type == VALUE_PART || row->type == VALUE_NAME) {
        field_text(r, c, row, info);
        return;
    }
    int64_t got = field_number(row, info);
    if (!check_compare(c, got))
        run_failed(r, c->mark, "expected %s of %s to be %s%s, got %s", row->name,
                   value_subject(c).text, expect_compares[c->compare],
                   value_text(r, c, row, c->value).text, value_text(r, c, row, got).text);
}

/* Reads the wait record of a job from the last plan. If the cycle did not try the job because the
 * budget of the cycle was spent, the cluster has no wait reason for the job, but the plan has a
 * wait record. */
static void check_plan_waiting(const struct runner *r, lsched_id job, lsched_waiting *record) {
    size_t n = r->plan ? lsched_plan_waiting_size(r->plan) : 0;
    for (size_t i = 0; i < n; i++) {
        const lsched_waiting *waiting = lsched_plan_waiting_at(r->plan, i);
        if (waiting->job == job) *record = *waiting;
    }
}

int check_waiting(struct runner *r, const struct expectation *c, lsched_waiting *record, char *text,
                  size_t cap) {
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_id job = lsched_find(r->cluster, LSCHED_KIND_JOB, c->subject);
    *record = (lsched_waiting){.size = sizeof *record};
    text[0] = '\0';
    if (job && lsched_explain(r->cluster, job, text, cap, record, &err) >= 0) {
        if (record->code == LSCHED_WAIT_NONE) check_plan_waiting(r, job, record);
        return 1;
    }
    run_failed(r, c->mark, "expected job %.*s, got %s", (int)c->subject.len, c->subject.ptr,
               job ? err.message : "none of that name");
    return 0;
}

static lsched_id check_find(struct runner *r, const struct expectation *c, uint32_t kind) {
    lsched_id id = lsched_find(r->cluster, kind, c->subject);
    if (!id) run_failed(r, c->mark, "expected %s, got none of that name", value_subject(c).text);
    return id;
}

/* For each enum field_object that check_object_field() reads:
 *   size  size of the info struct in bytes
 *   kind  LSCHED_KIND_* of the object that the check names; 0: the check names no object */
static const struct {
    uint32_t size, kind;
} object_infos[OBJECTS] = {
    [OBJECT_JOB] = {sizeof(lsched_job_info), LSCHED_KIND_JOB},
    [OBJECT_QUEUE] = {sizeof(lsched_queue_info), LSCHED_KIND_QUEUE},
    [OBJECT_NODE] = {sizeof(lsched_node_info), LSCHED_KIND_NODE},
    [OBJECT_PLAN] = {sizeof(lsched_plan_info), 0},
    [OBJECT_CLUSTER] = {sizeof(lsched_cluster_stats), 0},
    [OBJECT_POLICY] = {sizeof(lsched_policy_info), 0},
    [OBJECT_SHARE] = {sizeof(lsched_queue_share), LSCHED_KIND_QUEUE},
};

int32_t check_object_field(struct runner *r, const struct expectation *c) {
    union {
        uint32_t size; /* each struct of the union begins with this member */
        lsched_job_info job;
        lsched_queue_info queue;
        lsched_node_info node;
        lsched_waiting waiting;
        lsched_plan_info plan;
        lsched_cluster_stats cluster;
        lsched_policy_info policy;
        lsched_queue_share share;
    } info;
    char text[256];
    uint32_t kind = object_infos[c->object].kind;
    lsched_id id = kind ? check_find(r, c, kind) : 0;
    int32_t code = 0;
    if (kind && !id) return 0;
    memset(&info, 0, sizeof info);
    info.size = object_infos[c->object].size;
    switch ((enum field_object)c->object) {
    case OBJECT_JOB: code = lsched_job_get(r->cluster, id, &info.job, NULL); break;
    case OBJECT_QUEUE: code = lsched_queue_get(r->cluster, id, &info.queue, NULL); break;
    case OBJECT_NODE: code = lsched_node_get(r->cluster, id, &info.node, NULL); break;
    case OBJECT_CLUSTER: code = lsched_cluster_stats_get(r->cluster, &info.cluster, NULL); break;
    case OBJECT_POLICY: code = lsched_policy_get(r->cluster, &info.policy, NULL); break;
    case OBJECT_SHARE:
        code = lsched_queue_share_get(r->cluster, id, c->resource, &info.share, NULL);
        break;
    case OBJECT_WAITING:
        if (!check_waiting(r, c, &info.waiting, text, sizeof text)) return 0;
        break;
    case OBJECT_PLAN:
        if (r->plan) code = lsched_plan_get(r->plan, &info.plan, NULL);
        if (r->plan) break;
        run_failed(r, c->mark, "expected a plan, got none before the first cycle");
        return 0;
    default: return 0; /* other functions check tasks and decisions */
    }
    if (code >= 0) check_field(r, c, &info);
    return code < 0 ? code : 0;
}

/* ---- amounts ---- */

int32_t check_amount(struct runner *r, const struct expectation *c) {
    lsched_waiting record;
    char text[256];
    int64_t got = 0, *out[AMOUNT_FIELDS] = {NULL};
    int32_t code = 0;
    const struct expect_field *row = &expect_fields[c->object][c->field];
    out[row->bit] = &got;
    if (c->object == OBJECT_WAITING) {
        if (!check_waiting(r, c, &record, text, sizeof text)) return 0;
        const int64_t amounts[] = {[AMOUNT_NEED] = record.need,
                                   [AMOUNT_HAVE] = record.have,
                                   [AMOUNT_EVICT_NEED] = record.evict_need,
                                   [AMOUNT_EVICT_HAVE] = record.evict_have};
        uint32_t kind = row->bit >= AMOUNT_EVICT_NEED ? record.evict_kind : record.kind;
        got = amounts[row->bit];
        if (kind != c->resource) {
            const char *name = lsched_resource_name(r->cluster, kind);
            run_failed(r, c->mark, "expected %s to refer to the resource %s, got %s",
                       value_subject(c).text, scn_kind_name(r->scenario, c->resource),
                       name ? name : "no resource");
            return 0;
        }
    } else {
        lsched_id id = check_find(r, c, object_infos[c->object].kind);
        if (!id) return 0;
        code = c->object == OBJECT_QUEUE
                   ? lsched_queue_amount(r->cluster, id, c->resource, out[AMOUNT_USED],
                                         out[AMOUNT_QUOTA], out[AMOUNT_LIMIT], NULL)
                   : lsched_node_amount(r->cluster, id, c->resource, out[AMOUNT_CAPACITY],
                                        out[AMOUNT_FREE], NULL);
    }
    if (code < 0) return code;
    uint32_t units = (uint32_t)scn_kind_units(r->scenario, c->resource);
    if (!check_compare(c, got))
        run_failed(r, c->mark, "expected %s %s of %s to be %s%s, got %s", row->name,
                   scn_kind_name(r->scenario, c->resource), value_subject(c).text,
                   expect_compares[c->compare], value_units(units, c->value).text,
                   value_units(units, got).text);
    return 0;
}

int32_t check_devices_free(struct runner *r, const struct expectation *c) {
    lsched_node_info info = {.size = sizeof info};
    lsched_id node = check_find(r, c, LSCHED_KIND_NODE);
    int32_t code = node ? lsched_node_get(r->cluster, node, &info, NULL) : 0;
    if (!node || code < 0) return code;
    if (info.n_devices != c->n)
        run_failed(r, c->mark, "expected %s to have %s, got %u", value_subject(c).text,
                   counted(c->n, "device").text, info.n_devices);
    for (uint32_t i = 0; i < c->n && i < info.n_devices; i++) {
        lsched_device_info device = {.size = sizeof device};
        code = lsched_device_get(r->cluster, node, i, &device, NULL);
        if (code < 0) return code;
        if (device.free_milli != (uint64_t)c->values[i])
            run_failed(r, c->mark, "expected device %u of %s to be %s free, got %s", i,
                       value_subject(c).text, value_units(UNITS_GPU_MILLI, c->values[i]).text,
                       value_units(UNITS_GPU_MILLI, device.free_milli).text);
    }
    return 0;
}

int32_t check_next_wake(struct runner *r, const struct expectation *c) {
    int64_t got = lsched_next_wake(r->cluster);
    if (got != c->value)
        run_failed(r, c->mark, "expected the next wake at %s, got %s", value_time(r, c->value).text,
                   value_time(r, got).text);
    return 0;
}
