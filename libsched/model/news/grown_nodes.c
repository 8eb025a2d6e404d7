/* grown_nodes.c -- see grown_nodes.h. */
#include "model/news/grown_nodes.h"

#include "model/store/steps.h"

void node_grew(struct columns *k, uint32_t node) {
    if (k->c[C_NODE_GREW].u8[node]) return;
    set_u8(k, C_NODE_GREW, node, 1);
    set_u32(k, C_NODE_GREW_NEXT, node, (uint32_t)meta(k, M_GREW_HEAD));
    set_meta(k, M_GREW_HEAD, node);
}

void node_ungrew(struct columns *k, uint32_t node) {
    if (!k->c[C_NODE_GREW].u8[node]) return;
    uint32_t next = k->c[C_NODE_GREW_NEXT].u32[node];
    uint32_t at = (uint32_t)meta(k, M_GREW_HEAD);
    if (at == node) {
        set_meta(k, M_GREW_HEAD, next);
    } else {
        while (k->c[C_NODE_GREW_NEXT].u32[at] != node) {
            at = k->c[C_NODE_GREW_NEXT].u32[at];
            steps_add(k, 1);
        }
        set_u32(k, C_NODE_GREW_NEXT, at, next);
    }
    set_u8(k, C_NODE_GREW, node, 0);
}
