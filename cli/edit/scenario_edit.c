/* scenario_edit.c -- see scenario_edit.h. */
#include "cli/edit/scenario_edit.h"

#include <stdlib.h>
#include <string.h>

#include "cli/support/cli_errors.h"

/* The line of a place, from 1 on. */
static uint32_t line_of(const struct scenario_edit *edit, size_t at) {
    uint32_t line = 1;
    for (size_t i = 0; i < at && i < edit->text.len; i++) line += edit->text.bytes[i] == '\n';
    return line;
}

int scenario_edit_error(const struct scenario_edit *edit, size_t at, const char *expected) {
    lsched_error err = LSCHED_ERROR_INIT;
    error_at(&err, LSCHED_E_UNSUPPORTED, line_of(edit, at),
             (uint32_t)yaml_column(&edit->text, at) + 1, "--patch: %s", expected);
    (void)library_error(edit->file->name, &err);
    return EXIT_INPUT;
}

int scenario_edit_open(const struct input_file *file, struct scenario_edit *out) {
    memset(out, 0, sizeof *out);
    out->file = file;
    out->text = (struct yaml_text){file->text, file->len};
    size_t end = yaml_line_end(&out->text, 0);
    out->line_break = end < file->len && file->text[end] == '\r' ? "\r\n" : "\n";
    if (yaml_top(&out->text, &out->top)) return EXIT_OK;
    return scenario_edit_error(out, out->top.n > 0 ? out->top.pairs[out->top.n - 1].key.from : 0,
                               "expected a scenario whose keys begin their lines, or stand between "
                               "braces, each with a value on its line or below it");
}

void scenario_edit_close(struct scenario_edit *edit) {
    text_edits_free(&edit->edits);
}

char *scenario_edit_text(struct scenario_edit *edit, size_t *len) {
    return text_edits_apply(&edit->edits, &edit->text, (struct yaml_span){0, edit->text.len}, len);
}

/* Replaces an entry by its new ones. */
static void put_pieces(struct scenario_edit *edit, const struct yaml_list *list,
                       struct yaml_span entry, const struct entry_pieces *pieces) {
    struct text_edits *edits = &edit->edits;
    text_edits_replace(edits, entry, pieces->items[0], strlen(pieces->items[0]));
    for (size_t i = 1; i < pieces->n; i++) {
        struct yaml_span behind = {entry.to, entry.to};
        if (list->flow) {
            text_edits_insert(edits, behind.from, ", ");
        } else {
            text_edits_insert(edits, behind.from, edit->line_break);
            for (size_t c = 0; c < list->column; c++) text_edits_insert(edits, behind.from, " ");
            text_edits_insert(edits, behind.from, "- ");
        }
        text_edits_insert(edits, behind.from, pieces->items[i]);
    }
}

static int open_list(const struct scenario_edit *edit, const char *key, struct yaml_list *out,
                     bool *missing) {
    const struct yaml_pair *pair = yaml_find(&edit->text, &edit->top, key);
    memset(out, 0, sizeof *out);
    *missing = pair == NULL;
    if (pair == NULL) return EXIT_OK;
    if (pair->value.from < pair->value.to && yaml_list_read(&edit->text, pair->value.from, out))
        return EXIT_OK;
    return scenario_edit_error(edit, pair->key.from,
                               "expected a list of entries that begin on the line of their dash, "
                               "or stand between brackets, and that are no aliases");
}

int scenario_edit_entries(struct scenario_edit *edit, const char *key, struct entry_change *change,
                          struct refused_entries *refused) {
    struct yaml_list list;
    bool missing;
    int rc = open_list(edit, key, &list, &missing);
    change->text = &edit->text;
    if (refused != NULL) *refused = (struct refused_entries){.n = 0};
    for (size_t i = 0; rc == EXIT_OK && i < list.n; i++) {
        struct entry_pieces pieces;
        const char *wrong = entry_split(change, list.entries[i], &pieces);
        struct yaml_span entry = {list.entries[i].from, list.entries[i].to};
        if (wrong != NULL && refused == NULL)
            rc = scenario_edit_error(edit, entry.from, wrong);
        else if (wrong != NULL && refused->n++ == 0)
            refused->line = line_of(edit, entry.from);
        else if (wrong == NULL && pieces.n > 0)
            put_pieces(edit, &list, entry, &pieces);
        entry_pieces_free(&pieces);
    }
    yaml_list_free(&list);
    return rc;
}

