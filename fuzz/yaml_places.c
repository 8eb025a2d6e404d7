/* yaml_places.c -- any bytes as a file that `lsched advise --patch` changes: places that lie in the
 * text and in order, and, if libyaml reads the text, the same keys and as many entries of lists, or
 * no answer. Words of several lines, and brackets in blocks that go over several lines, are left
 * out: the reader does not look for them in blocks that it passes, and its caller reads the changed
 * text again. The reader belongs to the program, so its sources are compiled into this harness. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <yaml.h>

#include "cli/edit/yaml_spans.c"
#include "cli/support/cli_errors.c"
#include "cli/support/did_you_mean.c"

/* What libyaml says of the map at the top. */
struct top {
    char *keys[YAML_PAIRS_MAX + 1];  /* owned; NULL: the key is no word */
    int entries[YAML_PAIRS_MAX + 1]; /* of the value, if it is a list; else -1 */
    int depth, n;
    int is_valid, is_map; /* is_valid: one document without an error */
    int has_long;         /* a word, or brackets in a block, go over several lines */
    int brackets;         /* depth within the outermost brackets; 0: outside */
    size_t line;          /* of the outermost bracket */
};

/* Notes brackets inside a block that go over several lines. */
static void top_note_brackets(struct top *t, const yaml_event_t *e) {
    int flow = (e->type == YAML_MAPPING_START_EVENT &&
                e->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE) ||
               (e->type == YAML_SEQUENCE_START_EVENT &&
                e->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE);
    int ends = e->type == YAML_MAPPING_END_EVENT || e->type == YAML_SEQUENCE_END_EVENT;
    if (flow && t->brackets == 0) {
        t->brackets = t->depth + 1;
        t->line = e->start_mark.line;
    }
    if (ends && t->brackets > 0 && t->depth == t->brackets) {
        if (t->brackets > 1 && e->end_mark.line != t->line) t->has_long = 1;
        t->brackets = 0;
    }
}

/* Notes an event at its depth: 1 is within the map at the top, 2 within its values. */
static void top_note(struct top *t, const yaml_event_t *e, int *is_value) {
    int begins = e->type == YAML_MAPPING_START_EVENT || e->type == YAML_SEQUENCE_START_EVENT;
    int ends = e->type == YAML_MAPPING_END_EVENT || e->type == YAML_SEQUENCE_END_EVENT;
    int node = begins || e->type == YAML_SCALAR_EVENT || e->type == YAML_ALIAS_EVENT;
    top_note_brackets(t, e);
    if (ends) t->depth--;
    if (e->type == YAML_SCALAR_EVENT && e->data.scalar.style != YAML_LITERAL_SCALAR_STYLE &&
        e->data.scalar.style != YAML_FOLDED_SCALAR_STYLE && e->start_mark.line != e->end_mark.line)
        t->has_long = 1;
    if (node && t->depth == 0) t->is_map = e->type == YAML_MAPPING_START_EVENT;
    if (node && t->depth == 1 && t->is_map && t->n <= YAML_PAIRS_MAX) {
        if (!*is_value) {
            t->entries[t->n] = -1;
            t->keys[t->n++] =
                e->type == YAML_SCALAR_EVENT
                    ? must_copy((const char *)e->data.scalar.value, e->data.scalar.length)
                    : NULL;
        } else if (e->type == YAML_SEQUENCE_START_EVENT) {
            t->entries[t->n - 1] = 0;
        }
        *is_value = !*is_value;
    }
    if (node && t->depth == 2 && t->n > 0 && !*is_value && t->entries[t->n - 1] >= 0)
        t->entries[t->n - 1]++;
    if (begins) t->depth++;
}

static void top_read(struct top *t, const uint8_t *data, size_t size) {
    yaml_parser_t parser;
    yaml_event_t e;
    int documents = 0, is_value = 0;
    memset(t, 0, sizeof *t);
    if (!yaml_parser_initialize(&parser)) abort();
    yaml_parser_set_input_string(&parser, data, size);
    for (int more = 1; more;) {
        if (!yaml_parser_parse(&parser, &e)) break;
        documents += e.type == YAML_DOCUMENT_START_EVENT;
        if (e.type == YAML_STREAM_END_EVENT) t->is_valid = documents == 1;
        more = e.type != YAML_STREAM_END_EVENT;
        top_note(t, &e, &is_value);
        yaml_event_delete(&e);
    }
    yaml_parser_delete(&parser);
}

/* True if lines end as they do in files that people write: not at a single carriage return, and not
 * at the line breaks of Unicode. */
static int has_plain_lines(const char *bytes, size_t size) {
    for (size_t i = 0; i < size; i++)
        if ((bytes[i] == '\r' && bytes[i + 1] != '\n') || (unsigned char)bytes[i] >= 0x80) return 0;
    return 1;
}

static void check_span(const struct yaml_text *text, struct yaml_span span, size_t *at) {
    if (span.from < *at || span.to < span.from || span.to > text->len) abort();
    *at = span.to;
}

/* Returns the number of entries; SIZE_MAX if there is no list. */
static size_t check_list(const struct yaml_text *text, size_t from, size_t to, int is_valid) {
    struct yaml_list list = {.n = 0};
    struct yaml_map map;
    size_t n = SIZE_MAX, at = from;
    if (yaml_list_read(text, from, &list)) {
        for (size_t i = 0; i < list.n; i++) {
            check_span(text, list.entries[i], &at);
            if (list.entries[i].from < list.entries[i].to)
                (void)yaml_map_read(text, list.entries[i].from, &map);
        }
        if (is_valid && at > to) abort();
        n = list.n;
    }
    yaml_list_free(&list);
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct yaml_map map;
    struct top top;
    char *bytes = must_alloc(size + 1), *word;
    memcpy(bytes, data, size);
    bytes[size] = '\0';
    const struct yaml_text text = {bytes, size};
    top_read(&top, data, size);
    top.is_valid = top.is_valid && !top.has_long && has_plain_lines(bytes, size);
    if (yaml_top(&text, &map)) {
        size_t at = 0;
        if (top.is_valid && (!top.is_map || (int)map.n != top.n)) abort();
        for (size_t i = 0; i < map.n; i++) {
            struct yaml_span value = map.pairs[i].value;
            check_span(&text, map.pairs[i].key, &at);
            check_span(&text, value, &at);
            size_t n = value.from < value.to ? check_list(&text, value.from, value.to, top.is_valid)
                                             : SIZE_MAX;
            if (!top.is_valid) continue;
            if (n != SIZE_MAX && top.entries[i] >= 0 && (size_t)top.entries[i] != n) abort();
            if (!yaml_word(&text, map.pairs[i].key, &word)) continue;
            if (top.keys[i] == NULL || strcmp(word, top.keys[i]) != 0) abort();
            free(word);
        }
    }
    for (int i = 0; i < top.n; i++) free(top.keys[i]);
    free(bytes);
    return 0;
}
