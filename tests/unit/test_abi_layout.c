/* test_abi_layout.c -- sizes and offsets of every public structure against the golden table of tests/abi/layout.txt.
 *
 * The table comes from a reader of the header that knows no compiler, so this finds a compiler or a flag that lays
 * structures out in another way, and a change of the header that a released host would not survive. Holes are
 * errors too: padding is unnamed bytes that a later version could not use and a checksum could not trust. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/algorithm.h>
#include <libsched/frozen.h>
#include <libsched/libsched.h>
#include <libsched/scenario.h>

struct row {
    const char *owner, *field; /* field NULL: the structure itself */
    size_t at, size;           /* expected: offset, or alignment of the structure */
    size_t real_at, real_size;
};

#define STRUCT(name, size, align) {#name, NULL, (align), (size), _Alignof(name), sizeof(name)},
#define FIELD(name, field, offset, size) \
    {#name, #field, (offset), (size), offsetof(name, field), sizeof(((name *)0)->field)},
static const struct row rows[] = {
#include "abi/layout.txt"
};
enum { ROWS = sizeof rows / sizeof rows[0] };

static void every_field_lies_where_the_table_says(void **state) {
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        if (r->at == r->real_at && r->size == r->real_size) continue;
        print_error("%s%s%s: table %zu, %zu bytes; here %zu, %zu bytes\n", r->owner,
                    r->field ? "." : "", r->field ? r->field : "", r->at, r->size, r->real_at,
                    r->real_size);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void structures_have_no_holes(void **state) {
    (void)state;
    int holes = 0;
    size_t end = 0; /* of the fields seen so far */
    for (size_t i = 0; i < ROWS; i++) {
        const struct row *r = &rows[i];
        if (!r->field) {
            end = 0;
            continue;
        }
        size_t whole = i + 1 < ROWS && rows[i + 1].field ? 0 : r->real_at + r->real_size;
        const struct row *owner = r;
        while (owner->field) owner--;
        if (r->real_at != end || (whole && whole != owner->real_size)) {
            print_error("%s: a hole %s %s\n", r->owner, r->real_at != end ? "before" : "after",
                        r->field);
            holes++;
        }
        end = r->real_at + r->real_size;
    }
    assert_int_equal(holes, 0);
}

/* What grows begins with its size; what does not is frozen. algorithm.h counts versions instead. */
static void structures_begin_with_their_size(void **state) {
    (void)state;
#define X(name, bytes) #name,
    static const char *const frozen[] = {LSCHED_FROZEN_STRUCTS(X)};
#undef X
    static const char *const of_algorithms[] = {"lsched_share_key", "lsched_part",
                                                "lsched_task_shape"};
    enum { FROZEN = sizeof frozen / sizeof frozen[0] };
    size_t met = 0;
    for (size_t i = 0; i + 1 < ROWS; i++) {
        if (rows[i].field) continue;
        int is_frozen = 0, is_other = 0;
        for (size_t f = 0; f < FROZEN; f++) is_frozen |= strcmp(rows[i].owner, frozen[f]) == 0;
        for (size_t f = 0; f < sizeof of_algorithms / sizeof of_algorithms[0]; f++)
            is_other |= strcmp(rows[i].owner, of_algorithms[f]) == 0;
        met += (size_t)is_frozen;
        /* a frozen structure has no field that promises to let it grow */
        if (is_frozen) assert_string_not_equal(rows[i + 1].field, "size");
        if (is_frozen || is_other) continue;
        assert_string_equal(rows[i + 1].field, "size");
        assert_int_equal(rows[i + 1].real_at, 0);
        assert_int_equal(rows[i + 1].real_size, sizeof(uint32_t));
    }
    assert_int_equal(met, FROZEN);
}

/* A program with newer headers sees which fields an older library filled in. */
static void has_follows_the_size(void **state) {
    lsched_decision d = {.size = sizeof d};
    (void)state;
    assert_true(LSCHED_HAS(&d, size));
    assert_true(LSCHED_HAS(&d, recut_mask));
    d.size = (uint32_t)offsetof(lsched_decision, recut_mask);
    assert_false(LSCHED_HAS(&d, recut_mask));
    assert_true(LSCHED_HAS(&d, alternative));
    d.size += (uint32_t)sizeof d.recut_mask - 1;
    assert_false(LSCHED_HAS(&d, recut_mask)); /* half a field is none */
    d.size += 1;
    assert_true(LSCHED_HAS(&d, recut_mask));
}

int main(void) {
    if (sizeof(void *) != 8) {
        puts("the table holds for 64-bit machines only");
        return 77; /* skipped */
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_lies_where_the_table_says),
        cmocka_unit_test(structures_have_no_holes),
        cmocka_unit_test(structures_begin_with_their_size),
        cmocka_unit_test(has_follows_the_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
