/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * slurm_compat.c -- slurmctld as the plug-in sees it: locks, one read of everything, and the few
 * calls that start, stop and describe jobs.
 *
 * Written for Slurm 22.05. What differs in other releases belongs here and in slurm_read.c.
 */
#include "slurm_compat.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/common/assoc_mgr.h"
#include "src/common/log.h"
#include "src/common/node_conf.h"
#include "src/common/read_config.h"
#include "src/common/slurm_protocol_api.h"
#include "src/common/slurm_protocol_defs.h"
#include "src/common/xmalloc.h"
#include "src/common/xstring.h"
#include "src/slurmctld/job_scheduler.h"
#include "src/slurmctld/locks.h"
#include "slurm_read.h"
#include "slurm_release.h"

static const slurmctld_lock_t locks[] = {
    [COMPAT_READ] = {READ_LOCK, READ_LOCK, READ_LOCK, READ_LOCK, NO_LOCK},
    [COMPAT_WRITE] = {READ_LOCK, WRITE_LOCK, WRITE_LOCK, READ_LOCK, READ_LOCK}};

void compat_lock(enum compat_lock kind) {
    lock_slurmctld(locks[kind]);
}

void compat_unlock(enum compat_lock kind) {
    unlock_slurmctld(locks[kind]);
}

bool compat_is_primary(void) {
    return !slurmctld_config.scheduling_disabled && !slurmctld_config.shutdown_time &&
           avail_node_bitmap && job_list;
}

int64_t compat_changed(void) {
    time_t latest = last_job_update;
    if (last_node_update > latest) latest = last_node_update;
    if (last_part_update > latest) latest = last_part_update;
    if (last_resv_update > latest) latest = last_resv_update;
    return latest;
}

bool compat_has_accounts(void) {
    return assoc_mgr_assoc_list != NULL && slurm_with_slurmdbd();
}

/* ---- parameters ---- */

char *compat_parameter(const char *name) {
    const char *at = slurm_conf.sched_params;
    size_t n = strlen(name);
    for (; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncasecmp(at, name, n) == 0 && at[n] == '=')
            return strndup(at + n + 1, strcspn(at + n + 1, ","));
    return NULL;
}

char *compat_config_folder(void) {
    const char *file = slurm_conf.slurm_conf ? slurm_conf.slurm_conf : "/etc/slurm/slurm.conf";
    const char *slash = strrchr(file, '/');
    return slash && slash != file ? strndup(file, (size_t)(slash - file)) : strdup(".");
}

/* The words that make slurmctld start nothing by itself, at the end of SchedulerParameters. */
#define OFF_WORDS "sched_interval=-1,defer,libsched_plans"

void compat_slurm_order(bool on) {
    slurmctld_lock_t conf = {.conf = WRITE_LOCK};
    lock_slurmctld(conf);
    char *at = slurm_conf.sched_params ? strstr(slurm_conf.sched_params, OFF_WORDS) : NULL;
    if (on && at) {
        while (at > slurm_conf.sched_params && at[-1] == ',') at--;
        *at = '\0';
    } else if (!on && !at) {
        const char *comma = slurm_conf.sched_params && *slurm_conf.sched_params ? "," : "";
        xstrfmtcat(slurm_conf.sched_params, "%s%s", comma, OFF_WORDS);
    }
    /* Slurm reads the parameters again when this time differs */
    if (on == (at != NULL)) slurm_conf.last_update++;
    unlock_slurmctld(conf);
}

void compat_slurm_cycle(void) {
    schedule(true);
}

void compat_log(const char *text) {
    info("libsched: %s", text);
}

void compat_error(const char *text) {
    error("libsched: %s", text);
}

/* ---- reading ---- */

static bool read_nodes(struct snapshot *snapshot, uint32_t *index) {
    snapshot->nodes =
        snapshot_alloc(&snapshot->arena, (size_t)node_record_count + 1, sizeof *snapshot->nodes);
    if (!snapshot->nodes) return false;
    for (int i = 0; i < node_record_count; i++) {
        node_record_t *record = node_record_table_ptr[i];
        if (!record || !record->name || IS_NODE_FUTURE(record)) continue;
        index[i] = snapshot->n_nodes;
        if (!read_node(&snapshot->arena, record, &snapshot->nodes[snapshot->n_nodes++]))
            return false;
    }
    return true;
}

