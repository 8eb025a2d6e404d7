/*
 * change_feed.h -- the ring of the change feed (include/libsched/changes.h): records of what a call
 * did beyond what it was asked to do.
 *
 * The function that changes a state also notes the change. Therefore no caller can forget a note.
 * A note is *asked for*, and left out, if the element of the call names the same task or decision,
 * or asks for the end of the job or the end of its hold; change_feed_begin() and
 * change_feed_element() say what the call names.
 *
 * A position in the feed is a number of bytes since the cluster was created; the byte at position p
 * is at bytes[p % cap]. Records of kept calls end at columns.changes_kept. The present call adds
 * its records after that position. The undo log has the number of bytes that the call has added, so
 * a rollback takes records back, and the end of the outermost undo scope keeps them (undo.c). The
 * second half of the ring is for the present call, so that a call that is undone overwrites no
 * record that can be read. If a call adds more than that, its further records are not stored, and
 * every reader gets LSCHED_E_GONE.
 *
 * Invariant: each record from `first` to columns.changes_kept is whole. The ring is not part of the
 * state. Cost: O(1) and one copy of the names for each change; a call without such changes costs
 * nothing.
 */
#ifndef LIBSCHED_CHANGE_FEED_H
#define LIBSCHED_CHANGE_FEED_H

#include <libsched/changes.h>

#include "model/store/columns.h"

struct changes {
    uint8_t *bytes;
    uint64_t cap;
    uint64_t first; /* no record before this position can be read */
    /* the present call: LSCHED_CALL_*, the call of which it is a part (0: none), the one of them
     * that records name, and the latest decision group when the call began */
    uint32_t call, whole_call, told_call;
    uint64_t group;
    uint64_t expires; /* decision group whose life ends now; 0: none */
    /* what the present element names */
    uint64_t element;
    lsched_id named; /* its object by id; 0: by name, or none */
    uint32_t kind;   /* kind of the object that it names by name */
    lsched_text name;
    uint32_t job;   /* row of the job that it names, NO_ROW if none */
    uint32_t index; /* index of the task that it names, NO_ROW if none */
};

/* Makes a ring of the given size. Can return LSCHED_E_NOMEM. */
int32_t change_feed_open(struct columns *k, uint64_t bytes);
void change_feed_close(struct columns *k);
/* Removes all records; readers get LSCHED_E_GONE. */
void change_feed_clear(struct columns *k);

/* Says which call begins. The element of the call is none. */
void change_feed_begin(struct columns *k, uint32_t call);
/* Until it is called with 0, all calls are parts of the given call: the call of an offer makes the
 * offered change by the call for such changes. */
void change_feed_whole_call(struct columns *k, uint32_t call);
/* What an element of a call names: `id`, or if the id is 0, the object of the kind with the name.
 * index: index of the task in the named job, NO_ROW if the element names no task. */
struct change_element {
    uint64_t element;
    lsched_id id;
    uint32_t kind, index;
    lsched_text name;
};
void change_feed_element(struct columns *k, const struct change_element *e);
/* Sets why the following changes are made, LSCHED_BECAUSE_*, and returns the reason so far, which
 * the caller sets again. */
static inline uint32_t change_feed_because(struct columns *k, uint32_t why) {
    uint32_t was = k->changes_why;
    k->changes_why = why;
    return was;
}
/* Until it is called with 0, each decision of the group that is withdrawn is told to have expired,
 * also if the withdrawal of another decision of the group takes it along. */
void change_feed_expires(struct columns *k, uint64_t group);

/* Notes that the open decision of the task row ends, or for LSCHED_CHANGE_MOVE_ENDED, that it is no
 * migration any more. */
void change_feed_note_decision(struct columns *k, uint32_t kind, uint32_t task);
/* Notes a change of a task: LSCHED_CHANGE_LOST, _GONE, _OVERDUE. */
void change_feed_note_task(struct columns *k, uint32_t kind, uint32_t task);
/* Notes a change of a job: LSCHED_CHANGE_HELD, _RELEASED, _STALE, _REPAIRED, _ENDED, _BACKOFF,
 * _AVOIDED. node: NO_ROW if none. held, until: see lsched_change. */
void change_feed_note_job(struct columns *k, uint32_t kind, uint32_t job, uint32_t node,
                          uint32_t held, int64_t until);

/* Reads the change at *cursor; see lsched_changes_next(). */
int32_t change_feed_read(const struct columns *k, uint64_t *cursor, lsched_change *out);

#endif
