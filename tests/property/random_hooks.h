/*
 * random_hooks.h -- texts of policies whose hooks are random, well typed, and liftable: for tests that hold the two ways of answering
 * against each other. One policy has one hook; constants of the chunk, parameters, two functions of the chunk and
 * all that the language lets into a lifted hook occur.
 */
#ifndef TESTS_RANDOM_HOOKS_H
#define TESTS_RANDOM_HOOKS_H

#include <stdio.h>
#include <string.h>

#include "chance.h"
#include "policy/policy.h"

enum { HOOK_TEXT_BYTES = 32768 };

struct hook_writer {
    struct chance chance;
    char *out; /* HOOK_TEXT_BYTES */
    size_t n;
    uint32_t numbers, truths; /* locals n1.., t1.. in scope */
    uint32_t objects[2], n_objects;
    int has_now;
};

static const char *const writer_objects[POLICY_OBJECTS] = {"job", "queue", "node", "candidate",
                                                           "cluster"};

static inline void put(struct hook_writer *w, const char *text) {
    size_t len = strlen(text);
    if (w->n + len + 1 >= HOOK_TEXT_BYTES) abort();
    memcpy(w->out + w->n, text, len + 1);
    w->n += len;
}

static inline void put_number(struct hook_writer *w, const char *format, uint32_t i) {
    char text[64];
    snprintf(text, sizeof text, format, i);
    put(w, text);
}

static inline const char *pick(struct hook_writer *w, const char *const *of, uint32_t n) {
    return of[chance_below(&w->chance, n)];
}

static inline void put_field(struct hook_writer *w, uint32_t type) {
    for (int tries = 0; tries < 200; tries++) {
        uint32_t f = chance_below(&w->chance, POLICY_FIELDS);
        const struct policy_field_info *info = &policy_field_infos[f];
        for (uint32_t k = 0; k < w->n_objects; k++) {
            if (info->object != w->objects[k] || info->type != type) continue;
            put(w, writer_objects[info->object]);
            put(w, chance_one_in(&w->chance, 8) ? "['" : ".");
            int is_bracket = w->out[w->n - 1] == '\'';
            put(w, info->name);
            put(w, is_bracket ? "']" : "");
            return;
        }
    }
    put(w, type == POLICY_NUMBER ? "1" : type == POLICY_BOOL ? "true" : "'good'");
}

static inline void put_literal(struct hook_writer *w) {
    static const char *const literals[] = {
        "0",        "1",       "2",     "3",          "0.5",       "0.1",
        "10",       "100",     "3600",  "1e3",        "1e-3",      "0x1F",
        "7",        "1.5",     "1e300", "1e-300",     "5e-324",    "(-0)",
        "24",       "K",       "T.x",   "T.y",        "T['x']",    "params.a",
        "params.n", "math.pi", "(1/0)", "units.hour", "units.TiB", "9007199254740993"};
    put(w, pick(w, literals, sizeof literals / sizeof literals[0]));
}

static inline void put_truth(struct hook_writer *w, uint32_t depth);
static inline void put_value(struct hook_writer *w, uint32_t depth);

static inline void put_call(struct hook_writer *w, uint32_t depth) {
    static const char *const one[] = {"math.floor(", "math.ceil(", "math.abs(", "math.sqrt(",
                                      "floor(",      "math.exp(",  "math.log(", "h2("};
    static const char *const two[] = {"math.min(",    "math.max(",  "math.fmod(",   "math.pow(",
                                      "h1(",          "m.max(",     "usage.ratio(", "usage.over(",
                                      "usage.under(", "decay.rise("};
    static const char *const three[] = {"math.min(", "math.max(", "decay.half_life(",
                                        "decay.linear(", "usage.ratio("};
    uint32_t n = 1 + chance_below(&w->chance, 3);
    put(w, n == 1 ? pick(w, one, 8) : n == 2 ? pick(w, two, 10) : pick(w, three, 5));
    for (uint32_t i = 0; i < n; i++) {
        put(w, i ? ", " : "");
        put_value(w, depth);
    }
    put(w, ")");
}

