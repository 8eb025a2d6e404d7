/*
 * api_codes.c -- the words of codes.def.
 *
 * A code that is not in the list comes from a newer library or from a struct that was never
 * filled. The functions return a word for such a code, too, because callers print the result
 * without a check.
 */
#include <libsched/libsched.h>

enum { WORDS_PER_LIST = 32 };
enum code_list { LIST_DECISION, LIST_FOR, LIST_TASK, LIST_WAIT, LIST_NO_VICTIM, LISTS };

static const char *const code_words[LISTS][WORDS_PER_LIST] = {
#define LSCHED_X_CODE(list, name, value, word) [LIST_##list][value] = word,
#include <libsched/codes.def>
};

static const char *code_word(enum code_list list, uint32_t code) {
    return code < WORDS_PER_LIST && code_words[list][code] ? code_words[list][code] : "unknown";
}

LSCHED_API const char *lsched_decision_kind_name(uint32_t kind) {
    return code_word(LIST_DECISION, kind);
}

LSCHED_API const char *lsched_reason_name(uint32_t reason) {
    return code_word(LIST_FOR, reason);
}

LSCHED_API const char *lsched_task_state_name(uint32_t state) {
    return code_word(LIST_TASK, state);
}

LSCHED_API const char *lsched_wait_name(uint32_t code) {
    return code_word(LIST_WAIT, code);
}

LSCHED_API const char *lsched_no_victim_name(uint32_t code) {
    return code_word(LIST_NO_VICTIM, code);
}

LSCHED_API const char *lsched_trace_stage_name(uint32_t stage) {
    static const char *const words[] = {[LSCHED_TRACE_SERVE] = "serve",
                                        [LSCHED_TRACE_PREPARE] = "prepare",
                                        [LSCHED_TRACE_ACTION] = "action",
                                        [LSCHED_TRACE_PLAN] = "plan",
                                        [LSCHED_TRACE_ADOPT] = "adopt"};
    return stage < sizeof words / sizeof *words && words[stage] ? words[stage] : "unknown";
}
