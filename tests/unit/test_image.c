/* Clone, save and load of the registry: copies are equal and go on alike; bytes that were cut,
 * flipped, or made up are refused and change nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/verify/verify.h"
#include "model/image/image.h"
#include "model/image/image_load.h"
#include "model/image/image_save.h"
#include "model/image/image_form.h"
#include "model/nodes/absence.h"
#include "model/shapes/resource_kind.h"
#include "model/image/meaning.h"
#include "property/chance.h"
#include "support/fault_alloc.h"
#include "support/model_world.h"

struct saved {
    uint8_t *p;
    size_t n, room; /* writing past room fails */
};

static int32_t keep(void *user, const void *bytes, size_t n) {
    struct saved *s = user;
    if (s->n + n > s->room) return 1;
    memcpy(s->p + s->n, bytes, n);
    s->n += n;
    return 0;
}

static struct saved save(const struct model_world *w, const struct image_extra *extra,
                         uint32_t n_extra) {
    struct saved s = {malloc(1 << 20), 0, 1 << 20};
    assert_non_null(s.p);
    assert_int_equal(image_save_with(&w->k, extra, n_extra, keep, &s), LSCHED_OK);
    return s;
}

static void open_full(struct model_world *w) {
    assert_int_equal(world_open(w, NULL), LSCHED_OK);
    assert_int_equal(world_fill(w, 0), LSCHED_OK);
}

/* Something that uses lists, heaps, free rows, texts and indexes. */
static void go_on(struct model_world *w) {
    struct job_form f = {.name = "later",
                         .queue = world_queue_named(w, "alone"),
                         .n_groups = 1,
                         .submit = 77,
                         .groups = {{.cpu = 3000, .min = 1}}};
    uint32_t row;
    assert_int_equal(world_remove_node(w, world_node_named(w, "n3")), LSCHED_OK);
    assert_int_equal(world_job(w, &f, &row), LSCHED_OK);
    assert_int_equal(world_admit(w, row), LSCHED_OK);
    assert_int_equal(world_node(w, "n9", 4000, 3, 1, "r2", &row), LSCHED_OK);
    assert_int_equal(world_remove_job(w, world_job_named(w, "equal-2")), LSCHED_OK);
    assert_int_equal(verify_state(&w->k, NULL), LSCHED_OK);
}

static void expect_equal(const struct model_world *a, const struct model_world *b) {
    assert_int_equal(image_hash(&a->k), image_hash(&b->k));
    assert_int_equal(meaning_hash(&a->k), meaning_hash(&b->k));
    assert_int_equal(verify_state(&b->k, NULL), LSCHED_OK);
}

/* ---- clone ---- */

static void a_copy_is_equal_and_goes_on_alike(void **unused) {
    (void)unused;
    struct model_world source, target;
    for (int kind = 0; kind < 4;
         kind++) { /* an empty target, a smaller, a larger one, one with more resource kinds */
        open_full(&source);
        uint32_t row;
        assert_int_equal(world_open(&target, NULL), LSCHED_OK);
        if (kind == 1)
            assert_int_equal(world_node(&target, "x", 1000, 1, 1, NULL, &row), LSCHED_OK);
        if (kind == 2) {
            assert_int_equal(world_fill(&target, 1), LSCHED_OK);
            for (int i = 0; i < 200; i++) {
                char name[8] = {'x', (char)('0' + i / 100), (char)('0' + i / 10 % 10),
                                (char)('0' + i % 10)};
                assert_int_equal(world_node(&target, name, 1000, 2, 1, name, &row), LSCHED_OK);
            }
        }
        if (kind == 3)
            assert_true(kind_add(&target.k, "licence", 7) == 4 &&
                        kind_add(&target.k, "nic", 3) == 5);
        assert_int_equal(columns_copy(&target.k, &source.k), LSCHED_OK);
        expect_equal(&source, &target);
        go_on(&source);
        go_on(&target);
        expect_equal(&source, &target);
        assert_true(kind_add(&source.k, "nic", 3) == 4 && kind_add(&target.k, "nic", 3) == 4);
        expect_equal(&source, &target);
        world_close(&source);
        world_close(&target);
        assert_int_equal(target.alloc.bytes, 0);
    }
}

