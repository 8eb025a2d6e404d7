/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * test_slurm_cycle.c -- mapping, mirror and cycle of the plug-in against a slurmctld in memory.
 *
 * LSCHED_TEST_SEED and LSCHED_TEST_ROUNDS make the random test longer.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../src/slurm_cycle.h"
#include "slurm_fake.h"

#define SECOND INT64_C(1000000)

static struct site site;
static struct cycle cycle;

static void load(void) {
    char why[512] = "";
    if (!site_load(&site, why, sizeof why)) fail_msg("%s", why);
    cycle_init(&cycle, &site);
}

static void unload(void) {
    cycle_free(&cycle);
    site_free(&site);
}

static char path[] = "/tmp/slurm_cycle_XXXXXX"; /* the site's file */

static void begin(uint32_t nodes, const char *yaml) {
    fake_reset(nodes);
    FILE *file = yaml ? fopen(path, "wb") : NULL;
    if (file) fputs(yaml, file);
    if (file && fclose(file) == 0) fake.config = path;
    load();
}

static void run(void) {
    lsched_error err = LSCHED_ERROR_INIT;
    fake.now_us += SECOND / 5;
    if (cycle_run(&cycle, &err) < 0) fail_msg("%s", err.message);
    assert_int_equal(fake.lock, FAKE_UNLOCKED);
    assert_int_equal(fake.wrong, 0);
}

static void run_for(int64_t seconds) {
    for (int64_t end = fake.now_us + seconds * SECOND; fake.now_us < end;) run();
}

static bool runs(const struct fake_job *job) {
    return job->there && job->job.state == SNAPSHOT_RUNNING;
}

/* Tasks of the job that run in libsched. */
static uint32_t tasks_of(const struct fake_job *job) {
    char name[64];
    snapshot_job_name(&job->job, name, sizeof name);
    lsched_id id = lsched_find(site.cluster, LSCHED_KIND_JOB, lsched_cstr(name));
    lsched_job_info info = LSCHED_INIT(lsched_job_info);
    return id && lsched_job_get(site.cluster, id, &info, NULL) >= 0 ? info.tasks_running : 0;
}

static const char two_teams[] = "policy: guaranteed-quota\n"
                                "queues:\n"
                                "  - {name: a, quota: {gpu: 16}}\n"
                                "  - {name: b, quota: {gpu: 16}}\n";

/* ---- starts ---- */

static void test_starts(void **state) {
    (void)state;
    begin(4, two_teams);
    struct fake_job *gang = fake_submit("a", 2, 8), *single = fake_submit("b", 1, 3);
    run();
    assert_true(runs(gang) && runs(single));
    assert_int_equal(gang->job.n_shares, 2);
    assert_true(gang->held[0].node != gang->held[1].node);
    fake_end(gang);
    run();
    assert_int_equal(lsched_find(site.cluster, LSCHED_KIND_JOB, LSCHED_TEXT("1")), 0);
    unload();
}

/* Rooms become free in another order than that of the elements. */
static void test_elements(void **state) {
    (void)state;
    begin(4, two_teams);
    struct fake_job *list[4];
    for (uint32_t i = 0; i < 4; i++) list[i] = fake_element(7, i, "a", 8);
    fake.completing[0] = fake.completing[1] = true;
    run();
    uint32_t n = 0;
    for (uint32_t i = 0; i < 4; i++) n += runs(list[i]);
    assert_int_equal(n, 2);
    fake_clear_away();
    run();
    for (uint32_t i = 0; i < 4; i++) assert_int_equal(list[i]->starts, 1);
    unload();
}

static void test_size_stays(void **state) {
    (void)state;
    begin(4, two_teams);
    struct fake_job *first = fake_submit("b", 2, 8), *job = fake_submit("a", 2, 8);
    job->job.count_max = 4;
    run();
    assert_true(runs(first) && runs(job));
    assert_int_equal(job->job.n_shares, 2);
    fake_end(first);
    run();
    run();
    assert_int_equal(job->job.n_shares, 2);
    assert_int_equal(job->starts, 1);
    lsched_job_info info = LSCHED_INIT(lsched_job_info);
    lsched_id id = lsched_find(site.cluster, LSCHED_KIND_JOB, LSCHED_TEXT("2"));
    assert_int_equal(lsched_job_get(site.cluster, id, &info, NULL), LSCHED_OK);
    assert_int_equal(info.tasks_wanted, 2);
    unload();
}