static inline void put_value(struct hook_writer *w, uint32_t depth) {
    static const char *const operators[] = {" + ", " - ", " * ", " / ", " % "};
    uint32_t what = depth ? chance_below(&w->chance, 16) : chance_below(&w->chance, 8);
    if (what < 4) {
        put_field(w, POLICY_NUMBER);
    } else if (what < 6 || (what < 8 && w->numbers == 0)) {
        put_literal(w);
    } else if (what < 8) {
        put_number(w, "n%u", 1 + chance_below(&w->chance, w->numbers));
    } else if (what < 12) {
        put(w, "(");
        put_value(w, depth - 1);
        put(w, pick(w, operators, 5));
        put_value(w, depth - 1);
        put(w, ")");
    } else if (what == 12) {
        put(w, "(");
        put_truth(w, depth - 1);
        put(w, " and ");
        put_value(w, depth - 1);
        put(w, " or ");
        put_value(w, depth - 1);
        put(w, ")");
    } else if (what == 13) {
        put(w, "-(");
        put_value(w, depth - 1);
        put(w, ")");
    } else if (what == 14 && w->has_now) {
        put(w, pick(w,
                    (const char *const[]){"hour(now)", "weekday(now)", "weekday(now, 2)",
                                          "hour(now, -5.5)", "now"},
                    5));
    } else {
        put_call(w, depth - 1);
    }
}

static inline void put_comparison(struct hook_writer *w, uint32_t depth) {
    static const char *const operators[] = {" < ", " <= ", " > ", " >= ", " == ", " ~= "};
    put_value(w, depth);
    put(w, pick(w, operators, 6));
    put_value(w, depth);
}

static inline int writer_has_node(const struct hook_writer *w) {
    return w->n_objects == 2 && w->objects[1] == POLICY_NODE;
}

static inline void put_text_test(struct hook_writer *w) {
    static const char *const texts[] = {"'good'", "'evil'", "\"\"", "params.s", "S"};
    int has_node = writer_has_node(w);
    put(w, "(");
    switch (chance_below(&w->chance, has_node ? 6 : 2)) {
    case 0:
    case 1:
        put_field(w, POLICY_TEXT);
        put(w, chance_one_in(&w->chance, 2) ? " == " : " ~= ");
        if (chance_one_in(&w->chance, 3))
            put_field(w, POLICY_TEXT);
        else
            put(w, pick(w, texts, 5));
        break;
    case 2: put(w, "node.labels.zone == 'a'"); break;
    case 3: put(w, "node.labels['zone'] ~= job.name"); break;
    case 4: put(w, "node.labels.none == nil"); break;
    default: put(w, "not node.labels.zone or node.labels.zone == node.labels.none"); break;
    }
    put(w, ")");
}

static inline void put_truth(struct hook_writer *w, uint32_t depth) {
    uint32_t what = depth ? chance_below(&w->chance, 12) : chance_below(&w->chance, 5);
    if (what < 2) {
        put(w, "(");
        put_comparison(w, depth ? depth - 1 : 0);
        put(w, ")");
    } else if (what == 2) {
        put_text_test(w);
    } else if (what == 3 && w->truths) {
        put_number(w, "t%u", 1 + chance_below(&w->chance, w->truths));
    } else if (what < 5) {
        if (chance_one_in(&w->chance, 3))
            put(w, pick(w, (const char *const[]){"true", "false", "params.b"}, 3));
        else
            put_field(w, POLICY_BOOL);
    } else if (what == 5) {
        put(w, "not ");
        put_truth(w, depth - 1);
    } else if (what == 6) {
        put(w, "((");
        put_truth(w, depth - 1);
        put(w, ") == (");
        put_truth(w, depth - 1);
        put(w, "))");
    } else {
        put(w, "(");
        put_truth(w, depth - 1);
        put(w, what & 1 ? " and " : " or ");
        put_truth(w, depth - 1);
        put(w, ")");
    }
}

static inline void put_return(struct hook_writer *w, int wants_truth) {
    put(w, "return ");
    if (wants_truth)
        put_truth(w, 3);
    else
        put_value(w, 3);
    put(w, "\n");
}

static inline void put_body(struct hook_writer *w, uint32_t depth, int wants_truth);

static inline void put_if(struct hook_writer *w, uint32_t depth, int wants_truth) {
    uint32_t clauses = 1 + chance_below(&w->chance, 3);
    uint32_t numbers = w->numbers, truths = w->truths;
    for (uint32_t i = 0; i < clauses; i++) {
        put(w, i ? "elseif " : "if ");
        put_truth(w, 2);
        put(w, " then\n");
        put_body(w, depth - 1, wants_truth);
        if (chance_one_in(&w->chance, 4)) put_return(w, wants_truth);
        w->numbers = numbers;
        w->truths = truths;
    }
    if (chance_one_in(&w->chance, 2)) {
        put(w, "else\n");
        put_body(w, depth - 1, wants_truth);
        w->numbers = numbers;
        w->truths = truths;
    }
    put(w, "end\n");
}

