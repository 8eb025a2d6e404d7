/*
 * gate.h -- the gate of a job: what the job waits for before its first start, its expiry, and the
 * jobs that wait for it.
 *
 * A job that has a begin time, an expiry or dependencies, or for which another job waits, has a
 * row of GATE; every other job costs nothing. A dependency is a row of AFTER, which is in the list
 * of the job that waits (FIRST, NEXT) and in that of the job for which it waits (FOLLOWER, FOLLOWS,
 * LEADS).
 *
 * A gate is closed (WATCH.CLOSED) from the time at which its begin or its dependencies are set,
 * until a cycle opens it (model/life/gate_review.h). A job with a closed gate is held: none of its
 * tasks starts, and its waiting tasks count in no demand. The cycle that opens the gate removes
 * the begin and the dependencies, so that an open gate has neither.
 *
 * What happens to a job only notes the event in its own rows, and puts the row of GATE into the
 * list of news: O(1), and no memory is needed. JOB.STARTED is the first start of each job, whether
 * others wait for it or not, so that the answer to "has it started" does not depend on other
 * followers; it costs eight bytes for each job. GATE.STARTED takes it over when the job ends. The
 * time of an event is the one that its report states (gate_started(), gate_succeeds()). The next
 * cycle tells the jobs that wait, O(log n) each. After the end of a job for which others wait, its
 * row stays without a job until the last of these dependencies is removed: so an outcome is kept
 * while a waiting job depends on it, and no longer. Why the event does not tell the waiting jobs
 * at once: a bundle can need memory when it is parked anew, and the end of a job must not fail
 * half-way.
 *
 * Always: WAITS and NEVER count the dependencies in these states, READY is the latest time of
 * those that are met; the gate opens at the later one of BEGIN and READY if WAITS and NEVER are 0.
 * A gate is in one heap, by DUE and then by the name of its job, if it opens or its job expires at
 * a known time; the first to be due is found in O(1). A job that
 * is to be removed because of NEVER is due at once, as soon as none of its tasks has a place.
 */
#ifndef LIBSCHED_GATE_H
#define LIBSCHED_GATE_H

#include "model/store/intern.h"

enum gate_outcome { GATE_SUCCESS = 1, GATE_FAILURE = 2 };
/* DUE of a gate whose job the next cycle removes: a dependency of it can never be met, it is to be
 * removed then, and no task of it has a place */
#define GATE_AT_ONCE 0
enum gate_after { GATE_AFTER_WAITS, GATE_AFTER_MET, GATE_AFTER_NEVER };

/* Returns the job's row of GATE, NO_ROW if it has none. */
static inline uint32_t gate_row(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w == NO_ROW ? NO_ROW : k->c[C_WATCH_GATE].u32[w] - 1;
}
/* True if the begin or the dependencies of the job do not allow its start. */
static inline int gate_is_closed(const struct columns *k, uint32_t job) {
    uint32_t w = k->c[C_JOB_WATCH].u32[job];
    return w != NO_ROW && k->c[C_WATCH_CLOSED].u8[w];
}

/* What a job with a closed gate waits for. */
struct gate_wait {
    uint8_t code;   /* LSCHED_WAIT_BEGIN, _DEPENDENCY, _DEPENDENCY_NEVER */
    int64_t until;  /* LSCHED_NEVER_US if it is not known */
    uint32_t needs; /* number of dependencies that make it wait */
};
struct gate_wait gate_wait_of(const struct columns *k, uint32_t gate);

/* Returns the row of GATE of the job with this WATCH row, and makes it if there is none. Returns
 * NO_ROW if out of memory. The caller calls gate_settle() after it has filled the row. */
uint32_t gate_get(struct columns *k, uint32_t watch);
/* Makes a row of GATE for a job that does not exist, whose event of this kind happened at the time
 * `at`, LSCHED_NEVER_US: cannot happen. Returns NO_ROW if out of memory. A dependency on it must
 * follow. */
uint32_t gate_of_past(struct columns *k, uint8_t kind, int64_t at);
/* Adds a dependency before the others of the gate, on a job with this name. Can return
 * LSCHED_E_NOMEM. */
int32_t gate_depend(struct columns *k, uint32_t gate, uint32_t on, lsched_text name, uint8_t kind,
                    int64_t delay);
/* True if the event of the dependency has not happened, and still can. */
int gate_after_waits(const struct columns *k, uint32_t after);
/* Returns the time of the event of the dependency: 0 if it has not happened, LSCHED_NEVER_US if it
 * cannot happen any more. News that are not told count. */
int64_t gate_after_at(const struct columns *k, uint32_t after);
/* True if the dependency is met at the time READY. */
int gate_after_is_last(const struct columns *k, uint32_t after);
/* Computes READY from the events of the other jobs, whose times have changed. */
void gate_depend_delays(struct columns *k, uint32_t gate);
/* Removes all dependencies of the gate. gate_drop_records() returns the most undo records that this
 * writes, for undo_room_for(); gate can be NO_ROW. */
void gate_depend_drop(struct columns *k, uint32_t gate);
size_t gate_drop_records(const struct columns *k, uint32_t gate);
/* Closes the gate if it has a begin or dependencies, opens it otherwise, and puts it where it
 * belongs in the heap. Frees a row that says nothing. */
void gate_settle(struct columns *k, uint32_t gate);
/* Opens the gate for good. */
void gate_open(struct columns *k, uint32_t gate);
/* Tells the dependency what has happened to the job for which it waits. Returns 1 if it does not
 * wait any more; the caller then calls gate_settle() for the gate that waits. */
int gate_after_settle(struct columns *k, uint32_t after);

/* A task of the job started at the time `at`. */
void gate_started(struct columns *k, uint32_t job, int64_t at);
/* Tasks of the job have lost their places: if it waits for what can never be, it is due now. */
void gate_loses_places(struct columns *k, uint32_t job);
/* The job is about to be removed because it had done its work at the time `at`; else its end is a
 * failure at the latest time of the cluster. */
void gate_succeeds(struct columns *k, uint32_t job, int64_t at);
/* Removes what the job waits for, and notes its end for the jobs that wait for it. */
void gate_end(struct columns *k, uint32_t job);

/* Takes the first gate out of the list of news; NO_ROW if it is empty. */
uint32_t gate_news_take(struct columns *k);
/* Returns the time at which a cycle has something to do with a gate: 0 if there are news,
 * LSCHED_NEVER_US if no time is known. */
static inline int64_t gate_next(const struct columns *k) {
    uint32_t g = (uint32_t)meta(k, M_GATE_HEAD);
    if ((uint32_t)meta(k, M_GATE_NEWS) != NO_ROW) return 0;
    return g == NO_ROW ? LSCHED_NEVER_US : k->c[C_GATE_DUE].i64[g];
}

#endif