#if RELEASE_HAS_SWITCHES
/* The switches above each node. A level that a node is not below has no name. */
static bool read_switches(struct snapshot *snapshot, const uint32_t *index) {
    uint32_t levels = 0;
    for (int s = 0; switch_record_table && s < switch_record_cnt; s++)
        if (switch_record_table[s].level >= (int)levels)
            levels = (uint32_t)switch_record_table[s].level + 1;
    snapshot->switch_levels = levels;
    for (uint32_t i = 0; levels && i < snapshot->n_nodes; i++) {
        struct snapshot_node *node = &snapshot->nodes[i];
        node->switches = snapshot_alloc(&snapshot->arena, levels, sizeof(char *));
        if (!node->switches) return false;
        node->n_switches = levels;
    }
    for (int s = 0; levels && s < switch_record_cnt; s++) {
        const switch_record_t *record = &switch_record_table[s];
        const char *name = snapshot_text(&snapshot->arena, record->name);
        if (!name) return false;
        for (bitoff_t i = 0; record->node_bitmap && i < bit_size(record->node_bitmap); i++)
            if (i < node_record_count && node_record_table_ptr[i] &&
                bit_test(record->node_bitmap, i))
                snapshot->nodes[index[i]].switches[record->level] = name;
    }
    return true;
}

#else
static bool read_switches(struct snapshot *snapshot, const uint32_t *index) {
    (void)index;
    snapshot->switch_levels = 0;
    return true;
}
#endif

static void read_reservations(struct snapshot *snapshot, const uint32_t *index) {
    if (!resv_list) return;
    time_t now = time(NULL);
    list_itr_t *each = list_iterator_create(resv_list);
    slurmctld_resv_t *resv;
    while ((resv = list_next(each))) {
        if (!resv->node_bitmap || resv->start_time > now || resv->end_time <= now) continue;
        const char *name = snapshot_text(&snapshot->arena, resv->name);
        for (bitoff_t i = 0; i < bit_size(resv->node_bitmap) && i < node_record_count; i++)
            if (bit_test(resv->node_bitmap, i) && node_record_table_ptr[i])
                snapshot->nodes[index[i]].reservation = name;
    }
    list_iterator_destroy(each);
}

static bool reservation_is_open(const job_record_t *record) {
    time_t now = time(NULL);
    if (!record->resv_name) return true;
    return record->resv_ptr && record->resv_ptr->start_time <= now &&
           record->resv_ptr->end_time > now;
}

static int part_is_up(void *part, void *unused) {
    (void)unused;
    return (((part_record_t *)part)->state_up & PARTITION_SCHED) != 0;
}

/* What keeps a waiting job back that is none of libsched's business. */
static void read_waiting(job_record_t *record, struct snapshot_job *job) {
    job_details_t *details = record->details;
    bool up = record->part_ptr_list
                  ? list_find_first(record->part_ptr_list, part_is_up, NULL) != NULL
                  : record->part_ptr && (record->part_ptr->state_up & PARTITION_SCHED);
    bool later = details->begin_time > time(NULL);
    job->described = record->state_desc != NULL;
    job->depends = details->depend_list && list_count(details->depend_list) > 0;
    job->begin_is_requeue = later && record->restart_cnt > 0 && record->priority != 0;
    job->state = record->priority == 0 || later || job->depends || !up || IS_JOB_REVOKED(record) ||
                         !reservation_is_open(record)
                     ? SNAPSHOT_SLURM
                     : SNAPSHOT_PENDING;
}

