/*
 * What packers do on random problems is what tests/pack/recorded.txt says: work, states of the
 * programme, weight left out, price, bound, who found the plan, and a hash of all places. Other
 * tests of packing say that a plan is one and that a bound is one; a search that got worse, or that
 * counts its work wrongly, passes them.
 *
 * A change that is wanted rewrites the table: LSCHED_RECORD=1 and this program. Look at why each
 * line changed, and whether prices rose.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/hash.h"
#include "property/chance.h"
#include "support/pack_random.h"

enum { SMALL = 360, LARGE = 24, ITEMS_SMALL = 36, ITEMS_LARGE = 90, LINE = 200 };

static lsched_pack_place places[3 * ITEMS_LARGE];

static uint64_t hash_of_places(size_t n) {
    uint64_t h = n;
    for (size_t i = 0; i < n; i++) {
        const lsched_pack_place *p = &places[i];
        h = hash_mix(h, (uint64_t)p->bin << 32 | p->config);
        h = hash_mix(h, (uint64_t)p->start_us);
        h = hash_mix(h, (uint64_t)p->end_us);
        h = hash_mix(h, (uint64_t)p->slice << 32 | p->flags);
    }
    return h;
}

/* One line of the table. Half of the problems are run in two parts. */
static void record(uint32_t k, char line[LINE]) {
    struct pack_random r;
    lsched_error err = LSCHED_ERROR_INIT;
    lsched_packer *packer = NULL;
    lsched_pack_info info = {.size = sizeof info};
    uint32_t large = k >= SMALL, items = large ? ITEMS_LARGE : 2 + k % (ITEMS_SMALL - 1);
    uint32_t method =
        large ? (k % 2 ? LSCHED_PACK_METHOD_BOUND : LSCHED_PACK_METHOD_AUTO) : k / 3 % 6;
    if (method == LSCHED_PACK_METHOD_EXACT) items = 1 + k / 18 % LSCHED_PACK_EXACT_MAX;
    uint64_t work = large ? 400000 : 60000, seed = 77000 + k;
    pack_random_make(&r, seed, items, pack_random_features(seed, PACK_RANDOM_ALL));
    r.opts.method = method;
    if (lsched_packer_create(&r.problem, &r.opts, &packer, &err) != 0)
        fail_msg("problem %u: %s", k, err.message);
    if (k % 2) assert_true(lsched_packer_run(packer, work / 3, &err) >= 0);
    assert_true(lsched_packer_run(packer, work, &err) >= 0);
    assert_int_equal(lsched_packer_get(packer, &info, &err), 0);
    int64_t n = lsched_packer_places(packer, places, sizeof places / sizeof *places, &err);
    assert_true(n >= 0);
    snprintf(line, LINE, "%u %u %llu %llu %llu %lld %lld %lld %u %u %u %u %u %016llx", k,
             r.opts.method, (unsigned long long)info.work, (unsigned long long)info.states,
             (unsigned long long)info.pruned, (long long)info.left_out_weight,
             (long long)info.compared_micro, (long long)info.lower_bound_micro,
             info.lower_bound_bins, info.bound, info.method, info.proved, info.bins,
             (unsigned long long)hash_of_places((size_t)n));
    lsched_packer_destroy(packer);
    pack_random_free(&r);
}

static const char path[] = "tests/pack/recorded.txt";
static const char head[] =
    "# problem method work states pruned left_out compared bound bound_bins by found_by proved bins "
    "places";

static void test_packers_do_what_is_recorded(void **unused) {
    (void)unused;
    int is_new = chance_variable("LSCHED_RECORD", 0) != 0;
    FILE *file = fopen(path, is_new ? "w" : "r");
    char line[LINE], want[LINE];
    uint32_t differ = 0;
    if (!file) fail_msg("%s: cannot be opened; expected the root of the source tree", path);
    if (is_new) fprintf(file, "%s\n", head);
    if (!is_new) assert_non_null(fgets(want, LINE, file));
    for (uint32_t k = 0; k < SMALL + LARGE; k++) {
        record(k, line);
        if (is_new) {
            fprintf(file, "%s\n", line);
            continue;
        }
        if (!fgets(want, LINE, file)) fail_msg("%s: ends before problem %u", path, k);
        want[strcspn(want, "\n")] = 0;
        if (strcmp(line, want) == 0) continue;
        if (differ++ < 5) print_error("recorded: %s\n     now: %s\n", want, line);
    }
    fclose(file);
    if (differ) fail_msg("%u of %d lines of %s differ", differ, SMALL + LARGE, path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_packers_do_what_is_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
