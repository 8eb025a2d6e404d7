/* change_feed.c -- see change_feed.h. */
#include "model/told/change_feed.h"

#include "model/store/index.h"
#include "model/store/intern.h"
#include "model/told/tally.h"

/* A record: this head, then the bytes of four names. A record does not go over the end of the ring;
 * a record of kind 0 fills the rest. `bytes` is a multiple of 16, the size of such a filler. */
struct change_head {
    uint64_t at; /* its own position, by which a reader knows that its cursor is at a record */
    uint32_t bytes, kind;
};
struct change_record {
    struct change_head head;
    uint32_t because, call, decision_kind, held;
    uint64_t element;
    int64_t at_us, task_index, until_us;
    lsched_id cause, decision, job, node, queue, run;
    uint64_t job_tag, node_tag;
    uint32_t names[4]; /* lengths in bytes: job, node, queue, cause */
};
enum { NAME_JOB, NAME_NODE, NAME_QUEUE, NAME_CAUSE };
_Static_assert(sizeof(struct change_head) == 16 && sizeof(struct change_record) % 16 == 0,
               "records begin at multiples of 16");
_Static_assert(LSCHED_CHANGES_BYTES_MIN / 2 >=
                   2 * (sizeof(struct change_record) + 4 * (LSCHED_NAME_BYTES_MAX + 1)),
               "half of the smallest ring has room for a record and a filler");

int32_t change_feed_open(struct columns *k, uint64_t bytes) {
    struct changes *f = alloc_zero(k->alloc, sizeof *f);
    if (!f) return LSCHED_E_NOMEM;
    f->cap = bytes / 32 * 32;
    f->bytes = alloc_zero(k->alloc, (size_t)f->cap);
    if (!f->bytes) {
        alloc_free(k->alloc, f, sizeof *f);
        return LSCHED_E_NOMEM;
    }
    k->changes = f;
    return LSCHED_OK;
}

void change_feed_close(struct columns *k) {
    struct changes *f = k->changes;
    if (!f) return;
    alloc_free(k->alloc, f->bytes, (size_t)f->cap);
    alloc_free(k->alloc, f, sizeof *f);
    k->changes = NULL;
}

/* The position moves, so that a reader at the end also learns that its changes are gone. */
void change_feed_clear(struct columns *k) {
    if (!k->changes) return;
    k->changes_kept += 16;
    k->changes->first = k->changes_kept;
}

/* ---- what the call names ---- */

void change_feed_begin(struct columns *k, uint32_t call) {
    static const struct change_element none = {.index = NO_ROW};
    struct changes *f = k->changes;
    if (!f) return;
    f->call = call;
    f->told_call = f->whole_call ? f->whole_call : call;
    f->group = meta(k, M_GROUP_SERIAL);
    change_feed_element(k, &none);
}

void change_feed_element(struct columns *k, const struct change_element *e) {
    struct changes *f = k->changes;
    uint32_t row = (uint32_t)e->id;
    if (!f) return;
    k->changes_why = LSCHED_BECAUSE_NONE;
    f->element = e->element;
    f->named = e->id;
    f->kind = e->id ? LSCHED_ID_KIND(e->id) : e->kind;
    f->name = e->name;
    f->index = e->index;
    f->job = NO_ROW;
    if (f->kind == LSCHED_KIND_JOB) {
        if (!e->id && e->name.len) row = name_find(k, T_IX_JOB, e->name.ptr, (size_t)e->name.len);
        if (row_is_live(k, T_JOB, row)) f->job = row;
    } else if (f->kind == LSCHED_KIND_DECISION && row_is_live(k, T_DECISION, row)) {
        uint32_t task = k->c[C_DECISION_TASK].u32[row];
        f->job = k->c[C_TASK_JOB].u32[task];
    }
}

void change_feed_whole_call(struct columns *k, uint32_t call) {
    if (k->changes) k->changes->whole_call = call;
}

/* True if a change of this kind of the job, or of its tasks and decisions, is what the element asks
 * for: the end of the job, or that the job is held no longer. */
static int change_feed_asked(const struct changes *f, uint32_t kind, uint32_t job) {
    if (f->job != job) return 0;
    return f->call == LSCHED_CALL_JOBS_REMOVE || f->call == LSCHED_CALL_JOBS_COMPLETE ||
           (f->call == LSCHED_CALL_JOBS_UPDATE && kind == LSCHED_CHANGE_RELEASED);
}