/* The waiting elements of an array share one record; the first ones become jobs of their own. */
static void read_elements(struct snapshot *snapshot, const job_record_t *record, uint32_t at,
                          uint32_t window) {
    job_array_struct_t *array = record->array_recs;
    uint32_t most = window, done = 0;
    if (array->max_run_tasks) {
        uint32_t left = array->max_run_tasks > array->tot_run_tasks
                            ? array->max_run_tasks - array->tot_run_tasks
                            : 0;
        if (left < most) most = left;
    }
    bool first = true;
    for (bitoff_t i = 0; i < bit_size(array->task_id_bitmap) && done < most; i++) {
        if (!bit_test(array->task_id_bitmap, i)) continue;
        struct snapshot_job *job = first ? &snapshot->jobs[at] : snapshot_add_job(snapshot);
        if (!job) return;
        if (!first) *job = snapshot->jobs[at];
        job->array_job = record->array_job_id;
        job->array_task = (uint32_t)i;
        first = false, done++;
    }
    if (first) snapshot->jobs[at].state = SNAPSHOT_SLURM; /* %N of the array is reached */
}

static void read_job(struct snapshot *snapshot, job_record_t *record, const uint32_t *index,
                     uint32_t window) {
    if (!record->details) return;
    if (!IS_JOB_PENDING(record) && !IS_JOB_RUNNING(record) && !IS_JOB_SUSPENDED(record) &&
        !IS_JOB_COMPLETING(record))
        return;
    struct snapshot_job *job = snapshot_add_job(snapshot);
    if (!job) return;
    uint32_t at = snapshot->n_jobs - 1;
    read_owner(&snapshot->arena, record, job);
    read_request(&snapshot->arena, record, job);
    if (IS_JOB_PENDING(record) && !IS_JOB_COMPLETING(record)) {
        read_waiting(record, job);
        if (record->array_recs && record->array_recs->task_id_bitmap &&
            record->array_recs->task_cnt > 0)
            read_elements(snapshot, record, at, window);
        return;
    }
    job->state = IS_JOB_PENDING(record) ? SNAPSHOT_REQUEUING : SNAPSHOT_RUNNING;
    job->n_shares = read_shares(&snapshot->arena, record, index, &job->shares);
    for (uint32_t i = 0; i < job->n_shares; i++) {
        struct snapshot_node *node = &snapshot->nodes[job->shares[i].node];
        node->used_cpus += job->shares[i].cpus;
        node->used_memory_mb += job->shares[i].memory_mb;
        node->used_gpus[0] |= job->shares[i].gpus[0];
        node->used_gpus[1] |= job->shares[i].gpus[1];
    }
}

bool compat_read(struct snapshot *snapshot, uint32_t window) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snapshot->now_us = (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
    uint32_t *index =
        snapshot_alloc(&snapshot->arena, (size_t)node_record_count + 1, sizeof *index);
    if (!index || !read_nodes(snapshot, index)) return false;
    if (snapshot->wants_accounts && !read_accounts(snapshot)) return false;
    if (!read_switches(snapshot, index)) return false;
    if (!read_licences(snapshot)) return false;
    read_reservations(snapshot, index);
    assoc_mgr_lock_t qos = {.qos = READ_LOCK};
    assoc_mgr_lock(&qos);
    list_itr_t *each = list_iterator_create(job_list);
    job_record_t *record;
    while ((record = list_next(each))) read_job(snapshot, record, index, window);
    list_iterator_destroy(each);
    assoc_mgr_unlock(&qos);
    return snapshot->skipped == 0;
}

/* ---- changing ---- */

static job_record_t *find(struct compat_job job) {
    return job.array_task == SNAPSHOT_NO_TASK ? find_job_record(job.job_id)
                                              : find_job_array_rec(job.job_id, job.array_task);
}

static bool is_shared_record(const job_record_t *record) {
    return record->array_recs && record->array_recs->task_id_bitmap &&
           record->array_recs->task_cnt > 0;
}

/* The bitmap of the nodes; NULL if one is not there or not ready. */
static bitstr_t *nodes_of(const struct compat_start *start) {
    bitstr_t *nodes = bit_alloc(node_record_count);
    for (uint32_t i = 0; nodes && i < start->n_nodes; i++) {
        node_record_t *node = find_node_record((char *)start->nodes[i]);
        if (node && bit_test(avail_node_bitmap, node->index)) {
            bit_set(nodes, node->index);
        } else {
            FREE_NULL_BITMAP(nodes);
        }
    }
    return nodes;
}

