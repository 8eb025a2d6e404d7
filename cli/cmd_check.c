/*
 * cmd_check.c -- `lsched check`: is a policy right? It is loaded as a scheduler would load it,
 * into an empty cluster.
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "host_allocator.h"
#include "json_writer.h"
#include "policy_hooks.h"
#include "policy_source.h"

struct check_args {
    bool json;
};

static void begin_json(struct json *json, const char *file, bool ok) {
    json_begin(json, stdout);
    json_object(json, NULL, JSON_LINES);
    json_string(json, "file", file);
    json_bool(json, "ok", ok);
}

static void print_json(const char *file, const lsched_policy_info *info) {
    struct json json;
    begin_json(&json, file, true);
    policy_json(&json, info);
    policy_settings_json(&json, info);
    json_close(&json);
    json_end(&json);
}

static void print_json_error(const char *file, const lsched_error *err) {
    struct json json;
    begin_json(&json, file, false);
    json_object(&json, "error", JSON_LINES);
    json_string(&json, "code", lsched_error_name(err->code));
    json_uint(&json, "line", err->line);
    json_uint(&json, "column", err->column);
    json_string(&json, "message", err->message);
    json_close(&json);
    json_close(&json);
    json_end(&json);
}

static void print_text(const char *file, const lsched_policy_info *info) {
    char hooks[POLICY_HOOK_NAMES_BYTES];
    printf("%s: ok\n", file);
    printf("  name        %s\n", info->name);
    printf("  hooks       %s\n", policy_hook_names(info->hooks, hooks));
    printf("  placement   %s\n", info->placement);
    printf("  fair share  %s\n", info->fair_share);
    printf("  order       %s\n", info->order);
    printf("  pipeline    %s\n", info->pipeline);
    policy_settings_print(info);
    printf("  hash        %016llx\n", (unsigned long long)info->hash);
}

static int load(const struct check_args *args, const struct policy_source *source,
                lsched_cluster *cluster) {
    lsched_error err = LSCHED_ERROR_INIT;
    const char *file = source->is_file ? source->file.name : source->word;
    if (policy_source_load(source, cluster, &err) < 0) {
        if (args->json) print_json_error(file, &err);
        return library_error(file, &err);
    }
    lsched_policy_info info = {.size = sizeof info};
    lsched_policy_get(cluster, &info);
    if (args->json) {
        print_json(file, &info);
    } else {
        print_text(file, &info);
    }
    return EXIT_OK;
}

static int check(const void *argument, char *const *positionals, size_t n_positionals) {
    (void)n_positionals;
    struct policy_source source;
    int rc = policy_source_open(&command_check, positionals[0], &source);
    if (rc != EXIT_OK) return rc;
    struct host_allocator memory;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    opts.allocator = host_allocator_begin(&memory);
    rc = lsched_cluster_create(&opts, &cluster, &err) < 0 ? library_error(NULL, &err)
                                                          : load(argument, &source, cluster);
    lsched_cluster_destroy(cluster);
    host_allocator_end(&memory);
    policy_source_close(&source);
    return rc;
}

static const struct option options[] = {
    {"json", NULL, "print JSON, also about an error", offsetof(struct check_args, json),
     OPTION_FLAG},
};

const struct command command_check = {
    .name = "check",
    .arguments = "POLICY",
    .summary = "load a policy and say what it does, or what is wrong with it",
    .about = "Loads a policy as a scheduler would: parses it, checks every key and field, and runs "
             "it once in its sandbox. Prints its hooks and choices, or the first error as "
             "file:line:column.",
    .examples = "  lsched check mine.lua\n"
                "  lsched check - < mine.lua\n"
                "  lsched check fgd                a ready-made policy, by name",
    .options = options,
    .n_options = sizeof options / sizeof options[0],
    .positionals_min = 1,
    .positionals_max = 1,
    .run = check,
};
_Static_assert(sizeof(struct check_args) <= COMMAND_ARGS_BYTES,
               "the argument struct fits its buffer");
