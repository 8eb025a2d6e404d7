/* yaml_spans.c -- see yaml_spans.h. */
#include "cli/edit/yaml_spans.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

/* ---- lines ---- */

/* The byte at a place; 0 behind the end. */
static char byte_at(const struct yaml_text *text, size_t at) {
    return at < text->len ? text->bytes[at] : '\0';
}

static bool is_break(char c) {
    return c == '\n' || c == '\r' || c == '\0';
}

size_t yaml_line_end(const struct yaml_text *text, size_t at) {
    const char *end = at < text->len ? memchr(text->bytes + at, '\n', text->len - at) : NULL;
    size_t to = end != NULL ? (size_t)(end - text->bytes) : text->len;
    return to > at && text->bytes[to - 1] == '\r' ? to - 1 : to;
}

/* Bytes of the byte order mark that some editors write at the begin of a text. */
static size_t mark_len(const struct yaml_text *text) {
    static const char mark[] = "\xef\xbb\xbf";
    size_t len = sizeof mark - 1;
    return text->len >= len && memcmp(text->bytes, mark, len) == 0 ? len : 0;
}

size_t yaml_line_begin(const struct yaml_text *text, size_t at) {
    size_t first = mark_len(text);
    while (at > first && text->bytes[at - 1] != '\n') at--;
    return at;
}

size_t yaml_column(const struct yaml_text *text, size_t at) {
    return at - yaml_line_begin(text, at);
}

static size_t next_line(const struct yaml_text *text, size_t at) {
    size_t end = yaml_line_end(text, at);
    if (byte_at(text, end) == '\r') end++;
    return byte_at(text, end) == '\n' ? end + 1 : text->len;
}

static size_t skip_spaces(const struct yaml_text *text, size_t at) {
    while (yaml_is_blank(byte_at(text, at))) at++;
    return at;
}

/* The first word from a place on, behind spaces, breaks and comments. */
static size_t skip_blank(const struct yaml_text *text, size_t at) {
    while (at < text->len) {
        char c = text->bytes[at];
        if (yaml_is_blank(c) || c == '\n' || c == '\r')
            at++;
        else if (c == '#' &&
                 (at == 0 || yaml_is_blank(text->bytes[at - 1]) || text->bytes[at - 1] == '\n'))
            at = next_line(text, at);
        else
            break;
    }
    return at;
}

/* True if nothing but spaces and a comment follows on the line. */
static bool line_is_over(const struct yaml_text *text, size_t at) {
    size_t word = skip_spaces(text, at);
    return is_break(byte_at(text, word)) || (byte_at(text, word) == '#' && word > at);
}

/* The first word of the first line that has one, from the line of `at` on; `at` begins a line. */
static size_t next_words(const struct yaml_text *text, size_t at) {
    while (at < text->len && (line_is_over(text, at) || byte_at(text, at) == '#'))
        at = next_line(text, at);
    return at < text->len ? skip_spaces(text, at) : text->len;
}

static bool is_dash(const struct yaml_text *text, size_t at) {
    return byte_at(text, at) == '-' &&
           (yaml_is_blank(byte_at(text, at + 1)) || is_break(byte_at(text, at + 1)));
}

/* ---- values ---- */

/* Skips a quoted word. False if it does not end on its line. */
static bool skip_quoted(const struct yaml_text *text, size_t *at) {
    char quote = text->bytes[*at];
    for (size_t i = *at + 1; !is_break(byte_at(text, i)); i++) {
        if (text->bytes[i] == '\\' && quote == '"') {
            i++;
            continue;
        }
        if (text->bytes[i] != quote) continue;
        if (quote == '\'' && byte_at(text, i + 1) == quote) {
            i++;
            continue;
        }
        *at = i + 1;
        return true;
    }
    return false;
}

/* True if a byte inside brackets begins a word, behind the byte `before`. */
static bool begins_word(char before) {
    return before != '\0' && strchr("[{,:", before) != NULL;
}

