/*
 * near_word.h -- finds, among the words that exist, the one that a wanted word probably means.
 *
 * Words are ranked in this order, and of words with the same rank the first by its bytes is taken:
 *   - the wanted word, written with other capital or small letters
 *   - a word with which the wanted word begins, or which begins with the wanted word
 *   - a word with one typing error
 *   - any other word
 * So the result does not depend on the order in which words are offered. Cost: O(bytes of both
 * words) for each word, and their product if only a typing error can join them.
 */
#ifndef LIBSCHED_NEAR_WORD_H
#define LIBSCHED_NEAR_WORD_H

#include <libsched/libsched.h>

/* The caller sets `want`, and 0 for the rest. */
struct near_word {
    lsched_text want, best;
    /* how `best` and `want` are alike: 0 `best` is not set yet; 1 not at all; from 2 on by one of
     * the ways above, the best way last */
    uint32_t rank;
};

void near_word_offer(struct near_word *n, lsched_text word);

#endif
