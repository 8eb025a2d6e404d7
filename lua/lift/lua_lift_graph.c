/* lua_lift_graph.c -- see lua_lift_graph.h. */
#include "lua/lift/lua_lift_graph.h"

#include <stdarg.h>
#include <stdio.h>

void lift_refuse(struct lift *l, uint32_t node, const char *format, ...) {
    va_list args;
    if (l->is_refused) return;
    l->is_refused = 1;
    va_start(args, format);
    vsnprintf(l->out->reason, sizeof l->out->reason, format, args);
    va_end(args);
    if (node == PARSE_NONE) return;
    l->out->reason_line = tree_at(l->tree, node)->line;
    l->out->reason_column = tree_at(l->tree, node)->column;
}

struct lift_value lift_number(uint32_t node) {
    return (struct lift_value){.kind = V_NUMBER, .node = node};
}

struct lift_value lift_mask(uint32_t node) {
    return (struct lift_value){.kind = V_MASK, .node = node};
}

uint32_t lift_node(struct lift *l, enum col_op op, uint32_t a, uint32_t b) {
    return col_apply(&l->graph, op, a, b, 0);
}

uint32_t lift_choose(struct lift *l, uint32_t mask, uint32_t a, uint32_t b) {
    return col_apply(&l->graph, COL_SELECT, mask, a, b);
}

uint32_t lift_not(struct lift *l, uint32_t mask) {
    return lift_node(l, COL_NOT, mask, 0);
}

void lift_watch(struct lift *l, uint32_t bad) {
    l->odd = lift_node(l, COL_OR, l->odd, bad);
}

int lift_is_same_text(const struct lift_text *a, const struct lift_text *b) {
    return a->kind == b->kind && a->object == b->object && a->field == b->field && a->at == b->at &&
           a->len == b->len;
}

struct lift_value lift_merge(struct lift *l, uint32_t mask, struct lift_value x,
                             struct lift_value y) {
    if (x.kind == V_NUMBER && y.kind == V_NUMBER)
        return lift_number(lift_choose(l, mask, x.node, y.node));
    if (x.kind == V_MASK && y.kind == V_MASK)
        return lift_mask(lift_choose(l, mask, x.node, y.node));
    int same = x.kind == y.kind && x.object == y.object && x.id == y.id && x.node == y.node &&
               x.cond == y.cond && x.slot == y.slot && lift_is_same_text(&x.text, &y.text);
    return same ? x : (struct lift_value){.kind = V_NONE};
}
