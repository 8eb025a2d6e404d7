/* suggest.c -- see suggest.h. */
#include "base/suggest.h"

#include <string.h>

/* Returns the edit distance of two words. A swap of two neighbouring characters counts as one edit.
 * Only three rows of the table of distances are stored, because row i is computed from the two rows
 * before it. */
static uint32_t suggest_distance(const char *a, size_t n, const char *b, size_t m) {
    uint32_t rows[3][SUGGEST_BYTES + 1];
    for (uint32_t j = 0; j <= m; j++) rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        uint32_t *row = rows[i % 3];
        const uint32_t *up = rows[(i + 2) % 3], *above = rows[(i + 1) % 3];
        row[0] = (uint32_t)i;
        for (size_t j = 1; j <= m; j++) {
            uint32_t least = up[j - 1] + (a[i - 1] != b[j - 1]);
            if (up[j] + 1 < least) least = up[j] + 1;
            if (row[j - 1] + 1 < least) least = row[j - 1] + 1;
            int swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && above[j - 2] + 1 < least) least = above[j - 2] + 1;
            row[j] = least;
        }
    }
    return rows[n % 3][m];
}

void suggest_begin(struct suggest *s, const char *text, size_t len) {
    *s = (struct suggest){.text = text, .len = len};
    s->best_distance = len <= 3 ? 2 : 3; /* only words with a smaller distance are suggested */
}

void suggest_offer(struct suggest *s, const char *word, size_t len) {
    if (s->len == 0 || s->len > SUGGEST_BYTES || len == 0 || len > SUGGEST_BYTES) return;
    uint32_t distance = suggest_distance(s->text, s->len, word, len);
    if (distance > s->best_distance || distance >= len) return;
    if (distance == s->best_distance) {
        if (!s->best) return;
        size_t common = len < s->best_len ? len : s->best_len;
        int order = memcmp(word, s->best, common);
        if (order > 0 || (order == 0 && len >= s->best_len)) return;
    }
    s->best = word;
    s->best_len = len;
    s->best_distance = distance;
}