static inline void put_body(struct hook_writer *w, uint32_t depth, int wants_truth) {
    uint32_t statements = 1 + chance_below(&w->chance, 3);
    for (uint32_t i = 0; i < statements; i++) {
        uint32_t what = chance_below(&w->chance, depth ? 8 : 5);
        if (what < 2) {
            put_number(w, "local n%u = ", w->numbers + 1);
            put_value(w, 2);
            w->numbers++;
        } else if (what == 2) {
            put_number(w, "local t%u = ", w->truths + 1);
            put_truth(w, 2);
            w->truths++;
        } else if (what < 5 && w->numbers) {
            uint32_t a = 1 + chance_below(&w->chance, w->numbers);
            put_number(w, "n%u = ", a);
            put_value(w, 2);
        } else if (what >= 5) {
            put_if(w, depth, wants_truth);
        }
        put(w, "\n");
    }
}

/* Hooks whose answers are numbers or truths. */
static const uint32_t writer_hooks[] = {
    POLICY_HOOK_SCORE,  POLICY_HOOK_PRIORITY,    POLICY_HOOK_FILTER,
    POLICY_HOOK_VICTIM, POLICY_HOOK_WEIGHT,      POLICY_HOOK_TIME_LIMIT,
    POLICY_HOOK_IDLE,   POLICY_HOOK_QUEUE_ORDER, POLICY_HOOK_PREEMPT_PRIORITY};

static inline void put_parameters(struct hook_writer *w, uint32_t hook, const char **name) {
    static const struct {
        const char *name;
        uint32_t n, objects[2];
    } kinds[POLICY_HOOKS] = {
        [POLICY_HOOK_SCORE] = {"score", 2, {POLICY_JOB, POLICY_NODE}},
        [POLICY_HOOK_PRIORITY] = {"priority", 2, {POLICY_JOB, POLICY_QUEUE}},
        [POLICY_HOOK_PREEMPT_PRIORITY] = {"preempt_priority", 2, {POLICY_JOB, POLICY_QUEUE}},
        [POLICY_HOOK_FILTER] = {"filter", 2, {POLICY_JOB, POLICY_NODE}},
        [POLICY_HOOK_VICTIM] = {"victim", 2, {POLICY_JOB, POLICY_CANDIDATE}},
        [POLICY_HOOK_WEIGHT] = {"weight", 1, {POLICY_QUEUE, 0}},
        [POLICY_HOOK_TIME_LIMIT] = {"time_limit", 2, {POLICY_JOB, POLICY_QUEUE}},
        [POLICY_HOOK_IDLE] = {"idle", 2, {POLICY_JOB, POLICY_QUEUE}},
        [POLICY_HOOK_QUEUE_ORDER] = {"queue_order", 1, {POLICY_QUEUE, 0}},
    };
    *name = kinds[hook].name;
    w->n_objects = kinds[hook].n;
    w->objects[0] = kinds[hook].objects[0];
    w->objects[1] = kinds[hook].objects[1];
    put(w, *name);
    put(w, " = function(");
    for (uint32_t i = 0; i < w->n_objects; i++) {
        put(w, i ? ", " : "");
        put(w, writer_objects[w->objects[i]]);
    }
    w->has_now = chance_one_in(&w->chance, 3);
    put(w, w->has_now ? ", now)\n" : ")\n");
}

/* Returns the hook's number. */
static inline uint32_t random_hook(struct hook_writer *w, uint64_t seed, char *out) {
    const char *name;
    memset(w, 0, sizeof *w);
    w->chance.state = seed;
    w->out = out;
    uint32_t hook =
        writer_hooks[chance_below(&w->chance, sizeof writer_hooks / sizeof *writer_hooks)];
    int wants_truth = hook == POLICY_HOOK_FILTER || hook == POLICY_HOOK_IDLE;
    put(w, "local K, S, T = 2.5, 'good', { x = 4, y = -0.25 }\n"
           "local m, floor = math, math.floor\n"
           "local function h1(a, b)\n  if a < b then return a * 2 end\n  return b - a\nend\n"
           "local function h2(a)\n  local t = h1(a, K)\n  if t > 3 then t = t % 7\n"
           "  elseif t < -1 then t = -t end\n  return t\nend\n"
           "return { api = 1, params = { a = 3, n = -1.5, b = true, s = 'evil' },\n");
    put_parameters(w, hook, &name);
    put_body(w, 3, wants_truth);
    /* now and then a path without a return, where that means something */
    int may_end =
        hook == POLICY_HOOK_VICTIM || hook == POLICY_HOOK_TIME_LIMIT || hook == POLICY_HOOK_IDLE;
    if (!may_end || !chance_one_in(&w->chance, 4)) put_return(w, wants_truth);
    put(w, "end }\n");
    return hook;
}

#endif
