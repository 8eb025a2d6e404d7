/*
 * json_writer.h -- writes JSON directly to a file. The keys are in the order of the calls, and
 * integers are written with all digits.
 *
 * The writer does not build a tree of values, therefore a plan of a million decisions needs no
 * memory here. Amounts of 64 bits are written exactly. A library such as cJSON, which keeps JSON
 * numbers as doubles, would round numbers above 2^53. Hashes are written as strings of 16
 * hexadecimal digits, because a program that reads the JSON can also round large numbers.
 *
 * An object or array that is opened with JSON_LINE is written on one line. With JSON_LINES, each of
 * its elements is on a line of its own, except inside an object or array that was opened with
 * JSON_LINE.
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
        bool inline_too; /* true if this object or array, or one that contains it, is on one line */
        bool used;
    } open[JSON_DEPTH_MAX];
};

void json_begin(struct json *json, FILE *out);
/* Begins a document that is one object. Each member of the object is on a line of its own. */
void json_begin_object(struct json *json, FILE *out);
/* Closes the outermost object or array and writes the last newline. Before the call, the caller has
 * closed all other objects and arrays. */
void json_end(struct json *json);

/* These functions open and close objects and arrays. `key` must be NULL for an element of an array
 * and for the outermost object or array. */
void json_object(struct json *json, const char *key, enum json_layout layout);
void json_array(struct json *json, const char *key, enum json_layout layout);
void json_close(struct json *json);

void json_int(struct json *json, const char *key, int64_t value);
void json_int_unless(struct json *json, const char *key, int64_t value,
                     int64_t none); /* writes null if value == none */
void json_uint(struct json *json, const char *key, uint64_t value);
/* Writes a number with this number of decimals; writes null if the value is infinite or NaN. */
void json_fixed(struct json *json, const char *key, double value, int decimals);
/* Writes the number, or null if it is not known. */
void json_known(struct json *json, const char *key, bool known, double value, int decimals);
void json_bool(struct json *json, const char *key, bool value);
void json_null(struct json *json, const char *key);
void json_hash(struct json *json, const char *key, uint64_t value);
/* Writes a string of len bytes. Each byte that does not belong to valid UTF-8 is written as
 * U+FFFD. */
void json_text(struct json *json, const char *key, const char *text, size_t len);
void json_string(struct json *json, const char *key,
                 const char *text); /* the text ends with NUL; writes null if `text` is NULL */

#endif