static void test_refused(void **state) {
    (void)state;
    begin(2, two_teams);
    struct fake_job *job = fake_submit("a", 1, 1);
    fake.refuse = "Slurm: no licence", fake.refuse_anywhere = true;
    run_for(5);
    assert_int_equal(cycle.counts.refused, 1); /* tried again after 30 s, not in each cycle */
    fake.refuse = NULL;
    run_for(31);
    assert_true(runs(job));
    unload();
}

/* A backup slurmctld changes nothing, and what was planned starts when it becomes the primary. */
static void test_backup(void **state) {
    (void)state;
    begin(2, two_teams);
    struct fake_job *job = fake_submit("a", 1, 1);
    fake.backup = true;
    run();
    assert_false(runs(job));
    fake.backup = false;
    run();
    assert_true(runs(job));
    assert_int_equal(cycle.counts.refused, 0);
    unload();
}

/* ---- stops ---- */

static void test_reclaim(void **state) {
    (void)state;
    begin(4, two_teams);
    struct fake_job *list[4];
    for (uint32_t i = 0; i < 4; i++) list[i] = fake_element(9, i, "a", 8);
    run();
    assert_int_equal(fake_gpus_of("a"), 32);
    struct fake_job *gang = fake_submit("b", 2, 8);
    run();
    uint32_t stopped = 0;
    for (uint32_t i = 0; i < 4; i++) stopped += list[i]->requeued;
    assert_int_equal(stopped, 2);
    run_for(2);
    assert_false(runs(gang)); /* nodes on which a job is on its way out take none */
    fake_clear_away();
    run();
    assert_true(runs(gang));
    run_for(10);
    assert_int_equal(fake_gpus_of("a"), 16);
    fake_end(gang);
    run_for(10); /* the begin time that the requeue gave is lifted */
    assert_int_equal(fake_gpus_of("a"), 32);
    unload();
}

/* A job of queue "b" takes its guarantee back from a job that is warned 5 s before it stops. */
static void begin_with_warning(struct fake_job **victim, struct fake_job **winner) {
    begin(1, "policy: guaranteed-quota\nqueues: [{name: a}, {name: b, quota: {gpu: 8}}]\n");
    *victim = fake_submit("a", 1, 8);
    (*victim)->job.warning_us = 5 * SECOND, (*victim)->job.grace_us = 7 * SECOND;
    run();
    *winner = fake_submit("b", 1, 8);
    run();
    assert_int_equal((*victim)->warned, 1);
}

static void test_grace(void **state) {
    (void)state;
    struct fake_job *victim = NULL, *winner = NULL;
    begin_with_warning(&victim, &winner);
    run_for(4);
    assert_true(runs(victim));
    assert_true(cycle.stop_us > fake.now_us);
    run_for(2);
    assert_int_equal(victim->requeued, 1);
    assert_int_equal(victim->warned, 1);
    fake_clear_away();
    run();
    assert_true(runs(winner));
    assert_int_equal(cycle.stop_us, 0);
    unload();
}

/* A job that ends while it is being stopped leaves nothing behind. */
static void test_ends_in_grace(void **state) {
    (void)state;
    struct fake_job *victim = NULL, *winner = NULL;
    begin_with_warning(&victim, &winner);
    fake_end(victim);
    run();
    assert_int_equal(victim->run_again, 1);
    assert_true(runs(winner));
    assert_int_equal(lsched_find(site.cluster, LSCHED_KIND_JOB, LSCHED_TEXT("1")), 0);
    unload();
}

/* ---- changes by people ---- */

