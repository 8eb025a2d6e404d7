/*
 * did_you_mean.h -- finds the known word that is closest to an unknown one.
 */
#ifndef LSCHED_CLI_DID_YOU_MEAN_H
#define LSCHED_CLI_DID_YOU_MEAN_H

#include <stddef.h>

/* Returns word i of a list, and NULL after the last one. */
typedef const char *(*suggest_word_fn)(const void *list, size_t i);

/* Returns the closest word, or NULL if no word is close enough. If several words are equally
 * close, the first one is returned. */
const char *suggest(const char *unknown, suggest_word_fn word, const void *list);

#endif
