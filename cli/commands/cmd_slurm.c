/*
 * cmd_slurm.c -- the command `lsched slurm`: what libsched would do with a site of Slurm, from
 * files and outputs. It changes nothing and asks nobody.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands/slurm_replay.h"
#include "cli/slurm/site_forecast.h"
#include "cli/slurm/site_read.h"
#include "cli/slurm/site_report.h"
#include "cli/slurm/site_scenario.h"
#include "cli/support/options.h"

enum { SLURM_CHECK, SLURM_SHADOW, SLURM_REPLAY };
#define CHECK  (1u << SLURM_CHECK)
#define SHADOW (1u << SLURM_SHADOW)
#define REPLAY (1u << SLURM_REPLAY)

static const char *const tools[] = {"check", "shadow", "replay", NULL};

struct planning {
    const struct slurm_args *args;
    struct site site;
    struct input_file queues_file, scenario;
    struct name_table queue_names;
    struct policy_source policy;
    bool has_policy;
    struct session session, queues_session;
    struct site_forecast forecast;
};

/* ---- reading ---- */

/* Reads the queue of a live site. A file that has no job is read like an empty queue, so that a
 * remark tells of it: the user may have named another file. */
static int read_squeue(struct site *site, const char *path) {
    size_t before = site->n_jobs;
    int rc = site_read_dump(site, path);
    if (rc == EXIT_OK && site->n_jobs == before)
        site_remark(site, path, 1,
                    "there is no job in this file; expected the output of squeue --json");
    return rc;
}

static int read_dump(struct site *site, const char *path) {
    uint64_t before = site->records;
    int rc = site_read_dump(site, path);
    if (rc == EXIT_OK && site->records == before)
        site_remark(site, path, 1,
                    "there is no node, job, partition, reservation or licence in this file; "
                    "expected an output of scontrol show");
    return rc;
}

static int read_all(struct planning *p, size_t tool) {
    const struct slurm_args *args = p->args;
    struct site *site = &p->site;
    int rc = args->conf != NULL ? site_read_conf(site, args->conf) : EXIT_OK;
    if (rc == EXIT_OK && args->gres != NULL) rc = site_read_gres(site, args->gres);
    if (rc == EXIT_OK && args->topology != NULL) rc = site_read_topology(site, args->topology);
    if (rc == EXIT_OK && tool == SLURM_SHADOW) rc = site_read_dump(site, args->sinfo);
    if (rc == EXIT_OK && tool == SLURM_SHADOW) rc = read_squeue(site, args->squeue);
    for (size_t i = 0; rc == EXIT_OK && i < args->dumps.n; i++)
        rc = read_dump(site, args->dumps.items[i]);
    if (rc != EXIT_OK) return rc;
    site_read_end(site);
    if (site->n_nodes > 0) return EXIT_OK;
    complain("%s: expected nodes: NodeName lines of slurm.conf, or the output of scontrol show "
             "node or of sinfo --json; got none",
             args->conf != NULL    ? args->conf
             : args->sinfo != NULL ? args->sinfo
                                   : "input");
    return EXIT_INPUT;
}

/* Reads the file of --queues, and remembers the names of its queues. */
static int read_queues(struct planning *p) {
    lsched_error err = LSCHED_ERROR_INIT;
    uint64_t cursor = 0;
    if (p->args->queues == NULL) return EXIT_OK;
    int rc = session_read_file(p->args->queues, &p->queues_file);
    if (rc == EXIT_OK) rc = session_open_text(&p->queues_file, NULL, &p->queues_session);
    if (rc != EXIT_OK) return rc;
    const lsched_cluster *cluster = p->queues_session.cluster;
    if (lsched_scenario_apply(p->queues_session.scenario, p->queues_session.cluster, NULL, &err) <
        0)
        return library_error(p->queues_file.name, &err);
    for (lsched_id id; (id = lsched_next(cluster, LSCHED_KIND_QUEUE, &cursor)) != 0;) {
        lsched_text name = {NULL, 0};
        size_t len = 0;
        name.ptr = lsched_name(cluster, id, &len);
        name.len = len;
        if (name.ptr != NULL) name_table_add(&p->queue_names, name);
    }
    return EXIT_OK;
}

static int write_scenario(const struct planning *p) {
    const char *path = p->args->scenario;
    if (path == NULL) return EXIT_OK;
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
    bool written =
        out != NULL && fwrite(p->scenario.text, 1, p->scenario.len, out) == p->scenario.len;
    if (out != NULL && out != stdout) written = fclose(out) == 0 && written;
    if (written) return EXIT_OK;
    complain("%s: cannot write the scenario", path);
    return EXIT_INTERNAL;
}

/* ---- planning ---- */

static int make_scenario(struct planning *p) {
    struct site_scenario_opts opts = {
        .default_queue = p->args->default_queue != NULL ? p->args->default_queue : "default",
        .slurm_priority = p->args->slurm_priority};
    if (p->args->queues != NULL) {
        opts.queues_text = p->queues_file.text;
        opts.queues_len = p->queues_file.len;
        opts.queue_names = &p->queue_names;
    }
    site_scenario_write(&p->site, &opts, &p->scenario);
    p->scenario.name = p->args->queues != NULL ? p->args->queues : "scenario of the site";
    return write_scenario(p);
}

static int plan(struct planning *p) {
    if (p->args->policies.n > 0) {
        int rc = policy_source_open("slurm", p->args->policies.items[0], &p->policy);
        if (rc != EXIT_OK) return rc;
        p->has_policy = true;
    }
    int rc = session_open_text(&p->scenario, p->has_policy ? &p->policy : NULL, &p->session);
    return rc == EXIT_OK ? site_forecast_run(&p->session, &p->site, &p->forecast) : rc;
}

