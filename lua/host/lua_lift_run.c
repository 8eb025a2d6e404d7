/* lua_lift_run.c -- see lua_lift_run.h. */
#include "lua/host/lua_lift_run.h"

#include <string.h>

#include "lua/lift/lua_lift.h"
#include "policy/candidate.h"

struct lifting {
    struct lua_host *host;
    const struct policy_view *view;
    const struct batch *batch;
    const struct hook *hook;
    const struct lifted *lifted;
    struct col_run run;
    /* index in the batch of the current block's first element, and number of its elements */
    size_t first, n;
};

/* ---- inputs ---- */

static void lua_lift_run_fill(struct lifting *x, uint8_t object, uint8_t field, size_t first,
                              size_t n, union policy_value *out) {
    if (policy_field_infos[field].object == POLICY_CANDIDATE)
        policy_candidate_fill(x->view, (enum policy_field)field, x->batch->candidates + first, n,
                              out);
    else
        x->view->fill(x->view->engine, (enum policy_field)field, x->batch->rows[object] + first, n,
                      out);
}

/* Sets *out to a text of element i of the batch: a constant, a field or a label. Returns 0 if the
 * label is absent. */
static int text_of_row(struct lifting *x, const struct lift_text *t, size_t i, lsched_text *out) {
    const char *texts = x->lifted->texts;
    union policy_value v;
    switch (t->kind) {
    case LIFT_TEXT_CONSTANT: *out = (lsched_text){texts + t->at, t->len}; return 1;
    case LIFT_TEXT_FIELD:
        lua_lift_run_fill(x, t->object, t->field, i, 1, &v);
        *out = v.text;
        return 1;
    default:
        return x->view->label && x->view->label(x->view->engine, x->batch->rows[t->object][i],
                                                texts + t->at, t->len, out);
    }
}

static int is_equal(const lsched_text *a, const lsched_text *b) {
    return a->len == b->len && (a->len == 0 || memcmp(a->ptr, b->ptr, (size_t)a->len) == 0);
}

static size_t lua_lift_run_row_of(const struct lifting *x, const struct lift_text *t, size_t i) {
    return t->kind != LIFT_TEXT_CONSTANT && x->hook->objects[t->object].per_row ? i : 0;
}

static int truth_of_row(struct lifting *x, const struct lift_input *in, size_t i) {
    lsched_text a, b;
    int has_a, has_b;
    if (in->kind == LIFT_FLAG) {
        union policy_value v;
        lua_lift_run_fill(x, in->a.object, in->a.field, i, 1, &v);
        return v.boolean != 0;
    }
    has_a = text_of_row(x, &in->a, lua_lift_run_row_of(x, &in->a, i), &a);
    if (in->kind == LIFT_PRESENT) return has_a;
    has_b = text_of_row(x, &in->b, lua_lift_run_row_of(x, &in->b, i), &b);
    /* two absent texts count as equal, like nil and nil in Lua */
    return has_a && has_b ? is_equal(&a, &b) : has_a == has_b;
}

static void set_uniform(struct lifting *x, uint32_t i) {
    const struct lift_input *in = &x->lifted->inputs[i];
    union policy_value v;
    if (in->kind == LIFT_NOW) {
        col_set_number(&x->run, i, x->view->now_s);
    } else if (in->kind == LIFT_NUMBER) {
        lua_lift_run_fill(x, in->a.object, in->a.field, 0, 1, &v);
        col_set_number(&x->run, i, v.number);
    } else {
        col_set_mask(&x->run, i, truth_of_row(x, in, 0));
    }
}

static void fill_numbers(struct lifting *x, const struct lift_input *in, union col_lane *out) {
    const struct policy_view *view = x->view;
    if (view->fill_numbers && policy_field_infos[in->a.field].object != POLICY_CANDIDATE) {
        view->fill_numbers(view->engine, (enum policy_field)in->a.field,
                           x->batch->rows[in->a.object] + x->first, x->n, &out->number);
        return;
    }
    lua_lift_run_fill(x, in->a.object, in->a.field, x->first, x->n, x->host->values);
    for (size_t i = 0; i < x->n; i++) out[i].number = x->host->values[i].number;
}

/* Compares a text field of all elements of the block with one text. The engine fills the field for
 * all elements in one call. */
static void fill_equal(struct lifting *x, const struct lift_input *in, union col_lane *out) {
    lsched_text want;
    int has = text_of_row(x, &in->b, lua_lift_run_row_of(x, &in->b, 0), &want);
    lua_lift_run_fill(x, in->a.object, in->a.field, x->first, x->n, x->host->values);
    for (size_t i = 0; i < x->n; i++)
        out[i].mask = has && is_equal(&x->host->values[i].text, &want) ? UINT64_MAX : 0;
}

