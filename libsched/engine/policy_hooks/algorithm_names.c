/* algorithm_names.c -- see algorithm_names.h. */
#include "engine/policy_hooks/algorithm_names.h"

#include <stdio.h>

#include "base/suggest.h"

/* Finds the first position of the quoted word in the policy's text, and sets *line and *column.
 * Returns 0 if the text does not contain the quoted word. */
static int locate(const struct policy_slot *p, const char *word, uint32_t *line, uint32_t *column) {
    size_t n = strlen(word);
    *line = *column = 1;
    for (size_t i = 0; i + n + 1 < p->text_len; i++) {
        char quote = p->text[i];
        if ((quote == '"' || quote == '\'') && memcmp(p->text + i + 1, word, n) == 0 &&
            p->text[i + 1 + n] == quote)
            return 1;
        ++*column;
        if (p->text[i] != '\n') continue;
        ++*line;
        *column = 1;
    }
    *line = *column = 0;
    return 0;
}

int algorithm_name_is_written(const struct policy_slot *p, const char *word) {
    uint32_t line, column;
    return locate(p, word, &line, &column);
}

int32_t algorithm_name_unknown(const struct lsched_cluster *c, const struct policy_slot *p,
                               uint32_t role, const char *what, const char *word,
                               lsched_error *err) {
    uint32_t line, column;
    struct suggest s;
    char known[200] = "", at[24] = "";
    size_t n = 0;
    if (!err) return LSCHED_E_KEY;
    if (locate(p, word, &line, &column)) snprintf(at, sizeof at, "%u:%u:", line, column);
    suggest_begin(&s, word, strlen(word));
    for (uint32_t i = 0; i < c->n_algorithms; i++) {
        const lsched_algorithm *t = c->algorithms[i].table;
        if (t->role != role) continue;
        suggest_offer(&s, t->name, strlen(t->name));
        if (n < sizeof known)
            n += (size_t)snprintf(known + n, sizeof known - n, "%s%s", n ? ", " : "", t->name);
    }
    err->code = LSCHED_E_KEY;
    snprintf(err->message, sizeof err->message, "%s:%s %s '%s' is not known%s%.*s%s; there are: %s",
             p->given_name, at, what, word, s.best ? "; did you mean '" : "",
             s.best ? (int)s.best_len : 0, s.best ? s.best : "", s.best ? "'" : "", known);
    if (err->size >= offsetof(lsched_error, index)) {
        err->line = line;
        err->column = column;
    }
    return LSCHED_E_KEY;
}
