/*
 * parse_allowances.c -- see parse_allowances.h. A scenario writes:
 *
 *   allowances: {team: {price: {gpu: 1}, amount: 500, period: 24h, carry: 50, unknown: 2h,
 *                       spent: end, grace: 10m}}
 *   user_allowances: {team: {alice: {price: {gpu: 1}, amount: 40}, '@ml/bob': {...}}}
 */
#include "config/objects/parse_allowances.h"

#include <string.h>

#include "config/read/quantity_reader.h"

static int32_t price_entry(struct field_reader *r, uint32_t key, uint32_t value, void *list) {
    uint32_t kind = read_kind(r, key);
    if (!kind) return 0;
    lsched_amount *price = read_add(r, list, NULL, sizeof *price, value);
    if (!price) return LSCHED_E_NOMEM;
    price->kind = kind;
    int32_t code = read_units(r, value, &price->amount, UNITS_MONEY_MICRO);
    return code ? code : 1;
}

static int32_t allowance_prices(struct field_reader *r, uint32_t value, void *list) {
    return read_map(r, value, "prices of resource kinds", NULL, 0, list, price_entry);
}

static int32_t allowance_reset(struct field_reader *r, uint32_t value, void *out) {
    lsched_allowance_desc *d = out;
    uint32_t yes = 0;
    int32_t code = read_bool(r, value, &yes);
    if (yes) d->flags |= LSCHED_ALLOWANCE_RESET;
    return code;
}

/* in the order of LSCHED_SPENT_* */
static const char *const spent_words[] = {"run-on", "end", "first-victim"};

static int32_t allowance_terms(struct field_reader *r, uint32_t value, lsched_allowance_desc *d) {
    static const struct field fields[] = {
        FIELD_LIST(lsched_allowance_desc, "price", allowance_prices, price, n_price),
        FIELD_WITH(lsched_allowance_desc, "amount", read_units, UNITS_MONEY_MICRO, amount_micro),
        FIELD_WITH(lsched_allowance_desc, "carry", read_units, UNITS_MONEY_MICRO, carry_micro),
        FIELD(lsched_allowance_desc, "period", read_duration, period_us),
        FIELD(lsched_allowance_desc, "start", read_time, start_us),
        FIELD(lsched_allowance_desc, "unknown", read_duration, unknown_us),
        FIELD_WORD(lsched_allowance_desc, "spent", spent_words, spent),
        FIELD(lsched_allowance_desc, "grace", read_duration, grace_us),
        FIELD_KEY("reset", allowance_reset),
    };
    return READ_MAP(r, value, "an allowance", fields, d, NULL);
}

static lsched_allowance_desc *allowance_add(struct field_reader *r, struct action *action,
                                            uint32_t mark) {
    lsched_allowance_desc *d = read_add(r, &action->items, &action->marks, sizeof *d, mark);
    if (d) *d = (lsched_allowance_desc)LSCHED_ALLOWANCE_DESC_INIT;
    return d;
}

static int32_t allowance_entry(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    lsched_allowance_desc *d = allowance_add(r, out, key);
    if (!d) return LSCHED_E_NOMEM;
    int32_t code = read_text(r, key, &d->queue_name);
    if (!code) code = allowance_terms(r, value, d);
    return code ? code : 1;
}

/* ---- allowances of users ---- */

struct users_reader {
    struct action *action;
    lsched_text queue;
};

/* Reads the allowance of one user: the key is a user, @group, or @group/user. */
static int32_t user_entry(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    const struct users_reader *u = out;
    lsched_allowance_desc *d = allowance_add(r, u->action, key);
    lsched_text who;
    if (!d) return LSCHED_E_NOMEM;
    int32_t code = read_text(r, key, &who);
    if (code) return code;
    d->queue_name = u->queue;
    d->user = who;
    if (who.len && who.ptr[0] == '@') {
        const char *slash = memchr(who.ptr, '/', who.len);
        size_t group = slash ? (size_t)(slash - who.ptr) - 1 : who.len - 1;
        d->user_group = (lsched_text){who.ptr + 1, group};
        d->user = slash ? (lsched_text){slash + 1, who.len - group - 2} : (lsched_text){"", 0};
        if (group == 0 || (slash && d->user.len == 0)) who.len = 0;
    }
    if (who.len == 0)
        return read_expected(r, LSCHED_E_TYPE, key, "a user, @ and a group, or @group/user");
    code = allowance_terms(r, value, d);
    return code ? code : 1;
}

static int32_t users_entry(struct field_reader *r, uint32_t key, uint32_t value, void *out) {
    struct users_reader u = {.action = out};
    int32_t code = read_text(r, key, &u.queue);
    if (!code) code = read_map(r, value, "users", NULL, 0, &u, user_entry);
    return code ? code : 1;
}

int32_t read_user_allowances(struct field_reader *r, uint32_t value, void *out) {
    return step_action_map(r, value, out, ACTION_ALLOWANCES, "queues", users_entry);
}

int32_t read_allowances(struct field_reader *r, uint32_t value, void *out) {
    return step_action_map(r, value, out, ACTION_ALLOWANCES, "allowances", allowance_entry);
}
