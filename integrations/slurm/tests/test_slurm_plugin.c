/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_slurm_plugin.c -- the plug-in with its thread: errors of the library, files that cannot be
 * loaded, and a slurmctld that becomes the primary one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "slurm_fake.h"

int init(void);
void fini(void);
int sched_p_reconfig(void);

static char path[] = "/tmp/slurm_plugin_XXXXXX"; /* the site's file */

static void write_site(const char *yaml) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(yaml, file);
    assert_int_equal(fclose(file), 0);
}

static const char good[] = "policy: guaranteed-quota\nqueues: [{name: a, quota: {gpu: 8}}]\n";

static bool runs(const void *job) {
    return ((const struct fake_job *)job)->job.state == SNAPSHOT_RUNNING;
}

static bool logged(const void *words) {
    return strstr(fake.log, words) != NULL;
}

static bool slurm_schedules(const void *unused) {
    (void)unused;
    return fake.order_is_slurms && fake.order_cycles > 0;
}

/* The bound is for a thread that hangs; a busy machine does not reach it. */
static void await(bool (*condition)(const void *), const void *what, const char *name) {
    for (int i = 0; i < 12000; i++) {
        fake_take();
        bool is = condition(what);
        fake_give_back();
        if (is) return;
        usleep(10000);
    }
    fail_msg("not within 2 minutes: %s", name);
}

static struct fake_job *submit(void) {
    fake_take();
    struct fake_job *job = fake_submit("a", 1, 1);
    fake.now_us += 1000000;
    fake_give_back();
    return job;
}

static void set(bool *what, bool value) {
    fake_take();
    *what = value;
    fake.now_us += 1000000;
    fake_give_back();
}

static void begin(const char *yaml) {
    fake_reset(2);
    write_site(yaml);
    fake.config = path;
    assert_int_equal(init(), 0);
}

/* Slurm's own order takes over, and what runs is imported when libsched can schedule again. */
static void test_library_error(void **state) {
    (void)state;
    begin(good);
    struct fake_job *first = submit();
    await(runs, first, "a job starts");
    set(&fake.fail_read, true);
    await(slurm_schedules, NULL, "Slurm's own order takes over");
    await(logged, "Slurm's own order schedules until libsched can", "the log says so");
    set(&fake.fail_read, false);
    struct fake_job *second = submit();
    await(runs, second, "libsched starts jobs again");
    fini();
    assert_non_null(strstr(fake.log, "libsched schedules again"));
    assert_false(fake.order_is_slurms);
    assert_int_equal(first->starts, 1);
}

static void test_bad_start(void **state) {
    (void)state;
    begin("nonsense: true\n");
    await(slurm_schedules, NULL, "Slurm's own order takes over");
    struct fake_job *job = submit();
    write_site(good);
    assert_int_equal(sched_p_reconfig(), 0);
    await(runs, job, "the mended file is loaded");
    fini();
}

static void test_bad_reload(void **state) {
    (void)state;
    begin(good);
    struct fake_job *first = submit();
    await(runs, first, "a job starts");
    write_site("policy: {file: missing.lua}\n");
    assert_int_equal(sched_p_reconfig(), 0);
    await(logged, "the last good policy and queues stay", "the log says so");
    struct fake_job *second = submit();
    await(runs, second, "the last good policy starts jobs");
    fini();
    assert_int_equal(fake.order_cycles, 0);
}

static void test_backup(void **state) {
    (void)state;
    fake_reset(2);
    write_site(good);
    fake.config = path;
    fake.backup = true;
    struct fake_job *job = fake_submit("a", 1, 1);
    assert_int_equal(init(), 0);
    usleep(500000);
    fake_take();
    assert_false(runs(job));
    assert_int_equal(fake.write_locks, 0);
    fake_give_back();
    set(&fake.backup, false);
    await(runs, job, "the new primary schedules");
    fini();
}

int main(void) {
    int file = mkstemp(path);
    if (file < 0 || close(file) != 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_library_error),
        cmocka_unit_test(test_bad_start),
        cmocka_unit_test(test_bad_reload),
        cmocka_unit_test(test_backup),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
