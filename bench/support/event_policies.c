/* event_policies.c -- see event_policies.h. */
#include "support/event_policies.h"

#include <string.h>

static const char *const allocate_alone =
    "return { api = 1, name = 'allocate', fair_share = 'drf', placement = 'binpack',\n"
    "  pipeline = { 'allocate' } }\n";

/* The policies of the laws with the action evict-overdue at the end of their pipelines. */
static const struct {
    const char *name, *text;
} with_overdue[] = {
    {"allocate", "return { api = 1, name = 'allocate', fair_share = 'drf', placement = 'binpack',\n"
                 "  pipeline = { 'allocate', 'evict-overdue' } }\n"},
    {"drf", "return { api = 1, name = 'drf', fair_share = 'drf', placement = 'binpack',\n"
            "  pipeline = { 'allocate', 'drain', 'reclaim', 'evict-overdue' } }\n"},
    {"guaranteed-quota",
     "return { api = 1, name = 'guaranteed-quota', fair_share = 'quota', placement = 'binpack',\n"
     "  pipeline = { 'allocate', 'drain', 'consolidate', 'reclaim', 'preempt',\n"
     "    'evict-stale-gangs', 'evict-overdue' } }\n"}};

const char *event_policy_text(const struct event_size *size, const char *name) {
    if (!size->overdue) return size->policy ? NULL : allocate_alone;
    for (size_t i = 0; i < sizeof with_overdue / sizeof with_overdue[0]; i++)
        if (strcmp(with_overdue[i].name, name) == 0) return with_overdue[i].text;
    return NULL;
}
