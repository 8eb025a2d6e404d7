/* explain_gate.c -- see explain_gate.h. The text describes the present state: an event of another
 * job that the next cycle is going to tell counts already. */
#include "engine/explain/explain_gate.h"

#include "model/dependencies/gate.h"
#include "model/store/intern.h"

#define GATE_SHOWN 4u /* dependencies that a text names */

/* Writes the event, such as "the success of job train". */
static void put_event(const struct columns *k, uint32_t after, struct text_out *o) {
    static const char *const events[] = {"success", "failure", "end", "start"};
    int64_t delay = k->c[C_AFTER_DELAY].i64[after];
    text_put(o, "the %s of job ", events[k->c[C_AFTER_KIND].u8[after] & 3]);
    put_name(k, o, intern_text(k, T_STRING, k->c[C_AFTER_NAME].u32[after]));
    if (delay && k->c[C_AFTER_STATE].u8[after] == GATE_AFTER_WAITS)
        text_put(o, " and %s more", shown_span(delay).text);
}

/* Writes the dependencies in this state of which no news are to be told; returns their number. */
static uint32_t put_needs(const struct columns *k, uint32_t gate, uint8_t state, int write,
                          struct text_out *o) {
    uint32_t n = 0;
    for (uint32_t a = k->c[C_GATE_FIRST].u32[gate]; a != NO_ROW; a = k->c[C_AFTER_NEXT].u32[a]) {
        if (k->c[C_AFTER_STATE].u8[a] != state) continue;
        if (state == GATE_AFTER_WAITS && !gate_after_waits(k, a)) continue;
        if (n++ >= GATE_SHOWN || !write) continue;
        if (n > 1) text_put(o, ", ");
        put_event(k, a, o);
    }
    if (write && n > GATE_SHOWN) text_put(o, " and %u more", n - GATE_SHOWN);
    return n;
}

void explain_gate_put(const struct columns *k, uint32_t job, int64_t now, struct text_out *o) {
    uint32_t gate = gate_row(k, job);
    struct gate_wait wait = {.code = LSCHED_WAIT_NONE};
    if (gate != NO_ROW) wait = gate_wait_of(k, gate);
    if (wait.code == LSCHED_WAIT_DEPENDENCY_NEVER) {
        text_put(o, "it can never start: it waits for ");
        (void)put_needs(k, gate, GATE_AFTER_NEVER, 1, o);
        text_put(o, "; an update of its dependencies (LSCHED_JOB_SET_DEPENDENCIES) lets it start");
    } else if (wait.code == LSCHED_WAIT_DEPENDENCY && put_needs(k, gate, GATE_AFTER_WAITS, 0, o)) {
        text_put(o, "it waits for ");
        (void)put_needs(k, gate, GATE_AFTER_WAITS, 1, o);
        if (k->c[C_GATE_BEGIN].i64[gate] > now)
            text_put(o, "; it does not start before its begin, %s",
                     shown_moment(k->c[C_GATE_BEGIN].i64[gate], now).text);
    } else if (wait.code == LSCHED_WAIT_BEGIN && wait.until > now) {
        text_put(o, wait.until == k->c[C_GATE_BEGIN].i64[gate]
                        ? "it does not start before its begin, "
                        : "it does not start before the delay of its dependencies is over, ");
        text_put(o, "%s", shown_moment(wait.until, now).text);
    } else {
        text_put(o, "what it waited for has happened: the next cycle tries it again");
    }
}