/* The partition of the job that has all the nodes becomes the one that it starts in. */
static bool choose_partition(job_record_t *record, bitstr_t *nodes) {
    if (!record->part_ptr_list)
        return record->part_ptr && bit_super_set(nodes, record->part_ptr->node_bitmap);
    bool found = false;
    list_itr_t *each = list_iterator_create(record->part_ptr_list);
    part_record_t *part;
    while (!found && (part = list_next(each))) {
        found = part_is_up(part, NULL) && bit_super_set(nodes, part->node_bitmap);
        if (found) record->part_ptr = part;
    }
    list_iterator_destroy(each);
    return found;
}

static bool still_startable(struct compat_start *start, job_record_t *record, bitstr_t *nodes) {
    const char *words = NULL;
    start->raced = true;
    start->later = false;
    if (!record || !IS_JOB_PENDING(record) || IS_JOB_COMPLETING(record) || record->priority == 0)
        words = "the job no longer waits";
    else if (!nodes)
        words = "a node is no longer available";
    else if (!job_independent(record))
        words = "the job waits for its begin time, another job or a reservation";
    else if (!choose_partition(record, nodes))
        words = "no partition of the job has all these nodes";
    if (words) snprintf(start->words, sizeof start->words, "%s", words);
    if (!words) start->raced = false;
    /* Slurm starts nothing on a node on which a job is on its way out */
    if (!words) start->later = bit_overlap_any(nodes, cg_node_bitmap);
    return !words && !start->later;
}

/* The part of a request that is narrowed for one start. */
struct narrowed {
    bitstr_t *excluded;
    uint32_t least, most, switches;
};

static void widen(job_record_t *record, const struct narrowed *before) {
    job_details_t *details = record->details;
    FREE_NULL_BITMAP(details->exc_node_bitmap);
    if (before->excluded) details->exc_node_bitmap = bit_copy(before->excluded);
    details->min_nodes = before->least, details->max_nodes = before->most;
    record->req_switch = before->switches;
}

/* Slurm chooses among the nodes that the request leaves: only ours are left. */
static int select_exactly(job_record_t *record, bitstr_t *nodes, uint32_t n) {
    job_details_t *details = record->details;
    struct narrowed before = {details->exc_node_bitmap, details->min_nodes, details->max_nodes,
                              record->req_switch};
    if (RELEASE_HAS_SWITCHES) record->req_switch = 0; /* libsched has looked at it */
    details->exc_node_bitmap = bit_copy(nodes);
    bit_not(details->exc_node_bitmap);
    details->min_nodes = details->max_nodes = n;
    int rc = release_select_nodes(record);
    widen(record, &before);
    FREE_NULL_BITMAP(before.excluded);
    return rc;
}

static bool holds_everywhere(int rc) {
    return rc == ESLURM_ACCOUNTING_POLICY || rc == ESLURM_INVALID_LICENSES ||
           rc == ESLURM_PARTITION_DOWN || rc == ESLURM_DEPENDENCY || rc == ESLURM_RESERVATION_BUSY;
}

static void refuse(struct compat_start *start, job_record_t *record, int rc) {
    snprintf(start->words, sizeof start->words, "Slurm: %s (%s)", slurm_strerror(rc),
             job_state_reason_string(record->state_reason));
    start->everywhere = holds_everywhere(rc);
}

/* Shares in the order of the nodes that were asked for. */
static void read_places(struct compat_start *start, job_record_t *record,
                        struct snapshot_arena *arena) {
    uint32_t *at = snapshot_alloc(arena, (size_t)node_record_count + 1, sizeof *at);
    if (!at) return;
    for (uint32_t i = 0; i < start->n_nodes; i++) {
        node_record_t *node = find_node_record((char *)start->nodes[i]);
        if (node) at[node->index] = i;
    }
    start->n_shares = read_shares(arena, record, at, &start->shares);
}

/* Elements that wait share one record, of which Slurm starts the first: whichever element is asked
 * for becomes a record of its own before. Returns false if it is no longer among them. */
