/* lua_speeds.c -- see lua_speeds.h. Cost: O(kinds x models) table accesses, once when the policy is
 * loaded. */
#include "lua/work/lua_speeds.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8_text.h"
#include "lua/state/lua_value.h"
#include "lua/work/lua_entries.h"

enum { MILLI = 1000 };

static struct entry_at speed_at_key(const char *row, const char *key) {
    return (struct entry_at){"speeds", "speed", row, key};
}

static _Noreturn void refuse_at_speed(struct lua_host *host) {
    entry_throw(host, speed_at_key(NULL, "speed"));
}

/* Takes the kinds of work that the table on top of the stack names, sorted. */
static void find_kinds(struct lua_host *host, struct speed_table *t) {
    const struct entry_list list = {t->name[0], sizeof t->name[0], SPEED_KINDS_MAX, "kind of work"};
    t->n = entry_names(host, "speeds.speed", speed_at_key(NULL, "speed"), &list, 0);
    if (t->n > 0 && t->n <= SPEED_KINDS_MAX) return;
    if (t->n)
        fault_set(&host->fault, LSCHED_E_LIMIT,
                  "speeds.speed has more than %d kinds of work; let speeds.others stand for some",
                  SPEED_KINDS_MAX);
    else
        fault_set(&host->fault, LSCHED_E_INVAL,
                  "speeds.speed is empty; expected 1 to %d kinds of work, such as { train = { "
                  "[\"H100-80GB\"] = 3 } }",
                  SPEED_KINDS_MAX);
    refuse_at_speed(host);
}

/* Takes the models that the rows name, sorted. The rows are at this stack index. */
static void find_models(struct lua_host *host, struct speed_table *t, int rows) {
    const struct entry_list list = {t->model[0], sizeof t->model[0], SPEED_MODELS_MAX, "model"};
    for (uint32_t a = 0; a < t->n; a++) {
        char what[SPEED_NAME_BYTES + 32];
        snprintf(what, sizeof what, "speeds.speed.%s", t->name[a]);
        entry_push(host, rows, t->name[a]);
        entry_need_table(host, what, speed_at_key(t->name[a], NULL), "{ [\"H100-80GB\"] = 3 }");
        t->n_models = entry_names(host, what, speed_at_key(t->name[a], NULL), &list, t->n_models);
        host->api.settop(host->L, rows);
    }
    if (t->n_models > 0 && t->n_models <= SPEED_MODELS_MAX) return;
    if (t->n_models)
        fault_set(&host->fault, LSCHED_E_LIMIT,
                  "the rows of speeds.speed name more than %d models in all; leave out models that "
                  "are 1 for each kind of work",
                  SPEED_MODELS_MAX);
    else
        fault_set(
            &host->fault, LSCHED_E_INVAL,
            "no row of speeds.speed names a model; expected 1 to %d models, such as { train = "
            "{ [\"H100-80GB\"] = 3 } }",
            SPEED_MODELS_MAX);
    refuse_at_speed(host);
}

/* Returns the number on top of the stack in thousandths, at least 1. */
static uint32_t read_speed(struct lua_host *host, struct entry_at where) {
    int is_number = host->api.type(host->L, -1) == LUA_TNUMBER;
    double x = is_number ? host->api.tonumber(host->L, -1) : 0;
    if (x >= 1.0 / MILLI && x * MILLI <= SPEED_MILLI_MAX) return (uint32_t)(x * MILLI + 0.5);
    fault_set(&host->fault, is_number ? LSCHED_E_RANGE : LSCHED_E_TYPE,
              "speeds.speed.%s.%.40s must be a number from 0.001 to %d, got %s", where.row,
              where.key, SPEED_MILLI_MAX / MILLI, value_describe(host, -1).text);
    entry_throw(host, where);
}

/* Reads the speeds of kind `a`, from the table on top of the stack. Returns the number of models
 * for which it says nothing, and sets *hole to one of the first kind that has such models. */
