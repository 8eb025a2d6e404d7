/*
 * entry_split.h -- changes some of the nodes or jobs for which one entry of a list stands, such as
 * {name: "n-[0-7]", cpu: 8}: the entry is split into entries for those that change and those that
 * stay.
 *
 * The caller gives each name a class: 0 stays as it is, a number above 0 changes in one way, and
 * ENTRY_LEFT_OUT gets no entry. If all names have one class, the entry is not split. Otherwise
 * each new entry is a copy with a shorter range and without `count`. For nodes it has one value for
 * each label that had a range: labels of jobs have no ranges. An entry with an anchor or an alias
 * is not split, because a copy of an anchor would be a second one.
 */
#ifndef LSCHED_CLI_ENTRY_SPLIT_H
#define LSCHED_CLI_ENTRY_SPLIT_H

#include "cli/edit/text_edits.h"

#define ENTRY_LEFT_OUT (-1)

struct entry_change {
    const struct yaml_text *text;
    const void *user;
    bool label_ranges; /* labels can have ranges: the entries are nodes */
    /* Returns the class of a name. */
    int (*class_of)(const void *user, const char *name);
    /* Adds the edits for a class above 0 to an entry; all of them lie in the map, or behind a
     * comment on its last line. False if the
     * entry has a form that does not allow this. NULL: nothing but the names changes. */
    bool (*change)(const void *user, const struct yaml_text *text, const struct yaml_map *map,
                   int class, struct text_edits *edits);
};

struct entry_pieces {
    char **items; /* owned: texts of the new entries; none if the entry stays as it is */
    size_t n, capacity;
};

/* Splits an entry. Returns NULL, or what about the entry does not allow this, as "expected ...".
 * The caller calls entry_pieces_free() in any case. */
const char *entry_split(const struct entry_change *change, struct yaml_span entry,
                        struct entry_pieces *out);
void entry_pieces_free(struct entry_pieces *pieces);
/* Sets a key of a map that has other keys: replaces its value, or adds the pair at the end. */
void entry_set(const struct yaml_text *text, const struct yaml_map *map, const char *key,
               const char *value, struct text_edits *edits);
/* Removes a pair. False if it is the only one, or the first of a block. */
bool entry_remove(const struct yaml_text *text, const struct yaml_map *map,
                  const struct yaml_pair *pair, struct text_edits *edits);

#endif
