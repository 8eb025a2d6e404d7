/* bin_heap.c -- see bin_heap.h. */
#include "algorithms/support/bin_heap.h"

/* Joins two sets without common bins. Returns the root of the result. */
static uint32_t heap_join(struct bin_heap_links *links, uint32_t a, uint32_t b) {
    if (a == BIN_HEAP_NONE) return b;
    if (b == BIN_HEAP_NONE) return a;
    int a_is_low = links[a].rank < links[b].rank;
    uint32_t root = a_is_low ? a : b, child = a_is_low ? b : a;
    links[child].next = links[root].child;
    links[child].before = root;
    if (links[root].child != BIN_HEAP_NONE) links[links[root].child].before = child;
    links[root].child = child;
    links[root].next = links[root].before = BIN_HEAP_NONE;
    return root;
}

/* Joins the children of a removed bin: first each two neighbours, and then the results from the
 * last to the first. Returns the root of the result. */
static uint32_t join_children(struct bin_heap_links *links, uint32_t first) {
    uint32_t pairs = BIN_HEAP_NONE, root = BIN_HEAP_NONE;
    while (first != BIN_HEAP_NONE) {
        uint32_t second = links[first].next, rest = BIN_HEAP_NONE;
        links[first].next = links[first].before = BIN_HEAP_NONE;
        if (second != BIN_HEAP_NONE) {
            rest = links[second].next;
            links[second].next = links[second].before = BIN_HEAP_NONE;
        }
        uint32_t pair = heap_join(links, first, second);
        links[pair].next = pairs;
        pairs = pair;
        first = rest;
    }
    while (pairs != BIN_HEAP_NONE) {
        uint32_t pair = pairs;
        pairs = links[pair].next;
        links[pair].next = BIN_HEAP_NONE;
        root = heap_join(links, root, pair);
    }
    return root;
}

uint32_t bin_heap_add(struct bin_heap_links *links, uint32_t root, uint32_t bin) {
    links[bin].child = links[bin].next = links[bin].before = BIN_HEAP_NONE;
    return heap_join(links, root, bin);
}

uint32_t bin_heap_remove(struct bin_heap_links *links, uint32_t root, uint32_t bin) {
    uint32_t child = links[bin].child, next = links[bin].next, before = links[bin].before;
    if (bin == root) return join_children(links, child);
    if (links[before].child == bin)
        links[before].child = next;
    else
        links[before].next = next;
    if (next != BIN_HEAP_NONE) links[next].before = before;
    return heap_join(links, root, join_children(links, child));
}
