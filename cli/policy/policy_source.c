/*
 * policy_source.c -- see policy_source.h.
 */
#include "cli/policy/policy_source.h"

#include <string.h>

#include "cli/support/did_you_mean.h"

/* the library reports an error for a policy above 64 KiB, therefore this limit only has to be
 * larger */
enum { POLICY_MEBIBYTES_MAX = 1 };

static const char *ready_made_word(const void *list, size_t i) {
    (void)list;
    lsched_ready_policy ready = {.size = sizeof ready};
    return lsched_ready_policies_at(i, &ready, NULL) == LSCHED_OK ? ready.name.ptr : NULL;
}

static bool names_a_file(const char *word) {
    size_t len = strlen(word);
    return strchr(word, '/') != NULL || strcmp(word, "-") == 0 ||
           (len > 4 && strcmp(word + len - 4, ".lua") == 0);
}

static bool names_a_scenario(const char *word) {
    size_t len = strlen(word);
    return (len > 5 && strcmp(word + len - 5, ".yaml") == 0) ||
           (len > 4 && strcmp(word + len - 4, ".yml") == 0);
}

static bool is_ready_made(const char *word) {
    const char *name;
    for (size_t i = 0; (name = ready_made_word(NULL, i)) != NULL; i++) {
        if (strcmp(name, word) == 0) return true;
    }
    return false;
}

bool policy_source_knows(const char *word) {
    return names_a_file(word) || names_a_scenario(word) || is_ready_made(word);
}

int policy_source_open(const char *command, const char *word, struct policy_source *out) {
    memset(out, 0, sizeof *out);
    out->word = word;
    out->is_file = names_a_file(word);
    if (out->is_file) return input_read_most(word, POLICY_MEBIBYTES_MAX, &out->file);
    if (is_ready_made(word)) return EXIT_OK;
    if (names_a_scenario(word))
        return usage_error(command,
                           "'%s' is a scenario, and a policy was expected; 'lsched run %s' plays "
                           "the scenario and reports its errors",
                           word, word);
    const char *meant = suggest(word, ready_made_word, NULL);
    return usage_error(command, "no ready-made policy '%s'%s", word,
                       meant != NULL ? did_you_mean(meant).text
                                     : "; 'lsched policies' lists them, and a file is named by "
                                       "its path or by .lua at its end");
}

void policy_source_of_text(const char *word, const char *text, struct policy_source *out) {
    memset(out, 0, sizeof *out);
    out->word = word;
    out->text = text;
}

int policy_sources_open(const char *command, const struct text_list *words,
                        struct policy_source *out) {
    int rc = EXIT_OK;
    for (size_t i = 0; rc == EXIT_OK && i < words->n; i++)
        rc = policy_source_open(command, words->items[i], &out[i]);
    return rc;
}

const char *policy_source_name(const struct policy_source *source) {
    if (!source->is_file) return source->word;
    const char *name = source->file.name;
    size_t len = strlen(name), most = sizeof((lsched_policy_info *)0)->name - 1;
    if (len <= most) return name;
    const char *slash = strchr(name + len - most, '/');
    return slash != NULL && slash[1] != '\0' ? slash + 1 : name + len - most;
}

int32_t policy_source_load(const struct policy_source *source, lsched_cluster *cluster,
                           lsched_error *err) {
    lsched_policy_opts opts = LSCHED_POLICY_OPTS_INIT;
    opts.params = source->params;
    opts.n_params = source->n_params;
    if (!source->is_file) {
        lsched_text text = {NULL, 0}; /* the library knows the texts of ready-made policies */
        if (source->text != NULL) text = lsched_cstr(source->text);
        return lsched_policy_load(cluster, lsched_cstr(source->word), text, &opts, err);
    }
    return lsched_policy_load(cluster, lsched_cstr(policy_source_name(source)),
                              (lsched_text){source->file.text, source->file.len}, &opts, err);
}

int policy_source_error(const struct policy_source *source, const char *file,
                        const lsched_error *err) {
    bool blames_policy =
        err->code == LSCHED_E_POLICY || err->code == LSCHED_E_BUDGET || err->line > 0;
    return library_error(blames_policy ? policy_source_name(source) : file, err);
}

void policy_source_close(struct policy_source *source) {
    input_free(&source->file);
}
