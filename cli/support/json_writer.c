/*
 * json_writer.c -- see json_writer.h. These functions do not check for write errors. The FILE
 * remembers a write error, and the main function checks for it at the end of the program.
 */
#include "cli/support/json_writer.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cli/support/utf8.h"

static void write_text(struct json *json, const char *text, size_t len) {
    fputc('"', json->out);
    for (size_t i = 0; i < len;) {
        unsigned char byte = (unsigned char)text[i];
        size_t bytes = utf8_length(text + i, len - i);
        if (byte == '"' || byte == '\\') {
            fprintf(json->out, "\\%c", byte);
        } else if (byte == '\n') {
            fputs("\\n", json->out);
        } else if (byte == '\t') {
            fputs("\\t", json->out);
        } else if (byte < 0x20 || byte == 0x7f) {
            fprintf(json->out, "\\u%04x", byte);
        } else if (bytes == 0) {
            fputs("\\ufffd", json->out);
        } else {
            fwrite(text + i, 1, bytes, json->out);
        }
        i += bytes > 0 ? bytes : 1;
    }
    fputc('"', json->out);
}

static void new_line(struct json *json) {
    fputc('\n', json->out);
    for (int i = 0; i < json->depth; i++) fputs("  ", json->out);
}

/* Writes the text before a value: a comma after an earlier element, a line break or a space, and
 * the key. */
static void before_value(struct json *json, const char *key) {
    if (json->depth > 0) {
        bool first = !json->open[json->depth - 1].used;
        json->open[json->depth - 1].used = true;
        if (!first) fputc(',', json->out);
        if (!json->open[json->depth - 1].inline_too) {
            new_line(json);
        } else if (!first) {
            fputc(' ', json->out);
        }
    }
    if (key != NULL) {
        write_text(json, key, strlen(key));
        fputs(": ", json->out);
    }
}

void json_begin(struct json *json, FILE *out) {
    memset(json, 0, sizeof *json);
    json->out = out;
}

void json_begin_object(struct json *json, FILE *out) {
    json_begin(json, out);
    json_object(json, NULL, JSON_LINES);
}

void json_end(struct json *json) {
    if (json->depth > 0) json_close(json);
    assert(json->depth == 0);
    fputc('\n', json->out);
}

static void open_container(struct json *json, const char *key, enum json_layout layout, char open,
                           char close) {
    assert(json->depth < JSON_DEPTH_MAX);
    before_value(json, key);
    fputc(open, json->out);
    bool around = json->depth > 0 && json->open[json->depth - 1].inline_too;
    json->open[json->depth].close = close;
    json->open[json->depth].inline_too = around || layout == JSON_LINE;
    json->open[json->depth].used = false;
    json->depth++;
}

void json_object(struct json *json, const char *key, enum json_layout layout) {
    open_container(json, key, layout, '{', '}');
}

void json_array(struct json *json, const char *key, enum json_layout layout) {
    open_container(json, key, layout, '[', ']');
}

void json_close(struct json *json) {
    assert(json->depth > 0);
    json->depth--;
    if (json->open[json->depth].used && !json->open[json->depth].inline_too) new_line(json);
    fputc(json->open[json->depth].close, json->out);
}

void json_int(struct json *json, const char *key, int64_t value) {
    before_value(json, key);
    fprintf(json->out, "%" PRId64, value);
}

void json_int_unless(struct json *json, const char *key, int64_t value, int64_t none) {
    if (value == none) {
        json_null(json, key);
    } else {
        json_int(json, key, value);
    }
}

void json_uint(struct json *json, const char *key, uint64_t value) {
    before_value(json, key);
    fprintf(json->out, "%" PRIu64, value);
}

void json_fixed(struct json *json, const char *key, double value, int decimals) {
    before_value(json, key);
    if (isfinite(value)) {
        fprintf(json->out, "%.*f", decimals, value);
    } else {
        fputs("null", json->out);
    }
}

void json_known(struct json *json, const char *key, bool known, double value, int decimals) {
    if (known)
        json_fixed(json, key, value, decimals);
    else
        json_null(json, key);
}

void json_bool(struct json *json, const char *key, bool value) {
    before_value(json, key);
    fputs(value ? "true" : "false", json->out);
}

void json_null(struct json *json, const char *key) {
    before_value(json, key);
    fputs("null", json->out);
}

void json_hash(struct json *json, const char *key, uint64_t value) {
    before_value(json, key);
    fprintf(json->out, "\"%016" PRIx64 "\"", value);
}

void json_text(struct json *json, const char *key, const char *text, size_t len) {
    before_value(json, key);
    write_text(json, text, len);
}

void json_string(struct json *json, const char *key, const char *text) {
    if (text == NULL) {
        json_null(json, key);
    } else {
        json_text(json, key, text, strlen(text));
    }
}
