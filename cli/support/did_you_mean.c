/*
 * did_you_mean.c -- finds similar words by their edit distance. Two swapped neighbouring letters
 * count as one mistake, because this is a common typing mistake.
 *
 * Words are short, therefore the function keeps the full table of distances, which has a few
 * hundred bytes. A word that is too long for the table is never suggested.
 */
#include "cli/support/did_you_mean.h"

#include <stdio.h>
#include <string.h>

enum { WORD_MAX = 48, PREFIX_MIN = 3 };

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

static unsigned distance(const char *a, size_t a_len, const char *b, size_t b_len) {
    unsigned d[WORD_MAX + 1][WORD_MAX + 1];
    for (size_t i = 0; i <= a_len; i++) d[i][0] = (unsigned)i;
    for (size_t j = 0; j <= b_len; j++) d[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a_len; i++) {
        for (size_t j = 1; j <= b_len; j++) {
            unsigned replaced = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            unsigned best = least(replaced, least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                best = least(best, d[i - 2][j - 2] + 1);
            }
            d[i][j] = best;
        }
    }
    return d[a_len][b_len];
}

static size_t common_prefix(const char *a, const char *b) {
    size_t n = 0;
    while (a[n] != '\0' && a[n] == b[n]) n++;
    return n;
}

const char *suggest(const char *unknown, suggest_word_fn word, const void *list) {
    size_t len = strlen(unknown);
    if (len == 0 || len > WORD_MAX) return NULL;
    const char *closest = NULL;
    unsigned allowed = len < 4 ? 1 : (unsigned)least((unsigned)len / 3, 3);
    size_t prefix_needed = len > PREFIX_MIN ? len - 1 : PREFIX_MIN;
    const char *candidate;
    for (size_t i = 0; (candidate = word(list, i)) != NULL; i++) {
        size_t candidate_len = strlen(candidate);
        if (candidate_len > WORD_MAX) continue;
        unsigned off = distance(unknown, len, candidate, candidate_len);
        if (off <= allowed) {
            closest = candidate;
            if (off == 0) break;
            allowed = off - 1;
        } else if (closest == NULL && common_prefix(unknown, candidate) >= prefix_needed) {
            /* the candidate begins with the unknown word, or both words have a long beginning in
             * common */
            closest = candidate;
        }
    }
    return closest;
}

static const char *listed_word(const void *list, size_t i) {
    const char *const *words = list;
    return words[i];
}

const char *suggest_listed(const char *unknown, const char *const *words) {
    return suggest(unknown, listed_word, words);
}

struct meant_text did_you_mean(const char *meant) {
    struct meant_text out = {""};
    if (meant != NULL) snprintf(out.text, sizeof out.text, "; did you mean '%s'?", meant);
    return out;
}
