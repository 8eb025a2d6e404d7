/*
 * suggest.h -- "did you mean": the known word that is a typing error away from an unknown one.
 *
 * Words are offered one by one, in any order; the nearest wins, equally near ones by their bytes,
 * so the answer does not depend on the order. Words longer than SUGGEST_BYTES are never suggested.
 * Cost O(n m) per word offered, no memory.
 */
#ifndef LIBSCHED_SUGGEST_H
#define LIBSCHED_SUGGEST_H

#include <stddef.h>
#include <stdint.h>

enum { SUGGEST_BYTES = 32 };

struct suggest {
    const char *text, *best; /* borrowed; best is NULL while nothing is near */
    size_t len, best_len;
    uint32_t best_distance;
};

void suggest_begin(struct suggest *s, const char *text, size_t len);
void suggest_offer(struct suggest *s, const char *word, size_t len);

#endif
