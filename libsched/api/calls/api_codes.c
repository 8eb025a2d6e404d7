/*
 * api_codes.c -- the words of codes.def.
 *
 * A code that is not in the list comes from a newer library or from a record that was never filled.
 * Such a code gets a word too, because callers print what they get.
 */
#include <libsched/libsched.h>

#define WORD_OF(name, value, word) [value] = word,

static const char *const decision_words[] = {
#define LSCHED_X_DECISION WORD_OF
#include <libsched/codes.def>
};
static const char *const reason_words[] = {
#define LSCHED_X_FOR WORD_OF
#include <libsched/codes.def>
};
static const char *const task_state_words[] = {
#define LSCHED_X_TASK WORD_OF
#include <libsched/codes.def>
};
static const char *const wait_words[] = {
#define LSCHED_X_WAIT WORD_OF
#include <libsched/codes.def>
};
static const char *const evict_words[] = {
#define LSCHED_X_EVICT WORD_OF
#include <libsched/codes.def>
};

static const char *code_word(const char *const *words, size_t n, uint32_t code) {
    return code < n && words[code] ? words[code] : "unknown";
}

LSCHED_API const char *lsched_decision_kind_name(uint32_t kind) {
    return code_word(decision_words, sizeof decision_words / sizeof *decision_words, kind);
}

LSCHED_API const char *lsched_reason_name(uint32_t reason) {
    return code_word(reason_words, sizeof reason_words / sizeof *reason_words, reason);
}

LSCHED_API const char *lsched_task_state_name(uint32_t state) {
    return code_word(task_state_words, sizeof task_state_words / sizeof *task_state_words, state);
}

LSCHED_API const char *lsched_wait_name(uint32_t code) {
    return code_word(wait_words, sizeof wait_words / sizeof *wait_words, code);
}

LSCHED_API const char *lsched_evict_name(uint32_t code) {
    return code_word(evict_words, sizeof evict_words / sizeof *evict_words, code);
}
