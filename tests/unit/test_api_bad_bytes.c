/* test_api_bad_bytes.c -- wrong saved bytes and wrong policies: each is refused by name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <libsched/libsched.h>

#include "support/api_world.h"
#include "support/refused.h"

static int setup(void **state) {
    struct api_world *w = calloc(1, sizeof *w);
    *state = w;
    return w && api_world_make(w, NULL) == LSCHED_OK ? 0 : -1;
}

static int teardown(void **state) {
    struct api_world *w = *state;
    api_world_drop(w);
    free(w);
    return 0;
}

struct bytes {
    unsigned char *at;
    size_t n;
};

static int32_t append(void *user, const void *bytes, size_t n) {
    struct bytes *b = user;
    unsigned char *grown = realloc(b->at, b->n + n + 1);
    if (!grown) return 1;
    memcpy(grown + b->n, bytes, n);
    b->at = grown;
    b->n += n;
    return 0;
}

static int32_t refuse_to_write(void *user, const void *bytes, size_t n) {
    (void)user, (void)bytes, (void)n;
    return 1;
}

static void saved_bytes_that_are_broken(void **state) {
    struct api_world *w = *state;
    struct bytes saved = {NULL, 0};
    assert_int_equal(lsched_cluster_save(w->cluster, append, &saved, NULL), LSCHED_OK);
    REFUSED(w, LSCHED_E_STATE, "", lsched_cluster_save(w->cluster, refuse_to_write, NULL, &err));
    lsched_cluster *loaded = NULL;
    for (size_t n = 0; n < saved.n; n += 1 + n / 16) { /* cut short, in an exact block */
        unsigned char *cut = malloc(n ? n : 1);
        assert_non_null(cut);
        memcpy(cut, saved.at, n);
        assert_true(lsched_cluster_load(NULL, cut, n, &loaded, NULL) < 0);
        free(cut);
    }
    for (size_t i = 0; i < saved.n; i += 1 + saved.n / 500) {
        saved.at[i] ^= 0x10;
        lsched_error err = LSCHED_ERROR_INIT;
        int32_t code = lsched_cluster_load(NULL, saved.at, saved.n, &loaded, &err);
        if (code >= 0) { /* a byte that means nothing, between two sections */
            assert_true(api_image(loaded) == api_image(w->cluster));
            lsched_cluster_destroy(loaded);
            loaded = NULL;
        } else if ((code != LSCHED_E_CORRUPT && code != LSCHED_E_VERSION) || !err.message[0]) {
            fail_msg("byte %zu of %zu changed: %s", i, saved.n, lsched_error_name(code));
        }
        saved.at[i] ^= 0x10;
    }
    assert_null(loaded);
    assert_int_equal(lsched_cluster_load(NULL, saved.at, saved.n, &loaded, NULL), LSCHED_OK);
    assert_true(api_image(loaded) == api_image(w->cluster));
    lsched_cluster_destroy(loaded);
    free(saved.at);
}

static int32_t load_text(struct api_world *w, const char *text, lsched_error *err) {
    return lsched_policy_load(w->cluster, LSCHED_TEXT("mine.lua"), lsched_cstr(text), NULL, err);
}

static void policy_that_does_not_load(void **state) {
    struct api_world *w = *state;
    REFUSED(w, LSCHED_E_SYNTAX, "mine.lua", load_text(w, "return {", &err));
    REFUSED(w, LSCHED_E_KEY, "prioritty", load_text(w, "return { api = 1, prioritty = 3 }", &err));
    REFUSED(w, LSCHED_E_TYPE, "priority", load_text(w, "return { api = 1, priority = 3 }", &err));
    REFUSED(
        w, LSCHED_E_NOENT, "moon",
        lsched_policy_load(w->cluster, LSCHED_TEXT("moon"), (lsched_text){NULL, 0}, NULL, &err));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(saved_bytes_that_are_broken),
        TEST(policy_that_does_not_load),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
