/* entry_split.c -- see entry_split.h. */
#include "cli/edit/entry_split.h"

#include <stdlib.h>
#include <string.h>

#include "cli/edit/name_pattern.h"
#include "cli/support/cli_errors.h"
#include "cli/support/name_list.h"

enum { LABEL_RANGES_MAX = 8 };

/* A label whose value is a range: the names get its values evenly and in order. */
struct label_range {
    struct yaml_span value;
    struct pattern_names values;
};

struct split {
    const struct entry_change *change;
    struct yaml_map map;
    struct yaml_span entry; /* the map, and a comment behind its last value */
    struct pattern_names names;
    int *classes; /* owned: of each name */
    struct label_range labels[LABEL_RANGES_MAX];
    size_t n_labels;
};

/* ---- edits of a map ---- */

void entry_set(const struct yaml_text *text, const struct yaml_map *map, const char *key,
               const char *value, struct text_edits *edits) {
    const struct yaml_pair *pair = yaml_find(text, map, key);
    if (pair != NULL) {
        bool empty = pair->value.from == pair->value.to;
        if (empty) text_edits_insert(edits, pair->value.from, " ");
        text_edits_replace(edits, pair->value, value, strlen(value));
        return;
    }
    size_t end = yaml_line_end(text, map->text.to);
    size_t at = map->flow ? map->pairs[map->n - 1].value.to : map->text.to;
    if (map->flow) {
        text_edits_insert(edits, at, ", ");
    } else { /* behind a comment on the last line */
        for (at = end; at > map->text.to && yaml_is_blank(text->bytes[at - 1]);) at--;
        text_edits_insert(edits, at, end < text->len && text->bytes[end] == '\r' ? "\r\n" : "\n");
        for (size_t i = 0; i < map->column; i++) text_edits_insert(edits, at, " ");
    }
    text_edits_insert(edits, at, key);
    text_edits_insert(edits, at, ": ");
    text_edits_insert(edits, at, value);
}

static size_t behind_spaces(const struct yaml_text *text, size_t at) {
    while (at < text->len && yaml_is_blank(text->bytes[at])) at++;
    return at;
}

/* What goes with a pair of a block that is not the first one: its lines, with the break before
 * them. A comment behind its value stays. */
static struct yaml_span block_pair_gone(const struct yaml_text *text, const struct yaml_map *map,
                                        size_t i) {
    const struct yaml_pair *pair = &map->pairs[i];
    size_t line = yaml_line_begin(text, pair->key.from), end = yaml_line_end(text, pair->value.to);
    size_t word = behind_spaces(text, pair->value.to);
    if (i + 1 < map->n && word < end) return (struct yaml_span){pair->key.from, word};
    return (struct yaml_span){line - (line > 1 && text->bytes[line - 2] == '\r' ? 2 : 1),
                              i + 1 < map->n ? end : pair->value.to};
}

/* What goes with a pair between braces: the comma before it; if the braces have comments, the comma
 * behind it, so that each comment stays where it is. */
static struct yaml_span flow_pair_gone(const struct yaml_text *text, const struct yaml_map *map,
                                       size_t i) {
    const struct yaml_pair *pair = &map->pairs[i];
    const char *inside = text->bytes + map->text.from;
    size_t comma = behind_spaces(text, pair->value.to);
    if (memchr(inside, '#', map->text.to - map->text.from) == NULL)
        return (struct yaml_span){i > 0 ? map->pairs[i - 1].value.to : pair->key.from,
                                  i > 0 ? pair->value.to : map->pairs[1].key.from};
    bool behind = comma < text->len && text->bytes[comma] == ',';
    return (struct yaml_span){pair->key.from,
                              behind ? behind_spaces(text, comma + 1) : pair->value.to};
}

bool entry_remove(const struct yaml_text *text, const struct yaml_map *map,
                  const struct yaml_pair *pair, struct text_edits *edits) {
    size_t i = (size_t)(pair - map->pairs);
    if (map->n == 1 || (!map->flow && i == 0)) return false;
    text_edits_replace(
        edits, map->flow ? flow_pair_gone(text, map, i) : block_pair_gone(text, map, i), "", 0);
    return true;
}

/* ---- the names of an entry ---- */

static bool read_names(struct split *split) {
    const struct yaml_text *text = split->change->text;
    const struct yaml_pair *name = yaml_find(text, &split->map, "name");
    const struct yaml_pair *count = yaml_find(text, &split->map, "count");
    char *word = NULL, *number = NULL;
    bool good = name != NULL && yaml_word(text, name->value, &word);
    if (good && count != NULL)
        good = yaml_word(text, count->value, &number) &&
               pattern_names_count(word, number, &split->names);
    else if (good)
        good = pattern_names_read(word, &split->names);
    free(word);
    free(number);
    return good && split->names.n > 0;
}

static const char *read_labels(struct split *split) {
    const struct yaml_text *text = split->change->text;
    const struct yaml_pair *labels = yaml_find(text, &split->map, "labels");
    struct yaml_map map;
    if (!split->change->label_ranges) return NULL;
    if (labels == NULL || labels->value.from == labels->value.to) return NULL;
    if (!yaml_map_read(text, labels->value.from, &map)) return "expected labels as a map";
    for (size_t i = 0; i < map.n; i++) {
        char *word = NULL;
        bool range = yaml_word(text, map.pairs[i].value, &word) && strchr(word, '[') != NULL;
        bool room = split->n_labels < LABEL_RANGES_MAX;
        bool good =
            !range || (room && pattern_names_read(word, &split->labels[split->n_labels].values));
        if (range && room) split->labels[split->n_labels++].value = map.pairs[i].value;
        free(word);
        if (!good) return "expected at most 8 labels with ranges";
    }
    return NULL;
}

