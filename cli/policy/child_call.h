/*
 * child_call.h -- a function in a process of its own, with bounds: for libraries that crash, or
 * take any amount of memory, on a file that a stranger wrote.
 *
 * The result comes back as one block of bytes, so it must hold no pointers. Whatever ends the child
 * early (a signal, a bound, exit) is told in words, and the caller goes on. Costs a fork: a
 * millisecond.
 */
#ifndef LSCHED_CLI_CHILD_CALL_H
#define LSCHED_CLI_CHILD_CALL_H

#include <stdbool.h>
#include <stddef.h>

enum { CHILD_WORDS_BYTES = 96 };

struct child_bounds {
    size_t memory_bytes;   /* of data and heap */
    unsigned core_seconds; /* of a core */
};

/* Runs work(input, out) in a child and copies the `bytes` that it left at out. Returns false, with
 * words such as "it was ended by signal 11", if the child did not come to its end. The child sees
 * all that its parent has; what it changes but for out is lost. */
bool child_call(void (*work)(const void *input, void *out), const void *input, void *out,
                size_t bytes, const struct child_bounds *bounds, char words[CHILD_WORDS_BYTES]);

#endif