static void test_changes_of_running(void **state) {
    (void)state;
    begin(1, two_teams);
    struct fake_job *job = fake_submit("a", 1, 8);
    run();
    lsched_id id = lsched_find(site.cluster, LSCHED_KIND_JOB, LSCHED_TEXT("1"));
    job->job.time_limit_us = 7200 * SECOND, job->job.tier = 3;
    run();
    lsched_job_info info = LSCHED_INIT(lsched_job_info);
    assert_int_equal(lsched_job_get(site.cluster, id, &info, NULL), LSCHED_OK);
    assert_int_equal(info.duration_us, 7200 * SECOND);
    assert_int_equal(info.priority, 3000);
    assert_int_equal(info.tasks_running, 1);
    unload();
}

static void test_changes_of_waiting(void **state) {
    (void)state;
    begin(2, two_teams);
    struct fake_job *job = fake_submit("a", 3, 8);
    run();
    assert_false(runs(job));
    assert_non_null(strstr(job->said, "node"));
    job->job.count_min = job->job.count_max = 2;
    run();
    assert_true(runs(job));
    struct fake_job *odd = fake_submit("a", 1, 0);
    odd->job.unmapped = "--contiguous";
    run();
    assert_false(runs(odd));
    assert_non_null(strstr(odd->said, "--contiguous has no image"));
    odd->job.unmapped = NULL;
    run();
    assert_true(runs(odd));
    struct fake_job *held = fake_submit("a", 1, 0);
    held->job.state = SNAPSHOT_SLURM;
    run();
    assert_int_equal(lsched_find(site.cluster, LSCHED_KIND_JOB, LSCHED_TEXT("3")), 0);
    held->job.state = SNAPSHOT_PENDING;
    run();
    assert_true(runs(held));
    unload();
}

static uint32_t count_described(struct fake_job **list, uint32_t n) {
    uint32_t described = 0;
    for (uint32_t i = 0; i < n; i++) described += list[i]->said[0] != 0;
    return described;
}

/* Runs the cycles of a plug-in that only texts wake; own: also those that were just written. */
static uint32_t cycles_for_texts(int64_t seconds, bool own) {
    uint32_t n = 0;
    for (int64_t end = fake.now_us + seconds * SECOND; fake.now_us < end;) {
        cycle.texts_only = !own || !cycle.texts.n;
        bool due = !cycle.texts_only || texts_are_due(&cycle.texts, fake.now_us + SECOND / 5);
        if (due) run(), n++;
        if (!due) fake.now_us += SECOND / 5, cycle.texts.n = 0;
    }
    cycle.texts_only = false;
    return n;
}

/* A cycle writes texts of as many jobs as it can pay for, and the next ones go on: new jobs first,
 * and then each job whose text is no longer right. */
static void test_texts_of_many(void **state) {
    (void)state;
    struct fake_job *list[300];
    begin(100, two_teams); /* 200 jobs in a cycle */
    for (uint32_t i = 0; i < 300; i++) list[i] = fake_submit("a", 101, 1);
    run();
    assert_int_equal(count_described(list, 300), 200);
    (void)cycles_for_texts(1, false);
    assert_int_equal(count_described(list, 300), 300);
    fake_submit("a", 1, 8), run();
    (void)cycles_for_texts(20, false);
    for (uint32_t i = 0; i < 300; i++) assert_string_equal(list[i]->said, list[0]->said);
    unload();
}

/* While the cluster stands still, texts that tell a time that is left stay right, and yet most
 * looks at Slurm are no cycles: also if each text counts as a change, as it does in Slurm. */
static void test_texts_of_a_still_cluster(void **state) {
    (void)state;
    char first[200];
    begin(100, two_teams);
    for (uint32_t i = 0; i < 400; i++) fake_submit("a", 1, 8);
    run(), run(), run();
    struct fake_job *last = &fake.jobs[fake.n_jobs - 1];
    snprintf(first, sizeof first, "%s", last->said);
    assert_non_null(strstr(first, "ends in"));
    uint32_t n = cycles_for_texts(600, false);
    assert_true(n >= 10 && n <= 60 && strcmp(last->said, first) != 0); /* of 3,000 looks */
    n = cycles_for_texts(600, true);
    assert_true(n >= 10 && n <= 1000);
    unload();
}

