/* explain_gate.c -- see explain_gate.h. The text describes the present state: an event of another
 * job that the next cycle is going to tell counts already. */
#include "engine/explain/explain_gate.h"

#include "model/dependencies/gate.h"
#include "model/store/intern.h"

#define GATE_SHOWN 4u /* dependencies that a text names */

/* Writes the event, such as "the success of job train" or "10 s after the start of job train". */
static void put_event(const struct columns *k, uint32_t after, struct text_out *o) {
    static const char *const events[] = {"success", "failure", "end", "start"};
    int64_t delay = k->c[C_AFTER_DELAY].i64[after];
    if (delay && k->c[C_AFTER_STATE].u8[after] != GATE_AFTER_NEVER)
        text_put(o, "%s after ", shown_span(delay).text);
    text_put(o, "the %s of job ", events[k->c[C_AFTER_KIND].u8[after] & 3]);
    put_name(k, o, intern_text(k, T_STRING, k->c[C_AFTER_NAME].u32[after]));
}

/* True if the dependency is in this state, and no news of it are to be told. */
static int explain_gate_is(const struct columns *k, uint32_t after, uint8_t state) {
    return k->c[C_AFTER_STATE].u8[after] == state &&
           (state != GATE_AFTER_WAITS || gate_after_waits(k, after));
}

static uint32_t count_needs(const struct columns *k, uint32_t gate, uint8_t state) {
    uint32_t n = 0;
    for (uint32_t a = k->c[C_GATE_FIRST].u32[gate]; a != NO_ROW; a = k->c[C_AFTER_NEXT].u32[a])
        n += (uint32_t)explain_gate_is(k, a, state);
    return n;
}

/* Writes the dependencies in this state, such as "for the end of job a and for 10 s after the start
 * of job b". */
static void put_needs(const struct columns *k, uint32_t gate, uint8_t state, struct text_out *o) {
    uint32_t n = count_needs(k, gate, state), shown = n > GATE_SHOWN ? GATE_SHOWN : n, i = 0;
    for (uint32_t a = k->c[C_GATE_FIRST].u32[gate]; i < shown; a = k->c[C_AFTER_NEXT].u32[a]) {
        if (!explain_gate_is(k, a, state)) continue;
        if (i > 0) text_put(o, i + 1 == n ? " and " : ", ");
        text_put(o, "for ");
        put_event(k, a, o);
        i++;
    }
    if (n > shown) text_put(o, " and for %u more", n - shown);
}

/* Returns the dependency that is met last of all. */
static uint32_t last_need(const struct columns *k, uint32_t gate) {
    uint32_t a = k->c[C_GATE_FIRST].u32[gate];
    while (a != NO_ROW && !gate_after_is_last(k, a)) a = k->c[C_AFTER_NEXT].u32[a];
    return a;
}

/* Writes until when a job waits that waits for no event any more. */
static void explain_gate_time(const struct columns *k, uint32_t gate, int64_t until, int64_t now,
                              struct text_out *o) {
    uint32_t last = until == k->c[C_GATE_BEGIN].i64[gate] ? NO_ROW : last_need(k, gate);
    if (last == NO_ROW) {
        text_put(o, "it does not start before its begin, ");
    } else {
        text_put(o, "it does not start before ");
        put_event(k, last, o);
        text_put(o, ", ");
    }
    text_put(o, "%s", shown_moment(until, now).text);
}

void explain_gate_put(const struct columns *k, uint32_t job, int64_t now, struct text_out *o) {
    uint32_t gate = gate_row(k, job);
    struct gate_wait wait = {.code = LSCHED_WAIT_NONE};
    if (gate != NO_ROW) wait = gate_wait_of(k, gate);
    if (wait.code == LSCHED_WAIT_DEPENDENCY_NEVER) {
        text_put(o, "it can never start: it waits ");
        put_needs(k, gate, GATE_AFTER_NEVER, o);
        text_put(o, ", which can never happen; an update of its dependencies "
                    "(LSCHED_JOB_SET_DEPENDENCIES) lets it start");
    } else if (wait.code == LSCHED_WAIT_DEPENDENCY && count_needs(k, gate, GATE_AFTER_WAITS)) {
        text_put(o, "it waits ");
        put_needs(k, gate, GATE_AFTER_WAITS, o);
        if (k->c[C_GATE_BEGIN].i64[gate] > now)
            text_put(o, "; it does not start before its begin, %s",
                     shown_moment(k->c[C_GATE_BEGIN].i64[gate], now).text);
    } else if (wait.code == LSCHED_WAIT_BEGIN && wait.until > now) {
        explain_gate_time(k, gate, wait.until, now, o);
    } else {
        text_put(o, "what it waited for has happened: the next cycle tries it again");
    }
}
