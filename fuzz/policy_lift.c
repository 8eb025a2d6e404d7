/* Bytes as a score in reverse Polish notation, well typed whatever they are: the interpreter and the lifted program must
 * give the same bits, or the same error at the same element, with every set of kernels. The first eight bytes make the values of the fields. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lua/lift/lua_lift.h"
#include "lua/host/lua_policy.h"

enum { ROWS = 9, DEEP = 24, TEXT_BYTES = 1500 };

struct values {
    uint8_t bytes[8];
};

static void fill(void *engine, enum policy_field f, const uint32_t *rows, size_t n,
                 union policy_value *out) {
    static const double numbers[] = {0,      1,   -1,     0.5,  1e300,    5e-324, -0.0,   7,
                                     0x1p53, 0.1, -1e308, 3600, INFINITY, 24,     1e-300, -2.5};
    static const char *const texts[] = {"", "good", "a", "\xff\x01'%s"};
    const struct values *v = engine;
    for (size_t i = 0; i < n; i++) {
        uint32_t pick = v->bytes[(rows[i] + (uint32_t)f) % 8] + rows[i] * 7 + (uint32_t)f;
        out[i] = (union policy_value){.text = {texts[pick % 4], strlen(texts[pick % 4])}};
        if (policy_field_infos[f].type == POLICY_NUMBER) out[i].number = numbers[pick % 16];
        if (policy_field_infos[f].type == POLICY_BOOL) out[i].boolean = pick & 1;
    }
}

static int label(void *engine, uint32_t row, const char *key, size_t len, lsched_text *value) {
    const struct values *v = engine;
    *value = (lsched_text){key, len / 2};
    return v->bytes[row % 8] & 1;
}

/* ---- bytes to text --------------------------------------------------------------------------- */

struct stack {
    char text[DEEP][TEXT_BYTES];
    uint8_t is_truth[DEEP];
    int n;
};

static void push(struct stack *s, int is_truth, const char *text) {
    if (s->n == DEEP) return;
    snprintf(s->text[s->n], TEXT_BYTES, "%s", text);
    s->is_truth[s->n++] = (uint8_t)is_truth;
}

/* The topmost operand of that type goes to out; a leaf if there is none. */
static void pop(struct stack *s, int is_truth, char *out) {
    snprintf(out, TEXT_BYTES, "%s", is_truth ? "job.interactive" : "node.gpu_free");
    if (s->n == 0 || s->is_truth[s->n - 1] != is_truth) return;
    memcpy(out, s->text[--s->n], TEXT_BYTES);
}

static void combine(struct stack *s, int takes_truth, int gives_truth, const char *form) {
    static char a[TEXT_BYTES], b[TEXT_BYTES], both[3 * TEXT_BYTES];
    pop(s, takes_truth, b);
    pop(s, takes_truth, a);
    snprintf(both, sizeof both, form, a, b);
    if (strlen(both) < TEXT_BYTES) push(s, gives_truth, both);
}

static void step(struct stack *s, uint8_t byte) {
    static const char *const leaves[] = {
        "node.gpu_free", "node.price", "job.cpu", "job.priority", "0",      "1",   "(-0)",
        "2.5",           "1e300",      "now",     "params.p",     "K",      "T.x", "math.huge",
        "hour(now)",     "units.day",  "job.gpu", "node.tasks",   "5e-324", "7"};
    static const char *const truths[] = {"job.interactive",
                                         "(job.name == 'good')",
                                         "true",
                                         "(node.labels.zone == 'zo')",
                                         "(node.labels.a ~= nil)",
                                         "(node.gpu_model ~= job.queue)"};
    static const char *const twos[] = {"(%s + %s)",
                                       "(%s - %s)",
                                       "(%s * %s)",
                                       "(%s / %s)",
                                       "(%s %% %s)",
                                       "math.min(%s, %s)",
                                       "math.max(%s, %s)",
                                       "math.fmod(%s, %s)",
                                       "math.pow(%s, %s)",
                                       "f(%s, %s)",
                                       "usage.ratio(%s, %s)",
                                       "decay.rise(%s, %s)",
                                       "-(%s) + math.floor(%s)",
                                       "math.ceil(%s) - math.abs(%s)",
                                       "math.sqrt(%s) * math.exp(%s)",
                                       "(math.log(%s) / %s)"};
    static const char *const orders[] = {"(%s < %s)",  "(%s <= %s)", "(%s == %s)",
                                         "(%s ~= %s)", "(%s > %s)",  "(%s >= %s)"};
    static const char *const logic[] = {"(%s and %s)", "(%s or %s)", "(not %s and %s)",
                                        "(%s == %s)"};
    static char c[TEXT_BYTES], x[TEXT_BYTES], y[TEXT_BYTES], all[4 * TEXT_BYTES];
    uint8_t which = byte >> 3;
    switch (byte & 7) {
    case 0:
    case 1: push(s, 0, leaves[which % 20]); break;
    case 2: push(s, 1, truths[which % 6]); break;
    case 3: combine(s, 0, 1, orders[which % 6]); break;
    case 4: combine(s, 1, 1, logic[which % 4]); break;
    case 5:
        pop(s, 0, y);
        pop(s, 0, x);
        pop(s, 1, c);
        snprintf(all, sizeof all, "(%s and %s or %s)", c, x, y);
        if (strlen(all) < TEXT_BYTES) push(s, 0, all);
        break;
    default: combine(s, 0, 0, twos[which % 16]); break;
    }
}

