/*
 * last_line.c -- see last_line.h.
 */
#include "cli/input/last_line.h"

#include <string.h>

#include "cli/support/cli_errors.h"

int32_t last_line_error(uint32_t line, uint32_t column, lsched_error *err) {
    return error_at(err, LSCHED_E_SYNTAX, line, column,
                    "the file is cut off: expected the rest of a line, got the end of the file; "
                    "if the file is whole, end its last line with a newline");
}

int32_t last_line_check(const char *text, size_t len, lsched_error *err) {
    if (len == 0 || text[len - 1] == '\n') return LSCHED_OK;
    uint32_t line = 1;
    size_t from = 0;
    for (const char *newline; (newline = memchr(text + from, '\n', len - from)) != NULL; line++)
        from = (size_t)(newline - text) + 1;
    return last_line_error(line, (uint32_t)(len - from) + 1, err);
}
