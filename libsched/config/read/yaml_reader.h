/*
 * yaml_reader.h -- YAML text to a tree of scalars, lists and maps that remember where they stood.
 * The only door to libyaml.
 *
 * Hostile text is expected. Bounded: bytes of text, nesting, nodes after following aliases (a
 * "billion laughs" text is refused while it is read, for its cost is counted, not paid), anchors,
 * bytes of one scalar. Refused: duplicate keys, keys that are not scalars, tags, a second document,
 * an alias inside what it names. Scalars stay text: what a plain `no` or `1e3` means is decided by
 * the schema that reads it, so YAML's implicit types cannot surprise. libyaml allocates with the
 * process's malloc, which counts against no limit of a cluster; its share is bounded by the bounds
 * above.
 */
#ifndef LIBSCHED_YAML_READER_H
#define LIBSCHED_YAML_READER_H

#include "base/alloc.h"
#include "config/read/complain.h"

enum ytree_kind { YTREE_SCALAR, YTREE_LIST, YTREE_MAP, YTREE_ALIAS };

struct ytree_node {
    struct mark mark;
    uint32_t kind;     /* enum ytree_kind */
    uint32_t quoted;   /* scalar: written in quotes, or as a block */
    uint32_t block;    /* scalar: 1 + indent of a literal block, which begins below the mark */
    uint32_t first;    /* list: first item; map: first key, whose `next` is its value;
                        * scalar: offset of the text; alias: the node it names */
    uint32_t n;        /* list: items; map: pairs; scalar: bytes */
    uint32_t next;     /* next sibling; 0: none (0 is the root, nobody's sibling) */
    uint32_t expanded; /* nodes in it, aliases followed; 0: not complete yet */
};

struct ytree {
    struct alloc *alloc;
    struct ytree_node *nodes; /* nodes[0] is the root */
    char *text;               /* of all scalars, each NUL-terminated */
    uint32_t n_nodes, cap_nodes;
    uint32_t n_text, cap_text;
};

struct ytree_limits {
    uint32_t text_bytes;
    uint32_t nodes;
    uint32_t depth;
};

/* On success the tree is the caller's: ytree_drop. On error nothing is left. */
int32_t ytree_read(struct ytree *tree, struct alloc *alloc, const struct ytree_limits *limits,
                   const char *text, size_t len, const struct complain *complain);
void ytree_drop(struct ytree *tree);

/* Node i, aliases followed. Never an alias. */
const struct ytree_node *ytree_at(const struct ytree *tree, uint32_t i);
/* NUL-terminated text of a scalar node. */
const char *ytree_text(const struct ytree *tree, const struct ytree_node *node);

#endif