static void a_copy_without_memory_changes_nothing(void **unused) {
    (void)unused;
    struct model_world source, target;
    struct fault_alloc f = {0};
    lsched_allocator hooks = fault_hooks(&f);
    uint32_t row;
    open_full(&source);
    assert_int_equal(world_open(&target, &hooks), LSCHED_OK);
    assert_int_equal(world_node(&target, "x", 1000, 1, 1, NULL, &row), LSCHED_OK);
    uint64_t before = image_hash(&target.k);
    int32_t rc = LSCHED_E_NOMEM;
    for (uint64_t n = 1; rc != LSCHED_OK; n++) {
        f.calls = 0;
        f.fail_at = n;
        int64_t live = f.live_bytes;
        rc = columns_copy(&target.k, &source.k);
        if (rc == LSCHED_OK) break;
        assert_int_equal(rc, LSCHED_E_NOMEM);
        assert_int_equal(image_hash(&target.k), before);
        assert_int_equal(f.live_bytes, live);
        assert_int_equal(verify_state(&target.k, NULL), LSCHED_OK);
    }
    f.fail_at = 0;
    expect_equal(&source, &target);
    world_close(&source);
    world_close(&target);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

/* ---- save and load ---- */

static void what_is_loaded_is_equal_and_goes_on_alike(void **unused) {
    (void)unused;
    struct model_world source, target;
    struct image_extra extra[] = {{"POLICY", "return {}", 9}, {"EMPTY", NULL, 0}};
    const void *bytes;
    size_t n;
    open_full(&source);
    struct saved s = save(&source, extra, 2);
    open_full(&target); /* what it held goes */
    go_on(&target);
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = image_load(&target.k, s.p, s.n, &err);
    if (rc != LSCHED_OK) print_message("%s\n", err.message);
    assert_int_equal(rc, LSCHED_OK);
    expect_equal(&source, &target);
    struct saved again = save(&target, extra, 2);
    assert_int_equal(again.n, s.n);
    assert_memory_equal(again.p, s.p, s.n);
    go_on(&source);
    go_on(&target);
    expect_equal(&source, &target);
    assert_int_equal(image_extra_find(s.p, s.n, "POLICY", &bytes, &n), 1);
    assert_int_equal(n, 9);
    assert_memory_equal(bytes, "return {}", 9);
    assert_int_equal(image_extra_find(s.p, s.n, "EMPTY", &bytes, &n), 1);
    assert_int_equal(n, 0);
    assert_int_equal(image_extra_find(s.p, s.n, "OTHER", &bytes, &n), 0);
    free(s.p);
    free(again.p);
    world_close(&source);
    world_close(&target);
}

static void a_writer_that_fails_ends_the_save(void **unused) {
    (void)unused;
    struct model_world w;
    open_full(&w);
    struct saved s = {malloc(1000), 0, 1000};
    assert_int_equal(image_save(&w.k, keep, &s), LSCHED_E_STATE);
    free(s.p);
    world_close(&w);
}

static void loading_without_memory_changes_nothing(void **unused) {
    (void)unused;
    struct model_world source, target;
    struct fault_alloc f = {0};
    lsched_allocator hooks = fault_hooks(&f);
    open_full(&source);
    struct saved s = save(&source, NULL, 0);
    assert_int_equal(world_open(&target, &hooks), LSCHED_OK);
    uint64_t before = image_hash(&target.k);
    for (f.fail_at = 1;; f.fail_at++) {
        f.calls = 0;
        int64_t live = f.live_bytes;
        int32_t rc = image_load(&target.k, s.p, s.n, NULL);
        if (f.calls < f.fail_at) {
            assert_int_equal(rc, LSCHED_OK);
            break;
        }
        assert_int_equal(rc, LSCHED_E_NOMEM);
        assert_int_equal(image_hash(&target.k), before);
        assert_int_equal(f.live_bytes, live);
    }
    f.fail_at = 0;
    expect_equal(&source, &target);
    free(s.p);
    world_close(&source);
    world_close(&target);
    assert_int_equal(f.live_blocks, 0);
    assert_int_equal(f.wrong_sizes, 0);
}

/* ---- bytes that are no image ---- */

static int32_t load_exact(struct model_world *w, const uint8_t *bytes, size_t n,
                          lsched_error *err) {
    uint8_t *copy = malloc(n + 1); /* so that a sanitizer sees the first byte too far */
    assert_non_null(copy);
    if (n) memcpy(copy + 1, bytes, n); /* unaligned as well */
    int32_t rc = image_load(&w->k, copy + 1, n, err);
    free(copy);
    return rc;
}

static void every_cut_is_refused(void **unused) {
    (void)unused;
    struct model_world source, target;
    open_full(&source);
    struct saved s = save(&source, NULL, 0);
    assert_int_equal(world_open(&target, NULL), LSCHED_OK);
    uint64_t before = image_hash(&target.k);
    for (size_t n = 0; n < s.n; n += n < 300 ? 1 : 37) {
        lsched_error err = LSCHED_ERROR_INIT;
        assert_int_equal(load_exact(&target, s.p, n, &err), LSCHED_E_CORRUPT);
        assert_int_equal(err.code, LSCHED_E_CORRUPT);
        assert_int_equal(err.index, -1);
        assert_int_not_equal(err.message[0], 0);
    }
    assert_int_equal(image_hash(&target.k), before);
    free(s.p);
    world_close(&source);
    world_close(&target);
}

static void every_flipped_bit_is_refused(void **unused) {
    (void)unused;
    struct model_world source, target;
    uint64_t seed = chance_seed(4711);
    print_message("seed %llu\n", (unsigned long long)seed);
    struct chance c = {seed};
    open_full(&source);
    struct saved s = save(&source, NULL, 0);
    assert_int_equal(world_open(&target, NULL), LSCHED_OK);
    uint64_t before = image_hash(&target.k);
    for (uint32_t i = chance_rounds(3000); i > 0; i--) {
        size_t at = i > 64 ? chance_below(&c, (uint32_t)s.n) : i - 1; /* the header's bytes all */
        uint8_t bit = (uint8_t)(1u << chance_below(&c, 8));
        s.p[at] ^= bit;
        int32_t rc = image_load(&target.k, s.p, s.n, NULL);
        assert_true(rc == LSCHED_E_CORRUPT || (rc == LSCHED_E_VERSION && at < 16));
        s.p[at] ^= bit;
    }
    assert_int_equal(image_hash(&target.k), before);
    free(s.p);
    world_close(&source);
    world_close(&target);
}

/* ---- bytes whose checksums are right: somebody made them ---- */

struct section {
    size_t at, payload, end;
    struct image_section head;
};

static int next_section(const struct saved *s, struct section *x) {
    x->at = x->end ? x->end : sizeof(struct image_header);
    if (x->at + sizeof x->head > s->n) return 0;
    memcpy(&x->head, s->p + x->at, sizeof x->head);
    x->payload = x->at + sizeof x->head;
    x->end = x->payload + (size_t)(x->head.rows * x->head.stride + 7) / 8 * 8;
    return 1;
}

static struct section section_named(const struct saved *s, const char *name) {
    struct section x = {0};
    while (next_section(s, &x))
        if (strcmp(x.head.name, name) == 0) return x;
    fail_msg("no section %s", name);
    return x;
}

static void sign_section(struct saved *s, struct section *x) {
    x->head.checksum = image_section_checksum(&x->head, s->p + x->payload);
    memcpy(s->p + x->at, &x->head, sizeof x->head);
}

static void sign_header(struct saved *s, int more_sections) {
    struct image_header h;
    memcpy(&h, s->p, sizeof h);
    h.sections += (uint32_t)more_sections;
    h.bytes = s->n;
    h.checksum = image_header_checksum(&h);
    memcpy(s->p, &h, sizeof h);
}

static void cut_out(struct saved *s, const char *name) {
    struct section x = section_named(s, name);
    memmove(s->p + x.at, s->p + x.end, s->n - x.end);
    s->n -= x.end - x.at;
    sign_header(s, -1);
}

static void double_up(struct saved *s, const char *name, const char *new_name) {
    struct section x = section_named(s, name), y = x;
    memcpy(s->p + s->n, s->p + x.at, x.end - x.at);
    y.at = s->n;
    y.payload = y.at + sizeof y.head;
    s->n += x.end - x.at;
    memset(y.head.name, 0, sizeof y.head.name);
    memcpy(y.head.name, new_name, strlen(new_name));
    sign_section(s, &y);
    sign_header(s, 1);
}

static void unknown_sections_are_skipped(void **unused) {
    (void)unused;
    struct model_world source, target;
    open_full(&source);
    struct saved s = save(&source, NULL, 0);
    assert_int_equal(world_open(&target, NULL), LSCHED_OK);
    double_up(&s, "JOB.TAG", "JOB.MOOD");
    double_up(&s, "TABLE.JOB", "TABLE.WISH");
    assert_int_equal(image_load(&target.k, s.p, s.n, NULL), LSCHED_OK);
    expect_equal(&source, &target);
    free(s.p);
    world_close(&source);
    world_close(&target);
}

/* Writes the section as a version of the library did in which the column had numbers of `type`. */
static void make_narrow(struct saved *s, const char *name, uint32_t type) {
    struct section x = section_named(s, name);
    uint32_t from = x.head.stride, to = 1u << type;
    size_t rows = (size_t)x.head.rows, bytes = (rows * to + 7) / 8 * 8;
    uint8_t *narrow = calloc(1, bytes + 1);
    for (size_t i = 0; i < rows; i++) memcpy(narrow + i * to, s->p + x.payload + i * from, to);
    memcpy(s->p + x.payload, narrow, bytes);
    memmove(s->p + x.payload + bytes, s->p + x.end, s->n - x.end);
    s->n -= x.end - x.payload - bytes;
    free(narrow);
    x.head.type = type;
    x.head.stride = to;
    sign_section(s, &x);
    sign_header(s, 0);
}

/* TASK.MASK had 16 bits until nodes could have more devices. */
static void narrow_numbers_of_older_images_are_widened(void **unused) {
    (void)unused;
    struct model_world source, target;
    open_full(&source);
    struct saved s = save(&source, NULL, 0);
    assert_int_equal(world_open(&target, NULL), LSCHED_OK);
    make_narrow(&s, "TASK.MASK", COL_U16);
    lsched_error err = LSCHED_ERROR_INIT;
    if (image_load(&target.k, s.p, s.n, &err) != LSCHED_OK) fail_msg("%s", err.message);
    expect_equal(&source, &target);
    free(s.p);
    world_close(&source);
    world_close(&target);
}

/* A section with signed or with wider numbers than its column is refused. */
static void other_numbers_are_refused(void **unused) {
    (void)unused;
    static const uint32_t types[] = {COL_I32, COL_I64, IMAGE_BYTES + 1};
    struct model_world source, target;
    open_full(&source);
    assert_int_equal(world_open(&target, NULL), LSCHED_OK);
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        struct saved s = save(&source, NULL, 0);
        struct section x = section_named(&s, "TASK.MASK");
        x.head.type = types[i];
        sign_section(&s, &x);
        assert_int_equal(image_load(&target.k, s.p, s.n, NULL), LSCHED_E_CORRUPT);
        free(s.p);
    }
    world_close(&source);
    world_close(&target);
}

