/*
 * options.c -- parses command lines with options ("--name value" or "--name=value") and positional
 * words, in any order. All words after "--" are positional.
 *
 * The program does not use getopt_long for three reasons: getopt_long keeps global state, cannot
 * suggest a similar option, and accepts abbreviations, which can become ambiguous when a new option
 * is added.
 */
#include "cli/support/options.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/did_you_mean.h"
#include "cli/support/output_file.h"

static const char *option_word(const void *list, size_t i) {
    const struct command *command = list;
    if (i < command->n_options) return command->options[i].name;
    return i == command->n_options ? "help" : NULL;
}

static const struct option *find(const struct command *command, const char *name, size_t len) {
    for (size_t i = 0; i < command->n_options; i++) {
        const struct option *option = &command->options[i];
        if (strlen(option->name) == len && memcmp(option->name, name, len) == 0) return option;
    }
    return NULL;
}

static int unknown_option(const struct command *command, const char *word) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word + 2, "="), word + 2);
    const char *meant = suggest(name, option_word, command);
    if (meant != NULL)
        return usage_error(command->name, "unknown option '--%s'; did you mean '--%s'?", name,
                           meant);
    return usage_error(command->name, "unknown option '--%s'", name);
}

static int parse_count(const struct command *command, const struct option *option,
                       const char *value, int64_t *out) {
    char *end = NULL;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0)
        return usage_error(command->name,
                           "--%s: expected a whole number from %" PRId64 " to %" PRId64
                           ", got '%s'",
                           option->name, option->least, option->most, value);
    *out = number;
    if (number >= option->least && number <= option->most) return EXIT_OK;
    if (option->least == 0)
        return usage_error(command->name, "--%s: expected at most %" PRId64 ", got %lld",
                           option->name, option->most, number);
    return usage_error(command->name, "--%s: expected %" PRId64 " to %" PRId64 ", got %lld",
                       option->name, option->least, option->most, number);
}

static int store_value(const struct command *command, const struct option *option,
                       const char *value, void *target) {
    struct text_list *list = target;
    switch (option->type) {
    case OPTION_FLAG: break;
    case OPTION_TEXT: *(const char **)target = value; break;
    case OPTION_COUNT: return parse_count(command, option, value, target);
    case OPTION_LIST:
        if (list->n == OPTION_LIST_MAX) {
            return usage_error(command->name, "--%s is given more than %d times", option->name,
                               OPTION_LIST_MAX);
        }
        list->items[list->n++] = value;
        break;
    }
    return EXIT_OK;
}

/* Parses the option at argv[*at]. If its value is the next word, moves *at to that word. */
static int parse_option(const struct command *command, int argc, char **argv, int *at, void *args,
                        struct parsed *out) {
    const char *word = argv[*at];
    size_t len = strcspn(word + 2, "=");
    const struct option *option = find(command, word + 2, len);
    if (option == NULL) return unknown_option(command, word);
    void *target = (char *)args + option->offset;
    uint64_t bit = (uint64_t)1 << (option - command->options);
    bool once = option->type == OPTION_TEXT || option->type == OPTION_COUNT;
    if (once && (out->given & bit) != 0)
        return usage_error(command->name, "--%s is given twice", option->name);
    out->given |= bit;
    bool joined = word[2 + len] == '=';
    if (option->type == OPTION_FLAG) {
        if (joined) return usage_error(command->name, "--%s takes no value", option->name);
        *(bool *)target = true;
        return EXIT_OK;
    }
    if (!joined && *at + 1 >= argc) {
        return usage_error(command->name, "--%s needs %s", option->name, option->value);
    }
    const char *value = joined ? word + 3 + len : argv[++*at];
    if (value[0] == '\0') {
        return usage_error(command->name, "--%s: the value is empty", option->name);
    }
    return store_value(command, option, value, target);
}

/* ---- files ---- */

/* Returns the path that an option has for results; NULL if it has none. */
static const char *output_path(const struct option *option, const void *args) {
    if (option->file != FILE_WRITTEN && option->file != FILE_PRINTED) return NULL;
    return *(const char *const *)(const void *)((const char *)args + option->offset);
}

static int spare(const struct command *command, const struct option *option, const char *path,
                 const char *input) {
    if (path == input || !output_file_is_input(path, input)) return EXIT_OK;
    return usage_error(command->name,
                       "--%s: expected another file than those that are read, got '%s'",
                       option->name, path);
}

int options_spare(const struct command *command, const void *args, const char *input) {
    int rc = EXIT_OK;
    for (size_t i = 0; rc == EXIT_OK && i < command->n_options; i++) {
        const char *path = output_path(&command->options[i], args);
        if (path != NULL) rc = spare(command, &command->options[i], path, input);
    }
    return rc;
}

