/* "Did you mean": the nearest known word, whatever the order in which words are offered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/suggest.h"

static const char *best_of(const char *text, const char *const *words) {
    struct suggest s;
    suggest_begin(&s, text, strlen(text));
    for (; *words; words++) suggest_offer(&s, *words, strlen(*words));
    return s.best;
}

static void typing_errors_find_their_word(void **unused) {
    (void)unused;
    static const char *const words[] = {"priority", "price", "waiting", "gpu",
                                        "gpu_free", "cpu",   "labels",  NULL};
    static const struct {
        const char *text, *word;
    } cases[] = {{"prority", "priority"}, {"pirority", "priority"}, {"prioritys", "priority"},
                 {"wating", "waiting"},   {"gpu_fee", "gpu_free"},  {"gpufree", "gpu_free"},
                 {"gup", "gpu"},          {"pric", "price"},        {"lable", "labels"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *got = best_of(cases[i].text, words);
        assert_non_null(got);
        assert_string_equal(got, cases[i].word);
    }
}

static void other_words_find_nothing(void **unused) {
    (void)unused;
    static const char *const words[] = {"priority", "gpu", "id", "", NULL};
    assert_null(best_of("memory", words));
    assert_null(best_of("x", words));
    assert_null(best_of("", words));
    assert_null(best_of("a-word-that-is-longer-than-any-that-we-know", words));
}

static void order_does_not_matter(void **unused) {
    (void)unused;
    static const char *const one[] = {"ab", "ac", "ad", NULL}, *const other[] = {"ad", "ac", "ab",
                                                                                 NULL};
    assert_string_equal(best_of("ax", one), "ab");
    assert_string_equal(best_of("ax", other), "ab");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(typing_errors_find_their_word),
        cmocka_unit_test(other_words_find_nothing),
        cmocka_unit_test(order_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
