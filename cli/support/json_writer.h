/*
 * json_writer.h -- JSON as it is written: keys come out in the order of the calls, numbers with
 * every digit.
 *
 * No tree is built, so a plan of a million decisions costs no memory, and int64 amounts stay
 * exact: a library that keeps JSON numbers as doubles (cJSON) would round those past 2^53. Hashes
 * are 16 hexadecimal digits in a string, because readers round too.
 *
 * Containers opened with JSON_LINE stay on one line; the others put each element on a line of its
 * own.
 */
#ifndef LSCHED_CLI_JSON_WRITER_H
#define LSCHED_CLI_JSON_WRITER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_DEPTH_MAX = 16 };

enum json_layout { JSON_LINES, JSON_LINE };

struct json {
    FILE *out;
    int depth;
    struct {
        char close;
        bool inline_too; /* this container or one around it is on one line */
        bool used;
    } open[JSON_DEPTH_MAX];
};

void json_begin(struct json *json, FILE *out);
void json_end(struct json *json); /* the last newline; every container must be closed */

/* key NULL: an element of an array, or the document itself. */
void json_object(struct json *json, const char *key, enum json_layout layout);
void json_array(struct json *json, const char *key, enum json_layout layout);
void json_close(struct json *json);

void json_int(struct json *json, const char *key, int64_t value);
void json_uint(struct json *json, const char *key, uint64_t value);
void json_fixed(struct json *json, const char *key, double value, int decimals);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
void json_hash(struct json *json, const char *key, uint64_t value);
/* Bytes that are not UTF-8 come out as U+FFFD. */
void json_text(struct json *json, const char *key, const char *text, size_t len);
void json_string(struct json *json, const char *key,
                 const char *text); /* NUL-terminated; NULL: null */

#endif