static void test_unknown_account(void **state) {
    (void)state;
    begin(1, two_teams);
    struct fake_job *job = fake_submit("nobody", 1, 1);
    run();
    assert_false(runs(job));
    assert_non_null(strstr(job->said, "nobody"));
    unload();
}

/* Work that cannot be stopped runs in a site without a file of queues, too. */
static void test_without_a_file(void **state) {
    (void)state;
    begin(2, NULL);
    struct fake_job *job = fake_submit("physics", 1, 1), *shell = fake_submit("chemistry", 1, 1);
    shell->job.requeueable = false;
    run();
    assert_true(runs(job) && runs(shell));
    unload();
}

/* ---- parts of GPUs ---- */

static void test_parts(void **state) {
    (void)state;
    static struct snapshot_gres both[] = {{"gpu", NULL, 8}, {"mps", NULL, 800}};
    static struct snapshot_gres half = {"mps", NULL, 50}, much = {"mps", NULL, 150};
    begin(2, two_teams);
    fake.nodes[1].gres = both, fake.nodes[1].n_gres = 2;
    struct fake_job *list[4];
    for (uint32_t i = 0; i < 4; i++) {
        list[i] = fake_submit("a", 1, 0);
        list[i]->job.gres = i == 2 ? &much : &half, list[i]->job.n_gres = 1;
    }
    run();
    assert_true(runs(list[0]) && runs(list[1]));
    assert_int_equal(list[0]->held[0].node, 1);
    assert_false(runs(list[2]) || runs(list[3])); /* one GPU of a node serves MPS */
    assert_non_null(strstr(list[2]->said, "--gres=mps above that of one GPU"));
    lsched_node_info info = LSCHED_INIT(lsched_node_info);
    lsched_id node = lsched_find(site.cluster, LSCHED_KIND_NODE, LSCHED_TEXT("n1"));
    assert_int_equal(lsched_node_get(site.cluster, node, &info, NULL), LSCHED_OK);
    assert_int_equal(info.gpu_free_milli, 7000);
    fake_end(list[0]), fake_end(list[3]);
    run();
    assert_int_equal(lsched_node_get(site.cluster, node, &info, NULL), LSCHED_OK);
    assert_int_equal(info.gpu_free_milli, 7500);
    unload(), load(), run(); /* the other half is imported */
    node = lsched_find(site.cluster, LSCHED_KIND_NODE, LSCHED_TEXT("n1"));
    assert_int_equal(lsched_node_get(site.cluster, node, &info, NULL), LSCHED_OK);
    assert_int_equal(info.gpu_free_milli, 7500);
    unload();
}

/* Slurm gives out no more MPS of a node when whole GPUs were given out after it; the fake counts
 * such a start as wrong. */
static void test_mps_beside_whole_gpus(void **state) {
    (void)state;
    static struct snapshot_gres both[] = {{"gpu", NULL, 8}, {"mps", NULL, 800}};
    static struct snapshot_gres part = {"mps", NULL, 25};
    begin(2, two_teams);
    fake.nodes[0].ready = false;
    fake.nodes[1].gres = both, fake.nodes[1].n_gres = 2;
    struct fake_job *mps[3], *whole = NULL;
    for (uint32_t i = 0; i < 3; i++) {
        if (i == 1) whole = fake_submit("a", 1, 4); /* in the same cycle as the first part */
        mps[i] = fake_submit("a", 1, 0);
        mps[i]->job.gres = &part, mps[i]->job.n_gres = 1;
        if (i == 1) run();
    }
    assert_true(runs(mps[0]) && runs(mps[1]) && runs(whole));
    run();
    assert_false(runs(mps[2])); /* the node is closed to MPS */
    fake_end(whole);
    run();
    assert_true(runs(mps[2]));
    assert_int_equal(fake.wrong, 0);
    unload();
}

/* ---- switches ---- */

