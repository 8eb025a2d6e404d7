/*
 * text_edits.h -- changes of a text by their places: bytes that go, and bytes that come instead.
 *
 * The places are those of the old text, so changes can be collected in any order. No two changes
 * touch the same old byte; changes at one place stand in the order in which they came.
 *
 * Cost: O(log n) for each of n changes when they are sorted; O(text) to apply them.
 */
#ifndef LSCHED_CLI_TEXT_EDITS_H
#define LSCHED_CLI_TEXT_EDITS_H

#include "cli/edit/yaml_spans.h"

struct text_edit {
    size_t at, gone; /* place, and number of old bytes that go */
    char *text;      /* owned: what comes */
    size_t len;
    size_t number; /* how many changes came before */
};

struct text_edits {
    struct text_edit *items; /* owned; sorted after text_edits_sort() */
    size_t n, capacity;
};

/* Replaces the bytes of a span. The text is copied. */
void text_edits_replace(struct text_edits *edits, struct yaml_span span, const char *text,
                        size_t len);
/* Inserts a text of C before a place. */
void text_edits_insert(struct text_edits *edits, size_t at, const char *text);
void text_edits_sort(struct text_edits *edits);
/* Returns the new text for the old bytes of a span, with a NUL byte behind it; the caller frees it.
 * All changes that begin in the span must end in it; one at its end counts. Sorts the changes. */
char *text_edits_apply(struct text_edits *edits, const struct yaml_text *text,
                       struct yaml_span span, size_t *len);
void text_edits_free(struct text_edits *edits);

#endif
