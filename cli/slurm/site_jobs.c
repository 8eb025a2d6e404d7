/* site_jobs.c -- see site_jobs.h. */
#include "cli/slurm/site_jobs.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/support/cli_errors.h"

enum { ARRAY_WINDOW = 100 }; /* most waiting elements of one array, as the plug-in has it */

struct job_reader {
    struct site *site;
    const char *file;
    const struct record *record;
    struct site_job *job;
};

/* ---- values ---- */

static void remark_value(struct job_reader *r, const char *keys, const char *text, uint32_t line,
                         const char *expected) {
    site_remark(r->site, r->file, line, "job %s: %.*s: expected %s, got '%.*s'; it is ignored",
                r->job->id, (int)strcspn(keys, "|"), keys, expected, RECORD_WORD_SHOWN, text);
}

/* Reads a number. Newer JSON has numbers as objects {set, infinite, number}; the reader of JSON
 * makes fields such as "cpus.number" of them. "4:0:*:*" and "2-4" are read up to ':' or '-'. */
static int64_t number(struct job_reader *r, const char *keys) {
    uint32_t line = r->record->line;
    const char *text = record_find(r->record, keys, &line);
    char head[32];
    int64_t value = 0;
    if (text == NULL) return 0;
    size_t len = strcspn(text, ":-");
    if (len < sizeof head) {
        memcpy(head, text, len);
        head[len] = '\0';
        if (slurm_number(head, &value) || strcmp(head, "*") == 0) return value;
    }
    remark_value(r, keys, text, line, "a number");
    return 0;
}

static int64_t mebibytes(struct job_reader *r, const char *keys) {
    uint32_t line = r->record->line;
    int64_t value = 0;
    const char *text = record_find(r->record, keys, &line);
    if (text == NULL || strcmp(text, "UNLIMITED") == 0) return 0;
    if (slurm_mebibytes(text, &value)) return value;
    remark_value(r, keys, text, line, "an amount of memory");
    return 0;
}

static int64_t time_of(struct job_reader *r, const char *keys) {
    uint32_t line = r->record->line;
    int64_t value = 0;
    const char *text = record_find(r->record, keys, &line);
    if (text == NULL || slurm_time(text, &value)) return value;
    remark_value(r, keys, text, line, "a time such as 2026-01-05T08:30:00");
    return 0;
}

static int64_t limit_of(struct job_reader *r) {
    const char *keys = "TimeLimit|time_limit.number|time_limit";
    uint32_t line = r->record->line;
    int64_t value = SLURM_UNLIMITED;
    const char *infinite = record_find(r->record, "time_limit.infinite", NULL);
    const char *text = record_find(r->record, keys, &line);
    if (text == NULL || strcmp(text, "Partition_Limit") == 0) return SLURM_UNLIMITED;
    if (infinite != NULL && strcmp(infinite, "true") == 0) return SLURM_UNLIMITED;
    if (!slurm_duration(text, &value)) remark_value(r, keys, text, line, "a duration");
    return value > SLURM_SECONDS_MAX ? SLURM_UNLIMITED : value;
}

static const char *text_of(struct job_reader *r, const char *keys) {
    return site_text(r->site, record_find(r->record, keys, NULL));
}

static bool is_yes(struct job_reader *r, const char *keys, bool preset) {
    const char *text = record_find(r->record, keys, NULL);
    if (text == NULL) return preset;
    return strcmp(text, "1") == 0 || strcmp(text, "true") == 0;
}

/* Returns the value of a field also if it is "none", which has a meaning here. */
static const char *exclusive_of(struct job_reader *r) {
    for (size_t i = 0; i < r->record->n; i++) {
        const char *key = record_key(r->record, i), *value = record_value(r->record, i);
        if (strcmp(key, "OverSubscribe") == 0 || strcmp(key, "Shared") == 0) {
            if (strcmp(value, "NO") == 0 || strcmp(value, "EXCLUSIVE") == 0) return "node";
            if (strcmp(value, "USER") == 0) return "user";
            if (strcmp(value, "MCS") == 0) return "mcs";
        } else if (strcmp(key, "shared") == 0 || strcmp(key, "exclusive") == 0) {
            if (strcmp(value, "none") == 0 || strcmp(value, "true") == 0) return "node";
            if (strcmp(value, "user") == 0) return "user";
            if (strcmp(value, "mcs") == 0) return "mcs";
        }
    }
    return NULL;
}