static void test_switches(void **state) {
    (void)state;
    static const char *left[] = {"s0", "top"}, *right[] = {"s1", "top"};
    begin(4, two_teams);
    for (uint32_t i = 0; i < 4; i++) {
        fake.nodes[i].switches = i < 2 ? left : right;
        fake.nodes[i].n_switches = 2;
    }
    fake.switch_levels = 2;
    struct fake_job *a = fake_submit("a", 1, 8), *b = fake_submit("b", 1, 8);
    a->job.partitions = b->job.partitions = NULL, a->job.n_partitions = b->job.n_partitions = 0;
    static const char *first[] = {"n0"}, *third[] = {"n2"};
    a->job.nodes_in = first, b->job.nodes_in = third, a->job.n_nodes_in = b->job.n_nodes_in = 1;
    run();
    assert_true(runs(a) && runs(b));
    struct fake_job *near = fake_submit("a", 2, 8);
    near->job.leaf_switches = 1, near->job.waits_for_switches = true;
    run();
    assert_false(runs(near)); /* one node is free below each leaf switch */
    near->job.waits_for_switches = false;
    run();
    assert_true(runs(near));
    fake_end(near), fake_end(b);
    struct fake_job *again = fake_submit("b", 2, 8);
    again->job.leaf_switches = 1, again->job.waits_for_switches = true;
    run();
    assert_true(runs(again));
    assert_true(again->held[0].node >= 2 && again->held[1].node >= 2);
    unload();
}

/* ---- accounts ---- */

/* The accounts are looked at again after 5 s of the machine's clock. */
static int32_t look_at_accounts(void) {
    lsched_error err = LSCHED_ERROR_INIT;
    cycle.accounts_us = 0;
    fake.now_us += SECOND;
    int32_t code = cycle_run(&cycle, &err);
    if (code < 0) fail_msg("%s", err.message);
    return code;
}

static lsched_id parent_of(const char *queue) {
    lsched_queue_info info = LSCHED_INIT(lsched_queue_info);
    lsched_id id = lsched_find(site.cluster, LSCHED_KIND_QUEUE, lsched_cstr(queue));
    assert_true(id != 0);
    assert_int_equal(lsched_queue_get(site.cluster, id, &info, NULL), LSCHED_OK);
    return info.parent;
}

static void test_accounts(void **state) {
    (void)state;
    static struct snapshot_gres most = {"gpu", NULL, 8};
    begin(4, NULL);
    fake.accounts[0] = (struct snapshot_account){.name = "science", .shares = 3, .user_shares = 2};
    fake.accounts[1] = (struct snapshot_account){
        .name = "physics", .parent = "science", .shares = 5, .limits = &most, .n_limits = 1};
    fake.accounts[0].has_children = true;
    fake.n_accounts = 2;
    struct fake_job *list[3];
    for (uint32_t i = 0; i < 3; i++) list[i] = fake_submit("physics", 1, 8);
    struct fake_job *own = fake_submit("science", 1, 8);
    assert_int_equal(look_at_accounts(), LSCHED_OK);
    assert_int_equal(parent_of("physics"),
                     lsched_find(site.cluster, LSCHED_KIND_QUEUE, LSCHED_TEXT("science")));
    assert_int_equal(parent_of("science:users"), parent_of("physics"));
    assert_int_equal(fake_gpus_of("physics"), 8);
    assert_true(runs(own));
    run();
    assert_non_null(strstr(list[2]->said, "physics"));
    most.count = 16; /* a new limit changes the queue in place */
    assert_int_equal(look_at_accounts(), LSCHED_OK);
    assert_int_equal(fake_gpus_of("physics"), 16);
    fake.accounts[1].n_limits = 0;
    assert_int_equal(look_at_accounts(), LSCHED_OK);
    assert_int_equal(fake_gpus_of("physics"), 24);
    /* an account below one that has jobs needs a new cluster */
    fake.accounts[1].has_children = true;
    fake.accounts[2] =
        (struct snapshot_account){.name = "lasers", .parent = "physics", .shares = 1};
    fake.n_accounts = 3;
    assert_int_equal(look_at_accounts(), CYCLE_REBUILD);
    unload();
    load();
    assert_int_equal(look_at_accounts(), LSCHED_OK);
    assert_int_equal(tasks_of(list[0]) + tasks_of(list[1]) + tasks_of(list[2]), 3);
    assert_int_equal(parent_of("lasers"), parent_of("physics:users"));
    unload();
}

