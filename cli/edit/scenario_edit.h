/*
 * scenario_edit.h -- changes entries of the lists at the top of a scenario file, such as `nodes`
 * and `jobs`, and adds entries, so that all other bytes of the file stay.
 *
 * An entry that cannot be changed is an error with its line and what was expected there; then the
 * edit has no use any more, because some of its changes are missing. A caller that wants to do
 * without some changes asks scenario_edit_entries() to leave such entries out.
 *
 * Cost: O(bytes of the file) for each list; entries with a range cost O(names).
 */
#ifndef LSCHED_CLI_SCENARIO_EDIT_H
#define LSCHED_CLI_SCENARIO_EDIT_H

#include "cli/edit/entry_split.h"
#include "cli/input/input_file.h"

struct scenario_edit {
    const struct input_file *file;
    struct yaml_text text;
    const char *line_break; /* of the file */
    struct yaml_map top;
    struct text_edits edits;
};

/* Opens an edit of a file, which must stay. Returns an exit code; an error has been reported. The
 * caller calls scenario_edit_close() in any case. */
int scenario_edit_open(const struct input_file *file, struct scenario_edit *out);
void scenario_edit_close(struct scenario_edit *edit);
/* Entries that do not allow their change. */
struct refused_entries {
    size_t n, line; /* line: of the first one, from 1 on */
};

/* Changes the entries of a list by their names; change->text is set here. refused: the entries that
 * do not allow their change; NULL: such an entry is an error. Returns an exit code. */
int scenario_edit_entries(struct scenario_edit *edit, const char *list, struct entry_change *change,
                          struct refused_entries *refused);
/* A list to which entries are added; if the scenario does not have it, the first entry adds it. */
struct scenario_list {
    const char *key;
    struct yaml_list list;
    bool missing;
    size_t added;
};

/* Reads the list once for all entries. Returns an exit code. The caller calls
 * scenario_list_close() in any case. */
int scenario_list_open(const struct scenario_edit *edit, const char *key,
                       struct scenario_list *out);
/* Adds an entry. Its text is one of another file, where it stands in this column. Returns an exit
 * code. */
int scenario_list_append(struct scenario_edit *edit, struct scenario_list *list, const char *entry,
                         size_t column);
void scenario_list_close(struct scenario_edit *edit, struct scenario_list *list);
/* The whole new text, which the caller frees. */
char *scenario_edit_text(struct scenario_edit *edit, size_t *len);
/* Reports that the file has not the form that is expected at a place. Returns EXIT_INPUT. */
int scenario_edit_error(const struct scenario_edit *edit, size_t at, const char *expected);

#endif
