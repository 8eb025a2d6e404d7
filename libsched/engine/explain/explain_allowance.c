/* explain_allowance.c -- see explain_allowance.h. */
#include "engine/explain/explain_allowance.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/allowances/allowance.h"

void explain_allowance_refresh(const struct columns *k, lsched_waiting *w) {
    uint32_t a = allowance_of(k, (uint32_t)w->limiting_queue);
    if (a == NO_ROW) {
        w->have = w->need;
        return;
    }
    struct allowance_state s = allowance_now(k, a);
    wide_u128 taken = s.used + s.projected;
    wide_u128 left = taken < s.total ? (s.total - taken) / ALLOWANCE_HOUR_US : 0;
    w->have = left > (wide_u128)LSCHED_AMOUNT_MAX ? LSCHED_AMOUNT_MAX : (int64_t)left;
    if (s.now >= w->until_us && w->have < w->need) w->have = w->need; /* the next cycle tries it */
}

/* Writes a number of micro-units as a decimal fraction. */
static void put_micro(struct text_out *o, int64_t micro) {
    char digits[8];
    int n = 6;
    snprintf(digits, sizeof digits, "%06" PRId64, micro % 1000000);
    while (n > 0 && digits[n - 1] == '0') n--;
    text_put(o, "%" PRId64, micro / 1000000);
    if (n) text_put(o, ".%.*s", n, digits);
}

void explain_allowance_put(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    uint32_t q = (uint32_t)w->limiting_queue, a = allowance_of(k, q);
    if (a == NO_ROW) {
        text_put(o, "what it waited for has happened: the next cycle tries it again");
        return;
    }
    struct allowance_state s = allowance_now(k, a);
    text_put(o, "the allowance of queue %s is ", shown_queue(k, q).text);
    put_micro(o, (int64_t)(s.total / ALLOWANCE_HOUR_US));
    text_put(o, ", of which ");
    put_micro(o, w->have);
    text_put(o, " is left; ");
    if (w->need >= LSCHED_AMOUNT_MAX) {
        text_put(o, "what the job needs is unknown, because no estimate says when it ends");
    } else {
        text_put(o, "the job needs ");
        put_micro(o, w->need);
    }
    if (s.end != LSCHED_NEVER_US)
        text_put(o, "; the next period begins %s", shown_moment(s.end, s.now).text);
    if (w->until_us != LSCHED_NEVER_US && w->until_us < s.end && w->until_us > s.now)
        text_put(o, ", and what is left suffices for the rest of this one from %s",
                 shown_moment(w->until_us, s.now).text);
}
