/* lua_unused.c -- see lua_unused.h. */
#include "lua/host/lua_unused.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/padded_names.h"
#include "base/suggest.h"
#include "base/utf8_text.h"
#include "lua/front/policy_keys.h"

static void warn_at(struct lua_host *host, uint32_t line, uint32_t column, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void warn_at(struct lua_host *host, uint32_t line, uint32_t column, const char *format,
                    ...) {
    va_list args;
    if (host->n_warnings >= HOST_WARNINGS_MAX) return;
    char *text = host->warnings[host->n_warnings++];
    int n = snprintf(text, sizeof host->warnings[0], "%s:%u:%u: ", host->name, (unsigned)line,
                     (unsigned)column);
    va_start(args, format);
    vsnprintf(text + n, sizeof host->warnings[0] - (size_t)n, format, args);
    va_end(args);
    utf8_clean(text, sizeof host->warnings[0]);
}

/* Returns the node of a key of the definition. If the text has no such key, the returned position
 * is the beginning of the text. */
static struct parse_node lua_unused_place_of(const struct lua_host *host, const char *key) {
    uint32_t node = source_key(&host->tree, key);
    return node == PARSE_NONE ? (struct parse_node){.line = 1, .column = 1}
                              : *tree_at(&host->tree, node);
}

static int lua_unused_has_hook(const struct lua_host *host, enum policy_hook hook) {
    return (host->desc.hooks >> hook & 1) != 0;
}

static int is_one_of(const char *word, const char *const *words) {
    for (; *words; words++)
        if (strcmp(word, *words) == 0) return 1;
    return 0;
}

static int reads_field(const struct lua_host *host, enum policy_field field) {
    for (uint32_t i = 0; i < HOST_HOOKS; i++)
        if (host->desc.fields_read[i][field / 64] >> field % 64 & 1) return 1;
    return 0;
}

/* ---- shares ---- */

static void warn_shares(struct lua_host *host) {
    static const char *const no_quota[] = {"drf", "fifo", "fair-tree", NULL};
    const char *share = host->desc.fair_share[0] ? host->desc.fair_share : "drf";
    const struct hook *quota = &host->hooks[POLICY_HOOK_QUOTA];
    const struct hook *weight = &host->hooks[POLICY_HOOK_WEIGHT];
    if (lua_unused_has_hook(host, POLICY_HOOK_QUOTA) && is_one_of(share, no_quota) &&
        !reads_field(host, POLICY_F_QUEUE_GPU_QUOTA_NOW))
        warn_at(host, quota->line, quota->column,
                "quota guarantees nothing: fair_share '%s' does not use quotas; 'quota' and "
                "'cohort' do",
                share);
    if (lua_unused_has_hook(host, POLICY_HOOK_WEIGHT) && strcmp(share, "fifo") == 0)
        warn_at(host, weight->line, weight->column,
                "weight has no effect: fair_share 'fifo' does not use weights");
    if (source_key(&host->tree, "usage") != PARSE_NONE && strcmp(share, "fifo") == 0 &&
        !reads_field(host, POLICY_F_QUEUE_GPU_USED_DECAYED)) {
        struct parse_node at = lua_unused_place_of(host, "usage");
        warn_at(host, at.line, at.column,
                "usage has no effect: fair_share 'fifo' does not use past usage");
    }
}

/* ---- words and hooks ---- */

static void warn_words(struct lua_host *host) {
    const struct policy_desc *d = &host->desc;
    if (d->order[0] && lua_unused_has_hook(host, POLICY_HOOK_PRIORITY)) {
        struct parse_node at = lua_unused_place_of(host, "order");
        warn_at(host, at.line, at.column,
                "order has no effect: the hook priority decides which job comes first");
    }
}

static void warn_pipeline(struct lua_host *host) {
    static const char *const stops_nobody[] = {"allocate", "ts-dpbp", "backfill", NULL};
    const struct policy_desc *d = &host->desc;
    int stops = lua_unused_has_hook(host, POLICY_HOOK_PIPELINE);
    struct parse_node at = lua_unused_place_of(host, "pipeline");
    for (uint32_t i = 0; i < d->n_pipeline; i++) {
        stops |= !is_one_of(d->pipeline[i], stops_nobody);
        uint32_t before = 0;
        while (before < i && strcmp(d->pipeline[before], d->pipeline[i]) != 0) before++;
        if (before < i)
            warn_at(host, at.line, at.column, "the pipeline names '%s' twice; once is enough",
                    d->pipeline[i]);
    }
    if (stops || source_key(&host->tree, "eviction") == PARSE_NONE ||
        source_inner_key(&host->tree, "eviction", "collision") != PARSE_NONE)
        return;
    at = lua_unused_place_of(host, "eviction");
    warn_at(host, at.line, at.column,
            "eviction has no effect: the pipeline names no action that stops or moves work");
}

/* ---- kinds of work ---- */

static void warn_at_path(struct lua_host *host, const char *const *path, uint32_t n,
                         const char *text) {
    uint32_t node = source_path(&host->tree, path, n);
    struct parse_node at = lua_unused_place_of(host, path[0]);
    if (node != PARSE_NONE) at = *tree_at(&host->tree, node);
    warn_at(host, at.line, at.column, "%s", text);
}

/* Warns of bounds of `contention` that bar or avoid nothing. */
static void warn_bounds(struct lua_host *host) {
    static const char *const max[] = {"contention", "max"}, *const avoid[] = {"contention",
                                                                              "avoid"};
    const struct contention_table *t = &host->desc.contention;
    uint32_t worst = 0;
    for (uint32_t a = 0; a < t->n; a++)
        for (uint32_t b = 0; b < t->n; b++)
            if (t->milli[a][b] > worst) worst = t->milli[a][b];
    if (t->n == 0) return;
    if (!t->most && !t->avoid && !t->alone)
        warn_at_path(host, max, 1,
                     "contention has no effect without a bound: expected max, above which a place "
                     "is barred, or avoid, above which another one is preferred");
    if (t->most && t->most >= worst)
        warn_at_path(host, max, 2,
                     "contention.max bars nothing: expected a number below the greatest slow-down");
    if (t->avoid && t->most && t->avoid >= t->most)
        warn_at_path(
            host, avoid, 2,
            "contention.avoid has no effect: what is above it is barred; expected a number "
            "below contention.max");
    else if (t->avoid && t->avoid >= worst)
        warn_at_path(host, avoid, 2,
                     "contention.avoid avoids nothing: expected a number below the greatest "
                     "slow-down");
}

/* The kinds of one of the two tables. */
struct kinds_of {
    const char *const path[2]; /* keys of the table */
    struct padded_names names;
    uint32_t others;
};

/* Warns of kinds of work that one table has and the other lacks. */
static void warn_lacking(struct lua_host *host, const struct kinds_of *has,
                         const struct kinds_of *lacks) {
    char text[LSCHED_MESSAGE_BYTES], others[64] = "as no kind";
    uint32_t n = 0, first = 0;
    for (uint32_t i = has->names.n; i-- > 0;) {
        if (padded_find(&lacks->names, padded_text(&has->names, i))) continue;
        first = i;
        n++;
    }
    if (n == 0 || lacks->names.n == 0) return;
    const char *const path[] = {has->path[0], has->path[1], padded_name(&has->names, first)};
    if (lacks->others)
        snprintf(others, sizeof others, "as '%s'", padded_name(&lacks->names, lacks->others - 1));
    int len =
        snprintf(text, sizeof text, "%s.%s has the kind of work '%s'", path[0], path[1], path[2]);
    if (n > 1)
        len += snprintf(text + len, sizeof text - (size_t)len, " and %u more", (unsigned)n - 1);
    snprintf(text + len, sizeof text - (size_t)len,
             ", which %s.%s lacks and counts %s: expected the same kinds in both tables",
             lacks->path[0], lacks->path[1], others);
    warn_at_path(host, path, 3, text);
}

static void warn_kinds(struct lua_host *host) {
    const struct contention_table *slow = &host->desc.contention;
    const struct speed_table *fast = &host->desc.speeds;
    const struct kinds_of beside = {
        {"contention", "slowdown"}, PADDED_NAMES(slow->name, slow->n), slow->others};
    const struct kinds_of alone = {
        {"speeds", "speed"}, PADDED_NAMES(fast->name, fast->n), fast->others};
    warn_bounds(host);
    warn_lacking(host, &alone, &beside);
    warn_lacking(host, &beside, &alone);
}

void unused_warn(struct lua_host *host) {
    warn_shares(host);
    warn_words(host);
    warn_pipeline(host);
    warn_kinds(host);
}

/* ---- trials ---- */

/* True if the hook reads texts or labels. Trial runs use made-up texts and labels, so an answer
 * that depends on them proves nothing about real jobs. */
static int reads_words(const struct lua_host *host, enum policy_hook hook) {
    for (uint32_t f = 0; f < POLICY_FIELDS; f++) {
        int is_word = policy_field_infos[f].type == POLICY_TEXT ||
                      policy_field_infos[f].type == POLICY_LABELS;
        if (is_word && (host->desc.fields_read[hook][f / 64] >> f % 64 & 1)) return 1;
    }
    return 0;
}

static void warn_no(struct lua_host *host, enum policy_hook hook, uint32_t trials,
                    const char *whom) {
    const struct hook *h = &host->hooks[hook];
    if (!h->present || h->trial_asked < trials || h->trial_yes > 0 || h->reads_now ||
        reads_words(host, hook))
        return;
    warn_at(host, h->line, h->column,
            "%s says no to %s that it was tried with: nothing would ever start", h->kind->name,
            whom);
}

/* True if the word is a key of a policy or a field of a queue, which no resource kind is called. */
static int is_policy_word(const char *word) {
    for (uint32_t f = 0; f < POLICY_FIELDS; f++)
        if (policy_field_infos[f].object == POLICY_QUEUE &&
            strcmp(policy_field_infos[f].name, word) == 0)
            return 1;
    return policy_keys_has(word);
}

/* Warns of a resource kind that the trial calls of the hook `quota` or `limit` have named, and that
 * not every cluster has. The names of kinds that a cluster adds are not known here. Therefore only
 * names that are certainly wrong are reported. */
static void warn_of_kind(struct lua_host *host, const struct hook *h) {
    static const char *const kinds[] = {"cpu", "memory", "gpu"};
    struct suggest near;
    suggest_begin(&near, h->trial_odd, strlen(h->trial_odd));
    for (size_t k = 0; k < 3; k++) suggest_offer(&near, kinds[k], strlen(kinds[k]));
    if (near.best)
        warn_at(host, h->line, h->column,
                "%s returns an amount of '%s', which is not a known resource kind; did you mean "
                "'%s'?",
                h->kind->name, h->trial_odd, near.best);
    else if (is_policy_word(h->trial_odd))
        warn_at(host, h->line, h->column,
                "%s returns an amount of '%s', which is a word of policies and no resource kind; "
                "name kinds, as in { gpu = 8 }",
                h->kind->name, h->trial_odd);
    else if (strchr(h->trial_odd, ':') && strcmp(h->kind->name, "quota") == 0)
        warn_at(host, h->line, h->column,
                "quota returns an amount of '%s', which is a part of a resource kind; only the "
                "hook limit can set amounts of parts",
                h->trial_odd);
}

void unused_warn_trials(struct lua_host *host, uint32_t trials) {
    static const enum policy_hook amounts[] = {POLICY_HOOK_QUOTA, POLICY_HOOK_LIMIT};
    const struct hook *limit = &host->hooks[POLICY_HOOK_TIME_LIMIT];
    warn_no(host, POLICY_HOOK_ADMIT, trials, "every job");
    warn_no(host, POLICY_HOOK_FILTER, trials, "every job on every node");
    if (limit->present && limit->trial_asked > 0 && limit->trial_most < 60)
        warn_at(host, limit->line, limit->column,
                "time_limit returns at most %g seconds; is it meant in hours? An hour is "
                "3600 seconds",
                limit->trial_most);
    for (size_t i = 0; i < 2; i++) {
        const struct hook *h = &host->hooks[amounts[i]];
        if (!h->present) continue;
        if (h->trial_odd[0]) warn_of_kind(host, h);
        if (h->trial_most > 16384)
            warn_at(host, h->line, h->column,
                    "%s returns %g GPUs; amounts are in GPUs, not in thousandths of a GPU",
                    h->kind->name, h->trial_most);
    }
}

void unused_note_trial(struct hook *hook, int yes) {
    hook->trial_asked++;
    hook->trial_yes += yes != 0;
}

void unused_note_number(struct hook *hook, double number) {
    hook->trial_asked++;
    if (number > hook->trial_most) hook->trial_most = number;
}

void unused_note_amounts(struct hook *hook, const struct policy_quota *quota, int typical) {
    for (uint32_t i = 0; quota->given && i < quota->n; i++) {
        const struct policy_quota_entry *e = &quota->entries[i];
        int known = strcmp(e->kind, "gpu") == 0 || strcmp(e->kind, "cpu") == 0 ||
                    strcmp(e->kind, "memory") == 0;
        if (!known && !hook->trial_odd[0])
            snprintf(hook->trial_odd, sizeof hook->trial_odd, "%.31s", e->kind);
        if (typical && strcmp(e->kind, "gpu") == 0 && isfinite(e->amount))
            unused_note_number(hook, e->amount);
    }
}
