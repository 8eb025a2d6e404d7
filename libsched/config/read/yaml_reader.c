/*
 * yaml_reader.c -- see yaml_reader.h. The reader builds the tree from libyaml's events in one pass,
 * with a stack of the lists and maps that are open. libyaml's document API is not used, because
 * that API has no limits. The cost is O(n log n) for n nodes, because the keys of large maps are
 * sorted to find duplicates.
 */
#include "config/read/yaml_reader.h"

#include "base/sort.h"
#include "base/vec.h"

#include <string.h>
#include <yaml.h>

enum {
    YREAD_DEPTH_MAX = 64,
    YREAD_ANCHORS_MAX = 1024,
    YREAD_SCALAR_BYTES_MAX = 1 << 20,
    /* largest number of keys of a map in which every pair of keys is compared; the keys of larger
     * maps are sorted */
    YREAD_FEW_KEYS = 8
};

struct yread_level {
    uint32_t node;
    uint32_t last; /* index of the last child; 0: none yet */
    uint32_t children;
    uint64_t expanded;
};

struct yread_anchor {
    uint32_t name; /* offset of the anchor's name in ytree.text */
    uint32_t node;
};

struct yread {
    yaml_parser_t parser;
    struct ytree *tree;
    const struct ytree_limits *limits;
    const struct complain *complain;
    uint32_t depth;
    uint32_t n_anchors;
    uint32_t n_documents;
    uint32_t *keys; /* indexes of the keys of one map, used to find duplicates */
    uint32_t cap_keys;
    const char *raw; /* the whole text */
    /* raw_len is the length of `raw` in bytes. raw_at is the offset of the position up to which
     * yread_indent() has read `raw`; the position only moves forward. */
    size_t raw_len, raw_at;
    uint32_t raw_line; /* number of the line that begins at raw_at, counted from 1 */
    struct yread_level levels[YREAD_DEPTH_MAX];
    struct yread_anchor anchors[YREAD_ANCHORS_MAX];
};

const struct ytree_node *ytree_at(const struct ytree *tree, uint32_t i) {
    const struct ytree_node *node = &tree->nodes[i];
    return node->kind == YTREE_ALIAS ? &tree->nodes[node->first] : node;
}

const char *ytree_text(const struct ytree *tree, const struct ytree_node *node) {
    return tree->text + node->first;
}

void ytree_drop(struct ytree *tree) {
    alloc_free(tree->alloc, tree->nodes, tree->cap_nodes * sizeof *tree->nodes);
    alloc_free(tree->alloc, tree->text, tree->cap_text);
    *tree = (struct ytree){tree->alloc, NULL, NULL, 0, 0, 0, 0};
}

static struct mark yread_mark(yaml_mark_t at) {
    return (struct mark){(uint32_t)at.line + 1, (uint32_t)at.column + 1};
}

static int32_t yread_no_memory(const struct yread *y) {
    return complain_at(y->complain, LSCHED_E_NOMEM, (struct mark){0, 0},
                       "out of memory while reading");
}

/* Appends a text and a final NUL to ytree.text and writes the offset of the text to *offset.
 * Returns 0 when memory is out. */
static int yread_add_text(struct ytree *t, const char *text, size_t len, uint32_t *offset) {
    if (!VEC_ROOM(t->alloc, t->text, t->cap_text, t->n_text + len + 1)) return 0;
    *offset = t->n_text;
    if (len) memcpy(t->text + t->n_text, text, len);
    t->text[t->n_text + len] = '\0';
    t->n_text += (uint32_t)len + 1;
    return 1;
}

/* ---- duplicate keys ---- */

static int yread_compare(const struct ytree *t, uint32_t a, uint32_t b) {
    const struct ytree_node *x = ytree_at(t, a), *y = ytree_at(t, b);
    uint32_t n = x->n < y->n ? x->n : y->n;
    int order = memcmp(t->text + x->first, t->text + y->first, n);
    if (order) return order;
    if (x->n != y->n) return x->n < y->n ? -1 : 1;
    return a < b ? -1 : a > b; /* equal keys stay in the order of the text */
}

#define YREAD_BEFORE(tree, a, b) (yread_compare(tree, a, b) < 0)
SORT_IN_PLACE(yread_sort, uint32_t, const struct ytree *, YREAD_BEFORE)

static int yread_same_text(const struct ytree *t, uint32_t a, uint32_t b) {
    const struct ytree_node *x = ytree_at(t, a), *y = ytree_at(t, b);
    return x->n == y->n && memcmp(t->text + x->first, t->text + y->first, x->n) == 0;
}