/* Leaves a section out, with sums that are right. */
static void leave_out(struct saved *s, const struct section *x) {
    memmove(s->p + x->at, s->p + x->end, s->n - x->end);
    s->n -= x->end - x->at;
    sign_header(s, -1);
}

/* Columns that older images lack. The run of a task, and whether a guarantee or lending refused a part
 * of a job whose reason names another part, are 0 then. The rank of a job is its priority then. */
static const uint16_t columns_with_default[] = {C_TASK_RUN, C_BUNDLE_SHARES, C_JOB_RANK};

/* Older images know no reservation: they lack its table, and what names its rows. */
static const char *const of_reservations[] = {"TABLE.RESERVATION", "NODE.RESERVATION",
                                              "QUEUE.RESERVATIONS"};
/* Older images know no hook that ranks jobs. */
static const char counter_with_default[] = "COUNTER.RANKED";
enum { OF_RESERVATIONS = sizeof of_reservations / sizeof of_reservations[0] };

static int has_default(const char *section) {
    if (strcmp(section, counter_with_default) == 0) return 1;
    for (size_t i = 0; i < OF_RESERVATIONS; i++)
        if (strcmp(section, of_reservations[i]) == 0) return 1;
    size_t n = sizeof columns_with_default / sizeof columns_with_default[0];
    for (size_t i = 0; i < n; i++)
        if (strcmp(section, column_def_name(&column_defs[columns_with_default[i]])) == 0) return 1;
    return 0;
}