/* What the site's file names stays as it is. */
static void test_file_before_accounts(void **state) {
    (void)state;
    static struct snapshot_gres most = {"gpu", NULL, 8};
    begin(4, two_teams);
    fake.accounts[0] =
        (struct snapshot_account){.name = "a", .shares = 1, .limits = &most, .n_limits = 1};
    fake.n_accounts = 1;
    for (uint32_t i = 0; i < 2; i++) fake_submit("a", 1, 8);
    assert_int_equal(look_at_accounts(), LSCHED_OK);
    assert_int_equal(fake_gpus_of("a"), 16);
    unload();
}

/* ---- from nothing ---- */

/* A new cluster in the middle of everything, as after kill -9 or a reload. */
static void test_import(void **state) {
    (void)state;
    begin(4, two_teams);
    struct fake_job *gang = fake_submit("b", 2, 8), *single = fake_submit("a", 1, 3);
    run();
    struct fake_job *waits = fake_submit("a", 3, 8);
    run();
    unload();
    load();
    run();
    assert_true(runs(gang) && runs(single) && !runs(waits));
    assert_int_equal(tasks_of(gang) + tasks_of(single), 3);
    assert_int_equal(gang->starts + single->starts, 2);
    fake_end(gang);
    run();
    assert_true(runs(waits));
    unload();
}

/* ---- licences ---- */

static void begin_with_licences(uint32_t total) {
    begin(4, two_teams);
    fake.licences[0] = (struct snapshot_licence){"tool", total, 0, 0};
    fake.licences[1] = (struct snapshot_licence){"other", 7, 0, 0};
    fake.n_licences = 2;
}

/* One that needs licences, of `count` nodes. */
static struct fake_job *submit_licensed(uint32_t count, uint32_t licences) {
    struct fake_job *job = fake_submit("a", count, 1);
    fake_needs(job, licences);
    return job;
}

static void test_licences(void **state) {
    (void)state;
    begin_with_licences(3);
    struct fake_job *list[5];
    for (uint32_t i = 0; i < 5; i++) list[i] = submit_licensed(1, 1);
    struct fake_job *free_one = fake_submit("a", 1, 1);
    run(), run();
    assert_int_equal(fake_licences_used(), 3);
    assert_true(runs(free_one));
    assert_int_equal(cycle.counts.refused, 0);
    assert_string_equal(list[4]->said, "needs 1 of the licence tool; 0 are left");
    list[4]->said[0] = 0; /* as a change of the job does in Slurm */
    run();
    assert_string_equal(list[4]->said, "needs 1 of the licence tool; 0 are left");
    fake_end(list[0]);
    run();
    assert_true(runs(list[3]) && !runs(list[4]));
    unload();
    load(); /* what runs is imported with its licences */
    run(), run();
    assert_false(runs(list[4]));
    fake_end(list[1]);
    run();
    assert_true(runs(list[4]));
    unload();
}

/* Licences belong to the whole job, whatever the number of its nodes. */
static void test_licences_of_gangs(void **state) {
    (void)state;
    begin_with_licences(3);
    struct fake_job *first = submit_licensed(3, 2), *second = submit_licensed(2, 2);
    struct fake_job *third = submit_licensed(3, 1), *sized = submit_licensed(1, 1);
    sized->job.count_max = 3;
    run(), run();
    assert_true(runs(first) && !runs(second) && runs(third) && !runs(sized));
    assert_string_equal(second->said, "needs 2 of the licence tool; 0 are left");
    fake_end(first);
    run();
    assert_true(runs(second) && !runs(sized));
    fake_end(third);
    run(), run();
    assert_true(runs(sized));
    unload();
}