/* ---- adding ---- */

/* Copies an entry of another file to a column, with the line breaks of this file. */
static void put_moved(struct scenario_edit *edit, size_t at, const char *entry, size_t from,
                      size_t to) {
    struct text_edits *edits = &edit->edits;
    for (bool first = true; *entry != '\0'; first = false) {
        size_t len = strcspn(entry, "\n"), spaces = 0, words = len;
        const char *next = entry[len] == '\n' ? entry + len + 1 : entry + len;
        if (len > 0 && entry[len - 1] == '\r') words--;
        if (!first) {
            while (spaces < words && entry[spaces] == ' ') spaces++;
            size_t wanted = spaces + to >= from ? spaces + to - from : 0;
            text_edits_insert(edits, at, edit->line_break);
            for (size_t i = 0; i < wanted && spaces < words; i++) text_edits_insert(edits, at, " ");
        }
        text_edits_replace(edits, (struct yaml_span){at, at}, entry + spaces, words - spaces);
        entry = next;
    }
}

/* Where a list goes that the scenario does not have. */
static size_t new_list_at(const struct scenario_edit *edit) {
    return edit->top.flow ? edit->top.text.to - 1 : edit->text.len;
}

static bool ends_open(const struct scenario_edit *edit) {
    return edit->text.len > 0 && edit->text.bytes[edit->text.len - 1] != '\n';
}

/* Writes what stands before an entry of a list that the scenario does not have. */
static void put_new_list(struct scenario_edit *edit, const struct scenario_list *to, size_t at) {
    struct text_edits *edits = &edit->edits;
    bool flow = edit->top.flow;
    if (flow)
        text_edits_insert(edits, at, ", ");
    else if (to->added > 0 || ends_open(edit))
        text_edits_insert(edits, at, edit->line_break);
    if (to->added == 0) {
        text_edits_insert(edits, at, to->key);
        text_edits_insert(edits, at, flow ? ": [" : ":");
        if (!flow) text_edits_insert(edits, at, edit->line_break);
    }
    if (!flow) text_edits_insert(edits, at, "  - ");
}

/* Writes what stands before an entry at the end of a list, and returns its place. */
static size_t put_behind(struct scenario_edit *edit, const struct scenario_list *to) {
    const struct yaml_list *list = &to->list;
    size_t at = list->n > 0 ? list->entries[list->n - 1].to : list->inside;
    if (!list->flow) {
        at = yaml_line_end(&edit->text, at);
        text_edits_insert(&edit->edits, at, edit->line_break);
        for (size_t c = 0; c < list->column; c++) text_edits_insert(&edit->edits, at, " ");
        text_edits_insert(&edit->edits, at, "- ");
    } else if (list->n > 0 || to->added > 0) {
        text_edits_insert(&edit->edits, at, ", ");
    }
    return at;
}

int scenario_list_open(const struct scenario_edit *edit, const char *key,
                       struct scenario_list *out) {
    *out = (struct scenario_list){.key = key};
    return open_list(edit, key, &out->list, &out->missing);
}

int scenario_list_append(struct scenario_edit *edit, struct scenario_list *to, const char *entry,
                         size_t column) {
    size_t at = new_list_at(edit);
    if (entry[0] != '{' && (to->missing ? edit->top.flow : to->list.flow))
        return scenario_edit_error(edit, to->missing ? 0 : to->list.inside,
                                   "expected the new nodes between braces in the catalogue, "
                                   "because they are to stand between brackets here");
    if (to->missing)
        put_new_list(edit, to, at);
    else
        at = put_behind(edit, to);
    put_moved(edit, at, entry, column, to->missing ? 4 : to->list.column + 2);
    to->added++;
    return EXIT_OK;
}

void scenario_list_close(struct scenario_edit *edit, struct scenario_list *to) {
    size_t at = new_list_at(edit);
    if (to->missing && to->added > 0 && edit->top.flow) text_edits_insert(&edit->edits, at, "]");
    if (to->missing && to->added > 0 && !edit->top.flow && !ends_open(edit))
        text_edits_insert(&edit->edits, at, edit->line_break);
    yaml_list_free(&to->list);
}
