/*
 * plan_json.c -- see plan_json.h. docs/cli.md describes the format. Later versions of the program
 * can add members, but do not change or remove any.
 */

#include "cli/plan/plan_json.h"

#include "cli/plan/plan_lines.h"
#include "cli/plan/plan_words.h"
#include "cli/policy/policy_listing.h"
#include "cli/plan/queue_table.h"
#include "cli/plan/reservation_table.h"
#include "cli/support/time_text.h"

enum { REASON_BYTES = 512 };

static void name_json(struct json *json, const char *key, const lsched_cluster *cluster,
                      lsched_id id) {
    size_t len = 0;
    const char *name = id != 0 ? lsched_name(cluster, id, &len) : NULL;
    if (name != NULL) {
        json_text(json, key, name, len);
    } else {
        json_null(json, key);
    }
}

static void mask_json(struct json *json, const char *key, uint32_t mask) {
    json_array(json, key, JSON_LINE);
    for (uint32_t i = 0; i < 32; i++)
        if ((mask >> i & 1) != 0) json_uint(json, NULL, i);
    json_close(json);
}

static void devices_json(struct json *json, const char *key, const uint64_t *device_words) {
    json_array(json, key, JSON_LINE);
    for (uint32_t i = 0; i < LSCHED_DEVICES_PER_NODE_MAX; i++)
        if (device_set_holds(device_words, i)) json_uint(json, NULL, i);
    json_close(json);
}

/* Writes the members that an orchestrator needs in addition to the devices to start the task: the
 * NUMA nodes to which it pins the task, the network cards, and the MIG instances. */
static void inside_json(struct json *json, const lsched_cluster *cluster,
                        const lsched_decision *decision) {
    bool mig = decision_is_mig(cluster, decision);
    mask_json(json, "numa", decision->numa_mask);
    mask_json(json, "nics", decision->nic_mask);
    json_uint(json, "alternative", decision->alternative);
    json_string(json, "mig", mig ? decision_profile(cluster, decision) : NULL);
    json_array(json, "starts", JSON_LINE);
    for (uint32_t i = 0; mig && i < LSCHED_MIG_INDEXES_MAX; i++)
        if (device_set_holds(decision->device_words, i))
            json_uint(json, NULL, decision_start(decision, i));
    json_close(json);
    mask_json(json, "repartition", decision->recut_mask);
    mask_json(json, "recut", decision->recut_mask); /* the old spelling of "repartition" */
}

static void decision_json(struct json *json, const lsched_cluster *cluster,
                          const lsched_decision *decision) {
    json_object(json, NULL, JSON_LINE);
    json_string(json, "kind", lsched_decision_kind_name(decision->kind));
    name_json(json, "job", cluster, decision->job);
    json_uint(json, "task", decision->task_index);
    json_uint(json, "group", decision->group_index);
    name_json(json, "node", cluster, decision->node);
    devices_json(json, "devices", decision->device_words);
    json_uint(json, "device_milli", decision->device_milli);
    json_int(json, "device_memory_bytes", decision->device_memory_bytes);
    json_uint(json, "bundle", decision->group);
    json_int(json, "at_us", decision->at_us);
    json_string(json, "reason", reason_word(decision->reason));
    name_json(json, "for_job", cluster, decision->for_job);
    name_json(json, "to_node", cluster, decision->to_node);
    json_int_unless(json, "cost", decision_stops(decision->kind) ? decision->cost : -1, -1);
    inside_json(json, cluster, decision);
    json_int_unless(json, "until_us", decision->until_us, LSCHED_NEVER_US);
    json_close(json);
}

/* Writes why the job could not start with the help of evictions. */
static void eviction_json(struct json *json, const lsched_cluster *cluster,
                          const lsched_waiting *waiting) {
    if (waiting->evict_code == LSCHED_NO_VICTIM_NOT_TRIED) {
        json_null(json, "eviction");
        return;
    }
    json_object(json, "eviction", JSON_LINE);
    json_string(json, "code", lsched_no_victim_name(waiting->evict_code));
    json_string(json, "resource",
                waiting->evict_kind != LSCHED_ANY_RESOURCE
                    ? lsched_resource_name(cluster, waiting->evict_kind)
                    : NULL);
    name_json(json, "queue", cluster, waiting->evict_queue);
    json_int(json, "need", waiting->evict_need);
    json_int(json, "have", waiting->evict_have);
    json_close(json);
}

void plan_json_waiting(struct json *json, const lsched_cluster *cluster,
                       const lsched_waiting *waiting) {
    char why[REASON_BYTES] = "";
    scenario_wait_text(cluster, waiting, why, sizeof why);
    json_string(json, "code", lsched_wait_name(waiting->code));
    name_json(json, "queue", cluster, waiting->queue);
    name_json(json, "job", cluster, waiting->job);
    json_uint(json, "jobs", waiting->jobs);
    json_string(json, "resource",
                waiting->kind != LSCHED_ANY_RESOURCE ? lsched_resource_name(cluster, waiting->kind)
                                                     : NULL);
    json_int(json, "need", waiting->need);
    json_int(json, "have", waiting->have);
    json_uint(json, "nodes_able", waiting->nodes_able);
    json_uint(json, "nodes_free", waiting->nodes_free);
    json_int_unless(json, "until_us", waiting->until_us, LSCHED_NEVER_US);
    name_json(json, "nearest_node", cluster, waiting->near_node);
    json_int_unless(json, "starts_us", waiting->starts_us, LSCHED_NEVER_US);
    name_json(json, "starts_after", cluster, waiting->starts_job);
    name_json(json, "limiting_queue", cluster, waiting->limiting_queue);
    eviction_json(json, cluster, waiting);
    json_string(json, "text", why);
}

