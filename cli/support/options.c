/*
 * options.c -- parses "--name value", "--name=value" and plain words, in any order; "--" ends the
 * options.
 *
 * The program does not use getopt_long, because that function keeps global state, accepts
 * abbreviations that stop working when an option is added, and cannot suggest the intended option.
 */
#include "cli/support/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/support/did_you_mean.h"

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
    size_t len = strcspn(word + 2, "=");
    if (len >= sizeof name) len = sizeof name - 1;
    memcpy(name, word + 2, len);
    name[len] = '\0';
    const char *meant = suggest(name, option_word, command);
    if (meant != NULL)
        return usage_error(command, "unknown option '--%s'; did you mean '--%s'?", name, meant);
    return usage_error(command, "unknown option '--%s'", name);
}

static int parse_count(const struct command *command, const struct option *option,
                       const char *value, int64_t *out) {
    char *end = NULL;
    errno = 0;
    long long number = strtoll(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0) {
        return usage_error(command, "--%s: expected a whole number, got '%s'", option->name, value);
    }
    *out = number;
    return EXIT_OK;
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
            return usage_error(command, "--%s is given more than %d times", option->name,
                               OPTION_LIST_MAX);
        }
        list->items[list->n++] = value;
        break;
    }
    return EXIT_OK;
}

/* Parses one "--option" at argv[*at]; moves *at forward if the value is the next word. */
static int parse_option(const struct command *command, int argc, char **argv, int *at, void *args) {
    const char *word = argv[*at];
    size_t len = strcspn(word + 2, "=");
    const struct option *option = find(command, word + 2, len);
    if (option == NULL) return unknown_option(command, word);
    void *target = (char *)args + option->offset;
    bool joined = word[2 + len] == '=';
    if (option->type == OPTION_FLAG) {
        if (joined) return usage_error(command, "--%s takes no value", option->name);
        *(bool *)target = true;
        return EXIT_OK;
    }
    if (!joined && *at + 1 >= argc) {
        return usage_error(command, "--%s needs %s", option->name, option->value);
    }
    const char *value = joined ? word + 3 + len : argv[++*at];
    if (value[0] == '\0') {
        return usage_error(command, "--%s: the value is empty", option->name);
    }
    return store_value(command, option, value, target);
}

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
    for (int i = 0; i < argc; i++) {
        char *word = argv[i];
        if (!only_words && strcmp(word, "--") == 0) {
            only_words = true;
        } else if (!only_words && strncmp(word, "--", 2) == 0) {
            int rc = parse_option(command, argc, argv, &i, args);
            if (rc != EXIT_OK) return rc;
        } else if (!only_words && word[0] == '-' &&
                   word[1] != '\0') { /* "-" alone means standard input */
            return usage_error(command, "unknown option '%s'", word);
        } else if (out->n_positionals == command->positionals_max) {
            return usage_error(command, "unexpected argument '%s'", word);
        } else {
            out->positionals[out->n_positionals++] = word;
        }
    }
    if (out->n_positionals < command->positionals_min) {
        return usage_error(command, "%s needs %s", command->name, command->arguments);
    }
    return EXIT_OK;
}

bool option_is_given(const void *args, const struct option *option) {
    const void *at = (const char *)args + option->offset;
    switch (option->type) {
    case OPTION_FLAG: return *(const bool *)at;
    case OPTION_TEXT: return *(const char *const *)at != NULL;
    case OPTION_COUNT: return *(const int64_t *)at != NOT_GIVEN;
    case OPTION_LIST: return ((const struct text_list *)at)->n > 0;
    }
    return false;
}