static int names_task(const struct columns *k, uint32_t task) {
    const struct changes *f = k->changes;
    return f->kind == LSCHED_KIND_JOB && f->job == k->c[C_TASK_JOB].u32[task] &&
           f->index == k->c[C_TASK_INDEX].u32[task];
}

/* ---- writing records ---- */

struct change_note {
    uint32_t kind, job, node, task, decision, held;
    int64_t until;
};

static lsched_id change_feed_id(const struct columns *k, uint32_t kind, uint32_t gen,
                                uint32_t row) {
    return (uint64_t)kind << 60 | (uint64_t)k->c[gen].u32[row] << 32 | row;
}

/* Sets the object that the element of the call names, and its name. */
static void change_feed_put_cause(const struct columns *k, struct change_record *r,
                                  lsched_text *name) {
    const struct changes *f = k->changes;
    uint32_t row = (uint32_t)f->named;
    r->cause = f->named;
    if (!f->named && f->name.len) {
        *name = f->name;
        if (f->kind == LSCHED_KIND_NODE) {
            row = name_find(k, T_IX_NODE, f->name.ptr, (size_t)f->name.len);
            if (row != NO_ROW) r->cause = change_feed_id(k, LSCHED_KIND_NODE, C_NODE_GEN, row);
        } else if (f->kind == LSCHED_KIND_QUEUE) {
            row = name_find(k, T_IX_QUEUE, f->name.ptr, (size_t)f->name.len);
            if (row != NO_ROW) r->cause = change_feed_id(k, LSCHED_KIND_QUEUE, C_QUEUE_GEN, row);
        } else if (f->job != NO_ROW) {
            r->cause = change_feed_id(k, LSCHED_KIND_JOB, C_JOB_GEN, f->job);
        }
    } else if (f->job != NO_ROW) {
        *name = text_of(k, k->c[C_JOB_NAME].u32[f->job]);
    } else if (f->kind == LSCHED_KIND_NODE && row_is_live(k, T_NODE, row)) {
        *name = text_of(k, k->c[C_NODE_NAME].u32[row]);
    } else if (f->kind == LSCHED_KIND_QUEUE && row_is_live(k, T_QUEUE, row)) {
        *name = text_of(k, k->c[C_QUEUE_NAME].u32[row]);
    }
}

static void put_objects(const struct columns *k, const struct change_note *n,
                        struct change_record *r, lsched_text *names) {
    uint32_t queue = k->c[C_JOB_QUEUE].u32[n->job];
    r->job = change_feed_id(k, LSCHED_KIND_JOB, C_JOB_GEN, n->job);
    r->job_tag = k->c[C_JOB_TAG].u64[n->job];
    r->queue = change_feed_id(k, LSCHED_KIND_QUEUE, C_QUEUE_GEN, queue);
    names[NAME_JOB] = text_of(k, k->c[C_JOB_NAME].u32[n->job]);
    names[NAME_QUEUE] = text_of(k, k->c[C_QUEUE_NAME].u32[queue]);
    if (n->node != NO_ROW) {
        r->node = change_feed_id(k, LSCHED_KIND_NODE, C_NODE_GEN, n->node);
        r->node_tag = k->c[C_NODE_TAG].u64[n->node];
        names[NAME_NODE] = text_of(k, k->c[C_NODE_NAME].u32[n->node]);
    }
    if (n->decision != NO_ROW) {
        r->decision = change_feed_id(k, LSCHED_KIND_DECISION, C_DECISION_GEN, n->decision);
        r->decision_kind = k->c[C_DECISION_KIND].u8[n->decision];
    }
    r->task_index = LSCHED_NO_TASK;
    if (n->task == NO_ROW) return;
    r->task_index = k->c[C_TASK_INDEX].u32[n->task];
    if (n->kind == LSCHED_CHANGE_LOST || n->kind == LSCHED_CHANGE_GONE ||
        n->kind == LSCHED_CHANGE_OVERDUE)
        r->run = k->c[C_TASK_RUN].u64[n->task];
}

/* Returns the place for a record of so many bytes after the records of the present call; NULL if
 * the call has used up its half of the ring. */