static int32_t yread_duplicate(const struct yread *y, uint32_t first, uint32_t again) {
    const struct ytree_node *node = ytree_at(y->tree, again);
    struct quote name = complain_quote(ytree_text(y->tree, node), node->n);
    return complain_at(y->complain, LSCHED_E_EXISTS, y->tree->nodes[again].mark,
                       "expected every key once, got %s again (first at line %u)", name.text,
                       y->tree->nodes[first].mark.line);
}

static int32_t yread_check_keys(struct yread *y, uint32_t map) {
    struct ytree *t = y->tree;
    uint32_t n = t->nodes[map].n, i = 0;
    if (!VEC_ROOM(t->alloc, y->keys, y->cap_keys, n)) return yread_no_memory(y);
    for (uint32_t key = t->nodes[map].first; i < n; i++) {
        y->keys[i] = key;
        key = t->nodes[t->nodes[key].next].next;
    }
    if (n > YREAD_FEW_KEYS) {
        yread_sort(t, y->keys, n);
        for (i = 1; i < n; i++)
            if (yread_same_text(t, y->keys[i - 1], y->keys[i]))
                return yread_duplicate(y, y->keys[i - 1], y->keys[i]);
        return 0;
    }
    for (i = 1; i < n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (yread_same_text(t, y->keys[k], y->keys[i]))
                return yread_duplicate(y, y->keys[k], y->keys[i]);
    return 0;
}

/* ---- building the tree ---- */

/* Adds a node as the last child of the innermost open list or map, and writes its index to *out. */
static int32_t yread_add(struct yread *y, uint32_t kind, struct mark mark, uint32_t *out) {
    struct ytree *t = y->tree;
    if (t->n_nodes >= y->limits->nodes)
        return complain_at(y->complain, LSCHED_E_LIMIT, mark,
                           "expected at most %u values in one text, got more", y->limits->nodes);
    if (!VEC_ROOM(t->alloc, t->nodes, t->cap_nodes, t->n_nodes + 1)) return yread_no_memory(y);
    uint32_t i = t->n_nodes++;
    t->nodes[i] = (struct ytree_node){mark, kind, 0, 0, 0, 0, 0, 0};
    if (y->depth > 0) {
        struct yread_level *level = &y->levels[y->depth - 1];
        if (level->last)
            t->nodes[level->last].next = i;
        else
            t->nodes[level->node].first = i;
        level->last = i;
        level->children++;
    }
    *out = i;
    return 0;
}

/* Called when child i has been read completely. Adds the expanded nodes of the child to the count
 * of its list or map, and checks that a key is a scalar. */
static int32_t yread_finish_child(struct yread *y, uint32_t i) {
    struct ytree *t = y->tree;
    if (y->depth == 0) return 0;
    struct yread_level *level = &y->levels[y->depth - 1];
    level->expanded += ytree_at(t, i)->expanded;
    if (level->expanded > y->limits->nodes)
        return complain_at(y->complain, LSCHED_E_LIMIT, t->nodes[i].mark,
                           "expected at most %u values after following aliases, got more",
                           y->limits->nodes);
    int is_key = t->nodes[level->node].kind == YTREE_MAP && level->children % 2 == 1;
    if (is_key && ytree_at(t, i)->kind != YTREE_SCALAR)
        return complain_at(y->complain, LSCHED_E_TYPE, t->nodes[i].mark,
                           "expected a text as key, got %s",
                           ytree_at(t, i)->kind == YTREE_MAP ? "a map" : "a list");
    return 0;
}

static int32_t yread_anchor(struct yread *y, const yaml_char_t *name, uint32_t node) {
    uint32_t offset = 0;
    if (!name) return 0;
    if (y->n_anchors == YREAD_ANCHORS_MAX)
        return complain_at(y->complain, LSCHED_E_LIMIT, y->tree->nodes[node].mark,
                           "expected at most %d anchors, got more", YREAD_ANCHORS_MAX);
    if (!yread_add_text(y->tree, (const char *)name, strlen((const char *)name), &offset))
        return yread_no_memory(y);
    y->anchors[y->n_anchors++] = (struct yread_anchor){offset, node};
    return 0;
}

static int32_t yread_alias(struct yread *y, const yaml_event_t *event) {
    const char *name = (const char *)event->data.alias.anchor;
    struct mark mark = yread_mark(event->start_mark);
    uint32_t i = y->n_anchors, node = 0;
    while (i > 0 && strcmp(y->tree->text + y->anchors[i - 1].name, name) != 0) i--;
    if (i == 0)
        return complain_at(y->complain, LSCHED_E_NOENT, mark,
                           "expected an anchor that stands above, got *%s",
                           complain_quote(name, strlen(name)).text);
    uint32_t target = y->anchors[i - 1].node;
    if (y->tree->nodes[target].expanded == 0)
        return complain_at(y->complain, LSCHED_E_CYCLE, mark,
                           "expected an alias of something else, got *%s in itself",
                           complain_quote(name, strlen(name)).text);
    int32_t code = yread_add(y, YTREE_ALIAS, mark, &node);
    if (code) return code;
    y->tree->nodes[node].first = target;
    return yread_finish_child(y, node);
}

static int32_t yread_no_tag(const struct yread *y, const yaml_char_t *tag, struct mark mark) {
    if (!tag) return 0;
    return complain_at(y->complain, LSCHED_E_SYNTAX, mark, "expected a value without a tag, got %s",
                       complain_quote((const char *)tag, strlen((const char *)tag)).text);
}

/* If a line break begins at the offset `at`, returns the offset of its end; otherwise returns `at`.
 * The function accepts the same line breaks as libyaml. */
static size_t yread_break(const char *s, size_t len, size_t at) {
    if (s[at] == '\n') return at + 1;
    if (s[at] == '\r') return at + 1 + (at + 1 < len && s[at + 1] == '\n');
    if (at + 1 < len && memcmp(s + at, "\xC2\x85", 2) == 0) return at + 2;
    if (at + 2 < len &&
        (memcmp(s + at, "\xE2\x80\xA8", 3) == 0 || memcmp(s + at, "\xE2\x80\xA9", 3) == 0))
        return at + 3;
    return at;
}

/* Returns the number of columns by which the literal block below `line` is indented. The sum of
 * this number and a column within the block is a column of the scenario. */
static uint32_t yread_indent(struct yread *y, uint32_t line) {
    while (y->raw_at < y->raw_len && y->raw_line <= line) {
        size_t next = yread_break(y->raw, y->raw_len, y->raw_at);
        if (next > y->raw_at) y->raw_line++;
        y->raw_at = next > y->raw_at ? next : y->raw_at + 1;
    }
    size_t at = y->raw_at, start = at;
    while (at < y->raw_len) { /* skip blank lines, because they can have fewer spaces */
        size_t next = yread_break(y->raw, y->raw_len, at);
        if (next > at)
            start = at = next;
        else if (y->raw[at] == ' ')
            at++;
        else
            break;
    }
    return (uint32_t)(at - start);
}

static int32_t yread_scalar(struct yread *y, const yaml_event_t *event) {
    struct mark mark = yread_mark(event->start_mark);
    size_t len = event->data.scalar.length;
    uint32_t i = 0, offset = 0;
    int32_t code = yread_no_tag(y, event->data.scalar.tag, mark);
    if (!code) code = yread_add(y, YTREE_SCALAR, mark, &i);
    if (code) return code;
    if (len > YREAD_SCALAR_BYTES_MAX)
        return complain_at(y->complain, LSCHED_E_LIMIT, mark,
                           "expected a text of at most %d bytes, got %zu", YREAD_SCALAR_BYTES_MAX,
                           len);
    if (memchr(event->data.scalar.value, 0, len))
        return complain_at(y->complain, LSCHED_E_TYPE, mark,
                           "expected a text without NUL bytes, got one");
    if (!yread_add_text(y->tree, (const char *)event->data.scalar.value, len, &offset))
        return yread_no_memory(y);
    struct ytree_node *node = &y->tree->nodes[i];
    node->first = offset;
    node->n = (uint32_t)len;
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    if (event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE)
        node->block = 1 + yread_indent(y, mark.line);
    node->expanded = 1;
    code = yread_anchor(y, event->data.scalar.anchor, i);
    return code ? code : yread_finish_child(y, i);
}

static int32_t yread_open(struct yread *y, uint32_t kind, const yaml_event_t *event,
                          const yaml_char_t *tag, const yaml_char_t *anchor) {
    struct mark mark = yread_mark(event->start_mark);
    uint32_t i = 0;
    int32_t code = yread_no_tag(y, tag, mark);
    if (!code && y->depth >= y->limits->depth)
        code = complain_at(y->complain, LSCHED_E_LIMIT, mark,
                           "expected at most %u levels of nesting, got more", y->limits->depth);
    if (!code) code = yread_add(y, kind, mark, &i);
    if (!code) code = yread_anchor(y, anchor, i);
    if (!code) y->levels[y->depth++] = (struct yread_level){i, 0, 0, 1};
    return code;
}

static int32_t yread_close(struct yread *y) {
    struct yread_level level = y->levels[--y->depth];
    struct ytree_node *node = &y->tree->nodes[level.node];
    node->n = node->kind == YTREE_MAP ? level.children / 2 : level.children;
    node->expanded = (uint32_t)level.expanded;
    int32_t code = node->kind == YTREE_MAP ? yread_check_keys(y, level.node) : 0;
    return code ? code : yread_finish_child(y, level.node);
}

static int32_t yread_event(struct yread *y, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT: return yread_scalar(y, event);
    case YAML_ALIAS_EVENT: return yread_alias(y, event);
    case YAML_SEQUENCE_START_EVENT:
        return yread_open(y, YTREE_LIST, event, event->data.sequence_start.tag,
                          event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return yread_open(y, YTREE_MAP, event, event->data.mapping_start.tag,
                          event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: return yread_close(y);
    case YAML_DOCUMENT_START_EVENT:
        if (y->n_documents++ > 0)
            return complain_at(y->complain, LSCHED_E_SYNTAX, yread_mark(event->start_mark),
                               "expected one document, got a second one");
        return 0;
    default: return 0;
    }
}

/* Returns the line and the column of the byte at `offset`. It is used for errors of invalid UTF-8,
 * because libyaml finds the invalid bytes while it reads ahead, and its own mark is still at an
 * earlier place. */
static struct mark yread_place(const struct yread *y, size_t offset, int inside) {
    struct mark mark = {1, 1};
    /* the text ends within a character: move back to the first byte of the character */
    if (inside) {
        while (offset > 1 && ((unsigned char)y->raw[offset - 1] & 0xC0) == 0x80) offset--;
        if (offset > 0) offset--;
    }
    for (size_t at = 0; at < offset && at < y->raw_len;) {
        size_t next = yread_break(y->raw, y->raw_len, at);
        if (next > at) {
            mark = (struct mark){mark.line + 1, 1};
            at = next;
        } else {
            /* counts characters instead of bytes */
            mark.column += ((unsigned char)y->raw[at++] & 0xC0) != 0x80;
        }
    }
    return mark;
}

static int32_t yread_syntax(const struct yread *y) {
    const yaml_parser_t *p = &y->parser;
    const char *problem = p->problem ? p->problem : "something else";
    if (p->error == YAML_MEMORY_ERROR) return yread_no_memory(y);
    if (p->error == YAML_READER_ERROR)
        return complain_at(y->complain, LSCHED_E_SYNTAX,
                           yread_place(y, p->problem_offset, strstr(problem, "trailing") != NULL),
                           "expected UTF-8 text, got: %s", problem);
    return complain_at(y->complain, LSCHED_E_SYNTAX, yread_mark(p->problem_mark),
                       "expected YAML, got: %s%s%s", problem, p->context ? " " : "",
                       p->context ? p->context : "");
}

static int32_t yread_all(struct yread *y) {
    for (;;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&y->parser, &event)) return yread_syntax(y);
        yaml_event_type_t type = event.type;
        int32_t code = yread_event(y, &event);
        yaml_event_delete(&event);
        if (code) return code;
        if (type == YAML_STREAM_END_EVENT) break;
    }
    if (y->tree->n_nodes == 0)
        return complain_at(y->complain, LSCHED_E_SYNTAX, (struct mark){1, 1},
                           "expected a document, got an empty text");
    return 0;
}

