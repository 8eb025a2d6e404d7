/*
 * yaml_reader.h -- turns YAML text into a tree of scalars, lists and maps, each with its place in
 * the text. No other file calls libyaml.
 *
 * The text may be hostile. The reader has bounds for the bytes of text, the nesting depth, the
 * number of nodes after aliases are expanded, the number of anchors, and the bytes of one scalar.
 * It refuses a "billion laughs" text while reading, because it counts the expanded nodes without
 * building them. It also refuses duplicate keys, keys that are not scalars, tags, a second
 * document, and an alias inside the value that it names. Scalars stay text: the schema that reads
 * a plain `no` or `1e3` decides what it means, therefore YAML's implicit types cannot surprise.
 * libyaml allocates with the process's malloc, which counts against no limit of a cluster, but the
 * bounds above also bound that memory.
 */
#ifndef LIBSCHED_YAML_READER_H
#define LIBSCHED_YAML_READER_H

#include "base/alloc.h"
#include "config/read/complain.h"

enum ytree_kind { YTREE_SCALAR, YTREE_LIST, YTREE_MAP, YTREE_ALIAS };

struct ytree_node {
    struct mark mark;
    uint32_t kind;   /* enum ytree_kind */
    uint32_t quoted; /* scalar: 1 if it was written in quotes or as a block */
    /* scalar: 1 + the indent of a literal block, whose first line is below the mark; 0: no block */
    uint32_t block;
    /* list: first item; map: first key, whose `next` is its value; scalar: offset of the text;
     * alias: the node that it refers to */
    uint32_t first;
    uint32_t n;    /* list: number of items; map: number of pairs; scalar: bytes */
    uint32_t next; /* next sibling; 0: none (node 0 is the root, which has no siblings) */
    /* number of nodes in it after aliases are expanded; 0: the node is not complete yet */
    uint32_t expanded;
};

struct ytree {
    struct alloc *alloc;
    struct ytree_node *nodes; /* nodes[0] is the root of the tree */
    char *text;               /* texts of all scalars, each NUL-terminated */
    uint32_t n_nodes, cap_nodes;
    uint32_t n_text, cap_text;
};

struct ytree_limits {
    uint32_t text_bytes;
    uint32_t nodes;
    uint32_t depth;
};

/* Reads the text into `tree`. On success the caller owns the tree and frees it with ytree_drop().
 * On error the function frees all that it allocated. */
int32_t ytree_read(struct ytree *tree, struct alloc *alloc, const struct ytree_limits *limits,
                   const char *text, size_t len, const struct complain *complain);
void ytree_drop(struct ytree *tree);

/* Returns node i, or the node that it refers to if it is an alias. The result is never an alias. */
const struct ytree_node *ytree_at(const struct ytree *tree, uint32_t i);
/* Returns the NUL-terminated text of a scalar node. */
const char *ytree_text(const struct ytree *tree, const struct ytree_node *node);

#endif
