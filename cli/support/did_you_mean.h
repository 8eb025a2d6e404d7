/*
 * did_you_mean.h -- "did you mean": the known word that is closest to an unknown one.
 */
#ifndef LSCHED_CLI_DID_YOU_MEAN_H
#define LSCHED_CLI_DID_YOU_MEAN_H

#include <stddef.h>

/* Word i of a list, NULL after the last. */
typedef const char *(*suggest_word_fn)(const void *list, size_t i);

/* The closest word, or NULL if none is close enough to be what was meant. The first of equals
 * wins. */
const char *suggest(const char *unknown, suggest_word_fn word, const void *list);

#endif
