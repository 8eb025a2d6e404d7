/* json_records.c -- see json_records.h. */
#include "cli/slurm_records/json_records.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "cli/support/cli_errors.h"
#include "cli/support/utf8.h"

enum { DEPTH_MAX = 64, PATH_BYTES = 256, LEVELS_READ = 5 };

enum level_kind { LEVEL_MAP, LEVEL_LIST };

struct level {
    enum level_kind kind;
    size_t path;  /* length of the path before this level */
    bool has_key; /* map: a key has been read, and its value comes next */
    /* values of an object {type, name, count} of a list of resources */
    char type[32], name[64], count[24];
};

struct reader {
    yaml_parser_t parser;
    json_record_fn call;
    void *user;
    lsched_error *err;
    struct record record;
    struct level levels[DEPTH_MAX];
    size_t depth;
    char path[PATH_BYTES]; /* keys from the object of the record down, with dots between them */
    char array[64];        /* key of the array at the top that is being read */
    size_t skip;           /* depth of a value that is skipped; 0: none */
    bool list_begun;       /* the last field of the record is the list that is being read */
};

/* ---- escapes ---- */

static bool hex4(const char *at, unsigned *out) {
    *out = 0;
    for (int i = 0; i < 4; i++) {
        char c = at[i];
        unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
                         : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                                : 16;
        if (digit == 16) return false;
        *out = 16 * *out + digit;
    }
    return true;
}

/* Writes characters beyond U+FFFF, which JSON has as two escapes of six bytes, as one escape of ten
 * bytes, which libyaml knows. Returns the new length. */
