/* door.c -- see door.h. */
#include "api/door/door.h"

#include "api/door/args.h"
#include "base/short_names.h"
#include "base/text_out.h"
#include "model/told/change_feed.h"

#define ELEMENT_WORDS_MAX 128 /* largest size of an element's struct, in words of 8 bytes */

void door_watch(struct lsched_cluster *c, door_watch_fn fn, void *user) {
    c->watch = fn;
    c->watch_user = user;
}

static const void *call_element(const struct call *call, size_t i) {
    return (const char *)call->elements + i * call->elem_size;
}

#define CUT_NAME_BYTES 48u /* least length of a name that a message quotes without its end */

/* True if the message contains the shown name in quotes, as messages write names: whole, without
 * its middle (short_names.h) or without its end. Without the quotes, the name of a job called "a"
 * would be found in each message with the letter a. */
static int message_names(const char *message, const char *name) {
    for (const char *at = strchr(message, '\''); at; at = strchr(at + 1, '\'')) {
        size_t same = 0;
        while (name[same] && at[1 + same] == name[same]) same++;
        const char *then = at + 1 + same;
        if (*then == '\'' && (!name[same] || same >= CUT_NAME_BYTES)) return 1;
        if (same + 4 > SHORT_NAMES_KEPT && strncmp(then, "...", 3) == 0) return 1;
    }
    return 0;
}

/* Returns the name of the object that element i refers to; empty if the name cannot be read. */
static lsched_text element_name(const struct columns *k, const struct call *call, size_t i) {
    const struct call_kind *kind = call->kind;
    uint64_t copy[ELEMENT_WORDS_MAX];
    lsched_text name = {"", 0};
    lsched_id id = 0;
    assert(kind->struct_size <= sizeof copy);
    if (!kind->what || arg_struct(copy, kind->struct_size, call_element(call, i), call->elem_size,
                                  "", NULL) != LSCHED_OK)
        return name;
    if (kind->name_at) memcpy(&name, (const char *)copy + kind->name_at, sizeof name);
    if (kind->id_at) memcpy(&id, (const char *)copy + kind->id_at, sizeof id);
    return id ? arg_name_of(k, id) : arg_text(name);
}

/* Sets the status of a bad element. For the first bad element of the batch, also stores the
 * error, with the element's name before the message. */
static void element_failed(const struct lsched_cluster *c, const struct call *call, size_t i,
                           int32_t rc, lsched_error *err, lsched_error *mine, int32_t *first) {
    if (call->status) call->status[i] = rc;
    if (call->ids) call->ids[i] = 0;
    if (*first != LSCHED_OK) return;
    *first = rc;
    if (!err) return;
    fail_plain(mine, rc);
    lsched_text name = element_name(&c->k, call, i);
    if (name.len && !message_names(mine->message, shown(name).text)) {
        char message[LSCHED_MESSAGE_BYTES];
        uint32_t line = mine->line, column = mine->column;
        memcpy(message, mine->message, sizeof message);
        fail(mine, rc, "%s '%.*s': %s", call->kind->what, (int)name.len, name.ptr, message);
        mine->line = line;
        mine->column = column;
    }
    mine->index = call->kind->is_single ? -1 : (int64_t)i;
    err_copy(err, mine);
}

/* What apply_all() has done: the code of the first bad element, the number of elements that were
 * applied, and the number of those among them that changed nothing. */
struct door_sum {
    int32_t first;
    size_t applied, unchanged;
};

/* Tells the change feed what element i names. An invalid element names nothing that exists. */
static void element_begins(struct columns *k, const struct call *call, size_t i) {
    const struct call_kind *kind = call->kind;
    const char *at = call_element(call, i);
    struct change_element e = {.element = i, .kind = kind->object, .index = NO_ROW};
    if (!k->changes) return;
    uint32_t size = kind->is_id ? sizeof(lsched_id) : 0;
    if (kind->object && !kind->is_id && call->elem_size >= sizeof size)
        memcpy(&size, at, sizeof size);
    if (size > call->elem_size) size = 0;
    if (kind->is_id || (kind->object && kind->id_at && kind->id_at + sizeof e.id <= size))
        memcpy(&e.id, at + kind->id_at, sizeof e.id);
    if (!e.id && kind->object && kind->name_at && kind->name_at + sizeof e.name <= size) {
        memcpy(&e.name, at + kind->name_at, sizeof e.name);
        e.name = arg_text(e.name);
    }
    if (kind->task_at && kind->task_at + sizeof e.index <= size)
        memcpy(&e.index, at + kind->task_at, sizeof e.index);
    e.id = id_outside(k, e.id);
    change_feed_element(k, &e);
}

