/*
 * child_call.h -- calls a function in a child process with limits on memory and CPU time. The
 * program uses this for libraries that can crash, or take unlimited memory, if they read a bad
 * file.
 *
 * The child sends its result to the parent as one block of bytes, therefore the result must not
 * contain pointers. If a crash, a limit or a call of exit ends the child early, the parent gets a
 * message and continues. A call costs one fork, which takes about a millisecond.
 */
#ifndef LSCHED_CLI_CHILD_CALL_H
#define LSCHED_CLI_CHILD_CALL_H

#include <stdbool.h>
#include <stddef.h>

enum { CHILD_WORDS_BYTES = 96 };

struct child_bounds {
    /* limit on the address space of the child; not in force in builds with a sanitizer */
    size_t memory_bytes;
    unsigned core_seconds; /* limit on the CPU time of the child */
};

/* Runs work(input, out) in a child process and copies `bytes` bytes at `out` from the child to the
 * parent. If the child ends early, returns false and writes a message such as "it crashed with
 * signal 11" to `words`. The child has a copy of all data of the parent. All other changes that the
 * child makes in memory are lost. */
bool child_call(void (*work)(const void *input, void *out), const void *input, void *out,
                size_t bytes, const struct child_bounds *bounds, char words[CHILD_WORDS_BYTES]);

#endif
