/* explain_supply.c -- see explain_supply.h. */
#include "engine/exclusions/explain_supply.h"

#include <inttypes.h>

#include "engine/exclusions/explain_print.h"
#include "engine/state/object_words.h"
#include "model/nodes/node.h"
#include "model/shapes/domain.h"

/* Finds a supply of which the whole cluster has less left than the record needs. A record about the
 * cluster needs a multiple of what one task needs. */
static int explain_supply_cluster(const struct columns *k, uint32_t shape, int64_t need,
                                  struct supply_lack *lack) {
    const struct supply_need *needs = shape_supplies(k, shape);
    for (uint32_t i = 0; i < shape_n_supplies(k, shape); i++) {
        uint32_t root = k->c[C_SUPPLY_ROOT].u32[needs[i].supply];
        int64_t left = supply_left(k, root, SUPPLY_NOW), most = needs[i].amount;
        if (need > most && need % most == 0) most = need;
        if (left >= most) continue;
        *lack = (struct supply_lack){root, most, left > 0 ? left : 0};
        return 1;
    }
    return 0;
}

int explain_supply_find(const struct columns *k, const lsched_waiting *w,
                        struct supply_lack *lack) {
    uint32_t shape = waiting_shape(k, w), first = NO_ROW;
    if (shape == NO_ROW || !shape_n_supplies(k, shape)) return 0;
    if (explain_supply_cluster(k, shape, w->need, lack)) return 1;
    for (uint32_t n = 0; n < table_rows(k, T_NODE); n++) {
        if (!node_is_usable(k, n, shape) || !node_fits(k, n, shape)) continue;
        if (supply_domains_have(k, shape, n, SUPPLY_NOW, NULL)) return 0;
        if (name_before(k, C_NODE_NAME, n, first)) first = n;
    }
    return first != NO_ROW && !supply_domains_have(k, shape, first, SUPPLY_NOW, lack);
}

void explain_supply_refresh(const struct columns *k, lsched_waiting *w) {
    struct supply_lack lack;
    if (explain_supply_find(k, w, &lack)) {
        w->need = lack.need;
        w->have = lack.have;
    } else if (w->have < w->need) {
        w->have = w->need;
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

void explain_supply_put(const struct columns *k, const lsched_waiting *w, struct text_out *o) {
    struct supply_lack lack;
    if (!explain_supply_find(k, w, &lack)) {
        text_put(o, "what it waited for has happened: the next cycle tries it again");
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