/* ---- what the job asks for ---- */

/* "NumNodes=2-4" names a number of nodes; "NumNodes=2" of a waiting job is Slurm's estimate. */
static void read_nodes_count(struct job_reader *r, bool pending) {
    struct site_job *job = r->job;
    const char *text = record_find(r->record, "NumNodes", NULL);
    const char *dash = text != NULL ? strchr(text, '-') : NULL;
    int64_t most = number(r, "max_nodes.number|max_nodes"), asked = 0;
    if (dash != NULL && !slurm_number(dash + 1, &most)) most = 0;
    struct slurm_part name, type;
    int64_t count = 0;
    int rc = 0;
    for (const char *at = job->tres_asked != NULL ? job->tres_asked : "";
         (rc = slurm_next_tres(&at, &name, &type, &count)) != 0;) {
        if (rc < 0) continue; /* such as an energy of 2^64 - 2 */
        if (slurm_part_is(name, "node")) asked = count;
        if (slurm_part_is(name, "cpu")) job->cpus = count;
    }
    if (pending && most > 0) {
        job->nodes_min = asked > 0 && asked <= most ? asked : most;
        job->nodes_max = most;
    }
}

static void read_request(struct job_reader *r, bool pending) {
    struct site_job *job = r->job;
    job->tres_asked = text_of(r, "ReqTRES|TRES|tres_req_str");
    job->cpus = number(r, "NumCPUs|cpus.number|cpus");
    read_nodes_count(r, pending);
    job->tasks = number(r, "NumTasks|tasks.number|tasks");
    job->cpus_task = number(r, "CPUs/Task|cpus_per_task.number|cpus_per_task");
    job->tasks_node = number(r, "NtasksPerN:B:S:C|tasks_per_node.number|tasks_per_node");
    job->cpus_node = number(r, "MinCPUsNode|minimum_cpus_per_node.number|minimum_cpus_per_node");
    job->memory_cpu_mb = mebibytes(r, "MinMemoryCPU|memory_per_cpu.number|memory_per_cpu");
    job->memory_node_mb = mebibytes(r, "MinMemoryNode|memory_per_node.number|memory_per_node");
    job->tres_node = text_of(r, "TresPerNode|tres_per_node");
    job->tres_job = text_of(r, "TresPerJob|tres_per_job");
    job->tres_task = text_of(r, "TresPerTask|tres_per_task");
    job->tres_socket = text_of(r, "TresPerSocket|tres_per_socket");
    job->features = text_of(r, "Features|features");
    job->only_nodes = text_of(r, "ReqNodeList|required_nodes");
    job->not_nodes = text_of(r, "ExcNodeList|excluded_nodes");
    job->licenses = text_of(r, "Licenses|licenses");
    job->switches = text_of(r, "Switches|required_switches.number|required_switches");
    job->reservation = text_of(r, "Reservation|resv_name");
    job->burst_buffer = text_of(r, "BurstBuffer|burst_buffer");
    job->exclusive = exclusive_of(r);
    job->contiguous = is_yes(r, "Contiguous|contiguous", false);
    job->requeue = is_yes(r, "Requeue|requeue", true);
    job->batch = is_yes(r, "BatchFlag|batch_flag", true);
    const char *het = record_find(r->record, "HetJobId|het_job_id.number|het_job_id", NULL);
    job->het = het != NULL && strcmp(het, "0") != 0;
}

/* ---- what becomes of it ---- */

static bool starts_with(const char *text, const char *start) {
    return strncmp(text, start, strlen(start)) == 0;
}

/* Reasons with which Slurm's own scheduler could start the job. All others are holds of Slurm. */
static bool may_start(const char *reason) {
    static const char *const reasons[] = {"Resources", "Priority",  "Licenses", "ReqNodeNotAvail",
                                          "Nodes_req", "Nodes req", "Assoc",    "QOS",
                                          "MaxCpu",    "MaxMem",    "MaxGRES",  "NodeDown"};
    if (reason == NULL) return true;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++) {
        if (starts_with(reason, reasons[i])) return true;
    }
    return false;
}

