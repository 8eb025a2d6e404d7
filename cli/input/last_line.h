/*
 * last_line.h -- the rule for the end of files whose rows are lines: the last line ends with a
 * newline.
 *
 * A file that was cut off inside its last number looks complete: "1 2 6 10" becomes "1 2 6 1", with
 * as many fields as before. Programs that write rows end each of them, so the rule costs a person
 * who types a file one newline, and finds every cut but one that is exactly behind a row. Formats
 * that have an end of their own (JSON, XML, a count of rows in front of text without lines) need no
 * such rule.
 */
#ifndef LSCHED_CLI_LAST_LINE_H
#define LSCHED_CLI_LAST_LINE_H

#include <stddef.h>
#include <stdint.h>

#include <libsched/libsched.h>

/* Returns 0 if the text is empty or ends with a newline; otherwise fills *err with the position of
 * its end and returns LSCHED_E_SYNTAX. A reader calls it after the rows, so that an error in a row
 * is told first. */
int32_t last_line_check(const char *text, size_t len, lsched_error *err);
/* Fills *err with the error of a file that ends at this position, without a newline. */
int32_t last_line_error(uint32_t line, uint32_t column, lsched_error *err);

#endif
