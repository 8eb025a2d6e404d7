/*
 * old_names.h -- the table of the old spellings of keys and words in scenarios, each with its new
 * spelling from docs/glossary.md.
 *
 * Only field_reader.c looks up old spellings. Therefore all other functions compare a key or a word
 * only with its new spelling. A scenario with old spellings is read as if it had the new ones. An
 * old spelling is replaced only in a map that can have the new spelling as a key and cannot have
 * the old one. For example, "share" is still a key of a device request, but among the keys of a
 * node's GPUs it is read as "sharing". The same rule applies to lists of words.
 */
#ifndef LIBSCHED_OLD_NAMES_H
#define LIBSCHED_OLD_NAMES_H

#include <stddef.h>

struct old_name {
    const char *old, *now;
};

/* The first OLD_WORDS pairs are words that a value can have; "leaving" is also the old spelling of
 * a key. The other pairs are keys. */
enum { OLD_WORDS = 3, OLD_NAMES = 14 };
extern const struct old_name old_names[OLD_NAMES];

/* Returns candidate i, or NULL if i is not less than the number of candidates. */
typedef const char *(*name_candidate_fn)(const void *user, size_t i);

/* Returns the pair whose old spelling is `text` and whose new spelling is a candidate. Returns NULL
 * if there is no such pair, or if `text` itself is a candidate. The cost is O(candidates) for each
 * pair with that old spelling. */
const struct old_name *old_name_find(const char *text, name_candidate_fn candidate,
                                     const void *user);
/* Returns the spelling that scenarios use for a word of libsched/codes.def: the new spelling, or
 * the word itself if it has no new spelling. The library and the JSON output keep the old spelling,
 * because programs compare texts with it. */
const char *old_name_word(const char *word);

#endif