static void check_default(uint16_t column) {
    const struct column_def *d = &column_defs[column];
    struct model_world source, target;
    open_full(&source);
    assert_true(table_rows(&source.k, d->table) > 0);
    if (column != C_JOB_RANK)
        memset(source.k.c[column].u8, 0, (size_t)table_rows(&source.k, d->table) * d->stride);
    struct saved s = save(&source, NULL, 0);
    struct section x = section_named(&s, column_def_name(d));
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(world_open(&target, NULL), LSCHED_OK);
    leave_out(&s, &x);
    if (image_load(&target.k, s.p, s.n, &err) != LSCHED_OK) fail_msg("%s", err.message);
    expect_equal(&source, &target);
    free(s.p);
    world_close(&source);
    world_close(&target);
}

static void older_images_get_defaults(void **unused) {
    (void)unused;
    size_t n = sizeof columns_with_default / sizeof columns_with_default[0];
    for (size_t i = 0; i < n; i++) check_default(columns_with_default[i]);
}

static void older_images_rank_jobs_by_priority(void **unused) {
    (void)unused;
    struct model_world source, target;
    open_full(&source);
    struct saved s = save(&source, NULL, 0);
    const char *const lacks[] = {counter_with_default, column_def_name(&column_defs[C_JOB_RANK])};
    for (size_t i = 0; i < 2; i++) {
        struct section x = section_named(&s, lacks[i]);
        leave_out(&s, &x);
    }
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(world_open(&target, NULL), LSCHED_OK);
    if (image_load(&target.k, s.p, s.n, &err) != LSCHED_OK) fail_msg("%s", err.message);
    expect_equal(&source, &target);
    free(s.p);
    world_close(&source);
    world_close(&target);
}

