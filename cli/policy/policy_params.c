/* policy_params.c -- see policy_params.h. */
#include "cli/policy/policy_params.h"

#include <stdlib.h>
#include <string.h>

static int read_param(const char *command, const char *option, const char *word,
                      lsched_param *out) {
    const char *equals = strchr(word, '=');
    char *end = NULL;
    if (equals == NULL || equals == word || equals[1] == '\0')
        return usage_error(command, "--%s: expected NAME=VALUE, got '%s'", option, word);
    *out = (lsched_param){.key = {word, (uint64_t)(equals - word)}};
    out->number = strtod(equals + 1, &end);
    if (*end != '\0') out->text = (lsched_text){equals + 1, strlen(equals + 1)};
    return EXIT_OK;
}

int policy_params_read(const char *command, const char *option, const struct text_list *words,
                       lsched_param **out) {
    int rc = EXIT_OK;
    *out = must_alloc(words->n * sizeof **out);
    for (size_t i = 0; rc == EXIT_OK && i < words->n; i++)
        rc = read_param(command, option, words->items[i], &(*out)[i]);
    return rc;
}

void policy_params_give(struct policy_source *policy, const lsched_param *params, size_t n) {
    policy->params = n > 0 ? params : NULL;
    policy->n_params = (uint32_t)n;
}

int policy_params_for_all(const char *command, const struct text_list *words,
                          struct policy_source *policies, size_t n, lsched_param **out) {
    int rc = policy_params_read(command, "param", words, out);
    for (size_t i = 0; rc == EXIT_OK && i < n; i++)
        policy_params_give(&policies[i], *out, words->n);
    return rc;
}
