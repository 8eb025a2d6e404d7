/* door.c -- see door.h. */
#include "api/door/door.h"

#include "api/door/args.h"

void door_watch(struct lsched_cluster *c, door_watch_fn fn, void *user) {
    c->watch = fn;
    c->watch_user = user;
}

const void *call_element(const struct call *call, size_t i) {
    return (const char *)call->elements + i * call->elem_size;
}

/* True if the message contains the name in quotes, as messages write names. A job called 'a' is
 * therefore not found in each message with the letter a. */
static int message_names(const char *message, lsched_text name) {
    size_t len = (size_t)name.len;
    for (const char *at = strchr(message, '\''); at; at = strchr(at + 1, '\''))
        if (strncmp(at + 1, name.ptr, len) == 0 && at[1 + len] == '\'') return 1;
    return 0;
}

/* Stores the error of the first bad element, with the element's name in front. Later bad elements
 * only set their status. */
static void element_failed(const struct lsched_cluster *c, const struct call *call, size_t i,
                           int32_t rc, lsched_error *err, lsched_error *mine, int32_t *first) {
    if (call->status) call->status[i] = rc;
    if (call->ids) call->ids[i] = 0;
    if (*first != LSCHED_OK) return;
    *first = rc;
    if (!err) return;
    fail_plain(mine, rc);
    lsched_text name = {"", 0};
    if (call->kind->name_of) name = call->kind->name_of(&c->k, call, i);
    if (name.len > 80) name.len = 80;
    if (name.len && !message_names(mine->message, name)) {
        char message[LSCHED_MESSAGE_BYTES];
        uint32_t line = mine->line, column = mine->column;
        memcpy(message, mine->message, sizeof message);
        fail(mine, rc, "%s '%.*s': %s", call->kind->what, (int)name.len, name.ptr, message);
        mine->line = line;
        mine->column = column;
    }
    mine->index = (int64_t)i;
    err_copy(err, mine);
}

static int32_t apply_all(struct lsched_cluster *c, const struct call *call, lsched_error *err,
                         int32_t *first, size_t *applied) {
    struct columns *k = &c->k;
    lsched_error mine = LSCHED_ERROR_INIT;
    for (size_t i = 0; i < call->n; i++) {
        int32_t rc = undo_room(k);
        size_t mark = undo_mark(k);
        if (err) lsched_error_init(&mine, (uint32_t)sizeof mine);
        if (rc == LSCHED_OK)
            rc = call->kind->apply(c, call, i, call_element(call, i), err ? &mine : NULL);
        if (rc >= 0) {
            if (call->status) call->status[i] = LSCHED_OK;
            ++*applied;
            continue;
        }
        if (rc == LSCHED_E_NOMEM) return rc;
        undo_rollback(k, mark);
        element_failed(c, call, i, rc, err, &mine, first);
    }
    return LSCHED_OK;
}

int32_t door_apply(struct lsched_cluster *c, const struct call *call, lsched_error *err) {
    struct columns *k = &c->k;
    if (c->busy) return fail(err, LSCHED_E_BUSY, "a callback called back into its cluster");
    if (call->flags & ~(uint32_t)LSCHED_BATCH_PARTIAL)
        return fail(err, LSCHED_E_INVAL, "unknown flags %#x", call->flags);
    if (call->n && !call->elements)
        return fail(err, LSCHED_E_NULL, "the batch has %zu elements and a NULL pointer", call->n);
    if (call->n > LIMIT_BATCH_MAX)
        return fail(err, LSCHED_E_LIMIT, "a batch of %zu elements; at most %u", call->n,
                    LIMIT_BATCH_MAX);
    int32_t first = LSCHED_OK, rc = undo_begin(k);
    size_t applied = 0;
    if (rc != LSCHED_OK) return fail_plain(err, rc);
    c->busy = 1;
    rc = apply_all(c, call, err, &first, &applied);
    if (rc == LSCHED_OK && first != LSCHED_OK && !(call->flags & LSCHED_BATCH_PARTIAL)) rc = first;
    if (rc == LSCHED_OK) rc = undo_room(k);
    if (rc == LSCHED_OK && meta(k, M_PASS_AT)) set_meta(k, M_PASS_NEWS, 1);
    if (rc != LSCHED_OK) undo_rollback(k, 0);
    if (rc != LSCHED_OK && call->ids) memset(call->ids, 0, call->n * sizeof *call->ids);
    undo_end(k);
    if (rc == LSCHED_OK && c->watch) c->watch(c->watch_user, call);
    c->busy = 0;
    if (rc != LSCHED_OK) return rc == first ? rc : fail_plain(err, rc);
    return (int32_t)applied;
}