static uint32_t read_speeds(struct lua_host *host, struct speed_table *t, uint32_t a,
                            struct entry_at *hole) {
    uint32_t holes = 0;
    int row = host->api.gettop(host->L);
    for (uint32_t b = 0; b < t->n_models; b++) {
        struct entry_at where = speed_at_key(t->name[a], t->model[b]);
        int is_hole = entry_push(host, row, t->model[b]) == LUA_TNIL;
        if (is_hole && !hole->row) *hole = where;
        holes += (uint32_t)is_hole;
        t->milli[a][b] = is_hole ? SPEED_MILLI_NONE : read_speed(host, where);
        host->api.settop(host->L, row);
    }
    return holes;
}

static void warn_of_unsaid(struct lua_host *host, uint32_t holes, struct entry_at hole) {
    if (holes == 0 || host->n_warnings >= HOST_TEXT_WARNINGS) return;
    const struct parse_node *node = entry_node(host, speed_at_key(NULL, "speed"));
    char *text = host->warnings[host->n_warnings++];
    snprintf(text, sizeof host->warnings[0],
             "%s:%u:%u: speeds.speed has no number for %u pair%s of kind and model, such as %s on "
             "%.40s: 1.0 is used",
             host->name, node ? (unsigned)node->line : 1u, node ? (unsigned)node->column : 1u,
             (unsigned)holes, holes == 1 ? "" : "s", hole.row, hole.key);
    utf8_clean(text, sizeof host->warnings[0]);
}

/* ---- points: speeds on numbers of devices ---- */

struct points_read {
    uint32_t n;
    double speed[SPEED_POINTS_MAX];
    struct speed_point *point; /* sorted */
    int is_odd;                /* 1: a key is no number of devices */
};

static struct entry_at points_at(const char *row) {
    return (struct entry_at){"speeds", row ? "scaling" : NULL, row, row ? NULL : "scaling"};
}

/* Takes a number of devices, and its speed from the top of the stack; 0 stands for no number. */
static void take_point(struct lua_host *host, struct points_read *r, double devices) {
    int ok = devices >= 1 && devices <= SPEED_DEVICES_MAX && devices == (double)(uint32_t)devices;
    r->is_odd |= !ok;
    if (!ok || r->n++ >= SPEED_POINTS_MAX) return;
    uint32_t i = r->n - 1;
    for (; i > 0 && r->point[i - 1].devices > (uint32_t)devices; i--) {
        r->point[i] = r->point[i - 1];
        r->speed[i] = r->speed[i - 1];
    }
    int is_number = host->api.type(host->L, -1) == LUA_TNUMBER;
    r->point[i] = (struct speed_point){(uint32_t)devices, 0};
    r->speed[i] = is_number ? host->api.tonumber(host->L, -1) : 0;
}

static void need_numbers(struct lua_host *host, const char *row, struct points_read *r, int table) {
    for (uint32_t i = 0; i < r->n; i++) {
        double x = r->speed[i];
        if (x >= 1.0 / MILLI && x * MILLI <= SPEED_POINT_MILLI_MAX) {
            r->point[i].milli = (uint32_t)(x * MILLI + 0.5);
            continue;
        }
        host->api.rawgeti(host->L, table, (int)r->point[i].devices);
        fault_set(&host->fault, LSCHED_E_RANGE,
                  "speeds.scaling.%s[%u] must be a number from 0.001 to %d, got %s", row,
                  r->point[i].devices, SPEED_POINT_MILLI_MAX / MILLI,
                  value_describe(host, -1).text);
        entry_throw(host, points_at(row));
    }
}

