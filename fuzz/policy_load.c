/* Any bytes as a policy under small limits, each hook on an engine that gives NaN and odd texts. An
 * error is one line, nothing stays behind, and what LuaJIT accepts our own scan can follow. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lua/host/lua_policy.h"

static void fill(void *engine, enum policy_field f, const uint32_t *rows, size_t n,
                 union policy_value *out) {
    static const double numbers[] = {0, 1, -1, 0.5, 1e300, NAN, INFINITY, 1700000000};
    static const char *const texts[] = {"", "good", "evil", "\xff\x01'%s"};
    for (size_t i = 0; i < n; i++) {
        uint32_t pick = rows[i] * 7 + (uint32_t)f + !engine;
        out[i] = (union policy_value){.text = {texts[pick % 4], strlen(texts[pick % 4])}};
        if (policy_field_infos[f].type == POLICY_NUMBER) out[i].number = numbers[pick % 8];
        if (policy_field_infos[f].type == POLICY_BOOL) out[i].boolean = pick & 1;
    }
}

static int label(void *engine, uint32_t row, const char *key, size_t len, lsched_text *value) {
    *value = (lsched_text){"zone-a", len % 7};
    return engine == key || (row & 1);
}

static void check(int32_t rc, const lsched_error *err) {
    int bad = err->code != rc || strpbrk(err->message, "\n\r\t") ||
              !strcmp(err->message, "f.lua: the nesting of blocks cannot be followed");
    if (rc != LSCHED_OK && bad) abort();
}

#define RUN(hook, call) \
    if (p->desc.hooks & LSCHED_HOOK_##hook) check(p->ops->call, err)

static void run_and_destroy(const struct policy *p, lsched_error *err) {
    static const uint32_t r[6] = {0, 1, 2, 3, 4, 5};
    static double out[300]; /* large enough for the results of any hook */
    static const struct policy_candidate candidates[6] = {
        {1, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0},
        {2, 2, 3, 0, 500, 1, 125, 1, 0, INT64_MAX, UINT32_MAX, 0},
        {3, 0, UINT32_MAX, 1, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX, 0, 0, 0},
    };
    const struct policy_view v = {.now_s = 1700000000, .fill = fill, .label = label};
    RUN(PRIORITY, priority(p->self, &v, r, r, 6, out, err));
    RUN(WEIGHT, weight(p->self, &v, r, 6, out, err));
    RUN(QUOTA, quota(p->self, &v, 3, (void *)out, err));
    RUN(ADMIT, admit(p->self, &v, r, r, 6, (void *)out, err));
    RUN(FILTER, filter(p->self, &v, 3, r, 6, (void *)out, err));
    RUN(SCORE, score(p->self, &v, 3, r, 6, out, err));
    RUN(VICTIM, victim(p->self, &v, 3, candidates, 6, out, err));
    for (int i = 0; (p->desc.hooks & LSCHED_HOOK_VICTIM) && err->code == LSCHED_OK && i < 6; i++)
        if (!(out[i] >= 0)) abort();
    p->ops->destroy(p->self);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct alloc alloc;
    struct policy p;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_policy_opts opts = {sizeof opts, 0, NULL, 2000, 0, 1u << 20, 0, 0};
    if (alloc_init(&alloc, NULL, 0) != LSCHED_OK) abort();
    int32_t rc = lua_policy_create(&alloc, "f.lua", (const char *)data, size, &opts, &p, &err);
    check(rc, &err);
    if (rc == LSCHED_OK) run_and_destroy(&p, &err);
    if (alloc.bytes != 0) abort();
    return 0;
}
