/* advise_patch.c -- see advise_patch.h. */
#include "cli/advise/advise_patch.h"

#include <stdlib.h>
#include <string.h>

#include "cli/edit/unified_diff.h"
#include "cli/support/name_list.h"
#include "cli/support/output_file.h"

struct patch {
    const struct session *session;
    const struct node_trials *trials;
    const struct node_advice *advice;
    struct scenario_edit edit;
};

/* ---- drained nodes ---- */

static int compare_name(const void *key, const void *node) {
    return name_compare(key, &((const struct own_node *)node)->name);
}

static int drained_class(const void *user, const char *name) {
    const struct patch *patch = user;
    const lsched_text text = {name, strlen(name)};
    const struct own_node *node = patch->trials->n_own > 0
                                      ? bsearch(&text, patch->trials->own, patch->trials->n_own,
                                                sizeof patch->trials->own[0], compare_name)
                                      : NULL;
    return node != NULL && patch->advice->change.drained[node - patch->trials->own];
}

static bool drain_entry(const void *user, const struct yaml_text *text, const struct yaml_map *map,
                        int class, struct text_edits *edits) {
    (void)user;
    (void)class;
    entry_set(text, map, "draining", "true", edits);
    return true;
}

static size_t drained_nodes(const struct patch *patch) {
    size_t n = 0;
    for (size_t i = 0; patch->advice->change.drained != NULL && i < patch->trials->n_own; i++)
        n += patch->advice->change.drained[i];
    return n;
}

static int patch_drained(struct patch *patch) {
    struct entry_change change = {
        .user = patch, .label_ranges = true, .class_of = drained_class, .change = drain_entry};
    return drained_nodes(patch) > 0 ? scenario_edit_entries(&patch->edit, "nodes", &change, NULL)
                                    : EXIT_OK;
}

/* ---- added nodes ---- */

static bool is_chosen(const struct patch *patch, size_t offer) {
    const struct catalogue *catalogue = patch->trials->catalogue;
    size_t type = catalogue->offers[offer].type;
    return offer - catalogue->types[type].first < patch->advice->change.counts[type];
}

static int added_class(const void *user, const char *name) {
    const struct patch *patch = user;
    const struct catalogue *catalogue = patch->trials->catalogue;
    for (size_t i = 0; i < catalogue->n; i++)
        if (strlen(name) == catalogue->offers[i].name.len &&
            memcmp(name, catalogue->offers[i].name.ptr, catalogue->offers[i].name.len) == 0)
            return is_chosen(patch, i) ? 1 : ENTRY_LEFT_OUT;
    return ENTRY_LEFT_OUT;
}

static size_t added_nodes(const struct patch *patch) {
    const struct catalogue *catalogue = patch->trials->catalogue;
    size_t n = 0;
    for (size_t i = 0; catalogue != NULL && i < catalogue->n; i++) n += is_chosen(patch, i);
    return n;
}

static int patch_added(struct patch *patch) {
    const struct catalogue *catalogue = patch->trials->catalogue;
    struct scenario_list to = {.added = 0};
    struct scenario_edit from;
    struct yaml_list list;
    if (added_nodes(patch) == 0) return EXIT_OK;
    int rc = scenario_edit_open(&catalogue->session.file, &from);
    const struct yaml_pair *nodes =
        rc == EXIT_OK ? yaml_find(&from.text, &from.top, "nodes") : NULL;
    memset(&list, 0, sizeof list);
    if (rc == EXIT_OK && (nodes == NULL || !yaml_list_read(&from.text, nodes->value.from, &list)))
        rc = scenario_edit_error(&from, 0, "expected `nodes` as a list without aliases");
    if (rc == EXIT_OK) rc = scenario_list_open(&patch->edit, "nodes", &to);
    const struct entry_change change = {
        .text = &from.text, .user = patch, .label_ranges = true, .class_of = added_class};
    for (size_t i = 0; i < list.n && rc == EXIT_OK; i++) {
        struct entry_pieces pieces;
        const char *wrong = entry_split(&change, list.entries[i], &pieces);
        if (wrong == NULL && pieces.n > 0 && yaml_has_anchor(&from.text, list.entries[i]))
            wrong = "expected no anchor and no alias in the entry of an added node";
        if (wrong != NULL) rc = scenario_edit_error(&from, list.entries[i].from, wrong);
        for (size_t p = 0; p < pieces.n && rc == EXIT_OK; p++)
            rc = scenario_list_append(&patch->edit, &to, pieces.items[p],
                                      yaml_column(&from.text, list.entries[i].from));
        entry_pieces_free(&pieces);
    }
    scenario_list_close(&patch->edit, &to);
    yaml_list_free(&list);
    scenario_edit_close(&from);
    return rc;
}

/* ---- checks ---- */