static void older_images_have_no_reservations(void **unused) {
    (void)unused;
    struct model_world source, target;
    open_full(&source);
    uint32_t node = world_node_named(&source, "powered");
    assert_int_equal(undo_begin(&source.k), LSCHED_OK);
    assert_int_equal(undo_room(&source.k), LSCHED_OK);
    absence_set(&source.k, node, 0, 0, 0);
    undo_end(&source.k);
    struct saved s = save(&source, NULL, 0);
    for (size_t i = 0; i < OF_RESERVATIONS; i++) {
        struct section x = section_named(&s, of_reservations[i]);
        leave_out(&s, &x);
    }
    for (uint32_t c = table_first[T_RESERVATION]; c < table_first[T_RESERVATION + 1]; c++) {
        struct section x = section_named(&s, column_def_name(&column_defs[c]));
        leave_out(&s, &x);
    }
    lsched_error err = LSCHED_ERROR_INIT;
    assert_int_equal(world_open(&target, NULL), LSCHED_OK);
    if (image_load(&target.k, s.p, s.n, &err) != LSCHED_OK) fail_msg("%s", err.message);
    assert_int_equal(meaning_hash(&target.k), meaning_hash(&source.k));
    free(s.p);
    world_close(&source);
    world_close(&target);
}

/* Each section left out, one by one, with sums that are right. */
static void an_image_that_lacks_anything_is_refused(void **unused) {
    (void)unused;
    struct model_world source, target;
    struct section x = {0};
    open_full(&source);
    assert_int_equal(world_open(&target, NULL), LSCHED_OK);
    uint64_t before = image_hash(&target.k);
    struct saved whole = save(&source, NULL, 0);
    uint32_t n = 0;
    for (; next_section(&whole, &x); n++) {
        lsched_error err = LSCHED_ERROR_INIT;
        if (has_default(x.head.name)) continue;
        struct saved s = save(&source, NULL, 0);
        leave_out(&s, &x);
        int32_t rc = image_load(&target.k, s.p, s.n, &err);
        if (rc != LSCHED_E_VERSION && rc != LSCHED_E_CORRUPT)
            fail_msg("without %s: %s", x.head.name, lsched_error_name(rc));
        if (rc == LSCHED_E_VERSION) assert_non_null(strstr(err.message, x.head.name));
        free(s.p);
    }
    assert_true(n > 100);
    assert_int_equal(image_hash(&target.k), before);
    free(whole.p);
    world_close(&source);
    world_close(&target);
}