static uint8_t *change_feed_room(struct columns *k, uint32_t bytes) {
    struct changes *f = k->changes;
    uint64_t at = k->changes_kept + k->changes_pending, in = at % f->cap;
    if (in + bytes > f->cap) {
        struct change_head filler = {at, (uint32_t)(f->cap - in), 0};
        if (k->changes_pending + filler.bytes <= f->cap / 2)
            memcpy(f->bytes + in, &filler, sizeof filler);
        k->changes_pending += filler.bytes;
        in = 0;
    }
    k->changes_pending += bytes;
    return k->changes_pending <= f->cap / 2 ? f->bytes + in : NULL;
}

/* Returns the reason of changes that have only one; 0 for the others, which have that of
 * change_feed_because(). */
static uint32_t own_reason(uint32_t kind) {
    switch (kind) {
    case LSCHED_CHANGE_SEATED: return LSCHED_BECAUSE_ROOM;
    case LSCHED_CHANGE_MOVE_ENDED: return LSCHED_BECAUSE_GROUP;
    case LSCHED_CHANGE_OVERDUE: return LSCHED_BECAUSE_TIME;
    case LSCHED_CHANGE_HELD: return LSCHED_BECAUSE_STOP;
    case LSCHED_CHANGE_STALE:
    case LSCHED_CHANGE_REPAIRED: return LSCHED_BECAUSE_GANG;
    case LSCHED_CHANGE_ENDED: return LSCHED_BECAUSE_JOB;
    case LSCHED_CHANGE_BACKOFF: return LSCHED_BECAUSE_FAILURE;
    case LSCHED_CHANGE_AVOIDED: return LSCHED_BECAUSE_REFUSAL;
    default: return 0;
    }
}

/* Why the change is made, LSCHED_BECAUSE_*. */
static uint32_t change_feed_why(const struct columns *k, const struct change_note *n) {
    const struct changes *f = k->changes;
    uint32_t own = own_reason(n->kind);
    /* a job that a cycle removes is not over by itself */
    if (own && !(n->kind == LSCHED_CHANGE_ENDED && k->changes_why)) return own;
    int expires = f->expires && n->kind == LSCHED_CHANGE_WITHDRAWN && n->decision != NO_ROW &&
                  k->c[C_DECISION_GROUP].u64[n->decision] == f->expires;
    return expires ? LSCHED_BECAUSE_EXPIRED : k->changes_why;
}

static void change_feed_note(struct columns *k, const struct change_note *n) {
    struct changes *f = k->changes;
    lsched_text names[4] = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
    struct change_record r = {.because = change_feed_why(k, n),
                              .call = f->told_call,
                              .held = n->held,
                              .element = f->element,
                              .at_us = (int64_t)meta(k, M_NOW),
                              .until_us = n->until};
    put_objects(k, n, &r, names);
    change_feed_put_cause(k, &r, &names[NAME_CAUSE]);
    uint64_t bytes = sizeof r;
    for (int i = 0; i < 4; i++) bytes += r.names[i] = (uint32_t)names[i].len;
    r.head.bytes = (uint32_t)((bytes + 15) / 16 * 16);
    r.head.kind = n->kind;
    undo_log_changes(k);
    uint32_t word = n->kind < LSCHED_COUNTED_CODES
                        ? TALLY_CHANGES + n->kind
                        : TALLY_CHANGES_MORE + n->kind - LSCHED_COUNTED_CODES;
    if (word < TALLY_WORDS) tally_add(k, k->c[C_JOB_QUEUE].u32[n->job], word);
    uint8_t *to = change_feed_room(k, r.head.bytes);
    if (!to) return;
    r.head.at = k->changes_kept + k->changes_pending - r.head.bytes;
    memcpy(to, &r, sizeof r);
    to += sizeof r;
    for (int i = 0; i < 4; i++) {
        if (names[i].len) memcpy(to, names[i].ptr, (size_t)names[i].len);
        to += names[i].len;
    }
}

void change_feed_expires(struct columns *k, uint64_t group) {
    if (k->changes) k->changes->expires = group;
}

/* True if changes are noted at all. Outside an undo scope, a cluster is being made. */
static int change_feed_is_on(const struct columns *k) {
    return k->changes && k->undo_depth > 0;
}

void change_feed_note_decision(struct columns *k, uint32_t kind, uint32_t task) {
    uint32_t d = k->c[C_TASK_DECISION].u32[task];
    if (!change_feed_is_on(k) || d == NO_ROW) return;
    const struct changes *f = k->changes;
    /* A decision of this call was never told to anybody, unless it follows SEATED. */
    if ((f->call == LSCHED_CALL_SCHEDULE || f->call == LSCHED_CALL_ADOPT) &&
        k->c[C_DECISION_GROUP].u64[d] > f->group && !k->c[C_DECISION_SEATED].u8[d])
        return;
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    if (names_task(k, task) || change_feed_asked(f, kind, job) ||
        f->named == change_feed_id(k, LSCHED_KIND_DECISION, C_DECISION_GEN, d))
        return;
    struct change_note n = {
        .kind = kind, .job = job, .node = k->c[C_TASK_NODE].u32[task], .task = task, .decision = d};
    change_feed_note(k, &n);
}

