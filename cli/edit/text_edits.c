/* text_edits.c -- see text_edits.h. */
#include "cli/edit/text_edits.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

void text_edits_replace(struct text_edits *edits, struct yaml_span span, const char *text,
                        size_t len) {
    edits->items = must_grow(edits->items, edits->n, &edits->capacity, sizeof edits->items[0]);
    edits->items[edits->n] = (struct text_edit){.at = span.from,
                                                .gone = span.to - span.from,
                                                .text = must_copy(text, len),
                                                .len = len,
                                                .number = edits->n};
    edits->n++;
}

void text_edits_insert(struct text_edits *edits, size_t at, const char *text) {
    text_edits_replace(edits, (struct yaml_span){at, at}, text, strlen(text));
}

static int edit_compare(const void *a, const void *b) {
    const struct text_edit *x = a, *y = b;
    if (x->at != y->at) return x->at < y->at ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

void text_edits_sort(struct text_edits *edits) {
    if (edits->n > 0) qsort(edits->items, edits->n, sizeof edits->items[0], edit_compare);
}

char *text_edits_apply(struct text_edits *edits, const struct yaml_text *text,
                       struct yaml_span span, size_t *len) {
    size_t room = span.to - span.from + 1, at = span.from, n = 0;
    text_edits_sort(edits);
    for (size_t i = 0; i < edits->n; i++) room += edits->items[i].len;
    char *out = must_alloc(room);
    for (size_t i = 0; i < edits->n; i++) {
        const struct text_edit *edit = &edits->items[i];
        if (edit->at < at || edit->at > span.to) continue;
        memcpy(out + n, text->bytes + at, edit->at - at);
        n += edit->at - at;
        memcpy(out + n, edit->text, edit->len);
        n += edit->len;
        at = edit->at + edit->gone;
    }
    memcpy(out + n, text->bytes + at, span.to - at);
    n += span.to - at;
    out[n] = '\0';
    *len = n;
    return out;
}

void text_edits_free(struct text_edits *edits) {
    for (size_t i = 0; i < edits->n; i++) free(edits->items[i].text);
    free(edits->items);
    memset(edits, 0, sizeof *edits);
}