static void serials_at_their_end_are_refused(void **unused) {
    (void)unused;
    static const char *const names[] = {"COUNTER.SERIAL",    "COUNTER.CYCLE",
                                        "COUNTER.STRUCTURE", "COUNTER.NODE_SET",
                                        "COUNTER.NOW",       "COUNTER.GROUP_SERIAL"};
    struct model_world source, target;
    open_full(&source);
    assert_int_equal(world_open(&target, NULL), LSCHED_OK);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct saved s = save(&source, NULL, 0);
        struct section x = section_named(&s, names[i]);
        uint64_t end = (uint64_t)LSCHED_AMOUNT_MAX;
        memcpy(s.p + x.payload, &end, sizeof end);
        sign_section(&s, &x);
        assert_int_equal(image_load(&target.k, s.p, s.n, NULL), LSCHED_E_CORRUPT);
        free(s.p);
    }
    world_close(&source);
    world_close(&target);
}

/* Each changes the image in one way, with checksums that are right. */
static void lie_rows(struct saved *s) {
    struct section x = section_named(s, "JOB.PRIORITY");
    x.head.rows--;
    sign_section(s, &x);
}

static void lie_stride(struct saved *s) {
    struct section x = section_named(s, "JOB.PRIORITY");
    x.head.stride *= 2;
    x.head.rows /= 2;
    sign_section(s, &x);
}

static void lie_type(struct saved *s) {
    struct section x = section_named(s, "JOB.PRIORITY");
    x.head.type = COL_U32;
    sign_section(s, &x);
}

static void lie_length(struct saved *s) {
    struct section x = section_named(s, "JOB.PRIORITY");
    x.head.rows = UINT64_MAX / 2;
    memcpy(s->p + x.at, &x.head, sizeof x.head);
}

static void lie_name(struct saved *s) {
    struct section x = section_named(s, "JOB.PRIORITY");
    memset(x.head.name, 'x', sizeof x.head.name);
    sign_section(s, &x);
}

static void lie_padding(struct saved *s) {
    struct section x = section_named(s, "BUNDLE.KIND");
    assert_int_not_equal(x.head.rows % 8, 0);
    s->p[x.end - 1] = 1;
}

static void lie_missing(struct saved *s) {
    cut_out(s, "JOB.NAME");
}

static void lie_twice(struct saved *s) {
    double_up(s, "JOB.PRIORITY", "JOB.PRIORITY");
}

static void lie_table(struct saved *s) { /* more rows than the bytes bear out */
    struct section x = section_named(s, "TABLE.JOB");
    uint64_t rows = UINT32_MAX - 1;
    memcpy(s->p + x.payload, &rows, sizeof rows);
    sign_section(s, &x);
}

static void lie_tail(struct saved *s) {
    s->p[s->n++] = 0;
    sign_header(s, 0);
}

static void lie_count(struct saved *s) {
    sign_header(s, 1);
}

static void lie_kind(struct saved *s) {
    struct section x = section_named(s, "NODE.FREE");
    x.head.kind = KINDS_MAX;
    sign_section(s, &x); /* not ours: FREE of kind 0 is missing, which is all zero anyway */
    cut_out(s, "KIND.NAME");
}

static void lie_format(struct saved *s) {
    s->p[8]++;
    sign_header(s, 0);
}

static void lie_semantics(struct saved *s) {
    s->p[12]++;
    sign_header(s, 0);
}

static void lie_magic(struct saved *s) {
    s->p[0]++;
    sign_header(s, 0);
}

static void sections_that_lie_are_refused(void **unused) {
    (void)unused;
    static void (*const lies[])(struct saved *) = {
        lie_rows,  lie_stride,  lie_type,   lie_length,    lie_padding,
        lie_twice, lie_table,   lie_tail,   lie_count,     lie_name,
        lie_kind,  lie_missing, lie_format, lie_semantics, lie_magic};
    size_t n = sizeof lies / sizeof lies[0];
    struct model_world source, target;
    open_full(&source);
    assert_int_equal(world_open(&target, NULL), LSCHED_OK);
    uint64_t before = image_hash(&target.k);
    for (size_t i = 0; i < n; i++) {
        struct saved s = save(&source, NULL, 0);
        lies[i](&s);
        int32_t rc = load_exact(&target, s.p, s.n, NULL);
        if (rc == LSCHED_OK) print_message("lie %zu was believed\n", i);
        assert_int_equal(rc, i < n - 5 ? LSCHED_E_CORRUPT : LSCHED_E_VERSION);
        assert_int_equal(image_hash(&target.k), before);
        free(s.p);
    }
    world_close(&source);
    world_close(&target);
}

/* Add to it and take all down again by the functions of the model: what was loaded and verified
 * must bear it. */
