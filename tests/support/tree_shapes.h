/*
 * tree_shapes.h -- all rooted trees of a number of leaves in which every inner vertex has at least
 * two children, up to isomorphism (1, 1, 2, 5, 12, 33, 90, 261 for 1 to 8 leaves), and clusters
 * that have that shape: a leaf is a node with room for some unit tasks, the vertices of one depth
 * are the domains of one level.
 *
 * A leaf that is less deep than others stands in a chain of domains of its own, so every node has a
 * domain of every level and the last level is the node itself. Domains are named by the numbers of
 * the children on the way to them, so their order by bytes is that of the numbers.
 */
#ifndef TESTS_TREE_SHAPES_H
#define TESTS_TREE_SHAPES_H

#include <libsched/libsched.h>

enum { TREE_LEAVES_MAX = 8, TREE_LEVELS_MAX = 8, TREE_SHAPES_MAX = 512 };

struct tree_shape {
    uint32_t leaves, levels;
    char path[TREE_LEAVES_MAX][TREE_LEVELS_MAX + 1]; /* path[i][0..l]: the domain of level l */
};

/* All shapes of that many leaves; returns how many, at most TREE_SHAPES_MAX. */
uint32_t tree_shapes_of(uint32_t leaves, struct tree_shape *out);

/* ---- a cluster of that shape ----------------------------------------------------------------- */

struct tree_world {
    const struct tree_shape *shape;
    lsched_cluster *cluster;
    lsched_id nodes[TREE_LEAVES_MAX];
    int64_t now_us;
};

/* Abort when a call fails that cannot. Every plan is verified. */
void tree_world_make(struct tree_world *w, const struct tree_shape *shape);
void tree_world_drop(struct tree_world *w);
void tree_world_capacity(struct tree_world *w, const uint32_t *capacity); /* unit tasks by leaf */
/* the name of a level */
lsched_text topology_map_level(uint32_t level);
/* A unit task. */
lsched_group_desc tree_group(uint32_t count);
/* Submit a job of these groups, run a cycle, count the tasks placed by group and leaf, and
 * remove it. leaf_of: NULL, or room for the leaf of each task, by its index. Returns how many
 * were placed. */
uint32_t tree_world_try(struct tree_world *w, const lsched_group_desc *groups, uint32_t n,
                        uint32_t (*placed)[TREE_LEAVES_MAX], uint8_t *leaf_of);

#endif
