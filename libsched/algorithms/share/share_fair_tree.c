/*
 * share_fair_tree.c -- the share algorithm "fair-tree", after Slurm's Fair Tree: orders siblings by
 * their decayed use in relation to their weight. docs/fair-share.md compares it with Slurm.
 *
 *   level of a queue   max over kinds of decayed use / weight. Slurm's level fair share is the
 *                      inverse of this level; Slurm divides use and weight by their sums over the
 *                      siblings, and these sums cancel
 *   order              queue priority, then lower level, then smaller current use by weight, then
 *                      queues of jobs before queues of queues (Slurm: users before accounts)
 *
 * The engine descends the queue tree in this order. Therefore all queues below the sibling with the
 * lower level come first, and the users of one account do not pay for the use of another account. A
 * queue of weight 0 comes last.
 *
 * Decayed use does not change within a cycle. If levels are equal (for example, without any past
 * use), the current use decides, so that an empty cluster is not filled from one queue. The current
 * use is rounded up. Therefore a queue that holds even a tiny amount comes after a queue that holds
 * nothing.
 *
 * Arithmetic: levels are integers with 41 fractional bits, rounded down. Different quotients of
 * weights up to 1,448 never give equal keys, because the product of two such weights in milli-units
 * is below 2^41. The algorithm has no state; an update takes O(kinds).
 */
#include "algorithms/builtin.h"

__extension__ typedef unsigned __int128 tree_u128;

#define FAIR_TREE_LEVEL_BITS 41
#define LEVEL_LAST           (((int64_t)1 << 62) - 1)
#define PPM_MOST             (((int64_t)1 << 21) - 1) /* twice the cluster's capacity */
/* number of low bits of the level that are in the second word of the key; the first word has all
 * higher bits */
#define LOW_BITS     31
#define IN_HAND_BITS 20
/* number of bits of the current use in the second word; the lowest bit of this word is 1 for a
 * queue that has child queues */
#define IN_HAND_WIDTH   31
#define FAIR_TREE_MILLI 1000

/* Returns used / (capacity * weight), rounded up, with IN_HAND_BITS fractional bits. Larger results
 * are reduced to the largest number of IN_HAND_WIDTH bits. */
static int64_t in_hand(int64_t used, int64_t capacity, int64_t weight_milli) {
    const int64_t most = ((int64_t)1 << IN_HAND_WIDTH) - 1;
    if (used <= 0) return 0;
    if (capacity <= 0) return most;
    tree_u128 part = ((tree_u128)(uint64_t)used << IN_HAND_BITS) * FAIR_TREE_MILLI;
    tree_u128 all = (tree_u128)(uint64_t)capacity * (uint64_t)weight_milli;
    part = part / all + (part % all != 0);
    return part < (tree_u128)most ? (int64_t)part : most;
}

static int32_t fair_tree_update(void *self, const lsched_view *view, uint32_t queue,
                                uint32_t active, uint32_t best_child, const int64_t *want,
                                lsched_share_key *key) {
    (void)self;
    (void)active;
    (void)want;
    int64_t level = 0, held = 0, heaviest = 0;
    for (uint32_t kind = 1; kind < view->n_kinds; kind++) {
        int64_t weight = view->queue_weight_milli[kind][queue];
        int64_t ppm = view->queue_decayed_ppm[kind][queue];
        int64_t used = view->queue_used[kind][queue];
        if (weight > heaviest) heaviest = weight;
        if (ppm <= 0 && used <= 0) continue;
        if (weight <= 0) {
            level = LEVEL_LAST;
            continue;
        }
        if (ppm > PPM_MOST) ppm = PPM_MOST;
        int64_t own =
            ppm > 0 ? (int64_t)(((uint64_t)ppm << FAIR_TREE_LEVEL_BITS) / (uint64_t)weight) : 0;
        int64_t hand = in_hand(used, view->total_capacity[kind], weight);
        if (own > level) level = own;
        if (hand > held) held = hand;
    }
    if (heaviest == 0 && view->n_kinds > 1) level = LEVEL_LAST;
    int64_t low = level & (((int64_t)1 << LOW_BITS) - 1);
    key->word[0] = ((int64_t)INT32_MAX - view->queue_priority[queue]) * ((int64_t)1 << LOW_BITS) +
                   (level >> LOW_BITS);
    key->word[1] = (low << IN_HAND_WIDTH | held) << 1 | (best_child != LSCHED_NO_ROW);
    return LSCHED_OK;
}

static const lsched_share_ops fair_tree_ops = {
    .size = sizeof(lsched_share_ops),
    .local_keys = 1,
    .update = fair_tree_update,
};

const lsched_algorithm share_fair_tree = {
    BUILTIN(SHARE),
    .name = "fair-tree",
    .share = &fair_tree_ops,
};
