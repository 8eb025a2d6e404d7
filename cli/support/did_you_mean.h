/*
 * did_you_mean.h -- finds the known word that is most similar to an unknown word.
 */
#ifndef LSCHED_CLI_DID_YOU_MEAN_H
#define LSCHED_CLI_DID_YOU_MEAN_H

#include <stddef.h>

/* Returns the word with index i of a list, or NULL if i is not below the number of words. */
typedef const char *(*suggest_word_fn)(const void *list, size_t i);

/* Returns the known word that is most similar to `unknown`, or NULL if no word is similar enough.
 * If several words are equally similar, returns the first of these words in the list. */
const char *suggest(const char *unknown, suggest_word_fn word, const void *list);

/* Does what suggest() does, for a list of words that ends with NULL. */
const char *suggest_listed(const char *unknown, const char *const *words);

/* The text at the end of an error message. did_you_mean() returns the struct by value, so that the
 * call can be an argument of printf. */
struct meant_text {
    char text[80];
};
/* Returns "; did you mean 'WORD'?" for a word that suggest() returned, and "" for NULL. */
struct meant_text did_you_mean(const char *meant);

#endif