void change_feed_note_task(struct columns *k, uint32_t kind, uint32_t task) {
    uint32_t job = k->c[C_TASK_JOB].u32[task];
    if (!change_feed_is_on(k) || names_task(k, task) || change_feed_asked(k->changes, kind, job))
        return;
    struct change_note n = {.kind = kind,
                            .job = job,
                            .node = k->c[C_TASK_NODE].u32[task],
                            .task = task,
                            .decision = k->c[C_TASK_DECISION].u32[task]};
    change_feed_note(k, &n);
}

void change_feed_note_job(struct columns *k, uint32_t kind, uint32_t job, uint32_t node,
                          uint32_t held, int64_t until) {
    if (!change_feed_is_on(k) || change_feed_asked(k->changes, kind, job)) return;
    struct change_note n = {.kind = kind,
                            .job = job,
                            .node = node,
                            .task = NO_ROW,
                            .decision = NO_ROW,
                            .held = held,
                            .until = until};
    change_feed_note(k, &n);
}

/* ---- reading records ---- */

/* Returns the first position that can be read: records before it can have been overwritten, or
 * were not stored. */
static uint64_t first_of(const struct columns *k) {
    const struct changes *f = k->changes;
    uint64_t half = f->cap / 2, kept = k->changes_kept;
    return kept > half && kept - half > f->first ? kept - half : f->first;
}

/* Copies the record at the position, which must be before the end, to *r. Returns 0 if no whole
 * record is there. */
static int record_at(const struct columns *k, uint64_t at, struct change_record *r) {
    const struct changes *f = k->changes;
    uint64_t in = at % f->cap, left = f->cap - in, names = 0;
    memset(r, 0, sizeof *r);
    if (at % 16) return 0;
    memcpy(&r->head, f->bytes + in, sizeof r->head);
    if (r->head.at != at || r->head.bytes < sizeof r->head || r->head.bytes > left ||
        r->head.bytes > k->changes_kept - at)
        return 0;
    if (r->head.kind == 0) return 1;
    if (r->head.bytes < sizeof *r) return 0;
    memcpy(r, f->bytes + in, sizeof *r);
    for (int i = 0; i < 4; i++) names += r->names[i];
    return names <= r->head.bytes - sizeof *r;
}

static void change_of(const struct changes *f, const struct change_record *r, lsched_change *out) {
    const char *at = (const char *)f->bytes + r->head.at % f->cap + sizeof *r;
    lsched_text names[4];
    for (int i = 0; i < 4; i++) {
        names[i] = (lsched_text){at, r->names[i]};
        at += r->names[i];
    }
    *out = (lsched_change){.size = sizeof *out,
                           .kind = r->head.kind,
                           .because = r->because,
                           .call = r->call,
                           .element = r->element,
                           .at_us = r->at_us,
                           .cause = r->cause,
                           .decision = r->decision,
                           .job = r->job,
                           .job_tag = r->job_tag,
                           .node = r->node,
                           .node_tag = r->node_tag,
                           .queue = r->queue,
                           .task_index = r->task_index,
                           .decision_kind = r->decision_kind,
                           .held = r->held,
                           .until_us = r->until_us,
                           .job_name = names[NAME_JOB],
                           .node_name = names[NAME_NODE],
                           .queue_name = names[NAME_QUEUE],
                           .cause_name = names[NAME_CAUSE],
                           .run = r->run};
}

int32_t change_feed_read(const struct columns *k, uint64_t *cursor, lsched_change *out) {
    const struct changes *f = k->changes;
    struct change_record r;
    while (*cursor < k->changes_kept && *cursor >= first_of(k) && record_at(k, *cursor, &r)) {
        *cursor += r.head.bytes;
        if (r.head.kind == 0) continue;
        change_of(f, &r, out);
        return 1;
    }
    if (*cursor == k->changes_kept && *cursor >= f->first) return 0;
    *cursor = k->changes_kept;
    return LSCHED_E_GONE;
}