static void print(const struct planning *p, size_t tool) {
    struct site_report report = {.site = &p->site,
                                 .forecast = &p->forecast,
                                 .cluster = p->session.cluster,
                                 .jobs_shown = p->args->jobs};
    if (tool == SLURM_SHADOW && p->args->json) site_report_shadow_json(&report);
    if (tool == SLURM_SHADOW && !p->args->json) site_report_shadow(&report);
    if (tool == SLURM_CHECK && p->args->json) site_report_check_json(&report);
    if (tool == SLURM_CHECK && !p->args->json) site_report_check(&report);
}

static int check_words(const struct slurm_args *args, size_t tool) {
    if (args->policies.n > 1)
        return usage_error("slurm", "%s takes one --policy; replay compares several", tools[tool]);
    if (tool == SLURM_SHADOW && (args->squeue == NULL || args->sinfo == NULL))
        return usage_error("slurm", "shadow needs --squeue FILE and --sinfo FILE, made by squeue "
                                    "--json and sinfo --json");
    if (tool == SLURM_CHECK && args->conf == NULL && args->dumps.n == 0)
        return usage_error("slurm", "check needs --conf slurm.conf or --dump FILE");
    return EXIT_OK;
}

static int plan_site(const struct slurm_args *args, size_t tool) {
    struct planning *p = must_alloc_zero(sizeof *p);
    p->args = args;
    site_begin(&p->site);
    int rc = check_words(args, tool);
    if (rc == EXIT_OK) rc = read_all(p, tool);
    if (rc == EXIT_OK) rc = read_queues(p);
    if (rc == EXIT_OK) rc = make_scenario(p);
    bool plans = args->scenario == NULL || strcmp(args->scenario, "-") != 0;
    if (rc == EXIT_OK && plans) rc = plan(p);
    if (rc == EXIT_OK && plans) print(p, tool);
    site_forecast_free(&p->forecast);
    session_close(&p->session);
    session_close(&p->queues_session);
    if (p->has_policy) policy_source_close(&p->policy);
    input_free(&p->queues_file);
    input_free(&p->scenario);
    name_table_free(&p->queue_names);
    site_free(&p->site);
    free(p);
    return rc;
}

/* ---- the command ---- */

static int slurm(const void *arguments, const struct parsed *words) {
    const struct slurm_args *args = arguments;
    size_t tool = 0;
    const char *word = words->positionals[0];
    int rc = options_choose("slurm", "the tool", word, tools, &tool);
    if (rc == EXIT_OK) rc = options_check_kind(&command_slurm, words, (uint32_t)tool, word);
    if (rc != EXIT_OK) return rc;
    return tool == SLURM_REPLAY ? slurm_replay(args) : plan_site(args, tool);
}

#define ARGS struct slurm_args
static const struct option options[] = {
    INPUT(CHECK | SHADOW, "conf", "FILE", conf, "slurm.conf of the site"),
    INPUT(CHECK | SHADOW, "gres", "FILE", gres, "gres.conf of the site"),
    INPUT(CHECK | SHADOW, "topology", "FILE", topology, "topology.conf of the site"),
    INPUTS(
        CHECK | SHADOW, "dump", "FILE", dumps,
        "output of scontrol show node, job, partition, reservation or licenses (also -o, --json)"),
    INPUT(SHADOW, "squeue", "FILE", squeue, "output of squeue --json; '-' is standard input"),
    INPUT(SHADOW, "sinfo", "FILE", sinfo,
          "output of sinfo --json or of scontrol show nodes --json; '-' is standard input"),
    INPUT(CHECK | SHADOW, "queues", "FILE", queues,
          "queues and policy, as the plug-in reads them (libsched.yaml); otherwise each account is "
          "a queue without a quota"),
    TEXT(CHECK | SHADOW, "default-queue", "NAME", default_queue,
         "queue of jobs without an account (default)"),
    FLAG(CHECK | SHADOW, "slurm-priority", slurm_priority,
         "order by Slurm's priority instead of the tier of the partition"),
    PRINTED(CHECK | SHADOW, "scenario", "FILE", scenario,
            "write the scenario that lsched run takes; '-': print it and nothing else"),
    COUNT(CHECK | SHADOW, "jobs", "N", jobs, 20, 1, 1000000, "most jobs of each table (20)"),
    INPUTS(ALL, "policy", "P", policies,
           "policy (a name or a Lua file); for replay it can be given several times"),
    SLURM_REPLAY_OPTIONS(REPLAY) FLAG(ALL, "json", json, "print JSON instead of tables"),
};

const struct command command_slurm = {
    .name = "slurm",
    .arguments = "check | shadow | replay",
    .summary = "what libsched would do with a site of Slurm",
    .about =
        "check: reads slurm.conf and outputs of scontrol, says with file and line what could not "
        "be understood, and shows which jobs libsched would start where, which wait and why, and "
        "which options have no image in libsched. "
        "shadow: reads squeue --json and sinfo --json of a live site, and shows whom libsched "
        "would start how much earlier than Slurm says. "
        "replay: reads an accounting dump (sacct -P or sacct --json) and compares policies on it. "
        "Nothing is changed, and Slurm is not asked. Times without a zone count as UTC.",
    .examples =
        "  lsched slurm check --conf /etc/slurm/slurm.conf\n"
        "  scontrol show job > jobs; lsched slurm check --conf slurm.conf --dump jobs\n"
        "  squeue --json > q; sinfo --json > i; lsched slurm shadow --squeue q --sinfo i\n"
        "  lsched slurm replay --sacct sacct.txt --procs 4096 --policy easy --policy conservative",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_min = 1,
    .positionals_max = 1,
    .run = slurm,
};
