/*
 * yaml_spans.h -- where the keys, the values and the entries of lists are in a YAML text that the
 * library has read without an error, so that a program can change a line of a file and keep its
 * comments and its layout.
 *
 * The reader knows the forms in which people write scenarios: maps and lists in blocks and between
 * brackets, plain and quoted words on one line, block texts, comments, anchors and aliases as
 * values. It answers false for every other form, such as words of several lines or keys with `?`.
 * Its answer is a guess in one respect: it does not check what the library has checked. So whoever
 * changes a text with it reads the new text again, and compares the meaning.
 *
 * Why not the library's reader: it gives values and not places, and a tree with the places of all
 * values would cost each reader of scenarios memory.
 *
 * Cost: O(bytes of the map or list that is read). No recursion, no memory but the entries of a
 * list.
 */
#ifndef LSCHED_CLI_YAML_SPANS_H
#define LSCHED_CLI_YAML_SPANS_H

#include <stdbool.h>
#include <stddef.h>

enum { YAML_PAIRS_MAX = 64 };

struct yaml_text {
    const char *bytes;
    size_t len;
};

/* Bytes from `from` to before `to`. */
struct yaml_span {
    size_t from, to;
};

static inline bool yaml_is_blank(char c) {
    return c == ' ' || c == '\t';
}

struct yaml_pair {
    struct yaml_span key, value; /* a quoted key or value has its quotes; an empty value is empty */
};

struct yaml_map {
    struct yaml_span text; /* from `{` to behind `}`, or from the first key to the last value */
    bool flow;
    size_t column; /* of the keys of a block */
    struct yaml_pair pairs[YAML_PAIRS_MAX];
    size_t n;
};

struct yaml_list {
    bool flow;
    size_t inside;             /* behind `[`; for a block, the first `-` */
    size_t column;             /* of the dashes of a block */
    struct yaml_span *entries; /* owned */
    size_t n, capacity;
};

/* Reads the map at the top of the text. */
bool yaml_top(const struct yaml_text *text, struct yaml_map *out);
/* Reads the map that begins at a place: at `{` or at its first key. */
bool yaml_map_read(const struct yaml_text *text, size_t at, struct yaml_map *out);
/* Reads the list that begins at a place: at `[` or at its first dash. The caller calls
 * yaml_list_free() in any case. */
bool yaml_list_read(const struct yaml_text *text, size_t at, struct yaml_list *out);
void yaml_list_free(struct yaml_list *list);
/* The pair with a key; NULL if the map has none. */
const struct yaml_pair *yaml_find(const struct yaml_text *text, const struct yaml_map *map,
                                  const char *key);
/* True if the span has an anchor or an alias. It can also be true for other words with & or *. */
bool yaml_has_anchor(const struct yaml_text *text, struct yaml_span span);
/* Copies a word without its quotes. False if it is no word, or has escapes. *out is owned by the
 * caller. */
bool yaml_word(const struct yaml_text *text, struct yaml_span span, char **out);
/* The place before the end of the line, without a carriage return. */
size_t yaml_line_end(const struct yaml_text *text, size_t at);
/* The place of the first byte of the line, behind a byte order mark. */
size_t yaml_line_begin(const struct yaml_text *text, size_t at);
/* The number of bytes before a place in its line. */
size_t yaml_column(const struct yaml_text *text, size_t at);

#endif
