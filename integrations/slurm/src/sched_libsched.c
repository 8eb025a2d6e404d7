/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched_libsched.c -- the plug-in that slurmctld loads for SchedulerType=sched/libsched.
 *
 * One thread runs the cycles. If the library or the site's file fails, Slurm's own order takes over
 * until the next good cycle, and the log says so.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "slurm/slurm_errno.h"
#include "slurm/slurm.h"

#include "slurm_cycle.h"

const char plugin_name[] = "libsched scheduler plugin";
const char plugin_type[] = "sched/libsched";
const uint32_t plugin_version = SLURM_VERSION_NUMBER;

/* what slurmctld calls, by these names */
int init(void);
void fini(void);
int sched_p_reconfig(void);

#define MESSAGE_BYTES    512
#define FAILURE_PAUSE_MS 2000u
#define REPORT_SECONDS   15

/* All that the thread owns; `stop` and `reload` belong to the mutex. */
static struct {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool runs, stop, reload;
    struct site site;
    struct cycle cycle;
    bool loaded, slurm_order;
    struct cycle_counts before; /* of clusters that were dropped */
} plugin = {.mutex = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static void say(bool bad, const char *what, const char *why) {
    char line[MESSAGE_BYTES + 256];
    snprintf(line, sizeof line, "%s%s%s", what, *why ? ": " : "", why);
    (bad ? compat_error : compat_log)(line);
}

/* ---- the order in force ---- */

static void let_slurm_schedule(const char *why) {
    if (!plugin.slurm_order) {
        say(true, "Slurm's own order schedules until libsched can", why);
        compat_slurm_order(true);
        plugin.slurm_order = true;
    }
    compat_slurm_cycle();
}

static void let_libsched_schedule(void) {
    compat_slurm_order(false);
    if (plugin.slurm_order) say(false, "libsched schedules again", "");
    plugin.slurm_order = false;
}

/* ---- loading ---- */

static void add_counts(struct cycle_counts *sum, const struct cycle_counts *more) {
    sum->cycles += more->cycles, sum->starts += more->starts, sum->refused += more->refused;
    sum->raced += more->raced, sum->warned += more->warned, sum->requeued += more->requeued;
    sum->not_requeued += more->not_requeued, sum->failed_reports += more->failed_reports;
    sum->lock_cycles += more->lock_cycles, sum->lock_holds += more->lock_holds;
    sum->lock_cpu_us += more->lock_cpu_us;
    if (more->lock_cpu_us_max > sum->lock_cpu_us_max) sum->lock_cpu_us_max = more->lock_cpu_us_max;
}

static void drop_cluster(void) {
    if (!plugin.loaded) return;
    add_counts(&plugin.before, &plugin.cycle.counts);
    cycle_free(&plugin.cycle);
    site_free(&plugin.site);
    plugin.loaded = false;
}

/* A cluster with the site's file, into which the next cycle imports all of Slurm. On an error, the
 * last good one stays. */
static bool load(char *why) {
    struct site fresh;
    if (!site_load(&fresh, why, MESSAGE_BYTES)) return false;
    drop_cluster();
    plugin.site = fresh;
    cycle_init(&plugin.cycle, &plugin.site);
    plugin.loaded = true;
    return true;
}

static void reload(void) {
    char why[MESSAGE_BYTES] = "";
    if (load(why))
        say(false, "the site's file is loaded", "");
    else
        say(true, plugin.loaded ? "the last good policy and queues stay" : "nothing is loaded",
            why);
}

/* ---- the thread ---- */

static void one_cycle(void) {
    char why[MESSAGE_BYTES] = "";
    lsched_error err = LSCHED_ERROR_INIT;
    if (!plugin.loaded && !load(why)) {
        let_slurm_schedule(why);
        return;
    }
    let_libsched_schedule();
    int32_t code = cycle_run(&plugin.cycle, &err);
    if (code == CYCLE_REBUILD) {
        say(false, "the account tree changed", "");
        (void)sched_p_reconfig();
    }
    if (code >= 0) return;
    snprintf(why, sizeof why, "%s: %s", lsched_error_name(code), err.message);
    drop_cluster(); /* the next cycle imports everything into a new one */
    let_slurm_schedule(why);
}

static void report_counts(void) {
    struct cycle_counts sum = plugin.before;
    if (plugin.loaded) add_counts(&sum, &plugin.cycle.counts);
    const struct {
        const char *name;
        uint64_t value;
    } list[] = {{"cycles", sum.cycles},
                {"started", sum.starts},
                {"refused", sum.refused},
                {"raced", sum.raced},
                {"warned", sum.warned},
                {"requeued", sum.requeued},
                {"not_requeued", sum.not_requeued},
                {"failed_reports", sum.failed_reports},
                {"lock_cycles", sum.lock_cycles},
                {"lock_holds", sum.lock_holds},
                {"lock_cpu_us", sum.lock_cpu_us},
                {"lock_cpu_us_max", sum.lock_cpu_us_max}};
    char line[MESSAGE_BYTES] = "counts:";
    size_t at = strlen(line);
    for (size_t i = 0; i < sizeof list / sizeof *list && at < sizeof line; i++)
        at += (size_t)snprintf(line + at, sizeof line - at, " %s=%llu", list[i].name,
                               (unsigned long long)list[i].value);
    compat_log(line);
}

/* Waits for the time or for fini(). Returns false when the thread has to end. */
static bool pause_ms(uint32_t ms, bool *again) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ms / 1000;
    until.tv_nsec += (long)(ms % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    pthread_mutex_lock(&plugin.mutex);
    while (!plugin.stop && !plugin.reload &&
           pthread_cond_timedwait(&plugin.wake, &plugin.mutex, &until) == 0) {}
    *again = plugin.reload;
    plugin.reload = false;
    bool go_on = !plugin.stop;
    pthread_mutex_unlock(&plugin.mutex);
    return go_on;
}

/* Slurm's times have seconds: what changed in the second of the latest look may be unseen. */
static bool has_changes(int64_t looked) {
    int64_t wake = plugin.loaded ? lsched_next_wake(plugin.site.cluster) : 0;
    if (!plugin.loaded || plugin.cycle.put_off) return true;
    if (compat_has_accounts() && time(NULL) >= plugin.cycle.accounts_us / 1000000) return true;
    int64_t now = (int64_t)time(NULL), stop = plugin.cycle.stop_us / 1000000;
    return compat_changed() >= looked || wake / 1000000 <= now || (stop && stop <= now);
}

static bool has_work(int64_t looked) {
    plugin.cycle.texts_only = !has_changes(looked);
    return !plugin.cycle.texts_only ||
           texts_are_due(&plugin.cycle.texts, (int64_t)time(NULL) * 1000000);
}

static void *run(void *unused) {
    int64_t looked = 0, reported = 0;
    bool again = false;
    uint32_t ms = 100;
    while (pause_ms(ms, &again)) {
        if (again) reload();
        if (again) looked = 0;
        ms = plugin.loaded ? plugin.site.interval_ms : FAILURE_PAUSE_MS;
        if (!compat_is_primary() || !has_work(looked)) continue;
        looked = (int64_t)time(NULL);
        one_cycle();
        if (!plugin.loaded) ms = FAILURE_PAUSE_MS;
        if (looked < reported + REPORT_SECONDS) continue;
        report_counts();
        reported = looked;
    }
    report_counts();
    drop_cluster();
    return unused;
}

/* ---- what slurmctld calls ---- */

int init(void) {
    pthread_mutex_lock(&plugin.mutex);
    bool start = !plugin.runs;
    plugin.stop = plugin.reload = false;
    if (start) plugin.runs = pthread_create(&plugin.thread, NULL, run, NULL) == 0;
    bool runs = plugin.runs;
    pthread_mutex_unlock(&plugin.mutex);
    if (start) say(!runs, "sched/libsched is loaded, with libsched", lsched_version());
    return runs ? SLURM_SUCCESS : SLURM_ERROR;
}

void fini(void) {
    pthread_mutex_lock(&plugin.mutex);
    bool runs = plugin.runs;
    plugin.stop = true;
    plugin.runs = false;
    pthread_cond_broadcast(&plugin.wake);
    pthread_mutex_unlock(&plugin.mutex);
    if (runs) pthread_join(plugin.thread, NULL);
}

int sched_p_reconfig(void) {
    pthread_mutex_lock(&plugin.mutex);
    plugin.reload = true;
    pthread_cond_broadcast(&plugin.wake);
    pthread_mutex_unlock(&plugin.mutex);
    return SLURM_SUCCESS;
}