/* Reads the points of one kind, from the value on top of the stack. */
static void read_points(struct lua_host *host, const char *row, uint32_t *n,
                        struct speed_point *point) {
    const struct luajit_api *api = &host->api;
    struct points_read r = {.point = point};
    int table = api->gettop(host->L), is_table = api->type(host->L, -1) == LUA_TTABLE;
    if (!is_table) {
        fault_set(&host->fault, LSCHED_E_TYPE,
                  "speeds.scaling.%s must be a table such as { [1] = 1, [8] = 5.5 }, got %s", row,
                  value_describe(host, -1).text);
        entry_throw(host, points_at(row));
    }
    for (api->pushnil(host->L); api->next(host->L, table); api->settop(host->L, -2)) {
        int is_number = api->type(host->L, -2) == LUA_TNUMBER;
        take_point(host, &r, is_number ? api->tonumber(host->L, -2) : 0);
    }
    if (r.is_odd || r.n == 0 || r.n > SPEED_POINTS_MAX) {
        fault_set(
            &host->fault, r.n > SPEED_POINTS_MAX ? LSCHED_E_LIMIT : LSCHED_E_INVAL,
            "speeds.scaling.%s must have 1 to %d numbers of devices as its keys, each a whole "
            "number from 1 to %d, such as { [1] = 1, [8] = 5.5 }",
            row, SPEED_POINTS_MAX, SPEED_DEVICES_MAX);
        entry_throw(host, points_at(row));
    }
    need_numbers(host, row, &r, table);
    *n = r.n;
}

static void read_scaling(struct lua_host *host, struct speed_table *t, int speeds) {
    const struct padded_names kinds = PADDED_NAMES(t->name, t->n);
    if (entry_push(host, speeds, "scaling") == LUA_TNIL) return;
    int table = host->api.gettop(host->L);
    entry_need_table(host, "speeds.scaling", points_at(NULL), "{ train = { [1] = 1, [8] = 5.5 } }");
    entry_need_known(host, "speeds.scaling", (struct entry_at){"speeds", "scaling", NULL, NULL},
                     &kinds);
    for (uint32_t a = 0; a < t->n; a++) {
        if (entry_push(host, table, t->name[a]) != LUA_TNIL)
            read_points(host, t->name[a], &t->n_points[a], t->point[a]);
        host->api.settop(host->L, table);
    }
}

/* ---- the table ---- */

static void read_words(struct lua_host *host, struct speed_table *t, int table) {
    static const char ways[2][SPEED_NAME_BYTES] = {"speed", "price"};
    const struct padded_names kinds = PADDED_NAMES(t->name, t->n), known = PADDED_NAMES(ways, 2);
    if (entry_push(host, table, "others") != LUA_TNIL)
        t->others =
            entry_choice(host, "speeds.others must be a kind of work that speeds.speed names",
                         speed_at_key(NULL, "others"), &kinds);
    if (entry_push(host, table, "prefer") != LUA_TNIL)
        t->by_price = entry_choice(host, "speeds.prefer must be 'speed' or 'price'",
                                   speed_at_key(NULL, "prefer"), &known) == 2;
}

void speeds_read(struct lua_host *host) {
    static const char keys[4][SPEED_NAME_BYTES] = {"others", "prefer", "scaling", "speed"};
    const struct padded_names known = PADDED_NAMES(keys, 4);
    struct speed_table *t = &host->desc.speeds;
    struct entry_at hole = {NULL, NULL, NULL, NULL};
    int table = host->api.gettop(host->L);
    uint32_t holes = 0;
    if (host->api.type(host->L, -1) == LUA_TNIL) return;
    entry_need_table(host, "speeds", speed_at_key(NULL, NULL),
                     "{ speed = { train = { [\"H100-80GB\"] = 3 } } }");
    entry_need_known(host, "speeds", (struct entry_at){"speeds", NULL, NULL, NULL}, &known);
    entry_push(host, table, "speed");
    entry_need_table(host, "speeds.speed", speed_at_key(NULL, "speed"),
                     "{ train = { [\"H100-80GB\"] = 3 } }");
    find_kinds(host, t);
    int rows = host->api.gettop(host->L);
    find_models(host, t, rows);
    for (uint32_t a = 0; a < t->n; a++) {
        entry_push(host, rows, t->name[a]);
        holes += read_speeds(host, t, a, &hole);
        host->api.settop(host->L, rows);
    }
    read_scaling(host, t, table);
    read_words(host, t, table);
    warn_of_unsaid(host, holes, hole);
}
