/* resize_words.h -- writes what a running task is to have other than now, and why it waits, as text
 * for people. Cost: O(kinds). */
#ifndef LIBSCHED_RESIZE_WORDS_H
#define LIBSCHED_RESIZE_WORDS_H

#include "engine/state/object_words.h"

/* True if the task runs with other amounts than its job requests, or is to get others. */
int resize_words_any(const struct columns *k, uint32_t task);
/* Writes one sentence about such a task, without an end of line. */
void resize_words_put(const struct columns *k, uint32_t task, struct text_out *o);

#endif