static void build_on(struct model_world *w) {
    uint32_t node, queue, job;
    struct job_form f = {.name = "built-on", .n_groups = 1, .groups = {{.max = 2, .min = 1}}};
    assert_int_equal(world_node(w, "built-on", 4000, 2, 1, "r1", &node), LSCHED_OK);
    assert_int_equal(world_queue(w, "built-on", NO_ROW, &queue), LSCHED_OK);
    f.queue = queue;
    assert_int_equal(world_job(w, &f, &job), LSCHED_OK);
    assert_int_equal(world_admit(w, job), LSCHED_OK);
    assert_int_equal(world_propose(w, job, 0, node, 1), LSCHED_OK);
    assert_int_equal(verify_state(&w->k, NULL), LSCHED_OK);
}

static void take_down(struct model_world *w) {
    for (uint32_t n = 0; n < table_rows(&w->k, T_NODE); n++)
        if (row_is_live(&w->k, T_NODE, n)) assert_int_equal(world_remove_node(w, n), LSCHED_OK);
    assert_int_equal(verify_state(&w->k, NULL), LSCHED_OK);
    for (uint32_t j = 0; j < table_rows(&w->k, T_JOB); j++)
        if (row_is_live(&w->k, T_JOB, j)) assert_int_equal(world_remove_job(w, j), LSCHED_OK);
    assert_int_equal(verify_state(&w->k, NULL), LSCHED_OK);
}

static void made_up_words_never_break_anything(void **unused) {
    (void)unused;
    struct model_world source, target;
    uint64_t seed = chance_seed(815);
    print_message("seed %llu\n", (unsigned long long)seed);
    struct chance c = {seed};
    uint32_t loaded = 0, sound = 0, rounds = chance_rounds(4000);
    open_full(&source);
    struct saved good = save(&source, NULL, 0);
    struct saved s = {malloc(1 << 20), good.n, 1 << 20};
    for (uint32_t i = 0; i < rounds; i++) {
        memcpy(s.p, good.p, good.n);
        for (uint32_t changes = 1 + chance_below(&c, 2); changes > 0; changes--) {
            struct section x = {0}, pick = {0};
            for (uint32_t skip = chance_below(&c, 300); next_section(&s, &x); skip--) {
                if (x.head.rows) pick = x;
                if (skip == 0) break;
            }
            size_t at = pick.payload +
                        (size_t)chance_below(&c, (uint32_t)pick.head.rows) * pick.head.stride;
            uint64_t word = chance_one_in(&c, 3)   ? chance_word(&c)
                            : chance_one_in(&c, 2) ? UINT32_MAX
                                                   : chance_below(&c, 20);
            memcpy(s.p + at, &word, pick.head.stride);
            sign_section(&s, &pick);
        }
        assert_int_equal(world_open(&target, NULL), LSCHED_OK);
        int32_t rc = image_load(&target.k, s.p, s.n, NULL);
        assert_true(rc == LSCHED_OK || rc == LSCHED_E_CORRUPT || rc == LSCHED_E_VERSION);
        loaded += rc == LSCHED_OK;
        if (rc == LSCHED_OK && verify_state(&target.k, NULL) == LSCHED_OK) {
            sound++;
            build_on(&target);
            take_down(&target);
        }
        world_close(&target);
    }
    print_message("of %u images, %u were well-formed and %u sound\n", rounds, loaded, sound);
    free(s.p);
    free(good.p);
    world_close(&source);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_copy_is_equal_and_goes_on_alike),
        cmocka_unit_test(a_copy_without_memory_changes_nothing),
        cmocka_unit_test(what_is_loaded_is_equal_and_goes_on_alike),
        cmocka_unit_test(a_writer_that_fails_ends_the_save),
        cmocka_unit_test(loading_without_memory_changes_nothing),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(every_flipped_bit_is_refused),
        cmocka_unit_test(unknown_sections_are_skipped),
        cmocka_unit_test(narrow_numbers_of_older_images_are_widened),
        cmocka_unit_test(other_numbers_are_refused),
        cmocka_unit_test(older_images_get_defaults),
        cmocka_unit_test(older_images_rank_jobs_by_priority),
        cmocka_unit_test(older_images_have_no_reservations),
        cmocka_unit_test(an_image_that_lacks_anything_is_refused),
        cmocka_unit_test(serials_at_their_end_are_refused),
        cmocka_unit_test(sections_that_lie_are_refused),
        cmocka_unit_test(made_up_words_never_break_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