static int32_t apply_all(struct lsched_cluster *c, const struct call *call, lsched_error *err,
                         struct door_sum *sum) {
    struct columns *k = &c->k;
    lsched_error mine = LSCHED_ERROR_INIT;
    for (size_t i = 0; i < call->n; i++) {
        int32_t rc = undo_room(k);
        size_t mark = undo_mark(k);
        if (err) err_clear(&mine, (uint32_t)sizeof mine);
        element_begins(k, call, i);
        if (rc == LSCHED_OK)
            rc = call->kind->apply(c, call, i, call_element(call, i), err ? &mine : NULL);
        int same = rc == LSCHED_UNCHANGED && call_is_idempotent(call);
        if (rc < 0 || same) undo_rollback(k, mark);
        if (rc >= 0) {
            if (call->status) call->status[i] = same ? LSCHED_UNCHANGED : LSCHED_OK;
            sum->applied++;
            sum->unchanged += (size_t)same;
            continue;
        }
        if (rc == LSCHED_E_NOMEM) return rc;
        element_failed(c, call, i, rc, err, &mine, &sum->first);
    }
    return LSCHED_OK;
}

/* Records that a call has changed the state: the open pass is not up to date any more, and moves
 * that were sought in vain can be possible now. */
static void note_call(struct columns *k) {
    if (meta(k, M_PASS_AT)) set_meta(k, M_PASS_NEWS, 1);
    if (meta(k, M_MOVES_VAIN)) set_meta(k, M_MOVES_VAIN, 0);
}

/* Checks that the call can be applied at all. */
static int32_t door_check(const struct lsched_cluster *c, const struct call *call,
                          lsched_error *err) {
    if (c->busy) return arg_busy(err);
    if (call->flags & ~(uint32_t)(LSCHED_BATCH_PARTIAL | LSCHED_BATCH_IDEMPOTENT))
        return fail(err, LSCHED_E_INVAL,
                    "batch options: unknown flags %#x; expected LSCHED_BATCH_PARTIAL and "
                    "LSCHED_BATCH_IDEMPOTENT",
                    call->flags);
    if (call->n && !call->elements)
        return fail(err, LSCHED_E_NULL, "the batch has %zu elements, but its pointer is NULL",
                    call->n);
    if (call->n > LIMIT_BATCH_MAX)
        return fail(err, LSCHED_E_LIMIT, "a batch of %zu elements; at most %u", call->n,
                    LIMIT_BATCH_MAX);
    return LSCHED_OK;
}

int32_t door_apply(struct lsched_cluster *c, const struct call *call, lsched_error *err) {
    struct columns *k = &c->k;
    int32_t rc = door_check(c, call, err);
    if (rc != LSCHED_OK) return rc;
    struct door_sum sum = {LSCHED_OK, 0, 0};
    rc = undo_begin(k);
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    c->busy = 1;
    change_feed_begin(k, call->kind->op);
    if (call->kind->begin) rc = call->kind->begin(c, call, err);
    if (rc == LSCHED_OK) rc = apply_all(c, call, err, &sum);
    if (rc == LSCHED_OK && sum.first && !(call->flags & LSCHED_BATCH_PARTIAL)) rc = sum.first;
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK && (sum.applied > sum.unchanged || call->n == 0)) note_call(k);
    if (rc != LSCHED_OK) undo_rollback(k, 0);
    if (rc != LSCHED_OK && call->ids) memset(call->ids, 0, call->n * sizeof *call->ids);
    undo_end(k);
    if (rc == LSCHED_OK && c->watch) c->watch(c->watch_user, call);
    c->busy = 0;
    if (rc != LSCHED_OK) return rc == sum.first ? rc : fail_plain(err, rc);
    return (int32_t)sum.applied;
}

int32_t door_batch(struct lsched_cluster *c, const struct call *call, const lsched_batch_opts *opts,
                   lsched_error *err) {
    struct call all = *call;
    lsched_batch_opts o = LSCHED_BATCH_OPTS_INIT;
    int32_t rc = err_begin(err);
    if (rc != LSCHED_OK) return rc;
    if (!c) return fail(err, LSCHED_E_NULL, "cluster is NULL");
    if (opts) rc = arg_struct(&o, sizeof o, opts, 0, "batch options", err);
    if (rc == LSCHED_OK)
        rc = arg_stride(call->elements, call->n, call->elem_size, "the batch", &all.elem_size, err);
    if (rc != LSCHED_OK) return rc;
    all.flags = o.flags;
    return door_apply(c, &all, err);
}