/* Skips what is between brackets, the brackets included. */
static bool skip_brackets(const struct yaml_text *text, size_t *at) {
    size_t depth = 0, i = *at;
    char before = ':'; /* the last byte that is no space */
    while (i < text->len) {
        char c = text->bytes[i];
        if ((c == '"' || c == '\'') && begins_word(before)) {
            if (!skip_quoted(text, &i)) return false;
            before = c;
            continue;
        }
        if (c == '#' && i > 0 && strchr(" \t\n", text->bytes[i - 1]) != NULL) {
            i = next_line(text, i);
            continue;
        }
        if (c == '[' || c == '{') depth++;
        if (c == ']' || c == '}') depth--;
        if (!yaml_is_blank(c) && !is_break(c)) before = c;
        i++;
        if (depth == 0) {
            *at = i;
            return true;
        }
    }
    return false;
}

/* Skips a plain word: to the end of the line or to a comment; between brackets, also to what ends
 * the word there. */
static void skip_plain(const struct yaml_text *text, size_t *at, bool flow) {
    size_t i = *at, end = *at;
    for (; !is_break(byte_at(text, i)); i++) {
        char c = text->bytes[i];
        if (flow && strchr(",[]{}", c) != NULL) break;
        if (c == '#' && i > *at && yaml_is_blank(text->bytes[i - 1])) break;
        if (!yaml_is_blank(c)) end = i + 1;
    }
    *at = end;
}

/* Skips a value that begins on this line and is no nested block. An anchor before it belongs to
 * it. */
static bool skip_value(const struct yaml_text *text, size_t *at, bool flow) {
    if (byte_at(text, *at) == '&') {
        while (!yaml_is_blank(byte_at(text, *at)) && !is_break(byte_at(text, *at)) &&
               strchr(",[]{}", byte_at(text, *at)) == NULL)
            ++*at;
        *at = skip_spaces(text, *at);
    }
    char c = byte_at(text, *at);
    if (is_break(c) || strchr("!|>?%@`", c) != NULL) return false;
    if (c == '[' || c == '{') return skip_brackets(text, at);
    if (c == '"' || c == '\'') return skip_quoted(text, at);
    size_t from = *at;
    skip_plain(text, at, flow);
    return *at > from;
}

/* Skips a key and the colon behind it. A plain word goes on behind a colon that nothing ends. */
static bool skip_key(const struct yaml_text *text, size_t *at, struct yaml_span *key) {
    size_t i = *at;
    char c = byte_at(text, i);
    bool quoted = c == '"' || c == '\'';
    if (is_break(c) || is_dash(text, i) || strchr("!|>?%@`&*[{#,", c) != NULL) return false;
    if (quoted) {
        if (!skip_quoted(text, &i)) return false;
    } else {
        while (!is_break(byte_at(text, i)) && strchr(":,{}[]#", byte_at(text, i)) == NULL) i++;
    }
    *key = (struct yaml_span){*at, i};
    while (key->to > key->from && yaml_is_blank(text->bytes[key->to - 1])) key->to--;
    if (key->to == key->from) return false;
    i = skip_spaces(text, i);
    char behind = byte_at(text, i + 1);
    if (byte_at(text, i) != ':') return false;
    if (!quoted && !yaml_is_blank(behind) && !is_break(behind) && strchr(",[]{}", behind) == NULL)
        return false;
    *at = i + 1;
    return true;
}

/* ---- maps ---- */

static struct yaml_pair *pair_new(struct yaml_map *map) {
    return map->n < YAML_PAIRS_MAX ? &map->pairs[map->n++] : NULL;
}