/* A remote server has fewer than before: nothing is stopped, and nothing starts beyond the rest. */
static void test_licences_shrink(void **state) {
    (void)state;
    begin_with_licences(3);
    struct fake_job *list[4];
    for (uint32_t i = 0; i < 4; i++) list[i] = submit_licensed(1, 1);
    run();
    fake.licences[0].total = 1;
    run();
    assert_int_equal(fake_licences_used(), 3);
    fake_end(list[0]), fake_end(list[1]);
    run(), run();
    assert_int_equal(fake_licences_used(), 1);
    fake_end(list[2]);
    run();
    assert_true(runs(list[3]));
    struct fake_job *last = submit_licensed(1, 1);
    fake.n_licences = 0; /* an administrator removes all licences */
    fake_end(list[3]);
    run(), run();
    assert_false(runs(last));
    fake.n_licences = 1;
    run();
    assert_true(runs(last));
    unload();
}

/* A reservation keeps two of three: its jobs have them, and others have one. */
static void test_licences_reserved(void **state) {
    (void)state;
    begin_with_licences(3);
    fake.nodes[0].reservation = "r";
    fake.licences[0].reserved = 2;
    struct fake_job *inside = submit_licensed(1, 2);
    inside->job.reservation = "r";
    struct fake_job *outside = submit_licensed(1, 2);
    run(), run_for(6);
    assert_true(runs(inside) && !runs(outside));
    assert_string_equal(outside->said, "needs 2 of the licence tool; 0 are left");
    fake_end(inside);
    fake.licences[0].reserved = 0;
    run();
    assert_true(runs(outside));
    unload();
}

static void test_licences_beyond(void **state) {
    (void)state;
    begin_with_licences(3);
    struct snapshot_gres many[LSCHED_SUPPLIES_PER_TASK_MAX + 1], huge = {"tool", NULL, 1u << 31};
    static const char *names[] = {"tool", "b", "c", "d", "e", "f", "g", "h", "i"};
    for (uint32_t i = 0; i <= LSCHED_SUPPLIES_PER_TASK_MAX; i++)
        many[i] = (struct snapshot_gres){names[i], NULL, 1};
    struct fake_job *one = fake_submit("a", 1, 1), *two = fake_submit("a", 1, 1);
    one->job.licences = many, one->job.n_licences = LSCHED_SUPPLIES_PER_TASK_MAX + 1;
    two->job.licences = &huge, two->job.n_licences = 1;
    run(), run();
    assert_true(!runs(one) && !runs(two));
    assert_non_null(strstr(one->said, "--licenses with more than 8 names"));
    assert_non_null(strstr(two->said, "--licenses=tool with such a number"));
    fake_end(one), fake_end(two);
    run();
    unload();
}

/* ---- at random ---- */

static uint64_t random_state;
static uint32_t below(uint32_t n) {
    random_state ^= random_state << 13, random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)(random_state % n);
}

static void random_event(void) {
    struct fake_job *job = fake.n_jobs ? &fake.jobs[below(fake.n_jobs)] : NULL;
    switch (below(13)) {
    case 0:
    case 1:
    case 2:
        if (fake.n_jobs == FAKE_JOBS_MAX) return;
        job = fake_submit(below(2) ? "a" : "b", 1 + below(3), below(FAKE_GPUS + 1));
        if (below(4) == 0) job->job.count_max += below(3);
        if (below(4) == 0) job->job.warning_us = (int64_t)below(4) * SECOND;
        if (below(3) == 0) job->job.requeueable = false;
        if (below(3) == 0) fake_needs(job, 1 + below(4));
        if (below(6) == 0) job->job.state = SNAPSHOT_SLURM;
        job->job.grace_us += job->job.warning_us;
        break;
    case 3:
    case 4:
        if (job && job->job.state != SNAPSHOT_REQUEUING) fake_end(job);
        break;
    case 5: fake_clear_away(); break;
    case 6: fake.nodes[below(fake.n_nodes)].ready = below(4) != 0; break;
    case 7:
        if (job && job->job.state == SNAPSHOT_PENDING) job->job.state = SNAPSHOT_SLURM;
        break;
    case 8:
        if (job && job->job.state == SNAPSHOT_SLURM && !job->job.begin_is_requeue)
            job->job.state = SNAPSHOT_PENDING;
        break;
    case 9:
        if (job) job->job.time_limit_us = (1 + below(90)) * 60 * SECOND, job->job.tier = below(4);
        break;
    case 10:
        fake.refuse = below(3) == 0 ? "at random" : NULL;
        fake.refuse_anywhere = below(2);
        break;
    case 11: fake.licences[0].total = below(8); break;
    default: fake.now_us += below(20) * SECOND;
    }
}

