/* old_names.c -- see old_names.h. */
#include "config/read/old_names.h"

#include <string.h>

const struct old_name old_names[OLD_NAMES] = {
    {"collision", "memory-pressure"},
    {"leaving", "releasing"},
    {"waits", "waiting"},
    {"collision", "memory_pressure"},
    {"cores", "sm_count"},
    {"deal", "assignment"},
    {"gpu_cores", "gpu_sm_count"},
    {"hold", "not_lent"},
    {"models", "resource_parts"},
    {"recut", "repartition"},
    {"share", "sharing"},
    {"slices", "task_blocks"},
    {"spread", "topology_spread"},
    {"used_core", "non_preemptible_use"},
};

static int is_known_name(const char *text, name_candidate_fn candidate, const void *user) {
    const char *name;
    for (size_t i = 0; (name = candidate(user, i)) != NULL; i++)
        if (strcmp(name, text) == 0) return 1;
    return 0;
}

const struct old_name *old_name_find(const char *text, name_candidate_fn candidate,
                                     const void *user) {
    for (size_t i = 0; i < OLD_NAMES; i++)
        if (strcmp(old_names[i].old, text) == 0 && is_known_name(old_names[i].now, candidate, user))
            return is_known_name(text, candidate, user) ? NULL : &old_names[i];
    return NULL;
}

const char *old_name_word(const char *word) {
    for (size_t i = 0; i < OLD_WORDS; i++)
        if (strcmp(old_names[i].old, word) == 0) return old_names[i].now;
    return word;
}