static void fill_lanes(struct lifting *x, uint32_t i) {
    const struct lift_input *in = &x->lifted->inputs[i];
    union col_lane *out = col_lanes(&x->run, i);
    int is_plain = in->kind == LIFT_EQUAL && in->a.kind == LIFT_TEXT_FIELD &&
                   x->hook->objects[in->a.object].per_row &&
                   (in->b.kind == LIFT_TEXT_CONSTANT || !x->hook->objects[in->b.object].per_row);
    if (in->kind == LIFT_NUMBER) {
        fill_numbers(x, in, out);
    } else if (is_plain) {
        fill_equal(x, in, out);
    } else if (in->kind == LIFT_FLAG) {
        lua_lift_run_fill(x, in->a.object, in->a.field, x->first, x->n, x->host->values);
        for (size_t k = 0; k < x->n; k++) out[k].mask = x->host->values[k].boolean ? UINT64_MAX : 0;
    } else {
        for (size_t k = 0; k < x->n; k++)
            out[k].mask = truth_of_row(x, in, x->first + k) ? UINT64_MAX : 0;
    }
}

static void lua_lift_run_begin(struct lifting *x, const struct col_program *program) {
    col_begin(&x->run, program, x->host->kernels, x->host->scratch);
    for (uint32_t i = 0; i < program->n_inputs; i++)
        if (x->lifted->inputs[i].is_uniform && program->inputs[i] != COL_NO_PLACE)
            set_uniform(x, i);
    col_uniform(&x->run);
}

static void block(struct lifting *x, size_t first, size_t n) {
    const struct col_program *program = x->run.program;
    x->first = first;
    x->n = n;
    for (uint32_t i = 0; i < program->n_inputs; i++)
        if (!x->lifted->inputs[i].is_uniform && program->inputs[i] != COL_NO_PLACE)
            fill_lanes(x, i);
    col_block(&x->run, n);
}

/* ---- results ---- */

static int any(const uint8_t *masks, size_t n, int wanted) {
    for (size_t i = 0; i < n; i++)
        if (masks[i] == wanted) return 1;
    return 0;
}

static int is_sound(uint32_t hook, double v) {
    switch (hook) {
    case POLICY_HOOK_WEIGHT:
    case POLICY_HOOK_VICTIM: return v >= 0 && v < POLICY_NEVER;
    case POLICY_HOOK_TIME_LIMIT: return v > 0 && (v < 1e8 || v == POLICY_ANY_TIME);
    case POLICY_HOOK_GANG_MINIMUM: return v >= 1 && v <= UINT32_MAX && v == (double)(uint32_t)v;
    case POLICY_HOOK_QUEUE_ORDER: return v > -2147483646.0 && v < 2147483646.0;
    default: return 1; /* lua_lift_run_store checks the results of these hooks */
    }
}

/* Stores numbers that have bounds or can be absent. Returns 0 if a number is out of its bounds. */
static int store_bounded(struct lifting *x, const double *values, const uint8_t *given) {
    uint32_t hook = x->batch->hook;
    double *out = (double *)x->batch->out + x->first;
    uint32_t *counts = (uint32_t *)x->batch->out + x->first;
    if (hook == POLICY_HOOK_GANG_MINIMUM)
        lua_lift_run_fill(x, 0, POLICY_F_JOB_TASKS, x->first, x->n, x->host->values);
    for (size_t i = 0; i < x->n; i++) {
        double v = values[i];
        if (given[i] && !is_sound(hook, v)) return 0;
        if (hook == POLICY_HOOK_GANG_MINIMUM) {
            if (given[i] && v > x->host->values[i].number) return 0;
            counts[i] = given[i] ? (uint32_t)v : 0;
        } else if (hook == POLICY_HOOK_QUEUE_ORDER) {
            out[i] = (double)(int64_t)(v < 0 ? v - 0.5 : v + 0.5); /* rounded to nearest */
        } else {
            out[i] = given[i] ? v : POLICY_NEVER;
        }
    }
    return 1;
}

/* Stores the results of the block. Returns 0 if a result is not valid; Lua must then run the whole
 * batch. */
static int lua_lift_run_store(struct lifting *x) {
    uint8_t flags[COL_BLOCK];
    double values[COL_BLOCK];
    uint32_t hook = x->batch->hook;
    col_read_masks(&x->run, LIFT_ODD, flags, x->n);
    if (any(flags, x->n, 1)) return 0;
    if (x->lifted->gives_mask) {
        col_read_masks(&x->run, LIFT_VALUE, (uint8_t *)x->batch->out + x->first, x->n);
        return 1;
    }
    if (hook == POLICY_HOOK_PRIORITY || hook == POLICY_HOOK_SCORE ||
        hook == POLICY_HOOK_PREEMPT_PRIORITY) {
        double *out = (double *)x->batch->out + x->first;
        col_read_numbers(&x->run, LIFT_VALUE, out, x->n);
        return x->host->kernels->find_odd(out, x->n) == x->n;
    }
    col_read_numbers(&x->run, LIFT_VALUE, values, x->n);
    col_read_masks(&x->run, LIFT_GIVEN, flags, x->n);
    return store_bounded(x, values, flags);
}

