/* What the tests of the Lua host share: an engine that is not there (rows with a number and a
 * name) and short ways to load a policy from text. */
#ifndef LUA_FIXTURE_H
#define LUA_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lua/host/lua_policy.h"

enum { FAKE_ROWS = 1024 };

/* Every number field of a row is numbers[row] and every boolean whether the row is odd, unless `fields` gives it one. */
struct fake {
    double numbers[FAKE_ROWS];
    double fields[POLICY_FIELDS];
    uint8_t has_field[POLICY_FIELDS];
    const char *names[FAKE_ROWS];
    const char *label_key, *label_value; /* of every node */
    uint32_t interrupt_after;            /* polls; 0: never */
    uint32_t polls;
    uint64_t filled[POLICY_FIELDS]; /* values asked for */
    struct policy_view view;
};

static inline void fake_fill(void *engine, enum policy_field field, const uint32_t *rows, size_t n,
                             union policy_value *out) {
    struct fake *fake = engine;
    fake->filled[field] += n;
    for (size_t i = 0; i < n; i++) {
        const char *name = fake->names[rows[i] % FAKE_ROWS];
        switch (policy_field_infos[field].type) {
        case POLICY_NUMBER:
            out[i].number =
                fake->has_field[field] ? fake->fields[field] : fake->numbers[rows[i] % FAKE_ROWS];
            break;
        case POLICY_BOOL:
            out[i].boolean = fake->has_field[field] ? fake->fields[field] != 0 : rows[i] % 2;
            break;
        default: out[i].text = (lsched_text){name ? name : "good", name ? strlen(name) : 4};
        }
    }
}

static inline int fake_label(void *engine, uint32_t row, const char *key, size_t len,
                             lsched_text *value) {
    const struct fake *fake = engine;
    (void)row;
    if (!fake->label_key || strlen(fake->label_key) != len ||
        memcmp(key, fake->label_key, len) != 0)
        return 0;
    *value = (lsched_text){fake->label_value, strlen(fake->label_value)};
    return 1;
}

static inline int fake_interrupted(void *engine) {
    struct fake *fake = engine;
    fake->polls++;
    return fake->interrupt_after && fake->polls >= fake->interrupt_after;
}

static inline void fake_begin(struct fake *fake) {
    memset(fake, 0, sizeof *fake);
    for (int i = 0; i < FAKE_ROWS; i++) fake->numbers[i] = i;
    fake->view = (struct policy_view){.engine = fake,
                                      .now_s = 1700000000, /* 2023-11-14 22:13:20 UTC, a Tuesday */
                                      .fill = fake_fill,
                                      .label = fake_label,
                                      .interrupted = fake_interrupted};
}

static inline void fake_set(struct fake *fake, enum policy_field field, double value) {
    fake->fields[field] = value;
    fake->has_field[field] = 1;
}

struct loaded {
    struct alloc alloc;
    struct policy policy;
    lsched_error err;
    int32_t rc;
};

static inline void load_with(struct loaded *l, const char *text, const lsched_policy_opts *opts) {
    memset(l, 0, sizeof *l);
    l->err = (lsched_error)LSCHED_ERROR_INIT;
    assert_int_equal(alloc_init(&l->alloc, NULL, 0), LSCHED_OK);
    l->rc = lua_policy_create(&l->alloc, "p.lua", text, strlen(text), opts, &l->policy, &l->err);
}

/* A policy that must load. */
static inline void load(struct loaded *l, const char *text) {
    load_with(l, text, NULL);
    if (l->rc < 0) fail_msg("does not load: %s", l->err.message);
}

static inline void unload(struct loaded *l) {
    if (l->rc == LSCHED_OK) l->policy.ops->destroy(l->policy.self);
    assert_int_equal(l->alloc.bytes, 0);
}

#endif