/* In libsched runs exactly what runs in Slurm, on the same nodes and GPUs. */
static void compare(uint64_t seed) {
    for (uint32_t i = 0; i < fake.n_jobs; i++) {
        const struct fake_job *job = &fake.jobs[i];
        char name[64];
        snapshot_job_name(&job->job, name, sizeof name);
        lsched_id id = lsched_find(site.cluster, LSCHED_KIND_JOB, lsched_cstr(name));
        lsched_task_info task = {.size = sizeof task};
        uint64_t cursor = 0, masks[FAKE_NODES_MAX] = {0};
        uint32_t n = 0;
        while (id && lsched_tasks_next(site.cluster, id, 0, &cursor, &task, NULL) == 1) {
            if (task.state != LSCHED_TASK_RUNNING && task.state != LSCHED_TASK_RELEASING) continue;
            lsched_node_info node = LSCHED_INIT(lsched_node_info);
            assert_int_equal(lsched_node_get(site.cluster, task.node, &node, NULL), LSCHED_OK);
            masks[node.tag] |= task.device_words[0];
            n++;
        }
        bool holds = job->there &&
                     (job->job.state == SNAPSHOT_RUNNING || job->job.state == SNAPSHOT_REQUEUING);
        uint32_t expected = holds ? job->job.n_shares : 0;
        bool same = n == expected;
        for (uint32_t s = 0; holds && s < job->job.n_shares; s++)
            same = same && masks[job->held[s].node] == job->held[s].gpus[0];
        if (!same)
            fail_msg("seed %llu: job %s (state %d, there %d) has %u tasks, Slurm %u",
                     (unsigned long long)seed, name, (int)job->job.state, job->there, n, expected);
    }
}

static uint64_t number(const char *name, uint64_t otherwise) {
    const char *text = getenv(name);
    return text ? strtoull(text, NULL, 10) : otherwise;
}

static void test_random(void **state) {
    (void)state;
    uint64_t first = number("LSCHED_TEST_SEED", 1), rounds = number("LSCHED_TEST_ROUNDS", 20);
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        random_state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
        begin(2 + below(5), two_teams);
        fake.licences[0] = (struct snapshot_licence){"tool", 1 + below(7), 0, 0};
        fake.n_licences = 1;
        for (uint32_t step = 0; step < 150; step++) {
            random_event();
            run();
            if (below(40) == 0) unload(), load();
        }
        fake.refuse = NULL;
        run(), run();
        compare(seed);
        unload();
    }
}

int main(void) {
    int file = mkstemp(path);
    if (file < 0 || close(file) != 0) return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_starts),
        cmocka_unit_test(test_elements),
        cmocka_unit_test(test_size_stays),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_backup),
        cmocka_unit_test(test_reclaim),
        cmocka_unit_test(test_grace),
        cmocka_unit_test(test_ends_in_grace),
        cmocka_unit_test(test_changes_of_running),
        cmocka_unit_test(test_changes_of_waiting),
        cmocka_unit_test(test_texts_of_many),
        cmocka_unit_test(test_texts_of_a_still_cluster),
        cmocka_unit_test(test_unknown_account),
        cmocka_unit_test(test_without_a_file),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_mps_beside_whole_gpus),
        cmocka_unit_test(test_switches),
        cmocka_unit_test(test_accounts),
        cmocka_unit_test(test_file_before_accounts),
        cmocka_unit_test(test_import),
        cmocka_unit_test(test_licences),
        cmocka_unit_test(test_licences_of_gangs),
        cmocka_unit_test(test_licences_shrink),
        cmocka_unit_test(test_licences_reserved),
        cmocka_unit_test(test_licences_beyond),
        cmocka_unit_test(test_random),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