int32_t ytree_read(struct ytree *tree, struct alloc *alloc, const struct ytree_limits *limits,
                   const char *text, size_t len, const struct complain *complain) {
    *tree = (struct ytree){alloc, NULL, NULL, 0, 0, 0, 0};
    if (len > limits->text_bytes)
        return complain_at(complain, LSCHED_E_LIMIT, (struct mark){0, 0},
                           "expected at most %u bytes, got %zu", limits->text_bytes, len);
    struct yread *y = alloc_zero(alloc, sizeof *y);
    if (!y)
        return complain_at(complain, LSCHED_E_NOMEM, (struct mark){0, 0},
                           "out of memory while reading");
    struct ytree_limits capped = *limits;
    if (capped.depth > YREAD_DEPTH_MAX) capped.depth = YREAD_DEPTH_MAX;
    y->tree = tree;
    y->limits = &capped;
    y->complain = complain;
    /* skip the byte order mark, because libyaml counts it as a column */
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        text += 3;
        len -= 3;
    }
    y->raw = text;
    y->raw_len = len;
    y->raw_line = 1;
    int32_t code = LSCHED_E_NOMEM;
    if (yaml_parser_initialize(&y->parser)) {
        yaml_parser_set_encoding(&y->parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&y->parser, (const unsigned char *)text, len);
        code = yread_all(y);
        yaml_parser_delete(&y->parser);
    } else {
        yread_no_memory(y);
    }
    alloc_free(alloc, y->keys, y->cap_keys * sizeof *y->keys);
    alloc_free(alloc, y, sizeof *y);
    if (code) ytree_drop(tree);
    return code;
}
