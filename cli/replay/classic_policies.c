/* classic_policies.c -- see classic_policies.h. */
#include "cli/replay/classic_policies.h"

#include <string.h>

#include "cli/support/did_you_mean.h"

#define POLICY(name, order, params)                                    \
    "return { api = 1, name = '" name                                  \
    "', fair_share = 'fifo', placement = 'first-fit', order = '" order \
    "', pipeline = { 'backfill' }, params = { " params ", backfill_firm = 0 } }\n"

/* Within one queue, work of a lower priority stops for work of a higher one at no cost. */
#define PREEMPTIVE(name)                                                                \
    "return { api = 1, name = '" name                                                   \
    "', fair_share = 'fifo', placement = 'first-fit', order = 'priority', pipeline = {" \
    " 'allocate', 'preempt' } }\n"

static const struct classic {
    const char *name, *text;
    enum job_rank rank;
} classics[] = {
    {"fcfs", POLICY("fcfs", "fifo", "backfill_order = 0, backfill_reservations = 1"), RANK_NONE},
    {"easy", POLICY("easy", "fifo", "backfill_order = 1, backfill_reservations = 1"), RANK_NONE},
    {"easy-sjbf", POLICY("easy-sjbf", "fifo", "backfill_order = 2, backfill_reservations = 1"),
     RANK_NONE},
    {"conservative",
     POLICY("conservative", "fifo", "backfill_order = 1, backfill_reservations = 0"), RANK_NONE},
    {"sjf", POLICY("sjf", "shortest-first", "backfill_order = 0, backfill_reservations = 1"),
     RANK_NONE},
    {"srtf", PREEMPTIVE("srtf"), RANK_REMAINING},
    {"srsf", PREEMPTIVE("srsf"), RANK_REMAINING_SERVICE},
    {"las", PREEMPTIVE("las"), RANK_ATTAINED_SERVICE},
};

static const struct classic *classic_named(const char *word) {
    for (size_t i = 0; i < sizeof classics / sizeof classics[0]; i++)
        if (strcmp(classics[i].name, word) == 0) return &classics[i];
    return NULL;
}

static const char *classic_word(const void *list, size_t i) {
    (void)list;
    return i < sizeof classics / sizeof classics[0] ? classics[i].name : NULL;
}

static int open_other(const char *command, const char *word, struct policy_source *out) {
    const char *meant = policy_source_knows(word) ? NULL : suggest(word, classic_word, NULL);
    if (meant == NULL) return policy_source_open(command, word, out);
    return usage_error(command, "no policy '%s'%s", word, did_you_mean(meant).text);
}

int classic_policies_open(const char *command, const struct text_list *words,
                          struct policy_source *out) {
    int rc = EXIT_OK;
    for (size_t i = 0; rc == EXIT_OK && i < words->n; i++) {
        const struct classic *classic = classic_named(words->items[i]);
        if (classic == NULL) {
            rc = open_other(command, words->items[i], &out[i]);
        } else {
            policy_source_of_text(words->items[i], classic->text, &out[i]);
        }
    }
    return rc;
}

enum job_rank classic_policies_rank(const struct policy_source *source) {
    const struct classic *classic = source->text == NULL ? NULL : classic_named(source->word);
    return classic == NULL ? RANK_NONE : classic->rank;
}

bool classic_policies_has(const struct policy_source *source) {
    return source->text != NULL;
}