/* Returns the wait record with the numbers after the cycle. The record in the plan has the numbers
 * of the moment at which the cycle tried the job. */
static lsched_waiting waiting_now(const lsched_scenario_cycle *cycle,
                                  const lsched_waiting *waiting) {
    lsched_waiting now = {.size = sizeof now};
    if (lsched_explain(cycle->cluster, waiting->job, NULL, 0, &now, NULL) < 0 ||
        now.code != waiting->code)
        return *waiting;
    now.jobs = waiting->jobs;
    now.queue = waiting->queue;
    return now;
}

static void add_flag(void *user, const char *word) {
    json_string(user, NULL, word);
}

static void head_json(struct json *json, const lsched_scenario_cycle *cycle,
                      const lsched_plan_info *info) {
    char now[TIME_TEXT_BYTES];
    lsched_policy_info policy = {.size = sizeof policy};
    lsched_policy_get(cycle->cluster, &policy, NULL);
    json_uint(json, "step", cycle->step);
    json_uint(json, "cycle", cycle->cycle);
    json_string(json, "now", time_format(cycle->now_us, now));
    json_int(json, "now_us", cycle->now_us);
    json_object(json, "policy", JSON_LINE);
    policy_json(json, &policy);
    json_close(json);
    json_hash(json, "plan_hash", info->plan_hash);
    json_array(json, "flags", JSON_LINE);
    plan_flag_words(info->flags, add_flag, json);
    json_close(json);
    const char *failure = lsched_plan_policy_error(cycle->plan);
    json_string(json, "policy_error", info->policy_error != LSCHED_OK ? failure : NULL);
    json_array(json, "policy_log", JSON_LINES);
    const char *line;
    for (size_t i = 0; (line = lsched_plan_log_at(cycle->plan, i)) != NULL; i++)
        json_string(json, NULL, line);
    json_close(json);
    json_int_unless(json, "next_wake_us", info->next_wake_us, LSCHED_NEVER_US);
    json_object(json, "work", JSON_LINE);
    json_uint(json, "spent", info->work_spent);
    json_uint(json, "jobs_tried", info->jobs_tried);
    json_uint(json, "nodes_scored", info->nodes_scored);
    json_uint(json, "steps", info->steps);
    json_uint(json, "policy_instructions", info->policy_instructions);
    json_uint(json, "searches_proven", info->searches_proven);
    json_uint(json, "searches_cut", info->searches_cut);
    json_close(json);
}

static void totals_json(struct json *json, const lsched_scenario_cycle *cycle) {
    struct plan_lines lines;
    size_t withdrawn = lsched_plan_withdrawn_size(cycle->plan);
    plan_lines_make(cycle, &lines);
    json_object(json, "totals", JSON_LINE);
    json_uint(json, "placed", lines.placed);
    json_uint(json, "nominated", lines.nominated);
    json_uint(json, "evicted", lines.evicted);
    json_uint(json, "moved", lines.moved);
    json_uint(json, "withdrawn", withdrawn);
    json_uint(json, "paused", lines.paused);
    json_uint(json, "swapped_out", lines.swapped_out);
    json_uint(json, "resumed", lines.resumed);
    json_uint(json, "checkpoints", lines.checkpoints);
    json_uint(json, "resizes", lines.resizes);
    json_uint(json, "warnings", lines.warnings);
    json_close(json);
    plan_lines_free(&lines);
}

void plan_json(struct json *json, const lsched_scenario_cycle *cycle) {
    lsched_plan_info info = {.size = sizeof info};
    lsched_plan_get(cycle->plan, &info, NULL);
    json_object(json, NULL, JSON_LINES);
    head_json(json, cycle, &info);
    totals_json(json, cycle);
    json_array(json, "decisions", JSON_LINES);
    for (size_t i = 0; i < lsched_plan_size(cycle->plan); i++) {
        decision_json(json, cycle->cluster, lsched_plan_at(cycle->plan, i));
    }
    json_close(json);
    json_array(json, "waiting", JSON_LINES);
    for (size_t i = 0; i < lsched_plan_waiting_size(cycle->plan); i++) {
        json_object(json, NULL, JSON_LINE);
        lsched_waiting waiting = waiting_now(cycle, lsched_plan_waiting_at(cycle->plan, i));
        plan_json_waiting(json, cycle->cluster, &waiting);
        json_close(json);
    }
    json_close(json);
    queue_table_json(json, cycle->cluster);
    reservation_table_json(json, cycle->cluster);
    json_close(json);
}
