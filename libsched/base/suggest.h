/*
 * suggest.h -- "did you mean": finds the known word that differs from an unknown word by a typing
 * error.
 *
 * Words are offered one by one, in any order. The word with the least edit distance wins, and among
 * equal distances the first by its bytes, so the answer does not depend on the order. Words longer
 * than SUGGEST_BYTES are never suggested. Cost: O(n m) per offered word, no memory.
 */
#ifndef LIBSCHED_SUGGEST_H
#define LIBSCHED_SUGGEST_H

#include <stddef.h>
#include <stdint.h>

enum { SUGGEST_BYTES = 32 };

struct suggest {
    const char *text, *best; /* borrowed; best is NULL while no word is close enough */
    size_t len, best_len;
    uint32_t best_distance;
};

void suggest_begin(struct suggest *s, const char *text, size_t len);
void suggest_offer(struct suggest *s, const char *word, size_t len);

#endif