static bool split_element(job_record_t *record, uint32_t element) {
    if (!is_shared_record(record)) return true;
    bitstr_t *waiting = record->array_recs->task_id_bitmap;
    if (element >= (uint32_t)bit_size(waiting) || !bit_test(waiting, (bitoff_t)element))
        return false;
    record->array_task_id = element;
    if (record->array_recs->task_cnt < 2 || release_array_split(record)) return true;
    record->array_task_id = NO_VAL;
    return false;
}

bool compat_start(struct compat_start *start, struct snapshot_arena *arena) {
    job_record_t *record = find(start->job);
    bitstr_t *nodes = nodes_of(start);
    if (!still_startable(start, record, nodes)) {
        FREE_NULL_BITMAP(nodes);
        return false;
    }
    if (!split_element(record, start->job.array_task)) {
        FREE_NULL_BITMAP(nodes);
        snprintf(start->words, sizeof start->words, "the element of the array no longer waits");
        start->raced = true;
        return false;
    }
    bool shared = is_shared_record(record);
    int limit = job_limits_check(&record, false);
    int rc = limit == WAIT_NO_REASON ? select_exactly(record, nodes, start->n_nodes)
                                     : ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE;
    FREE_NULL_BITMAP(nodes);
    last_job_update = time(NULL);
    if (rc != SLURM_SUCCESS) {
        if (limit != WAIT_NO_REASON) record->state_reason = (uint32_t)limit;
        refuse(start, record, rc);
        if (shared) record->array_task_id = NO_VAL;
        return false;
    }
    if (shared) release_array_started(record);
    xfree(record->state_desc);
    record->state_reason = WAIT_NO_REASON;
    rebuild_job_part_list(record);
    read_places(start, record, arena);
    if (!record->batch_flag)
        srun_allocate(record);
    else if (!IS_JOB_CONFIGURING(record))
        launch_job(record);
    return true;
}

/* A job that is stopped while its node launches it fails instead of waiting again. */
#define LAUNCH_SECONDS 3

void compat_warn(struct compat_job job) {
    job_record_t *record = find(job);
    if (!record || !IS_JOB_RUNNING(record)) return;
    (void)job_signal(record, SIGCONT, 0, 0, false);
    (void)job_signal(record, SIGTERM, 0, 0, false);
}

bool compat_requeue(struct compat_job job, bool *later, char *words, size_t capacity) {
    job_record_t *record = find(job);
    int rc = ESLURM_INVALID_JOB_ID;
    *later = record && IS_JOB_RUNNING(record) && record->start_time > time(NULL) - LAUNCH_SECONDS;
    if (*later) return false;
    if (record && IS_JOB_RUNNING(record)) rc = job_requeue(0, record->job_id, NULL, true, 0);
    if (rc != SLURM_SUCCESS) snprintf(words, capacity, "Slurm: %s", slurm_strerror(rc));
    return rc == SLURM_SUCCESS;
}

void compat_requeue_failed(struct compat_job job) {
    job_record_t *record = find(job);
    if (record && IS_JOB_FAILED(record) && !IS_JOB_COMPLETING(record))
        (void)job_requeue(0, record->job_id, NULL, true, 0);
}

void compat_eligible(struct compat_job job) {
    job_record_t *record = find(job);
    if (!record || !IS_JOB_PENDING(record) || IS_JOB_COMPLETING(record)) return;
    record->details->begin_time = time(NULL);
    last_job_update = time(NULL);
}

void compat_depends(struct compat_job job) {
    job_record_t *record = find(job);
    if (record && IS_JOB_PENDING(record)) (void)job_independent(record);
}

void compat_say(struct compat_job job, const char *text, int64_t start_us) {
    job_record_t *record = find(job);
    if (!record || !IS_JOB_PENDING(record)) return;
    if (start_us) record->start_time = (time_t)(start_us / 1000000);
    if (record->state_desc && strcmp(record->state_desc, text) == 0) return;
    xfree(record->state_desc);
    record->state_desc = xstrdup(text);
    record->state_reason = WAIT_RESOURCES;
    last_job_update = time(NULL);
}
