/* lua_contention.c -- see lua_contention.h. Cost: O(kinds squared) table accesses, once when the
 * policy is loaded. */
#include "lua/work/lua_contention.h"

#include <stdio.h>

#include "lua/state/lua_value.h"
#include "lua/work/lua_entries.h"

enum { MILLI = 1000 };

static struct entry_at at_key(const char *row, const char *key) {
    return (struct entry_at){"contention", "slowdown", row, key};
}

/* Returns the number on top of the stack in thousandths, from 1000 on. */
static uint32_t read_factor(struct lua_host *host, const char *what, struct entry_at where) {
    int is_number = host->api.type(host->L, -1) == LUA_TNUMBER;
    double x = is_number ? host->api.tonumber(host->L, -1) : 0;
    if (x >= 1 && x * MILLI <= CONTENTION_MILLI_MAX) return (uint32_t)(x * MILLI + 0.5);
    fault_set(&host->fault, is_number ? LSCHED_E_RANGE : LSCHED_E_TYPE,
              "%s must be a number from 1 (no slow-down) to %d, got %s", what,
              CONTENTION_MILLI_MAX / MILLI, value_describe(host, -1).text);
    entry_throw(host, where);
}

/* Reads how much slower kind `a` runs beside the others, from the table on top of the stack.
 * Returns the number of kinds for which it says nothing. */
static uint32_t read_slowdowns(struct lua_host *host, struct contention_table *t, uint32_t a) {
    const struct padded_names kinds = PADDED_NAMES(t->name, t->n);
    char what[2 * CONTENTION_NAME_BYTES + 32];
    uint32_t holes = 0;
    int row = host->api.gettop(host->L);
    snprintf(what, sizeof what, "contention.slowdown.%s", t->name[a]);
    entry_need_table(host, what, at_key(t->name[a], NULL), "{ train = 1.2 }");
    entry_need_known(host, what, at_key(t->name[a], NULL), &kinds);
    for (uint32_t b = 0; b < t->n; b++) {
        snprintf(what, sizeof what, "contention.slowdown.%s.%s", t->name[a], t->name[b]);
        int is_hole = entry_push(host, row, t->name[b]) == LUA_TNIL;
        holes += (uint32_t)is_hole;
        t->milli[a][b] =
            (uint16_t)(is_hole ? CONTENTION_MILLI_NONE
                               : read_factor(host, what, at_key(t->name[a], t->name[b])));
        host->api.settop(host->L, row);
    }
    return holes;
}

static void warn_of_holes(struct lua_host *host, uint32_t holes) {
    if (holes == 0 || host->n_warnings >= HOST_TEXT_WARNINGS) return;
    const struct parse_node *node = entry_node(host, at_key(NULL, "slowdown"));
    snprintf(host->warnings[host->n_warnings++], sizeof host->warnings[0],
             "%s:%u:%u: contention.slowdown has no number for %u pair%s of kinds: 1.0 (no "
             "slow-down) is used",
             host->name, node ? (unsigned)node->line : 1u, node ? (unsigned)node->column : 1u,
             (unsigned)holes, holes == 1 ? "" : "s");
}

/* Reads a bound on slow-downs; 0 if it is not given. */
static uint32_t read_bound(struct lua_host *host, int table, const char *key, const char *what) {
    return entry_push(host, table, key) == LUA_TNIL ? 0
                                                    : read_factor(host, what, at_key(NULL, key));
}

/* Reads the names of the kinds from the table on top of the stack. */
static void read_kinds(struct lua_host *host, struct contention_table *t) {
    const struct entry_list list = {t->name[0], sizeof t->name[0], CONTENTION_KINDS_MAX,
                                    "kind of work"};
    t->n = entry_names(host, "contention.slowdown", at_key(NULL, "slowdown"), &list, 0);
    if (t->n > 0 && t->n <= CONTENTION_KINDS_MAX) return;
    if (t->n)
        fault_set(&host->fault, LSCHED_E_LIMIT,
                  "contention.slowdown has more than %d kinds of work; let contention.others stand "
                  "for some",
                  CONTENTION_KINDS_MAX);
    else
        fault_set(
            &host->fault, LSCHED_E_INVAL,
            "contention.slowdown is empty; expected 1 to %d kinds of work, such as { train = { "
            "train = 1.3 } }",
            CONTENTION_KINDS_MAX);
    entry_throw(host, at_key(NULL, "slowdown"));
}

void contention_read(struct lua_host *host) {
    static const char keys[5][CONTENTION_NAME_BYTES] = {"avoid", "estimates", "max", "others",
                                                        "slowdown"};
    static const char meanings[2][CONTENTION_NAME_BYTES] = {"alone", "beside"};
    const struct padded_names known = PADDED_NAMES(keys, 5), words = PADDED_NAMES(meanings, 2);
    struct contention_table *t = &host->desc.contention;
    int table = host->api.gettop(host->L);
    uint32_t holes = 0;
    if (host->api.type(host->L, -1) == LUA_TNIL) return;
    entry_need_table(host, "contention", at_key(NULL, NULL),
                     "{ slowdown = { train = { train = 1.3 } } }");
    entry_need_known(host, "contention", (struct entry_at){"contention", NULL, NULL, NULL}, &known);
    t->most = read_bound(host, table, "max", "contention.max");
    t->avoid = read_bound(host, table, "avoid", "contention.avoid");
    entry_push(host, table, "slowdown");
    entry_need_table(host, "contention.slowdown", at_key(NULL, "slowdown"),
                     "{ train = { train = 1.3 } }");
    read_kinds(host, t);
    const struct padded_names kinds = PADDED_NAMES(t->name, t->n);
    int rows = host->api.gettop(host->L);
    for (uint32_t a = 0; a < t->n; a++) {
        entry_push(host, rows, t->name[a]);
        holes += read_slowdowns(host, t, a);
        host->api.settop(host->L, rows);
    }
    if (entry_push(host, table, "others") != LUA_TNIL)
        t->others = entry_choice(
            host, "contention.others must be a kind of work that contention.slowdown names",
            at_key(NULL, "others"), &kinds);
    if (entry_push(host, table, "estimates") != LUA_TNIL)
        t->alone = entry_choice(host, "contention.estimates must be 'alone' or 'beside'",
                                at_key(NULL, "estimates"), &words) == 1;
    contention_table_bar(t);
    warn_of_holes(host, holes);
}
