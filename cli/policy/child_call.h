/*
 * child_call.h -- calls a function in a process of its own with bounds, for libraries that crash,
 * or use any amount of memory, on a file from an unknown source.
 *
 * The result comes back as one block of bytes, therefore it must not contain pointers. If a
 * signal, a bound or exit ends the child early, the caller gets a message and continues. A call
 * costs a fork, about a millisecond.
 */
#ifndef LSCHED_CLI_CHILD_CALL_H
#define LSCHED_CLI_CHILD_CALL_H

#include <stdbool.h>
#include <stddef.h>

enum { CHILD_WORDS_BYTES = 96 };

struct child_bounds {
    size_t memory_bytes;   /* bound on data and heap */
    unsigned core_seconds; /* bound on CPU time */
};

/* Runs work(input, out) in a child and copies the `bytes` bytes at `out` back. Returns false, with
 * a message such as "it was ended by signal 11", if the child ended early. The child sees all data
 * of its parent; its changes are lost, except those at `out`. */
bool child_call(void (*work)(const void *input, void *out), const void *input, void *out,
                size_t bytes, const struct child_bounds *bounds, char words[CHILD_WORDS_BYTES]);

#endif
