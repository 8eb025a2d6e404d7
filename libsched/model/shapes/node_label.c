/* node_label.c -- see node_label.h. */
#include "model/shapes/node_label.h"

int node_label(const struct columns *k, uint32_t node, const char *key, size_t key_len,
               lsched_text *value) {
    struct reader r = reader_of(k, intern_text(k, T_LABELS, k->c[C_NODE_LABELS].u32[node]));
    uint32_t n = reader_u32(&r);
    lsched_text want = {key, key_len};
    for (uint32_t i = 0; i < n; i++) {
        lsched_text have = reader_text(&r), v = reader_text(&r);
        if (text_order(have, want) != 0) continue;
        *value = v;
        return 1;
    }
    return 0;
}
