/*
 * suggest.h -- "did you mean": finds the known word that differs from an unknown word by a typing
 * error.
 *
 * The caller offers the known words one by one, in any order. The suggestion is the known word with
 * the smallest edit distance to the unknown word. Among words with equal distance, it is the first
 * one in the order of bytes. Therefore the suggestion does not depend on the order in which words
 * are offered. Words longer than SUGGEST_BYTES are never suggested. To offer a word of m bytes
 * costs O(n m) for an unknown word of n bytes. The functions allocate no memory.
 */
#ifndef LIBSCHED_SUGGEST_H
#define LIBSCHED_SUGGEST_H

#include <stddef.h>
#include <stdint.h>

enum { SUGGEST_BYTES = 32 };

struct suggest {
    /* The unknown word, and the best known word so far, which is NULL while no word is similar
     * enough. The caller owns both texts. */
    const char *text, *best;
    size_t len, best_len;
    uint32_t best_distance;
};

void suggest_begin(struct suggest *s, const char *text, size_t len);
void suggest_offer(struct suggest *s, const char *word, size_t len);

#endif
