/*
 * json_writer.h -- writes JSON directly to a file: keys in the order of the calls, numbers with
 * all digits.
 *
 * No tree is built, therefore a plan of a million decisions costs no memory, and int64 amounts
 * stay exact. A library that keeps JSON numbers as doubles (cJSON) would round numbers beyond
 * 2^53. Hashes are written as strings of 16 hexadecimal digits, because programs that read JSON
 * may also round.
 *
 * Containers opened with JSON_LINE stay on one line. Other containers put each element on its own
 * line.
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
        bool inline_too; /* true if this container or one around it is on one line */
        bool used;
    } open[JSON_DEPTH_MAX];
};

void json_begin(struct json *json, FILE *out);
void json_end(struct json *json); /* writes the last newline; every container must be closed */

/* `key` is NULL for an element of an array and for the document itself. */
void json_object(struct json *json, const char *key, enum json_layout layout);
void json_array(struct json *json, const char *key, enum json_layout layout);
void json_close(struct json *json);

void json_int(struct json *json, const char *key, int64_t value);
void json_uint(struct json *json, const char *key, uint64_t value);
void json_fixed(struct json *json, const char *key, double value, int decimals);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
void json_hash(struct json *json, const char *key, uint64_t value);
/* Bytes that are not UTF-8 are written as U+FFFD. */
void json_text(struct json *json, const char *key, const char *text, size_t len);
void json_string(struct json *json, const char *key,
                 const char *text); /* NUL-terminated; NULL is written as null */

#endif