static bool read_flow_map(const struct yaml_text *text, size_t at, struct yaml_map *out) {
    size_t i = skip_blank(text, at + 1);
    out->flow = true;
    while (byte_at(text, i) != '}') {
        struct yaml_pair *pair = pair_new(out);
        if (pair == NULL || !skip_key(text, &i, &pair->key)) return false;
        i = skip_blank(text, i);
        pair->value = (struct yaml_span){i, i};
        if (byte_at(text, i) != ',' && byte_at(text, i) != '}') {
            if (!skip_value(text, &i, true)) return false;
            pair->value.to = i;
        }
        i = skip_blank(text, i);
        if (byte_at(text, i) == ',')
            i = skip_blank(text, i + 1);
        else if (byte_at(text, i) != '}')
            return false;
    }
    out->text = (struct yaml_span){at, i + 1};
    return true;
}

/* Skips the lines of a nested block: those with more spaces than `column`, or dashes at it. */
static size_t skip_nested(const struct yaml_text *text, size_t at, size_t column, bool dashes) {
    size_t end = at;
    for (size_t i = at; i < text->len;) {
        size_t words = next_words(text, yaml_line_begin(text, i));
        if (i != at && words < text->len && yaml_column(text, words) <= column &&
            !(dashes && yaml_column(text, words) == column && is_dash(text, words)))
            break;
        if (words >= text->len) break;
        end = yaml_line_end(text, words);
        while (end > words && yaml_is_blank(text->bytes[end - 1])) end--;
        i = next_line(text, words);
    }
    return end;
}

/* Skips the lines of a block text, which begins behind `|` or `>`. */
static size_t skip_block_text(const struct yaml_text *text, size_t at, size_t column) {
    size_t end = yaml_line_end(text, at);
    for (size_t i = next_line(text, at); i < text->len; i = next_line(text, i)) {
        size_t words = skip_spaces(text, i);
        if (is_break(byte_at(text, words))) continue;
        if (yaml_column(text, words) <= column) break;
        end = yaml_line_end(text, words);
    }
    return end;
}

/* Reads the value of a block key, from behind its colon, and moves to the next line. */
static bool read_block_value(const struct yaml_text *text, size_t *at, size_t column,
                             struct yaml_span *value) {
    size_t i = skip_spaces(text, *at);
    *value = (struct yaml_span){*at, *at};
    if (!line_is_over(text, *at)) {
        if (i == *at) return false; /* no space behind the colon */
        value->from = i;
        if (byte_at(text, i) == '|' || byte_at(text, i) == '>') {
            value->to = skip_block_text(text, i, column);
        } else {
            if (!skip_value(text, &i, false) || !line_is_over(text, i)) return false;
            value->to = i;
        }
        *at = next_line(text, value->to);
        return true;
    }
    *at = next_line(text, *at);
    size_t words = next_words(text, *at);
    size_t deep = words < text->len ? yaml_column(text, words) : 0;
    if (words >= text->len || deep < column || (deep == column && !is_dash(text, words)))
        return true; /* no value */
    value->from = words;
    value->to = skip_nested(text, words, column, deep == column);
    *at = next_line(text, value->to);
    return true;
}

static bool read_block_map(const struct yaml_text *text, size_t at, struct yaml_map *out) {
    size_t i = at;
    out->column = yaml_column(text, at);
    out->text = (struct yaml_span){at, at};
    for (;;) {
        struct yaml_pair *pair = pair_new(out);
        if (pair == NULL || !skip_key(text, &i, &pair->key) ||
            !read_block_value(text, &i, out->column, &pair->value))
            return false;
        out->text.to = pair->value.to;
        size_t words = next_words(text, i);
        if (words >= text->len || yaml_column(text, words) < out->column) return true;
        if (yaml_column(text, words) > out->column) return false;
        if (is_dash(text, words)) return true;
        i = words;
    }
}

bool yaml_map_read(const struct yaml_text *text, size_t at, struct yaml_map *out) {
    memset(out, 0, sizeof *out);
    return byte_at(text, at) == '{' ? read_flow_map(text, at, out) : read_block_map(text, at, out);
}