/* A word such as the name of a policy counts as a file if there is a file with this name. */
static int spare_inputs(const struct command *command, const void *args,
                        const struct parsed *words) {
    int rc = EXIT_OK;
    for (size_t i = 0; rc == EXIT_OK && i < words->n_positionals; i++)
        rc = options_spare(command, args, words->positionals[i]);
    for (size_t i = 0; rc == EXIT_OK && i < command->n_options; i++) {
        const struct option *option = &command->options[i];
        const void *member = (const char *)args + option->offset;
        if (option->file != FILE_READ) continue;
        const struct text_list *list = member;
        const char *const *one = member;
        if (option->type == OPTION_TEXT && *one != NULL) rc = options_spare(command, args, *one);
        for (size_t k = 0; rc == EXIT_OK && option->type == OPTION_LIST && k < list->n; k++)
            rc = options_spare(command, args, list->items[k]);
    }
    return rc;
}

static bool both_name(const char *one, const char *other) {
    return strcmp(one, other) == 0 || output_file_is_input(one, other);
}

static int check_outputs(const struct command *command, const void *args,
                         const struct parsed *words) {
    for (size_t i = 0; i < command->n_options; i++) {
        const struct option *option = &command->options[i];
        const char *path = output_path(option, args);
        if (path == NULL) continue;
        if (option->file == FILE_WRITTEN && strcmp(path, "-") == 0)
            return usage_error(command->name, "--%s: expected the name of a file, got '-'",
                               option->name);
        for (size_t k = 0; k < i; k++) {
            const char *before = output_path(&command->options[k], args);
            if (before != NULL && both_name(path, before))
                return usage_error(command->name,
                                   "--%s: expected another file than that of --%s, got '%s'",
                                   option->name, command->options[k].name, path);
        }
    }
    return spare_inputs(command, args, words);
}

/* ---- the command line ---- */

static bool asks_for_help(int argc, char **argv) {
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) return true;
    }
    return false;
}

int options_parse(const struct command *command, int argc, char **argv, void *args,
                  struct parsed *out) {
    memset(out, 0, sizeof *out);
    out->help = asks_for_help(argc, argv);
    if (out->help) return EXIT_OK;
    bool only_words = false;
    assert(command->n_options <= 64);
    for (size_t i = 0; i < command->n_options; i++)
        if (command->options[i].type == OPTION_COUNT)
            *(int64_t *)(void *)((char *)args + command->options[i].offset) =
                command->options[i].preset;
    for (int i = 0; i < argc; i++) {
        char *word = argv[i];
        if (!only_words && strcmp(word, "--") == 0) {
            only_words = true;
        } else if (!only_words && strncmp(word, "--", 2) == 0) {
            int rc = parse_option(command, argc, argv, &i, args, out);
            if (rc != EXIT_OK) return rc;
        } else if (!only_words && word[0] == '-' &&
                   /* the word "-" is not an option, because it means standard input */
                   word[1] != '\0') {
            return usage_error(command->name, "unknown option '%s'", word);
        } else if (out->n_positionals == command->positionals_max) {
            return usage_error(command->name, "unexpected argument '%s'", word);
        } else {
            out->positionals[out->n_positionals++] = word;
        }
    }
    if (out->n_positionals < command->positionals_min) {
        return usage_error(command->name, "%s needs %s", command->name, command->arguments);
    }
    return check_outputs(command, args, out);
}

int options_check_kind(const struct command *command, const struct parsed *words, uint32_t kind,
                       const char *input) {
    for (size_t i = 0; i < command->n_options; i++) {
        uint32_t kinds = command->options[i].kinds;
        if (kinds == ALL || (kinds >> kind & 1) != 0 || (words->given >> i & 1) == 0) continue;
        return usage_error(command->name, "--%s is not for %s", command->options[i].name, input);
    }
    return EXIT_OK;
}

int options_choose(const char *command, const char *option, const char *word,
                   const char *const *list, size_t *out) {
    char known[128] = "";
    for (size_t i = 0, len = 0; word != NULL && list[i] != NULL; i++) {
        if (strcmp(word, list[i]) == 0) {
            *out = i;
            return EXIT_OK;
        }
        const char *before = i == 0 ? "" : list[i + 1] == NULL ? " or " : ", ";
        len += (size_t)snprintf(known + len, sizeof known - len, "%s%s", before, list[i]);
        assert(len < sizeof known);
    }
    if (word == NULL) return EXIT_OK;
    return usage_error(command, "%s: expected %s, got '%s'%s", option, known, word,
                       did_you_mean(suggest_listed(word, list)).text);
}
