/* near_word.c -- see near_word.h. */
#include "engine/explain/near_word.h"

#include "base/suggest.h"
#include "model/store/intern.h"

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Returns the number of bytes that `a` and `b` have in common at their beginning, without regard to
 * case. */
static size_t common(lsched_text a, lsched_text b) {
    size_t n = 0;
    while (n < a.len && n < b.len && lower(a.ptr[n]) == lower(b.ptr[n])) n++;
    return n;
}

static uint32_t near_word_rank(lsched_text want, lsched_text word) {
    struct suggest s;
    size_t same = common(want, word);
    if (same == want.len && same == word.len) return 4;
    if (same && (same == want.len || same == word.len)) return 3;
    suggest_begin(&s, want.ptr, (size_t)want.len);
    suggest_offer(&s, word.ptr, (size_t)word.len);
    return s.best ? 2 : 1;
}

void near_word_offer(struct near_word *n, lsched_text word) {
    if (n->rank && text_order(word, n->best) == 0) return;
    uint32_t rank = near_word_rank(n->want, word);
    if (rank < n->rank || (rank == n->rank && text_order(word, n->best) > 0)) return;
    n->best = word;
    n->rank = rank;
}