static int32_t stopped(struct lifting *x, int32_t code, const char *why, uint64_t number,
                       size_t element) {
    struct fault *fault = &x->host->fault;
    fault_clear(fault);
    if (code == LSCHED_E_INTERRUPTED) fault->sub = LSCHED_SUB_NOT_DETERMINISTIC;
    fault_set(fault, code, why, (unsigned long long)number);
    fault->element = (int64_t)element;
    return code;
}

int32_t lift_run(struct lua_host *host, const struct policy_view *view, const struct batch *batch) {
    const struct hook *hook = &host->hooks[batch->hook];
    struct lifting x = {.host = host, .view = view, .batch = batch, .hook = hook};
    x.lifted = &host->lifted[batch->hook];
    if (!x.lifted->is_lifted || host->is_lifting_off) return LIFT_DECLINED;
    uint64_t left = host->per_cycle > host->spent ? host->per_cycle - host->spent : 0;
    uint64_t charge = batch->n * x.lifted->cost;
    if (charge > left)
        return stopped(&x, LSCHED_E_BUDGET,
                       "it was still running after %llu instructions; a cycle may spend no more",
                       left, (size_t)(left / x.lifted->cost));
    lua_lift_run_begin(&x, &x.lifted->program);
    for (size_t first = 0; first < batch->n; first += COL_BLOCK) {
        size_t n = batch->n - first < COL_BLOCK ? batch->n - first : COL_BLOCK;
        if (view->interrupted && view->interrupted(view->engine))
            return stopped(&x, LSCHED_E_INTERRUPTED, "interrupted by the host", 0, first);
        block(&x, first, n);
        if (!lua_lift_run_store(&x)) return LIFT_DECLINED;
    }
    host->spent += charge;
    return LIFT_DONE;
}

/* ---- descriptions for users ---- */

void lift_describe(const void *self, enum policy_hook number, struct policy_hook_note *out) {
    const struct lua_host *host = self;
    const struct hook *hook = &host->hooks[number];
    const struct lifted *l = &host->lifted[number];
    *out = (struct policy_hook_note){.line = hook->line,
                                     .column = hook->column,
                                     .is_lifted = l->is_lifted,
                                     .ops = l->ops,
                                     .instructions = hook->trial_instructions,
                                     .name = hook_kinds[number].name,
                                     .reason = l->is_lifted ? "" : l->reason,
                                     .reason_line = l->reason_line,
                                     .reason_column = l->reason_column,
                                     .spent = hook->spent,
                                     .asked = hook->asked,
                                     .kept = hook->kept};
}

/* Copies the source text of a term of the score as one line; each run of white space becomes one
 * space. */
static void copy_source(const struct lua_host *host, const struct lift_term *t, char *out,
                        size_t cap) {
    size_t n = 0;
    if (t->is_negative) {
        out[n++] = '-';
        out[n++] = ' ';
    }
    for (uint32_t i = t->at; i < t->at + t->len && n + 1 < cap; i++) {
        unsigned char c = (unsigned char)host->text[i];
        if (c > ' ')
            out[n++] = (char)c;
        else if (n > 0 && out[n - 1] != ' ')
            out[n++] = ' ';
    }
    while (n > 0 && ((unsigned char)out[n - 1] & 0xC0u) == 0x80u && n + 1 == cap) n--;
    out[n] = '\0';
}

/* Returns the index of the return statement that gave the result, or n_returns if no return
 * statement did. */
static uint32_t find_return(const struct col_run *run, uint32_t n_returns) {
    for (uint32_t i = 0; i < n_returns; i++) {
        uint8_t is_it;
        col_read_masks(run, i, &is_it, 1);
        if (is_it) return i;
    }
    return n_returns;
}

size_t lift_terms(void *self, const struct policy_view *view, enum policy_hook number, uint32_t a,
                  uint32_t b, lsched_policy_term *out, size_t cap) {
    struct lua_host *host = self;
    const struct hook *hook = &host->hooks[number];
    const struct lifted *l = &host->lifted[number];
    const struct batch batch = {.hook = number, .rows = {&a, &b}, .n = 1};
    struct lifting x = {.host = host, .view = view, .batch = &batch, .hook = hook, .lifted = l};
    size_t n = 0;
    if (!l->is_lifted || l->n_terms == 0 || number == POLICY_HOOK_VICTIM) return 0;
    lua_lift_run_begin(&x, &l->term_program);
    block(&x, 0, 1);
    uint32_t returned = find_return(&x.run, l->n_returns);
    for (uint32_t i = 0; i < l->n_terms; i++) {
        const struct lift_term *t = &l->terms[i];
        if (t->returned != returned) continue;
        if (n < cap) {
            double v;
            col_read_numbers(&x.run, l->n_returns + i, &v, 1);
            out[n] = (lsched_policy_term){t->is_negative ? -v : v, t->line, t->column, {0}};
            copy_source(host, t, out[n].text, sizeof out[n].text);
        }
        n++;
    }
    return n;
}