static const char *option_without_image(const struct site_job *job) {
    if (job->het) return "of heterogeneous jobs (':')";
    if (job->exclusive != NULL && strcmp(job->exclusive, "user") == 0) return "--exclusive=user";
    if (job->exclusive != NULL && strcmp(job->exclusive, "mcs") == 0) return "--exclusive=mcs";
    if (job->contiguous) return "--contiguous";
    if (job->burst_buffer != NULL) return "--bb";
    if (job->tres_socket != NULL) return "--gpus-per-socket";
    if (job->features != NULL && strpbrk(job->features, "[]()*") != NULL)
        return "--constraint with brackets, counts or parentheses";
    return NULL;
}

/* States of jobs that ended, or that are no jobs for a scheduler yet or any more. */
static bool is_over(const char *state) {
    static const char *const states[] = {
        "COMPLETED", "CANCELLED",     "FAILED",    "TIMEOUT",      "NODE_FAIL",
        "PREEMPTED", "BOOT_FAIL",     "DEADLINE",  "OUT_OF_ME",    "SPECIAL_EXIT",
        "REVOKED",   "LAUNCH_FAILED", "REQUEUE",   "RESV_DEL",     "RECONFIG_FAIL",
        "RESIZING",  "SIGNALING",     "STAGE_OUT", "POWER_UP_NODE"};
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++)
        if (starts_with(state, states[i])) return true;
    return false;
}

static void set_fate(struct site *site, struct site_job *job) {
    const char *state = job->state != NULL ? job->state : "";
    job->fate = SITE_ENDED;
    if (starts_with(state, "RUNNING") || starts_with(state, "COMPLETING") ||
        starts_with(state, "SUSPENDED") || starts_with(state, "STOPPED") ||
        starts_with(state, "CONFIGURING")) {
        job->fate = SITE_RUNS;
    } else if (starts_with(state, "PENDING") || starts_with(state, "REQUEUED")) {
        const char *option = option_without_image(job);
        job->fate = !may_start(job->reason) ? SITE_SLURM_HOLDS
                    : option != NULL        ? SITE_NO_IMAGE
                                            : SITE_WAITS;
        job->why = job->reason;
        if (job->fate == SITE_NO_IMAGE) site_job_no_image(site, job, option);
    } else if (!is_over(state)) {
        site_remark(
            site, job->file, job->line,
            "job %s: JobState: expected a state of Slurm, got %s%.*s%s; the job is left out",
            job->id, job->state != NULL ? "'" : "nothing", RECORD_WORD_SHOWN, state,
            job->state != NULL ? "'" : "");
    }
    if (job->fate == SITE_WAITS && job->partitions == NULL) {
        job->fate = SITE_ENDED;
        site_remark(site, job->file, job->line,
                    "job %s: expected a Partition, which Slurm writes for every job; is the file "
                    "whole? The job is left out, because it could start on any node",
                    job->id);
    }
}

/* ---- arrays ---- */

/* Returns the N of "1-20%N": how many elements may run at a time. 0: all. */
static int64_t throttle_of(const char *tasks) {
    const char *percent = strchr(tasks, '%');
    int64_t n = 0;
    return percent != NULL && slurm_number(percent + 1, &n) ? n : 0;
}

/* Reads the next range of "4-20:2,30%3". Returns false at the end. */
static bool next_range(const char **at, int64_t range[3]) {
    if (**at == ',') ++*at;
    range[0] = range[1] = 0;
    range[2] = 1;
    int part = 0;
    bool any = false;
    for (; **at != '\0' && **at != ',' && **at != '%'; ++*at) {
        char c = **at;
        if ((c == '-' && part == 0) || (c == ':' && part == 1)) {
            part++;
            range[part] = 0;
        } else if (c >= '0' && c <= '9' && range[part] < 100000000) {
            range[part] = 10 * range[part] + (c - '0');
            any = true;
        } else {
            return false;
        }
    }
    if (part == 0) range[1] = range[0];
    if (range[2] < 1) range[2] = 1;
    return any;
}

