/* unified_diff.c -- see unified_diff.h. */
#include "cli/edit/unified_diff.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

enum { DIFF_CONTEXT = 3 };

/* Lines of the old text and what replaces them. */
struct diff_change {
    size_t from, to;   /* old lines, by number from 0 */
    char *text;        /* owned: the new lines */
    size_t begin, len; /* the part of `text` that differs */
    size_t lines;      /* of this part */
};

struct diff {
    const struct yaml_text *text;
    size_t *begins; /* owned: where the old lines begin, and the end of the text behind the last */
    size_t n_lines;
    struct diff_change *changes; /* owned */
    size_t n, capacity;
};

bool unified_diff_can_name(const char *name) {
    for (; *name != '\0'; name++)
        if ((unsigned char)*name < ' ' || *name == 127) return false;
    return true;
}

static void find_lines(struct diff *diff) {
    const struct yaml_text *text = diff->text;
    size_t n = 1, at = 0;
    for (size_t i = 0; i < text->len; i++) n += text->bytes[i] == '\n';
    diff->begins = must_alloc((n + 1) * sizeof diff->begins[0]);
    while (at < text->len) {
        const char *end = memchr(text->bytes + at, '\n', text->len - at);
        diff->begins[diff->n_lines++] = at;
        at = end != NULL ? (size_t)(end - text->bytes) + 1 : text->len;
    }
    diff->begins[diff->n_lines] = text->len;
}

/* The line that has a byte; the place behind the text belongs to the last line if that has no
 * break. */
static size_t line_of(const struct diff *diff, size_t at) {
    size_t low = 0, high = diff->n_lines;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (diff->begins[middle + 1] > at)
            high = middle;
        else
            low = middle + 1;
    }
    bool open = diff->text->len > 0 && diff->text->bytes[diff->text->len - 1] != '\n';
    return low == diff->n_lines && low > 0 && open ? low - 1 : low;
}

static size_t line_len(const char *text, size_t len) {
    const char *end = len > 0 ? memchr(text, '\n', len) : NULL;
    return end != NULL ? (size_t)(end - text) + 1 : len;
}

/* Leaves out the first and the last lines that stay as they are. */
static void trim_change(const struct diff *diff, struct diff_change *change) {
    while (change->from < change->to) {
        size_t old = diff->begins[change->from], n = diff->begins[change->from + 1] - old;
        const char *line = change->text + change->begin;
        if (line_len(line, change->len) != n || memcmp(line, diff->text->bytes + old, n) != 0)
            break;
        change->from++;
        change->begin += n;
        change->len -= n;
    }
    while (change->from < change->to) {
        size_t old = diff->begins[change->to - 1], n = diff->begins[change->to] - old;
        if (change->len < n) break;
        const char *line = change->text + change->begin + change->len - n;
        bool begins = change->len == n || line[-1] == '\n';
        if (!begins || memcmp(line, diff->text->bytes + old, n) != 0) break;
        change->to--;
        change->len -= n;
    }
    for (size_t at = 0; at < change->len; change->lines++)
        at += line_len(change->text + change->begin + at, change->len - at);
}

/* Makes one change of all edits that touch the same lines. */
static void find_changes(struct diff *diff, struct text_edits *edits) {
    text_edits_sort(edits);
    for (size_t i = 0; i < edits->n;) {
        size_t from = line_of(diff, edits->items[i].at), to = from, last = i;
        for (; last < edits->n; last++) {
            const struct text_edit *edit = &edits->items[last];
            size_t line = line_of(diff, edit->at), end = line_of(diff, edit->at + edit->gone) + 1;
            if (last > i && line >= to) break;
            if (end > to) to = end;
        }
        if (to > diff->n_lines) to = diff->n_lines;
        struct diff_change change = {.from = from, .to = to};
        struct text_edits part = {.items = edits->items + i, .n = last - i};
        change.text =
            text_edits_apply(&part, diff->text,
                             (struct yaml_span){diff->begins[from], diff->begins[to]}, &change.len);
        trim_change(diff, &change);
        diff->changes = must_grow(diff->changes, diff->n, &diff->capacity, sizeof diff->changes[0]);
        diff->changes[diff->n++] = change;
        i = last;
    }
}

static void write_lines(FILE *out, char sign, const char *text, size_t len) {
    for (size_t at = 0; at < len;) {
        size_t n = line_len(text + at, len - at);
        fputc(sign, out);
        fwrite(text + at, 1, n, out);
        if (text[at + n - 1] != '\n') fputs("\n\\ No newline at end of file\n", out);
        at += n;
    }
}

static void write_old(FILE *out, const struct diff *diff, char sign, size_t from, size_t to) {
    write_lines(out, sign, diff->text->bytes + diff->begins[from],
                diff->begins[to] - diff->begins[from]);
}

static void write_range(FILE *out, char sign, size_t first, size_t lines) {
    fprintf(out, " %c%zu,%zu", sign, lines > 0 ? first + 1 : first, lines);
}

/* Writes the changes i to last - 1, which stand close together. `shift`: how many lines more the
 * new text has before them. */
static void write_hunk(FILE *out, const struct diff *diff, size_t i, size_t last, size_t shift) {
    const struct diff_change *changes = diff->changes;
    size_t from = changes[i].from > DIFF_CONTEXT ? changes[i].from - DIFF_CONTEXT : 0;
    size_t to = changes[last - 1].to + DIFF_CONTEXT, lines = 0;
    if (to > diff->n_lines) to = diff->n_lines;
    lines = to - from;
    for (size_t c = i; c < last; c++) lines += changes[c].lines - (changes[c].to - changes[c].from);
    fputs("@@", out);
    write_range(out, '-', from, to - from);
    write_range(out, '+', from + shift, lines);
    fputs(" @@\n", out);
    for (size_t c = i; c < last; c++) {
        write_old(out, diff, ' ', from, changes[c].from);
        write_old(out, diff, '-', changes[c].from, changes[c].to);
        write_lines(out, '+', changes[c].text + changes[c].begin, changes[c].len);
        from = changes[c].to;
    }
    write_old(out, diff, ' ', from, to);
}

void unified_diff_write(FILE *out, const char *name, const struct yaml_text *text,
                        struct text_edits *edits) {
    struct diff diff = {.text = text};
    size_t shift = 0;
    const char *tab = strchr(name, ' ') != NULL ? "\t" : "";
    find_lines(&diff);
    find_changes(&diff, edits);
    if (diff.n > 0) fprintf(out, "--- %s%s\n+++ %s%s\n", name, tab, name, tab);
    for (size_t i = 0, last; i < diff.n; i = last) {
        size_t more = 0;
        for (last = i; last < diff.n; last++) {
            const struct diff_change *change = &diff.changes[last];
            if (last > i && change->from - diff.changes[last - 1].to > 2 * DIFF_CONTEXT) break;
            more += change->lines - (change->to - change->from);
        }
        write_hunk(out, &diff, i, last, shift);
        shift += more;
    }
    for (size_t i = 0; i < diff.n; i++) free(diff.changes[i].text);
    free(diff.changes);
    free(diff.begins);
}
