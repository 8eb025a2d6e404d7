/*
 * submit_queue.c -- see submit_queue.h. At most two user queues are made, inside the undo scope
 * of the submission. Therefore, if the job is refused, its new user queues are removed, too.
 */
#include "api/forms/submit_queue.h"

#include "base/text_out.h"
#include "model/queues/user_queue.h"

/* Reads the name of a user or a group, which becomes the last component of a user queue's name. A
 * name is refused if it has a "/" or a NUL byte, if it begins with "@", like the component of a
 * group, or if it is "-", which means no user or no group. */
static int32_t read_who(lsched_text *t, const char *what, lsched_error *err) {
    *t = arg_text(*t);
    if (t->len == 0) return LSCHED_OK;
    if (t->len > LSCHED_NAME_BYTES_MAX)
        return fail(err, LSCHED_E_INVAL, "%s: its name has %llu bytes; expected at most %d", what,
                    (unsigned long long)t->len, LSCHED_NAME_BYTES_MAX);
    if (memchr(t->ptr, 0, (size_t)t->len) || memchr(t->ptr, '/', (size_t)t->len))
        return fail(err, LSCHED_E_INVAL, "%s '%.*s': its name contains a '/' or a NUL byte", what,
                    (int)t->len, t->ptr);
    if (t->ptr[0] == '@' || (t->len == 1 && t->ptr[0] == '-'))
        return fail(err, LSCHED_E_INVAL,
                    "%s '%.*s': a name that begins with '@' means a group, and the name '-' "
                    "means no user",
                    what, (int)t->len, t->ptr);
    return LSCHED_OK;
}

static int32_t descend(struct columns *k, uint32_t *queue, lsched_text user, lsched_text group,
                       lsched_error *err) {
    uint32_t parent = *queue;
    int32_t rc = undo_room(k);
    if (rc == LSCHED_OK) rc = user_queue_get(k, parent, user, group, queue);
    /* read again, because texts can have moved */
    lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[parent]);
    if (rc == LSCHED_E_INVAL)
        return fail(err, rc,
                    "the sub-queue of '%.*s' for user '%.*s', group '%.*s' would have a name of "
                    "more than %d bytes",
                    (int)name.len, name.ptr, (int)user.len, user.ptr, (int)group.len, group.ptr,
                    LSCHED_NAME_BYTES_MAX);
    if (rc == LSCHED_E_EXISTS) {
        lsched_text taken = text_of(k, k->c[C_QUEUE_NAME].u32[*queue]);
        return fail(err, rc,
                    "queue '%.*s' exists and is not the sub-queue of a user or group of '%.*s'",
                    (int)taken.len, taken.ptr, (int)name.len, name.ptr);
    }
    return rc;
}

int32_t submit_queue_below(struct columns *k, lsched_text user, lsched_text group, uint32_t *queue,
                           lsched_error *err) {
    uint32_t above = *queue, by_user = 0, by_group = 0;
    int32_t rc = read_who(&user, "user", err);
    if (rc == LSCHED_OK) rc = read_who(&group, "user_group", err);
    if (user.len == 0 && group.len == 0) return rc;
    while (rc == LSCHED_OK && queue_divides(k, *queue)) {
        uint32_t is_group = k->c[C_QUEUE_FLAGS].u8[*queue] & LSCHED_QUEUE_PER_GROUP;
        if (!is_group && user.len == 0) break;
        rc = descend(k, queue, user, group, err);
        by_group |= is_group != 0;
        by_user |= is_group == 0;
    }
    if (rc != LSCHED_OK || ((by_user || !user.len) && (by_group || !group.len))) return rc;
    lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[above]);
    if (by_user || !user.len)
        return fail(err, LSCHED_E_STATE,
                    "queue '%.*s' has no sub-queues of groups; expected a queue with "
                    "LSCHED_QUEUE_PER_GROUP",
                    (int)name.len, name.ptr);
    return fail(err, LSCHED_E_STATE,
                "queue '%.*s' has no sub-queues of users; expected a queue with "
                "LSCHED_QUEUE_PER_USER",
                (int)name.len, name.ptr);
}

int32_t submit_queue(struct columns *k, const lsched_job_desc *d, uint32_t *queue,
                     lsched_error *err) {
    lsched_text user = d->user, group = d->user_group;
    int32_t rc = read_who(&user, "user", err);
    if (rc == LSCHED_OK) rc = read_who(&group, "user_group", err);
    if (rc == LSCHED_OK) rc = arg_ref(k, d->queue, d->queue_name, LSCHED_KIND_QUEUE, queue, err);
    while (rc == LSCHED_OK && queue_divides(k, *queue)) rc = descend(k, queue, user, group, err);
    if (rc != LSCHED_OK) return rc;
    lsched_text name = text_of(k, k->c[C_QUEUE_NAME].u32[*queue]);
    if (!queue_is_leaf(k, *queue))
        return fail(err, LSCHED_E_STATE,
                    "queue '%.*s' has children; jobs are submitted to leaf queues", (int)name.len,
                    name.ptr);
    uint32_t full = queue_full_of_jobs(k, *queue);
    if (full == NO_ROW) return LSCHED_OK;
    name = text_of(k, k->c[C_QUEUE_NAME].u32[full]);
    return fail(err, LSCHED_E_LIMIT, "queue '%.*s' has %s; it accepts at most %u", (int)name.len,
                name.ptr, counted(k->c[C_QUEUE_JOBS].u64[full], "job").text,
                k->c[C_QUEUE_SUBMITTED_MAX].u32[full]);
}
