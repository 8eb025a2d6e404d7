/*
 * lua_policy.c -- loads and destroys a policy; see lua_policy.h.
 *
 * To load a policy: examine the text, open a Lua state, build the environment, compile the text,
 * run it, check the table that it returned, and run every hook once on trial. Each policy has a Lua
 * state of its own, so a policy that fails to load changes nothing else.
 */
#include "lua/host/lua_policy.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "lua/host/lua_definition.h"
#include "lua/host/lua_env.h"
#include "lua/host/lua_hooks.h"
#include "lua/front/lua_cures.h"
#include "lua/front/lua_dialect.h"
#include "lua/host/lua_rewrite.h"
#include "lua/host/lua_same.h"
#include "lua/host/lua_smoke.h"
#include "lua/lift/lua_lift.h"
#include "lua/front/lua_doubts.h"
#include "lua/front/lua_parse.h"
#include "lua/front/policy_keys.h"
#include "lua/host/lua_unused.h"

#define DEFAULT_PER_CALL     1000000u
#define DEFAULT_PER_CYCLE    500000000u
#define DEFAULT_MEMORY_BYTES ((uint64_t)4 << 20)
#define MEMORY_BYTES_MAX     ((uint64_t)64 << 20)
#define MEMORY_BYTES_MIN     ((uint64_t)256 << 10)

void lua_policy_destroy(void *self) {
    struct lua_host *host = self;
    struct alloc *alloc = host->alloc;
    host_close(host);
    lift_close(host);
    same_close(host);
    tree_free(&host->tree);
    luajit_close(&host->api);
    alloc_free(alloc, host->text, host->text_len + 1);
    alloc_free(alloc, host, sizeof *host);
}

static int32_t host_limits(struct lua_host *host, const lsched_policy_opts *opts) {
    uint64_t memory =
        opts && opts->memory_limit_bytes ? opts->memory_limit_bytes : DEFAULT_MEMORY_BYTES;
    host->per_call =
        opts && opts->instructions_per_call ? opts->instructions_per_call : DEFAULT_PER_CALL;
    host->per_cycle =
        opts && opts->instructions_per_cycle ? opts->instructions_per_cycle : DEFAULT_PER_CYCLE;
    if (memory < MEMORY_BYTES_MIN || memory > MEMORY_BYTES_MAX)
        return fault_set(&host->fault, LSCHED_E_RANGE,
                         "memory_limit_bytes must be from %u KiB to %u MiB",
                         (unsigned)(MEMORY_BYTES_MIN >> 10), (unsigned)(MEMORY_BYTES_MAX >> 20));
    host->heap_limit_bytes = memory - HOST_BLOCK_BYTES;
    return LSCHED_OK;
}

static struct lua_host *host_new(struct alloc *alloc, const char *name, const char *text,
                                 size_t len) {
    struct lua_host *host = alloc_zero(alloc, sizeof *host);
    if (!host) return NULL;
    host->alloc = alloc;
    host->text = alloc_new(alloc, len + 1);
    if (!host->text) {
        alloc_free(alloc, host, sizeof *host);
        return NULL;
    }
    memcpy(host->text, text, len);
    host->text[len] = '\0';
    host->text_len = len;
    policy_keys_copy_name(host->name, sizeof host->name, name);
    policy_keys_copy_name(host->desc.name, sizeof host->desc.name, name);
    host->desc.hash = hash_bytes(text, len, 0);
    return host;
}

static void lua_policy_prepare(struct lua_host *host, void *user) {
    (void)user;
    env_build(host);
}

struct loading {
    char *text; /* text that LuaJIT compiles */
    size_t len;
    int is_compiled;
};

/* Compiles the text and runs it. The table that the text returns is stored at SLOT_DEFINITION. */
static void run_text(struct lua_host *host, void *user) {
    const struct luajit_api *api = &host->api;
    struct loading *loading = user;
    if (env_load(host, loading->text, loading->len, "=policy") != 0)
        api->error(host->L); /* throws LuaJIT's message, which is on top of the stack */
    loading->is_compiled = 1;
    host->chunk_runs = 1;
    host_call_policy(host, 0, 1);
    if (api->type(host->L, -1) != LUA_TTABLE)
        host_refuse(host, LSCHED_E_TYPE,
                    "a policy returns one table (return { api = 1, ... }), this returns %s",
                    api->type(host->L, -1) == LUA_TNIL ? "nothing" : "something else");
    api->rawseti(host->L, LUA_REGISTRYINDEX, SLOT_DEFINITION);
}

static void read_definition(struct lua_host *host, void *user) {
    (void)user;
    definition_read(host);
    /* the definition can go, because the batch loops keep the hooks alive */
    host->api.pushnil(host->L);
    host->api.rawseti(host->L, LUA_REGISTRYINDEX, SLOT_DEFINITION);
    /* frees unused library functions and the other garbage of loading */
    host->api.gc(host->L, LUA_GCCOLLECT, 0);
}

