/*
 * random_claims.h -- devices with attributes, and tasks with claims and alternatives, for hosts that do anything.
 */
#ifndef TESTS_RANDOM_CLAIMS_H
#define TESTS_RANDOM_CLAIMS_H

#include <libsched/libsched.h>
#include <string.h>

#include "property/chance.h"

enum { RANDOM_ALTERNATIVES = 3 };

/* Up to two attributes; one that a number, a truth or a text may be. */
static inline void random_claim_device(struct chance *c, lsched_device_desc *d) {
    static const lsched_label sets[][2] = {
        {{{"gen", 3}, {"3", 1}}, {{"root", 4}, {"a", 1}}},
        {{{"gen", 3}, {"4.5", 3}}, {{"root", 4}, {"b", 1}}},
        {{{"gen", 3}, {"new", 3}}, {{"root", 4}, {"a", 1}}},
        {{{"root", 4}, {"b", 1}}, {{"gen", 3}, {"true", 4}}},
    };
    d->attributes = sets[chance_below(c, 4)];
    d->n_attributes = chance_below(c, 3);
}

/* Attributes that may be absent are named so that nobody is refused for them; a wrong type excludes later classes, and is not told of
 * earlier ones by a comparison with ==. */
static inline void random_claim_request(struct chance *c, lsched_device_request *q) {
    static const char *const selectors[] = {
        "device.memory >= 40",
        "device.memory < 80 and device.mode == 'whole'",
        "device.model:starts_with('H')",
        "device.attributes['root'] == 'a'",
        "device.attributes['gen'] ~= nil and device.memory > 0",
        "not (device.model == 'A100') or device.attributes['root'] == 'b'",
        "type(device.attributes['gen']) == 'number' and device.attributes['gen'] > 3",
    };
    static const lsched_text names[] = {{"model", 5}, {"memory", 6}, {"mode", 4}, {"sm_count", 8}};
    static const lsched_text models[] = {{"A100", 4}, {"H100", 4}};
    lsched_init(q, sizeof *q);
    q->devices = 1 + chance_below(c, 4);
    if (chance_one_in(c, 3)) q->share_milli = chance_between(c, 1, 4) * 250;
    if (!chance_one_in(c, 3)) {
        q->selector = lsched_cstr(selectors[chance_below(c, sizeof selectors / sizeof *selectors)]);
        q->selector.len = strlen(q->selector.ptr);
    }
    if (chance_one_in(c, 3)) {
        q->match = &names[chance_below(c, 4)];
        q->n_match = 1;
    } else if (chance_one_in(c, 6)) {
        q->distinct = &names[chance_below(c, 2)];
        q->n_distinct = 1;
    }
    if (chance_one_in(c, 3)) {
        q->models = &models[chance_below(c, 2)];
        q->n_models = 1;
    }
}

#endif
