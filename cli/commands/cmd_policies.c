/*
 * cmd_policies.c -- the command `lsched policies`, which lists the ready-made policies and prints
 * the text of one of them, so that a user can change it.
 *
 * The comment at the top of a policy says what the policy is for. The list shows the first sentence
 * of this comment.
 */
#include <stdio.h>
#include <string.h>

#include "cli/support/command.h"
#include "cli/support/host_allocator.h"
#include "cli/support/json_writer.h"
#include "cli/policy/policy_listing.h"
#include "cli/policy/policy_source.h"
#include "cli/support/terminal.h"
#include "cli/support/text_table.h"

struct policies_args {
    bool json;
};

enum { PURPOSE_BYTES = 400 };

/* Writes the first sentence of the comment at the top of a policy to `out`, in one line and without
 * "name: " at its beginning. */
static void read_purpose(const char *text, const char *name, char out[PURPOSE_BYTES]) {
    size_t n = 0;
    while (strncmp(text, "--", 2) == 0) {
        text += 2;
        while (*text == '-' || *text == ' ') text++;
        size_t len = strcspn(text, "\n");
        if (n > 0 && len > 0 && n < PURPOSE_BYTES - 1) out[n++] = ' ';
        for (size_t i = 0; i < len && n < PURPOSE_BYTES - 1; i++) out[n++] = text[i];
        text += len + (text[len] == '\n');
        if (len == 0) break; /* an empty comment line ends the paragraph */
    }
    out[n] = '\0';
    size_t name_len = strlen(name);
    if (strncmp(out, name, name_len) == 0 && out[name_len] == ':') {
        size_t skip = name_len + 1;
        while (out[skip] == ' ') skip++;
        memmove(out, out + skip, n - skip + 1);
    }
    char *stop = strstr(out, ". ");
    if (stop != NULL) *stop = '\0';
    n = strlen(out);
    if (n > 0 && out[n - 1] == '.') out[n - 1] = '\0';
}

static int print_one(const char *wanted) {
    struct policy_source source;
    int rc = policy_source_open("policies", wanted, &source);
    if (rc != EXIT_OK) return rc;
    if (source.is_file) {
        policy_source_close(&source);
        return usage_error("policies", "expected the name of a ready-made policy, got '%s'",
                           wanted);
    }
    lsched_ready_policy ready = {.size = sizeof ready};
    for (size_t i = 0; lsched_ready_policies_at(i, &ready, NULL) == LSCHED_OK; i++) {
        if (strcmp(ready.name.ptr, wanted) == 0)
            fwrite(ready.text.ptr, 1, (size_t)ready.text.len, stdout);
    }
    return EXIT_OK;
}

struct listed {
    const char *name;
    lsched_policy_info info;
    char purpose[PURPOSE_BYTES];
};

/* Reads the ready-made policy with index i. Returns 1, or 0 if i is not below the number of
 * ready-made policies, or a negative error code. */
static int32_t read_listed(lsched_cluster *cluster, uint32_t i, struct listed *out,
                           lsched_error *err) {
    lsched_ready_policy ready = {.size = sizeof ready};
    if (lsched_ready_policies_at(i, &ready, NULL) < 0) return 0;
    out->name = ready.name.ptr;
    int32_t rc =
        lsched_policy_load(cluster, lsched_cstr(out->name), (lsched_text){NULL, 0}, NULL, err);
    if (rc < 0) return rc;
    out->info = (lsched_policy_info){.size = sizeof out->info};
    lsched_policy_get(cluster, &out->info, NULL);
    read_purpose(ready.text.ptr, out->name, out->purpose);
    return 1;
}

static int32_t list_json(lsched_cluster *cluster, lsched_error *err) {
    struct json json;
    struct listed policy;
    int32_t rc;
    json_begin(&json, stdout);
    json_array(&json, NULL, JSON_LINES);
    for (uint32_t i = 0; (rc = read_listed(cluster, i, &policy, err)) == 1; i++) {
        json_object(&json, NULL, JSON_LINE);
        policy_json(&json, &policy.info);
        json_string(&json, "purpose", policy.purpose);
        json_close(&json);
    }
    json_end(&json);
    return rc;
}

static int32_t list_text(lsched_cluster *cluster, lsched_error *err) {
    struct text_table table;
    struct listed policy;
    int32_t rc;
    table_begin(&table, "ll");
    TABLE_WORDS(&table, "policy", "purpose");
    for (uint32_t i = 0; (rc = read_listed(cluster, i, &policy, err)) == 1; i++) {
        table_cell(&table, "%s", policy.name);
        table_cell(&table, "%s", policy.purpose);
    }
    table_print(&table, stdout, 0, terminal_width(stdout));
    if (rc == 0) printf("\n'lsched policies NAME' prints the text of one: a file to start from.\n");
    return rc;
}

static int list(lsched_cluster *cluster, bool as_json) {
    lsched_error err = LSCHED_ERROR_INIT;
    int32_t rc = as_json ? list_json(cluster, &err) : list_text(cluster, &err);
    return rc < 0 ? library_error(NULL, &err) : EXIT_OK;
}

static int policies(const void *argument, const struct parsed *words) {
    const struct policies_args *args = argument;
    if (words->n_positionals > 0) return print_one(words->positionals[0]);
    struct host_allocator memory;
    lsched_cluster_opts opts = LSCHED_CLUSTER_OPTS_INIT;
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    opts.allocator = host_allocator_begin(&memory);
    int rc = lsched_cluster_create(&opts, &cluster, &err) < 0 ? library_error(NULL, &err)
                                                              : list(cluster, args->json);
    lsched_cluster_destroy(cluster);
    host_allocator_end(&memory);
    return rc;
}

#define ARGS struct policies_args
static const struct option options[] = {
    FLAG(ALL, "json", json, "print JSON instead of a table"),
};

const struct command command_policies = {
    .name = "policies",
    .arguments = "[NAME]",
    .summary = "list the ready-made policies, or print the text of one",
    .about = "Ready-made policies are Lua files inside the library. Wherever a policy is asked "
             "for, their names do; to change one, print it into a file and give the path of that "
             "file instead.",
    .examples = "  lsched policies\n"
                "  lsched policies fgd > mine.lua && lsched check mine.lua",
    COMMAND_OPTIONS(options, ARGS),
    .positionals_max = 1,
    .run = policies,
};