static const char *label_of(const struct split *split, size_t label, size_t name) {
    const struct pattern_names *values = &split->labels[label].values;
    return values->items[name * values->n / split->names.n];
}

/* True if two names can be in one new entry. */
static bool alike(const struct split *split, size_t a, size_t b) {
    if (split->classes[a] != split->classes[b]) return false;
    for (size_t i = 0; i < split->n_labels; i++)
        if (strcmp(label_of(split, i, a), label_of(split, i, b)) != 0) return false;
    return true;
}

/* ---- new entries ---- */

static void put_quoted(struct text_edits *edits, struct yaml_span span, const char *word) {
    size_t len = strlen(word);
    char *quoted = must_alloc(len + 3);
    memcpy(quoted + 1, word, len + 1);
    quoted[0] = quoted[len + 1] = '"'; /* the end of the word is not needed */
    text_edits_replace(edits, span, quoted, len + 2);
    free(quoted);
}

/* Writes the entry for some names, of which name `at` is one. False: the entry does not allow
 * it. */
static bool add_piece(const struct split *split, const char *names, size_t at,
                      struct entry_pieces *out) {
    const struct yaml_text *text = split->change->text;
    const struct yaml_pair *count = yaml_find(text, &split->map, "count");
    struct text_edits edits = {.n = 0};
    size_t len;
    bool good = true;
    if (names != NULL) {
        put_quoted(&edits, yaml_find(text, &split->map, "name")->value, names);
        if (count != NULL) good = entry_remove(text, &split->map, count, &edits);
        for (size_t i = 0; i < split->n_labels; i++)
            put_quoted(&edits, split->labels[i].value, label_of(split, i, at));
    }
    if (good && split->classes[at] > 0 && split->change->change != NULL)
        good = split->change->change(split->change->user, text, &split->map, split->classes[at],
                                     &edits);
    out->items = must_grow(out->items, out->n, &out->capacity, sizeof out->items[0]);
    out->items[out->n++] = text_edits_apply(&edits, text, split->entry, &len);
    text_edits_free(&edits);
    return good;
}

/* Adds the entries for the names from `first` to before `last`, which are alike. */
static bool add_run(const struct split *split, size_t first, size_t last,
                    struct entry_pieces *out) {
    size_t n = last - first;
    lsched_text *names = must_alloc(n * sizeof names[0]);
    bool good = true;
    for (size_t i = 0; i < n; i++)
        names[i] =
            (lsched_text){split->names.items[first + i], strlen(split->names.items[first + i])};
    char *pieces = name_list(names, n, n);
    for (char *piece = pieces, *comma; good && piece != NULL; piece = comma) {
        comma = strstr(piece, ", ");
        if (comma != NULL) {
            *comma = '\0';
            comma += 2;
        }
        good = add_piece(split, piece, first, out);
    }
    free(pieces);
    free(names);
    return good;
}

static const char *split_names(struct split *split, struct entry_pieces *out) {
    const struct entry_change *change = split->change;
    size_t n = split->names.n, equal = 0;
    for (size_t i = 0; i < n; i++) {
        split->classes[i] = change->class_of(change->user, split->names.items[i]);
        equal += split->classes[i] == split->classes[0];
    }
    if (equal == n) {
        bool stays = split->classes[0] == 0 || split->classes[0] == ENTRY_LEFT_OUT;
        if (stays || add_piece(split, NULL, 0, out)) return NULL;
        return "expected another form of the entry";
    }
    if (yaml_has_anchor(change->text, split->map.text))
        return "expected no anchor and no alias in an entry of which only a part changes";
    const char *wrong = read_labels(split);
    if (wrong != NULL) return wrong;
    bool good = true;
    for (size_t i = 0, last; i < n && good; i = last) {
        for (last = i + 1; last < n && alike(split, i, last);) last++;
        if (split->classes[i] != ENTRY_LEFT_OUT) good = add_run(split, i, last, out);
    }
    return good ? NULL : "expected another form of the entry";
}

const char *entry_split(const struct entry_change *change, struct yaml_span entry,
                        struct entry_pieces *out) {
    struct split split = {.change = change, .entry = entry};
    const char *wrong = NULL;
    memset(out, 0, sizeof *out);
    if (!yaml_map_read(change->text, entry.from, &split.map) || split.map.text.to > entry.to)
        wrong = "expected a map with its keys in a block or between braces";
    else if (!read_names(&split))
        wrong = "expected `name` as a word";
    if (wrong == NULL) {
        split.classes = must_alloc(split.names.n * sizeof split.classes[0]);
        wrong = split_names(&split, out);
    }
    free(split.classes);
    pattern_names_free(&split.names);
    for (size_t i = 0; i < split.n_labels; i++) pattern_names_free(&split.labels[i].values);
    return wrong;
}

void entry_pieces_free(struct entry_pieces *pieces) {
    for (size_t i = 0; i < pieces->n; i++) free(pieces->items[i]);
    free(pieces->items);
    memset(pieces, 0, sizeof *pieces);
}