static size_t write_policy(const uint8_t *data, size_t size, char *out, size_t cap) {
    static struct stack s;
    static char first[TEXT_BYTES], cond[TEXT_BYTES], second[TEXT_BYTES];
    s.n = 0;
    for (size_t i = 0; i < size && i < 64; i++) step(&s, data[i]);
    pop(&s, 0, second);
    pop(&s, 1, cond);
    pop(&s, 0, first);
    return (size_t)snprintf(
        out, cap,
        "local K, T = 3, { x = -0.25 }\n"
        "local function f(a, b)\n  local c = a\n  if a < b then c = b - 1\n"
        "  elseif a == b then return 4 end\n  return c * 2\nend\n"
        "return { api = 1, params = { p = 1.5 }, score = function(job, node, now)\n"
        "  local x = %s\n  if %s then x = x + K end\n"
        "  return x - %s\nend }\n",
        first, cond, second);
}

/* ---- two answers ----------------------------------------------------------------------------- */

static void compare(const struct policy *p, const struct values *v) {
    struct lua_host *host = p->self;
    const struct policy_view view = {
        .engine = (void *)v, .now_s = 1700000000.5, .fill = fill, .label = label};
    const uint32_t nodes[ROWS] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    const struct col_kernels *kernels[] = {NULL, &col_kernels_portable, col_kernels_best()};
    double out[3][ROWS];
    lsched_error err[3] = {LSCHED_ERROR_INIT, LSCHED_ERROR_INIT, LSCHED_ERROR_INIT};
    for (int i = 0; i < 3; i++) {
        host->is_lifting_off = i == 0;
        if (kernels[i]) host->kernels = kernels[i];
        p->ops->cycle_begin(host);
        int32_t rc = p->ops->score(host, &view, 3, nodes, ROWS, out[i], &err[i]);
        if (rc != err[0].code || strcmp(err[i].message, err[0].message) != 0 ||
            err[i].index != err[0].index)
            abort();
        if (rc == LSCHED_OK && memcmp(out[i], out[0], sizeof out[0]) != 0) abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char text[4 * TEXT_BYTES];
    struct alloc alloc;
    struct policy p;
    struct values v = {{0}};
    lsched_error err = LSCHED_ERROR_INIT;
    if (size > 8) {
        memcpy(v.bytes, data, 8);
        data += 8;
        size -= 8;
    }
    size_t n = write_policy(data, size, text, sizeof text);
    if (alloc_init(&alloc, NULL, 0) != LSCHED_OK) abort();
    if (lua_policy_create(&alloc, "f.lua", text, n, NULL, &p, &err) == LSCHED_OK) {
        if (!((struct lua_host *)p.self)->lifted[POLICY_HOOK_SCORE].is_lifted) abort();
        compare(&p, &v);
        p.ops->destroy(p.self);
    } else if (err.code != LSCHED_E_POLICY && err.code != LSCHED_E_LIMIT) { /* NaN; too deep */
        abort();
    }
    if (alloc.bytes != 0) abort();
    return 0;
}
