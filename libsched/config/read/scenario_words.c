/*
 * scenario_words.c -- lsched_scenario_words: texts of the library in the words of a scenario.
 *
 * Names of objects stand between single quotation marks in errors, and are copied as they are. An
 * apostrophe within a word, as in "job's", begins no such name.
 */
#include <string.h>

#include <libsched/scenario.h>

#include "base/call_args.h"

struct words {
    const char *c, *scenario;
};

static const struct words all_words[] = {
#define LSCHED_X_SCENARIO_WORDS(c, scenario) {c, scenario},
#include "config/read/scenario_words.def"
};

static int is_of_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* Returns 1 if the phrase stands at `at`, and does not begin or end within a longer word. */
static int stands_at(lsched_text t, uint64_t at, const char *phrase, size_t n) {
    if (t.len - at < n || memcmp(t.ptr + at, phrase, n) != 0) return 0;
    if (at > 0 && is_of_word(phrase[0]) && is_of_word(t.ptr[at - 1])) return 0;
    return at + n == t.len || !is_of_word(phrase[n - 1]) || !is_of_word(t.ptr[at + n]);
}

/* Returns the longest phrase that stands at `at`; NULL if there is none. */
static const struct words *words_at(lsched_text t, uint64_t at) {
    const struct words *best = NULL;
    for (size_t i = 0; i < sizeof all_words / sizeof *all_words; i++) {
        size_t n = strlen(all_words[i].c);
        if ((!best || n > strlen(best->c)) && stands_at(t, at, all_words[i].c, n))
            best = &all_words[i];
    }
    return best;
}

/* Returns the offset after the name that begins with the quotation mark at `at`, or `at` if no
 * name begins there. */
static uint64_t name_end(lsched_text t, uint64_t at) {
    if (t.ptr[at] != '\'' || (at > 0 && is_of_word(t.ptr[at - 1]))) return at;
    const char *close = memchr(t.ptr + at + 1, '\'', (size_t)(t.len - at - 1));
    return close ? (uint64_t)(close - t.ptr) + 1 : at;
}

/* Returns the length of the word in lower case that begins at `at` and ends with "_us", without
 * this end; 0 if there is none. Scenarios write times with their unit. */
static uint64_t time_word(lsched_text t, uint64_t at) {
    uint64_t n = 0;
    if (at > 0 && is_of_word(t.ptr[at - 1])) return 0;
    while (at + n < t.len && is_of_word(t.ptr[at + n])) n++;
    return n > 3 && memcmp(t.ptr + at + n - 3, "_us", 3) == 0 ? n - 3 : 0;
}

struct target {
    char *p;
    size_t cap;
    int64_t n; /* length of the whole text, including the bytes without room */
};

static void target_add(struct target *o, const char *from, size_t len) {
    for (size_t i = 0; i < len; i++, o->n++)
        if ((uint64_t)o->n + 1 < o->cap) o->p[o->n] = from[i];
}

int64_t lsched_scenario_words(lsched_text text, char *buf, size_t cap) {
    struct target o = {buf, buf ? cap : 0, 0};
    lsched_text t = arg_text(text);
    for (uint64_t at = 0; at < t.len;) {
        uint64_t end = name_end(t, at);
        const struct words *w = end > at ? NULL : words_at(t, at);
        uint64_t time = end > at || w ? 0 : time_word(t, at);
        if (w) {
            target_add(&o, w->scenario, strlen(w->scenario));
            at += strlen(w->c);
        } else if (time) {
            target_add(&o, t.ptr + at, (size_t)time);
            at += time + 3;
        } else {
            if (end == at) end++;
            target_add(&o, t.ptr + at, (size_t)(end - at));
            at = end;
        }
    }
    if (o.cap) o.p[(uint64_t)o.n < o.cap ? (size_t)o.n : o.cap - 1] = 0;
    return o.n;
}
