/* explain_supply.c -- see explain_supply.h. */
#include "engine/exclusions/explain_supply.h"

#include <inttypes.h>

#include "engine/exclusions/explain_print.h"
#include "engine/indexes/ask.h"
#include "engine/state/object_words.h"
#include "model/nodes/node.h"
#include "model/shapes/domain.h"

/* Returns the number of tasks of the record's group that must start together next. */
static uint32_t explain_supply_tasks(const struct columns *k, const lsched_waiting *w) {
    struct ask a;
    ask_open(&a, k, (uint32_t)w->job, w->task_group);
    return ask_next(&a);
}

int explain_supply_find(const struct columns *k, const lsched_waiting *w,
                        struct supply_lack *lack) {
    uint32_t shape = waiting_shape(k, w), first = NO_ROW;
    if (shape == NO_ROW || !shape_n_supplies(k, shape)) return 0;
    if (!supply_cluster_has(k, shape, explain_supply_tasks(k, w), SUPPLY_NOW, lack)) return 1;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!node_is_usable(k, n, shape) || !node_fits(k, n, shape)) continue;
        if (supply_domains_have(k, shape, n, SUPPLY_NOW, NULL)) return 0;
        if (name_before(k, C_NODE_NAME, n, first)) first = n;
    }
    return first != NO_ROW && !supply_domains_have(k, shape, first, SUPPLY_NOW, lack);
}

/* True if nothing has happened since the job was tried that wakes it: then what the search found
 * still holds, also if each task alone would find its supplies now. */
static int explain_supply_stands(const struct columns *k) {
    return !meta(k, M_SUPPLY_NEWS) && meta(k, M_GREW_HEAD) == NO_ROW &&
           meta(k, M_GAVE_HEAD) == NO_ROW;
}

/* True if a node has room for a task of the record. */
static int explain_supply_has_room(const struct columns *k, const lsched_waiting *w) {
    uint32_t shape = waiting_shape(k, w), n = 0;
    if (shape == NO_ROW) return 1;
    while (n < table_rows(k, T_NODE) && !(node_is_usable(k, n, shape) && node_fits(k, n, shape)))
        n++;
    return n < table_rows(k, T_NODE);
}

void explain_supply_refresh(const struct columns *k, lsched_waiting *w) {
    struct supply_lack lack;
    if (explain_supply_find(k, w, &lack)) {
        w->need = lack.need;
        w->have = lack.have;
    } else if (!explain_supply_stands(k)) {
        if (w->have < w->need) w->have = w->need;
    } else if (!explain_supply_has_room(k, w)) {
        w->code = LSCHED_WAIT_ROOM; /* other jobs took the room where a supply was short */
    }
}

static void explain_supply_put_place(const struct columns *k, uint32_t place, struct text_out *o) {
    uint32_t tree = k->c[C_PLACE_TOPOLOGY].u32[place], levels = k->c[C_PLACE_LEVELS].u32[place];
    struct reader r = reader_of(k, k->c[C_PLACE_PATH].u32[place]);
    lsched_text value = {"", 0};
    if (levels == 0) {
        text_put(o, "the cluster");
        return;
    }
    for (uint32_t l = 0; l < levels; l++) value = reader_text(&r);
    text_put(o, "%s %s", shown(topology_level_key(k, tree, levels - 1)).text, shown(value).text);
}

/* True if `a`, which the node n lacks, goes before *most, which the node `first` lacks: by the name
 * of the supply, then by the amount that the place has, the most first, then by the node's name. */
static int explain_supply_goes_before(const struct columns *k, const struct supply_lack *a,
                                      uint32_t n, const struct supply_lack *most, uint32_t first) {
    if (first == NO_ROW) return 1;
    uint32_t x = k->c[C_PLACE_SUPPLY].u32[a->place], y = k->c[C_PLACE_SUPPLY].u32[most->place];
    int c = x == y ? 0 : text_compare(k, k->c[C_SUPPLY_NAME].u32[x], k->c[C_SUPPLY_NAME].u32[y]);
    if (c != 0) return c < 0;
    return a->have != most->have ? a->have > most->have : name_before(k, C_NODE_NAME, n, first);
}

int explain_supply_never(const struct columns *k, const lsched_waiting *w,
                         struct supply_lack *most) {
    uint32_t shape = waiting_shape(k, w), first = NO_ROW;
    if (shape == NO_ROW || !shape_n_supplies(k, shape)) return 0;
    if (!supply_cluster_has(k, shape, explain_supply_tasks(k, w), SUPPLY_IN_ALL, most)) return 1;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        struct supply_lack lack;
        if (!row_is_live(k, T_NODE, n) || !node_able(k, n, shape)) continue;
        if (supply_domains_have(k, shape, n, SUPPLY_IN_ALL, &lack)) return 0;
        if (!explain_supply_goes_before(k, &lack, n, most, first)) continue;
        *most = lack;
        first = n;
    }
    return first != NO_ROW;
}

/* Writes that the job needs more than there is, also when nothing uses the supply. */
static void explain_supply_put_never(const struct columns *k, const struct supply_lack *most,
                                     struct text_out *o) {
    text_put(o, "the job needs %" PRId64 " of supply %s, and ", most->need,
             shown(supply_name(k, k->c[C_PLACE_SUPPLY].u32[most->place])).text);
    explain_supply_put_place(k, most->place, o);
    text_put(o, " has %" PRId64 " in all%s", most->have,
             k->c[C_PLACE_LEVELS].u32[most->place]
                 ? ", the most of the places whose nodes could hold the job"
                 : "");
}

void explain_supply_put(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    struct supply_lack lack;
    if (explain_supply_never(k, w, &lack)) {
        explain_supply_put_never(k, &lack, o);
        return;
    }
    if (!explain_supply_find(k, w, &lack)) {
        text_put(o, explain_supply_stands(k)
                        ? "too little of its supplies is left where it could start"
                        : "what it waited for has happened: the next cycle tries it again");
        return;
    }
    uint32_t p = lack.place;
    explain_supply_put_place(k, p, o);
    text_put(o, " has %" PRId64 " of supply %s left of %" PRId64, lack.have,
             shown(supply_name(k, k->c[C_PLACE_SUPPLY].u32[p])).text, k->c[C_PLACE_AMOUNT].i64[p]);
    int64_t foreign = k->c[C_PLACE_FOREIGN].i64[p], coming = k->c[C_PLACE_COMING].i64[p];
    if (foreign) text_put(o, " (others use %" PRId64 ")", foreign);
    text_put(o, "; the job needs %" PRId64, lack.need);
    if (coming > 0) text_put(o, "; %" PRId64 " will come free when tasks have stopped", coming);
}