/* Makes a job of each of the first elements of an array that are not split off yet. */
static int32_t add_elements(struct job_reader *r, const char *array, lsched_error *err) {
    struct site *site = r->site;
    struct site_job whole = *r->job;
    size_t first = site->n_jobs - 1, n = 0;
    int64_t range[3];
    for (const char *at = whole.array_tasks; n < ARRAY_WINDOW && next_range(&at, range);) {
        for (int64_t i = range[0]; i <= range[1] && n < ARRAY_WINDOW; i += range[2], n++) {
            struct site_job *job = n == 0 ? &site->jobs[first] : site_add_job(site);
            if (job == NULL)
                return error_at(err, LSCHED_E_LIMIT, r->record->line, 1, "expected at most %d jobs",
                                SITE_JOBS_MAX);
            *job = whole;
            job->id = site_format(site, "%s_%" PRId64, array, i);
        }
    }
    return LSCHED_OK;
}

static void remember_now(struct job_reader *r) {
    static const char *const keys[] = {"SubmitTime|submit_time.number|submit_time",
                                       "LastSchedEval|last_sched_evaluation.number|"
                                       "last_sched_evaluation"};
    for (size_t i = 0; i < 2; i++) {
        int64_t at = time_of(r, keys[i]);
        if (at > r->site->now_s) r->site->now_s = at;
    }
    if (r->job->fate == SITE_RUNS && r->job->start_s > r->site->now_s)
        r->site->now_s = r->job->start_s;
}

int32_t site_jobs_add(struct site *site, const char *file, const struct record *record,
                      lsched_error *err) {
    struct job_reader r = {.site = site, .file = file, .record = record, .job = site_add_job(site)};
    const char *id = record_find(record, "JobId|job_id", NULL);
    if (r.job == NULL)
        return error_at(err, LSCHED_E_LIMIT, record->line, 1, "expected at most %d jobs",
                        SITE_JOBS_MAX);
    r.job->id = id != NULL ? site_text(site, id) : "?";
    r.job->file = file;
    r.job->line = record->line;
    int64_t id_number = 0;
    if (id == NULL || !slurm_number(id, &id_number)) {
        site_remark(site, file, record->line, "expected the number of a job; the job is ignored");
        site->n_jobs--;
        return LSCHED_OK;
    }
    struct site_job *job = r.job;
    job->name = text_of(&r, "JobName|name");
    job->user = text_of(&r, "UserId|user_name");
    job->account = text_of(&r, "Account|account");
    job->partitions = text_of(&r, "Partition|partition");
    job->state = text_of(&r, "JobState|job_state");
    job->reason = text_of(&r, "Reason|state_reason");
    job->nodes = text_of(&r, "NodeList|nodes");
    job->submit_s = time_of(&r, "SubmitTime|submit_time.number|submit_time");
    job->start_s = time_of(&r, "StartTime|start_time.number|start_time");
    job->limit_s = limit_of(&r);
    job->priority = number(&r, "Priority|priority.number|priority");
    bool pending = job->state != NULL && starts_with(job->state, "PENDING");
    read_request(&r, pending);
    set_fate(site, job);
    remember_now(&r);
    const char *array = record_find(record, "ArrayJobId|array_job_id.number|array_job_id", NULL);
    const char *task = record_find(record, "ArrayTaskId|array_task_id.number|array_task_id", NULL);
    const char *tasks = record_find(record, "array_task_string", NULL);
    if (array == NULL || strcmp(array, "0") == 0) return LSCHED_OK;
    job->array_tasks = site_text(site, tasks != NULL ? tasks : task);
    if (job->array_tasks == NULL) return LSCHED_OK;
    job->array = site_text(site, array);
    job->throttle = throttle_of(job->array_tasks);
    return job->fate == SITE_SLURM_HOLDS
               ? (job->id = site_format(site, "%s_[%s]", array, job->array_tasks), LSCHED_OK)
               : add_elements(&r, array, err);
}