/* Adds to LuaJIT's message what to change in the text. */
static void say_cure(struct fault *fault) {
    const char *cure = cure_compile(fault->text);
    size_t used = strlen(fault->text);
    if (cure) snprintf(fault->text + used, sizeof fault->text - used, "; %s", cure);
}

static int32_t host_load(struct lua_host *host) {
    struct loading loading = {NULL, 0, 0};
#if defined(LSCHED_LUA_PUC)
    int32_t rc = dialect_check(&host->tree, &host->fault);
    if (rc < 0) return rc;
#else
    int32_t rc;
#endif
    rc = rewrite_text(&host->tree, &loading.text, &loading.len);
    if (rc < 0) fault_set(&host->fault, rc, "out of memory");
    if (rc == LSCHED_OK) rc = luajit_open(&host->api, &host->fault);
    if (rc == LSCHED_OK) rc = host_open(host);
    if (rc == LSCHED_OK) rc = host_run(host, lua_policy_prepare, NULL, UINT64_MAX);
    if (rc == LSCHED_OK) rc = host_run(host, run_text, &loading, host->per_call);
    if (rc == LSCHED_E_POLICY && !loading.is_compiled && !host->fault.sub)
        rc = host->fault.code = LSCHED_E_SYNTAX;
    if (rc == LSCHED_E_SYNTAX && !loading.is_compiled) say_cure(&host->fault);
    alloc_free(host->alloc, loading.text, loading.len + 1);
    host->chunk_runs = 0;
    if (rc == LSCHED_OK) rc = host_run(host, read_definition, NULL, UINT64_MAX);
    return rc;
}

/* Returns the node of the next warning about a policy text and writes the warning to `text`. `node`
 * is the node of the previous warning, or PARSE_NONE for the first call. Returns PARSE_NONE if
 * there are no more warnings. */
typedef uint32_t (*next_warning_fn)(const struct parse_tree *tree, uint32_t node, char *text,
                                    size_t cap);

static void keep_warnings_of(struct lua_host *host, next_warning_fn next) {
    char text[LSCHED_MESSAGE_BYTES - HOST_NAME_BYTES];
    uint32_t at = PARSE_NONE;
    while (host->n_warnings < HOST_TEXT_WARNINGS) {
        at = next(&host->tree, at, text, sizeof text);
        if (at == PARSE_NONE) break;
        const struct parse_node *node = tree_at(&host->tree, at);
        snprintf(host->warnings[host->n_warnings++], sizeof host->warnings[0], "%s:%u:%u: %s",
                 host->name, (unsigned)node->line, (unsigned)node->column, text);
    }
}

/* Records the warnings about the policy text. Must be called while host->tree exists. */
static void keep_text_warnings(struct lua_host *host) {
    keep_warnings_of(host, source_warning);
    keep_warnings_of(host, doubts_next);
    unused_warn(host);
}

int32_t lua_policy_create(struct alloc *alloc, const char *name, const char *text, size_t len,
                          const lsched_policy_opts *opts, struct policy *out, lsched_error *err) {
    struct fault fault;
    struct parse_tree tree;
    char shown[HOST_NAME_BYTES];
    policy_keys_copy_name(shown, sizeof shown, name);
    fault_clear(&fault);
    int32_t rc = parse_text(&tree, alloc, text, len, &fault);
    if (rc < 0) return fault_report(&fault, shown, "", err);
    struct lua_host *host = host_new(alloc, name, text, len);
    if (!host) {
        tree_free(&tree);
        fault_set(&fault, LSCHED_E_NOMEM, "out of memory");
        return fault_report(&fault, shown, "", err);
    }
    fault_clear(&host->fault);
    host->opts = opts;
    host->tree = tree;
    host->tree.text = host->text;
    rc = source_check(&host->tree, &host->facts, &host->fault);
    if (rc == LSCHED_OK) rc = host_limits(host, opts);
    if (rc == LSCHED_OK) rc = lift_open(host);
    if (rc == LSCHED_OK) rc = host_load(host);
    if (rc == LSCHED_OK) keep_text_warnings(host);
    tree_free(&host->tree);
    if (rc == LSCHED_OK) rc = lift_ready(host);
    if (rc == LSCHED_OK) rc = same_ready(host);
    host->opts = NULL;
    if (rc < 0) {
        host_find_column(host);
        fault_report(&host->fault, host->name, "", err);
    } else {
        /* in the trial runs LuaJIT runs every hook, because its messages and instruction counts are
         * needed */
        host->is_lifting_off = 1;
        rc = smoke_run(host, err);
        host->is_lifting_off = 0;
    }
    if (rc < 0) {
        lua_policy_destroy(host);
        return rc;
    }
    *out = (struct policy){&hook_ops, host, host->desc};
    return LSCHED_OK;
}
