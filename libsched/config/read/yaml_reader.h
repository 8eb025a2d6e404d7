/*
 * yaml_reader.h -- turns YAML text into a tree of scalars, lists and maps, each with its place in
 * the text. No file except yaml_reader.c calls libyaml.
 *
 * The text can come from an attacker. Therefore the reader has bounds for the bytes of the text,
 * the nesting depth, the number of nodes after aliases are expanded, the number of anchors, and the
 * bytes of one scalar. In a "billion laughs" text, nested aliases expand to billions of nodes. The
 * reader refuses such a text, because it counts the expanded nodes without building them. The
 * reader also refuses duplicate keys, keys that are not scalars, tags, a second document, and an
 * alias inside the value that the alias refers to. Scalars stay text. The schema that reads a
 * scalar decides what a plain `no` or `1e3` means, and YAML's implicit types have no effect.
 * libyaml allocates with malloc, therefore its memory does not count against the memory limit of a
 * cluster. The bounds above also bound the memory of libyaml.
 */
#ifndef LIBSCHED_YAML_READER_H
#define LIBSCHED_YAML_READER_H

#include "base/alloc.h"
#include "config/read/complain.h"

enum ytree_kind { YTREE_SCALAR, YTREE_LIST, YTREE_MAP, YTREE_ALIAS };

struct ytree_node {
    struct mark mark;
    uint32_t kind;   /* enum ytree_kind */
    uint32_t quoted; /* scalar: 1 if the text has it in quotes or as a block */
    /* scalar: 1 + the number of columns by which a literal block is indented; 0: no literal block.
     * The first line of the block is the line below `mark`. */
    uint32_t block;
    /* The meaning depends on the kind of the node:
     *   list    index of the first item
     *   map     index of the first key; the member `next` of a key is the index of its value
     *   scalar  offset of the scalar's text in ytree.text
     *   alias   index of the node that the alias refers to */
    uint32_t first;
    /* The meaning depends on the kind of the node:
     *   list    number of items
     *   map     number of keys
     *   scalar  number of bytes of the text */
    uint32_t n;
    /* index of the next sibling; 0: none (node 0 is the root, which has no siblings) */
    uint32_t next;
    /* number of nodes of this value after aliases are expanded, including the node itself. 0: the
     * reader has not reached the end of the value yet, or the node is an alias. */
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
 * On error the function fills the error record and frees the memory that it allocated. */
int32_t ytree_read(struct ytree *tree, struct alloc *alloc, const struct ytree_limits *limits,
                   const char *text, size_t len, const struct complain *complain);
void ytree_drop(struct ytree *tree);

/* Returns node i. If node i is an alias, returns the node that the alias refers to, which is never
 * an alias. */
const struct ytree_node *ytree_at(const struct ytree *tree, uint32_t i);
/* Returns the NUL-terminated text of a scalar node. */
const char *ytree_text(const struct ytree *tree, const struct ytree_node *node);

#endif