static size_t join_surrogates(char *text, size_t len) {
    size_t to = 0;
    unsigned high = 0, low = 0;
    for (size_t at = 0; at < len;) {
        if (text[at] != '\\' || at + 1 == len) {
            text[to++] = text[at++];
        } else if (len - at >= 12 && text[at + 1] == 'u' && text[at + 6] == '\\' &&
                   text[at + 7] == 'u' && hex4(text + at + 2, &high) && high >= 0xd800 &&
                   high < 0xdc00 && hex4(text + at + 8, &low) && low >= 0xdc00 && low < 0xe000) {
            char joined[16];
            snprintf(joined, sizeof joined, "\\U%08X",
                     0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
            memcpy(text + to, joined, 10);
            to += 10;
            at += 12;
        } else {
            text[to++] = text[at++];
            text[to++] = text[at++];
        }
    }
    return to;
}

/* ---- values ---- */

static struct level *top(struct reader *r) {
    return r->depth > 0 ? &r->levels[r->depth - 1] : NULL;
}

/* Appends a key to the path. Returns false if the path would be too long. */
static bool enter_key(struct reader *r, const char *key, size_t len) {
    size_t at = top(r)->path;
    if (at + len + 2 > sizeof r->path) return false;
    if (at > 0) r->path[at++] = '.';
    memcpy(r->path + at, key, len);
    r->path[at + len] = '\0';
    return true;
}

static void keep(char *out, size_t bytes, const char *text, size_t len) {
    if (len >= bytes) len = bytes - 1;
    memcpy(out, text, len);
    out[len] = '\0';
}

/* Adds an element of a list to the field of the list. */
static int32_t add_item(struct reader *r, const char *text, size_t len, uint32_t line) {
    if (!r->list_begun) {
        r->list_begun = true;
        return record_add(&r->record, r->path, strlen(r->path), text, len, line, r->err);
    }
    int32_t rc = record_append(&r->record, ",", 1, r->err);
    return rc < 0 ? rc : record_append(&r->record, text, len, r->err);
}

static bool in_list_of_objects(const struct reader *r) {
    return r->depth >= 2 && r->levels[r->depth - 1].kind == LEVEL_MAP &&
           r->levels[r->depth - 2].kind == LEVEL_LIST && r->depth > 3;
}

static int32_t take_value(struct reader *r, const char *text, size_t len, uint32_t line) {
    struct level *level = top(r);
    if (r->depth < 3) return LSCHED_OK; /* outside of the arrays of objects */
    if (level->kind == LEVEL_LIST) return add_item(r, text, len, line);
    if (!in_list_of_objects(r))
        return record_add(&r->record, r->path, strlen(r->path), text, len, line, r->err);
    const char *dot = strrchr(r->path, '.');
    const char *key = dot != NULL ? dot + 1 : r->path;
    if (strcmp(key, "type") == 0) keep(level->type, sizeof level->type, text, len);
    if (strcmp(key, "name") == 0) keep(level->name, sizeof level->name, text, len);
    if (strcmp(key, "count") == 0) keep(level->count, sizeof level->count, text, len);
    return LSCHED_OK;
}

/* At the end of an object {type, name, count} of a list. */
static int32_t take_resource(struct reader *r, uint32_t line) {
    const struct level *level = top(r);
    char text[128];
    if (level->type[0] == '\0' || level->count[0] == '\0') return LSCHED_OK;
    int len = snprintf(text, sizeof text, "%s%s%s=%s", level->type,
                       level->name[0] != '\0' ? "/" : "", level->name, level->count);
    r->path[r->levels[r->depth - 2].path] = '\0';
    return add_item(r, text, (size_t)len, line);
}

/* ---- events ---- */

static int32_t syntax(struct reader *r, const yaml_mark_t *mark, const char *expected) {
    return error_at(r->err, LSCHED_E_SYNTAX, (uint32_t)mark->line + 1, (uint32_t)mark->column + 1,
                    "%s", expected);
}

/* Returns true if nothing of the value that begins is read: what stands beside the arrays, lists in
 * lists, and what is deeper than the levels that are read. */
static bool is_skipped(const struct reader *r, enum level_kind kind) {
    if (r->depth == 1 && kind == LEVEL_MAP) return true;
    if (r->depth >= 2 + LEVELS_READ) return true;
    if (r->depth <= 3) return false;
    bool list_in_list = r->levels[r->depth - 1].kind == LEVEL_LIST && kind == LEVEL_LIST;
    return list_in_list || in_list_of_objects(r);
}

static void begin_level(struct reader *r, enum level_kind kind, uint32_t line) {
    if (r->depth == 2 && kind == LEVEL_LIST)
        keep(r->array, sizeof r->array, r->path, strlen(r->path));
    if (r->depth == 3) {
        record_begin(&r->record, line);
        r->path[0] = '\0';
    }
    if (kind == LEVEL_LIST) r->list_begun = false;
}

static int32_t open_level(struct reader *r, enum level_kind kind, const yaml_mark_t *mark) {
    if (r->depth == DEPTH_MAX)
        return syntax(r, mark, "expected at most 64 levels of objects and arrays, got more");
    if (r->depth == 0 && kind != LEVEL_MAP)
        return syntax(r, mark, "expected an object at the top, as Slurm writes it, got an array");
    struct level *above = top(r);
    size_t path = 0;
    if (r->depth >= 3 && r->skip == 0)
        path = above->kind == LEVEL_LIST ? above->path : strlen(r->path);
    bool skipped = r->skip == 0 && is_skipped(r, kind);
    if (above != NULL) above->has_key = false;
    r->levels[r->depth++] = (struct level){.kind = kind, .path = path};
    if (skipped) r->skip = r->depth;
    if (r->skip == 0) begin_level(r, kind, (uint32_t)mark->line + 1);
    return LSCHED_OK;
}

static int32_t close_level(struct reader *r, const yaml_mark_t *mark) {
    int32_t rc = LSCHED_OK;
    uint32_t line = (uint32_t)mark->line + 1;
    if (r->skip == 0 && r->depth > 3 && in_list_of_objects(r)) rc = take_resource(r, line);
    bool record_ends = r->skip == 0 && r->depth == 3 && top(r)->kind == LEVEL_MAP;
    if (r->skip == r->depth) r->skip = 0;
    r->depth--;
    if (rc >= 0 && record_ends) rc = r->call(r->user, r->array, &r->record, r->err);
    return rc;
}

static int32_t take_scalar(struct reader *r, const yaml_event_t *event) {
    const char *text = (const char *)event->data.scalar.value;
    size_t len = event->data.scalar.length;
    struct level *level = top(r);
    bool quoted = event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    if (level == NULL) return syntax(r, &event->start_mark, "expected an object of JSON");
    if (event->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
        (level->kind == LEVEL_MAP && !level->has_key && !quoted))
        return syntax(r, &event->start_mark, "expected a text in double quotes");
    if (level->kind == LEVEL_MAP && !level->has_key) {
        level->has_key = true;
        if (r->skip == 0 && !enter_key(r, text, len))
            return syntax(r, &event->start_mark,
                          "expected keys of at most 250 bytes in all levels");
        return LSCHED_OK;
    }
    level->has_key = false;
    if (!quoted && strcmp(text, "null") == 0) len = 0;
    if (memchr(text, '\0', len) != NULL) len = strlen(text);
    return r->skip != 0 ? LSCHED_OK
                        : take_value(r, text, len, (uint32_t)event->start_mark.line + 1);
}

static int32_t take_event(struct reader *r, const yaml_event_t *event) {
    switch (event->type) {
    case YAML_SCALAR_EVENT: return take_scalar(r, event);
    case YAML_MAPPING_START_EVENT:
        if (event->data.mapping_start.style != YAML_FLOW_MAPPING_STYLE)
            return syntax(r, &event->start_mark, "expected JSON, got YAML");
        return open_level(r, LEVEL_MAP, &event->start_mark);
    case YAML_SEQUENCE_START_EVENT:
        if (event->data.sequence_start.style != YAML_FLOW_SEQUENCE_STYLE)
            return syntax(r, &event->start_mark, "expected JSON, got YAML");
        return open_level(r, LEVEL_LIST, &event->start_mark);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT: return close_level(r, &event->start_mark);
    case YAML_ALIAS_EVENT:
        return syntax(r, &event->start_mark, "expected JSON, got an alias of YAML");
    default: return LSCHED_OK;
    }
}

static int32_t parser_error(struct reader *r) {
    const yaml_parser_t *p = &r->parser;
    uint32_t line = (uint32_t)p->problem_mark.line + 1;
    uint32_t column = (uint32_t)p->problem_mark.column + 1;
    return error_at(r->err, p->error == YAML_MEMORY_ERROR ? LSCHED_E_NOMEM : LSCHED_E_SYNTAX, line,
                    column, "expected JSON: %s; is the file whole?",
                    p->problem != NULL ? p->problem : "the text cannot be read");
}

bool json_records_here(const char *text, size_t len) {
    size_t at = utf8_mark(text, len);
    while (at < len && strchr(" \t\r\n", text[at]) != NULL && text[at] != '\0') at++;
    return at < len && text[at] == '{';
}

int32_t json_records_read(char *text, size_t len, json_record_fn record, void *user,
                          lsched_error *err) {
    struct reader *r = must_alloc_zero(sizeof *r);
    int32_t rc = LSCHED_OK;
    r->call = record;
    r->user = user;
    r->err = err;
    len = join_surrogates(text, len);
    if (yaml_parser_initialize(&r->parser) == 0) {
        free(r);
        return error_at(err, LSCHED_E_NOMEM, 1, 1, "out of memory");
    }
    yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r->parser, (const unsigned char *)text, len);
    for (bool more = true; rc >= 0 && more;) {
        yaml_event_t event;
        if (yaml_parser_parse(&r->parser, &event) == 0) {
            rc = parser_error(r);
            break;
        }
        more = event.type != YAML_STREAM_END_EVENT;
        rc = take_event(r, &event);
        yaml_event_delete(&event);
    }
    yaml_parser_delete(&r->parser);
    record_free(&r->record);
    free(r);
    return rc;
}