/* Makes the state that the changed text must have. */
static int32_t wanted_state(const struct patch *patch, lsched_cluster **out, lsched_error *err) {
    const struct catalogue *catalogue = patch->trials->catalogue;
    int32_t rc = lsched_cluster_clone(patch->session->cluster, out, err);
    for (size_t i = 0; rc >= 0 && catalogue != NULL && i < catalogue->n; i++)
        if (is_chosen(patch, i))
            rc = catalogue_add_one(catalogue, i, *out, patch->session->info.start_us, err);
    for (size_t i = 0; rc >= 0 && i < patch->trials->n_own; i++) {
        lsched_node_update update = {.size = sizeof update,
                                     .set = LSCHED_NODE_SET_STATE,
                                     .node = patch->trials->own[i].id,
                                     .state = LSCHED_NODE_DRAINING};
        if (patch->advice->change.drained != NULL && patch->advice->change.drained[i])
            rc = lsched_nodes_update(*out, &update, 1, sizeof update, NULL, NULL, err);
    }
    return rc < 0 ? rc : LSCHED_OK;
}

/* Reads the changed text as a scenario. The caller closes the session in any case. */
static int read_changed(struct patch *patch, char **text, struct session *out) {
    lsched_schedule_opts schedule;
    struct input_file file = {.name = patch->session->file.name};
    *text = file.text = scenario_edit_text(&patch->edit, &file.len);
    int rc =
        session_open_text(&file, patch->session->own_policy ? &patch->session->policy : NULL, out);
    return rc == EXIT_OK ? session_apply(out, &schedule) : rc;
}

static int check_nodes(struct patch *patch) {
    struct session changed;
    lsched_cluster *wanted = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t is = 0, should = 0;
    char *text = NULL;
    int rc = read_changed(patch, &text, &changed);
    if (rc == EXIT_OK && (wanted_state(patch, &wanted, &err) < 0 ||
                          lsched_cluster_hash(wanted, LSCHED_HASH_MEANING, &should, &err) < 0 ||
                          lsched_cluster_hash(changed.cluster, LSCHED_HASH_MEANING, &is, &err) < 0))
        rc = library_error(patch->session->file.name, &err);
    if (rc == EXIT_OK && is != should)
        rc = scenario_edit_error(&patch->edit, 0,
                                 "expected nodes that can be changed one entry at a time; what the "
                                 "changed file means is not what is advised, so no patch is made");
    lsched_cluster_destroy(wanted);
    session_close(&changed);
    free(text);
    return rc;
}

/* ---- sizes ---- */

static void drop_edits(struct text_edits *edits, size_t n) {
    size_t kept = 0;
    for (size_t i = 0; i < edits->n; i++) {
        if (edits->items[i].number < n)
            edits->items[kept++] = edits->items[i];
        else
            free(edits->items[i].text);
    }
    edits->n = kept;
}

/* Changes the sizes of jobs, as far as the changed text then asks for them. */
static int patch_sizes(struct patch *patch, const struct advise_more *more) {
    size_t before = patch->edit.edits.n;
    struct session changed;
    char *text = NULL;
    int rc = more->patch(more->advice, &patch->edit);
    if (rc != EXIT_OK || patch->edit.edits.n == before) return rc;
    bool good = read_changed(patch, &text, &changed) == EXIT_OK &&
                more->patched(more->advice, patch->session->cluster, changed.cluster);
    session_close(&changed);
    free(text);
    if (good) return EXIT_OK;
    complain(
        "--patch: the sizes of jobs are left out, because with them the file does not say what "
        "is advised");
    drop_edits(&patch->edit.edits, before);
    return EXIT_OK;
}

/* ---- writing ---- */

static int write_diff(struct patch *patch, const char *path) {
    struct output_file file;
    bool own = strcmp(path, "-") != 0;
    int rc = output_file_open(&file, own ? path : NULL);
    if (rc != EXIT_OK) return rc;
    FILE *out = own ? output_file_begin(&file) : stdout;
    unified_diff_write(out, patch->session->file.name, &patch->edit.text, &patch->edit.edits);
    return own ? output_file_end(&file) : EXIT_OK;
}

int advise_patch_write(const struct session *session, const struct node_trials *trials,
                       const struct node_advice *advice, const struct advise_more *more,
                       const char *path) {
    struct patch patch = {.session = session, .trials = trials, .advice = advice};
    if (strcmp(session->file.name, "standard input") == 0 ||
        !unified_diff_can_name(session->file.name))
        return usage_error("advise", "--patch: expected a scenario in a file whose name has no "
                                     "control characters");
    int rc = scenario_edit_open(&session->file, &patch.edit);
    if (rc == EXIT_OK) rc = patch_drained(&patch);
    if (rc == EXIT_OK) rc = patch_added(&patch);
    if (rc == EXIT_OK && drained_nodes(&patch) + added_nodes(&patch) > 0) rc = check_nodes(&patch);
    if (rc == EXIT_OK && more != NULL) rc = patch_sizes(&patch, more);
    if (rc == EXIT_OK) rc = write_diff(&patch, path);
    scenario_edit_close(&patch.edit);
    return rc;
}
