/* plan_words.c -- see plan_words.h. */
#include "cli/plan/plan_words.h"

#include <stddef.h>
#include <stdlib.h>

#include <libsched/scenario.h>

#include "cli/support/cli_errors.h"

bool decision_stops(uint32_t kind) {
    return kind == LSCHED_DECIDE_EVICT || kind == LSCHED_DECIDE_MIGRATE ||
           kind == LSCHED_DECIDE_CHECKPOINT;
}

bool device_set_holds(const uint64_t *device_words, uint32_t device) {
    return (device_words[device / 64] >> device % 64 & 1) != 0;
}

uint32_t decision_devices(const lsched_decision *decision) {
    int32_t n = lsched_device_list(decision->device_words, NULL, 0, NULL);
    return n > 0 ? (uint32_t)n : 0;
}

bool decision_is_mig(const lsched_cluster *cluster, const lsched_decision *decision) {
    lsched_mig_instance_info instance = {.size = sizeof instance};
    for (uint32_t i = 0; i < LSCHED_MIG_INDEXES_MAX; i++) {
        uint64_t cursor = 0;
        if (device_set_holds(decision->device_words, i) &&
            lsched_mig_instances_next(cluster, decision->node, i, &cursor, &instance, NULL) == 1)
            return true;
    }
    return decision->device_starts != 0;
}

uint32_t decision_start(const lsched_decision *decision, uint32_t device) {
    return device < LSCHED_MIG_INDEXES_MAX
               ? (uint32_t)(decision->device_starts >> (4 * device) & 15)
               : 0;
}

/* The function looks only at the first device of the decision, because the instances on all devices
 * have the same profile. For a nomination the function returns NULL. The reason is that the device
 * of a nomination can still have instances of other tasks, and the instance at the nominated slice
 * can then have another profile. */
const char *decision_profile(const lsched_cluster *cluster, const lsched_decision *decision) {
    lsched_mig_instance_info instance = {.size = sizeof instance};
    uint64_t cursor = 0;
    uint32_t first = 0;
    while (first < LSCHED_MIG_INDEXES_MAX && !device_set_holds(decision->device_words, first))
        first++;
    if (first == LSCHED_MIG_INDEXES_MAX || decision->kind == LSCHED_DECIDE_NOMINATE) return NULL;
    while (lsched_mig_instances_next(cluster, decision->node, first, &cursor, &instance, NULL) == 1)
        if (instance.start == decision_start(decision, first)) return instance.profile.ptr;
    return NULL;
}

const char *reason_word(uint32_t reason) {
    return reason == LSCHED_FOR_NONE ? NULL : lsched_reason_name(reason);
}

void plan_flag_words(uint32_t flags, void (*flag)(void *user, const char *word), void *user) {
    static const struct {
        uint32_t bit;
        const char *word;
    } words[] = {
        {LSCHED_PLAN_PARTIAL, "partial"},
        {LSCHED_PLAN_INTERRUPTED, "interrupted"},
        {LSCHED_PLAN_POLICY_FAILED, "policy-failed"},
        {LSCHED_PLAN_POLICY_EJECTED, "policy-ejected"},
        {LSCHED_PLAN_VERIFIED, "verified"},
        {LSCHED_PLAN_POLICY_NOT_DETERMINISTIC, "policy-not-deterministic"},
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if ((flags & words[i].bit) != 0) flag(user, words[i].word);
    }
}

lsched_text name_of(const lsched_cluster *cluster, lsched_id id) {
    size_t len = 0;
    const char *name = id != 0 ? lsched_name(cluster, id, &len) : NULL;
    return name != NULL ? (lsched_text){name, len} : (lsched_text){"?", 1};
}

void scenario_wait_text(const lsched_cluster *cluster, const lsched_waiting *waiting, char *buf,
                        size_t cap) {
    int64_t len = lsched_waiting_text(cluster, waiting, NULL, 0, NULL);
    if (cap > 0) buf[0] = '\0';
    if (len < 0) return;
    char *own = must_alloc((size_t)len + 1);
    own[0] = '\0';
    lsched_waiting_text(cluster, waiting, own, (size_t)len + 1, NULL);
    lsched_scenario_words(lsched_cstr(own), buf, cap);
    free(own);
}

char *scenario_words(const char *text) {
    lsched_text own = lsched_cstr(text);
    size_t bytes = (size_t)lsched_scenario_words(own, NULL, 0) + 1;
    char *words = must_alloc(bytes);
    lsched_scenario_words(own, words, bytes);
    return words;
}

bool cluster_has_gpus(const lsched_cluster *cluster) {
    uint64_t cursor = 0;
    lsched_id id;
    while ((id = lsched_next(cluster, LSCHED_KIND_NODE, &cursor)) != 0) {
        lsched_node_info info = {.size = sizeof info};
        if (lsched_node_get(cluster, id, &info, NULL) == LSCHED_OK && info.gpu_milli > 0)
            return true;
    }
    return false;
}