bool yaml_top(const struct yaml_text *text, struct yaml_map *out) {
    size_t at = next_words(text, mark_len(text));
    if (strncmp(text->bytes + at, "---", 3) == 0 &&
        (yaml_is_blank(byte_at(text, at + 3)) || is_break(byte_at(text, at + 3)))) {
        if (!line_is_over(text, at + 3)) return false;
        at = next_words(text, next_line(text, at));
    }
    if (at >= text->len || !yaml_map_read(text, at, out)) return false;
    return !out->flow || skip_blank(text, out->text.to) == text->len;
}

const struct yaml_pair *yaml_find(const struct yaml_text *text, const struct yaml_map *map,
                                  const char *key) {
    size_t len = strlen(key);
    for (size_t i = 0; i < map->n; i++) {
        struct yaml_span k = map->pairs[i].key;
        if (text->bytes[k.from] == '"' || text->bytes[k.from] == '\'') k.from++, k.to--;
        if (k.to - k.from == len && memcmp(text->bytes + k.from, key, len) == 0)
            return &map->pairs[i];
    }
    return NULL;
}

/* ---- lists ---- */

static void entry_add(struct yaml_list *list, size_t from, size_t to) {
    list->entries = must_grow(list->entries, list->n, &list->capacity, sizeof list->entries[0]);
    list->entries[list->n++] = (struct yaml_span){from, to};
}

static bool read_flow_list(const struct yaml_text *text, size_t at, struct yaml_list *out) {
    size_t i = skip_blank(text, at + 1);
    out->flow = true;
    out->inside = at + 1;
    while (byte_at(text, i) != ']') {
        size_t from = i;
        if (!skip_value(text, &i, true)) return false;
        entry_add(out, from, i);
        i = skip_blank(text, i);
        if (byte_at(text, i) == ',')
            i = skip_blank(text, i + 1);
        else if (byte_at(text, i) != ']')
            return false;
    }
    return true;
}

static bool read_block_list(const struct yaml_text *text, size_t at, struct yaml_list *out) {
    out->inside = at;
    out->column = yaml_column(text, at);
    for (size_t i = at; i < text->len && is_dash(text, i);) {
        size_t from = skip_spaces(text, i + 1), to = from;
        if (line_is_over(text, i + 1)) return false;
        if (byte_at(text, from) == '{') {
            if (!skip_brackets(text, &to) || !line_is_over(text, to)) return false;
        } else {
            to = skip_nested(text, from, out->column, false);
        }
        entry_add(out, from, to);
        i = next_words(text, next_line(text, to));
        if (i < text->len && yaml_column(text, i) > out->column) return false;
        if (i < text->len && yaml_column(text, i) < out->column) break;
    }
    return true;
}

bool yaml_list_read(const struct yaml_text *text, size_t at, struct yaml_list *out) {
    memset(out, 0, sizeof *out);
    if (byte_at(text, at) == '[') return read_flow_list(text, at, out);
    return is_dash(text, at) && read_block_list(text, at, out);
}

void yaml_list_free(struct yaml_list *list) {
    free(list->entries);
    memset(list, 0, sizeof *list);
}

/* ---- words ---- */

bool yaml_has_anchor(const struct yaml_text *text, struct yaml_span span) {
    for (size_t i = span.from; i < span.to; i++) {
        char c = text->bytes[i], before = i > span.from ? text->bytes[i - 1] : ' ';
        if ((c == '&' || c == '*') && strchr(" \t[{,\n", before) != NULL) return true;
    }
    return false;
}

bool yaml_word(const struct yaml_text *text, struct yaml_span span, char **out) {
    char first = byte_at(text, span.from);
    *out = NULL;
    if (span.to <= span.from || strchr("[{&*|>!", first) != NULL) return false;
    bool quoted = first == '"' || first == '\'';
    if (quoted) span.from++, span.to--;
    if (quoted && span.to > span.from &&
        (memchr(text->bytes + span.from, '\\', span.to - span.from) != NULL ||
         memchr(text->bytes + span.from, first, span.to - span.from) != NULL))
        return false;
    *out = must_copy(text->bytes + span.from, span.to - span.from);
    return true;
}
