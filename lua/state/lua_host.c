/*
 * lua_host.c -- memory, budget and protected calls of a policy's Lua state; see lua_host.h.
 *
 * The Lua state starts in one memory block from the orchestrator's allocator. When the block is
 * full, each further object is an allocation of its own. Policy text has three memory limits: the
 * bytes in use, the bytes allocated in one call, and the length of a string. The limit for one call
 * exists because `s .. s` costs time that the instruction count does not include.
 *
 * The limit on strings is checked when LuaJIT resizes its string buffer. The buffer is recognized
 * by its size, a power of two. No other block that LuaJIT resizes has such a size, because tables
 * have 2^k + 1 slots and the stack has an odd number of slots. PUC Lua gives its buffer the size of
 * the string; there, the buffer is known by its address. With strings of at most 1 KB, comparing,
 * converting or joining strings costs about a microsecond, so the instruction count bounds the
 * time.
 *
 * Instructions are counted by the policy text itself: lua_rewrite.h puts a statement in front of
 * every block that lowers the meter, which is a number in a table. When the meter is below 0, the
 * text calls host_meter(), which checks the budget. The count hook of Lua is not used, because it
 * counts bytecode, and each Lua has another bytecode; besides, LuaJIT runs slower with a hook.
 */
#include "lua/state/lua_host.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "lua/state/lua_locale.h"

#define CALL_BYTES_MAX ((uint64_t)64 << 20)

/* bytes in front of a heap block, for its size; 16 keeps the block aligned */
enum { HEAP_HEAD = 16 };

/* Record right in front of the lua_State, which is the first allocation in the block. */
struct block_head {
    struct lua_host *host;
};

struct lua_host *host_of(lua_State *L) {
    struct block_head head;
    memcpy(&head, (const char *)L - sizeof head, sizeof head);
    return head.host;
}

/* ---- memory ---- */

static size_t block_round(size_t bytes) {
    return (bytes + 15) & ~(size_t)15;
}

static int block_owns(const struct lua_host *host, const void *p) {
    uintptr_t at = (uintptr_t)p, begin = (uintptr_t)host->block;
    return p && at >= begin && at < begin + HOST_BLOCK_BYTES;
}

static void *lua_state_block_take(struct lua_host *host, size_t bytes) {
    if (bytes > HOST_BLOCK_BYTES || block_round(bytes) > HOST_BLOCK_BYTES - host->block_used)
        return NULL;
    char *p = host->block + host->block_used;
    host->block_used += block_round(bytes);
    return p;
}

static int block_is_last(const struct lua_host *host, const void *p, size_t bytes) {
    return (const char *)p + block_round(bytes) == host->block + host->block_used;
}

/* Resizes an allocation inside the block. Returns NULL if the allocation cannot grow in its place.
 * Freed space inside the block is used again only if it is at the block's end. */
static void *block_resize(struct lua_host *host, void *old, size_t old_bytes, size_t bytes) {
    size_t begin = (size_t)((char *)old - host->block);
    if (block_is_last(host, old, old_bytes) && block_round(bytes) <= HOST_BLOCK_BYTES - begin) {
        host->block_used = begin + block_round(bytes);
        return old;
    }
    return bytes <= old_bytes ? old : NULL;
}

#if defined(LSCHED_LUA_PUC)

/* smallest size of PUC Lua's buffer (LUA_MINBUFFER) */
enum { PUC_BUFFER_BYTES = 32 };

static int is_string_buffer(const struct lua_host *host, const void *old, size_t old_bytes,
                            size_t bytes) {
    (void)old_bytes, (void)bytes;
    return old && old == host->string_buffer;
}

/* Keeps the address of the string buffer. The first block that PUC Lua takes when it joins strings
 * for the first time is the buffer. */
static void note_string_buffer(struct lua_host *host, const void *old, size_t bytes, void *p) {
    if (!p) return;
    if (old ? old == host->string_buffer
            : host->finds_buffer && !host->string_buffer && bytes == PUC_BUFFER_BYTES)
        host->string_buffer = p;
}

#else

static int is_power_of_two(size_t n) {
    return n && (n & (n - 1)) == 0;
}

static int is_string_buffer(const struct lua_host *host, const void *old, size_t old_bytes,
                            size_t bytes) {
    (void)host;
    return old && is_power_of_two(old_bytes) && is_power_of_two(bytes);
}

static void note_string_buffer(struct lua_host *host, const void *old, size_t bytes, void *p) {
    (void)host, (void)old, (void)bytes, (void)p;
}

#endif

static enum host_refusal host_refuses(struct lua_host *host, const void *old, size_t old_bytes,
                                      size_t bytes) {
    if (bytes <= old_bytes) return REFUSED_NOTHING;
    if (host->limits_strings) {
        if (bytes > HOST_STRING_BYTES_MAX && is_string_buffer(host, old, old_bytes, bytes))
            return REFUSED_STRING;
        host->call_bytes += bytes - old_bytes;
        if (host->call_bytes > CALL_BYTES_MAX) return REFUSED_CALL;
    }
    return REFUSED_NOTHING;
}

/* Returns the size of a heap block, which is stored in front of it. The size that LuaJIT passes is
 * not used, because it is wrong after some refused allocations. For example, LuaJIT frees a closure
 * whose upvalue could not be made as if the closure had no upvalue. An orchestrator's allocator
 * possibly relies on the size. */
static size_t heap_size(const void *p) {
    size_t bytes;
    memcpy(&bytes, (const char *)p - HEAP_HEAD, sizeof bytes);
    return bytes;
}

static void *heap_resize(struct lua_host *host, void *old, size_t bytes) {
    size_t old_bytes = old ? heap_size(old) : 0;
    bytes += HEAP_HEAD;
    if (bytes > old_bytes && bytes - old_bytes > host->heap_limit_bytes - host->heap_bytes) {
        host->refused = REFUSED_LIMIT;
        return NULL;
    }
    char *p = alloc_resize(host->alloc, old ? (char *)old - HEAP_HEAD : NULL, old_bytes, bytes);
    if (!p) {
        host->refused = REFUSED_BY_HOST;
        return NULL;
    }
    memcpy(p, &bytes, sizeof bytes);
    host->heap_bytes = host->heap_bytes - old_bytes + bytes;
    return p + HEAP_HEAD;
}

static void host_release(struct lua_host *host, void *p, size_t bytes) {
    if (!p) return;
    if (block_owns(host, p)) {
        if (block_is_last(host, p, bytes)) host->block_used -= block_round(bytes);
        return;
    }
    bytes = heap_size(p);
    host->heap_bytes -= bytes;
    alloc_free(host->alloc, (char *)p - HEAP_HEAD, bytes);
}

static void *host_resize(struct lua_host *host, void *old, size_t old_bytes, size_t bytes) {
    if (old && !block_owns(host, old)) return heap_resize(host, old, bytes);
    void *p = old ? block_resize(host, old, old_bytes, bytes) : NULL;
    if (p) return p;
    p = lua_state_block_take(host, bytes);
    if (!p && !host->booting) p = heap_resize(host, NULL, bytes);
    if (p && old) {
        memcpy(p, old, old_bytes < bytes ? old_bytes : bytes);
        host_release(host, old, old_bytes);
    }
    return p;
}

/* Allocator of the Lua state; it has the type lua_Alloc. */
static void *host_realloc(void *user, void *old, size_t old_bytes, size_t bytes) {
    struct lua_host *host = user;
    if (bytes == 0) {
        host_release(host, old, old_bytes);
        return NULL;
    }
    if (!old) old_bytes = 0;
    enum host_refusal refusal = host_refuses(host, old, old_bytes, bytes);
    if (refusal != REFUSED_NOTHING) {
        host->refused = refusal;
        return NULL;
    }
    void *p = host_resize(host, old, old_bytes, bytes);
    note_string_buffer(host, old, bytes, p);
    return p;
}

/* ---- budget ---- */

void host_throw(struct lua_host *host) {
    host->api.pushlightuserdata(host->L, host);
    host->api.error(host->L);
    __builtin_unreachable();
}

void host_refuse(struct lua_host *host, int32_t code, const char *format, ...) {
    va_list args;
    host->fault.code = code;
    va_start(args, format);
    vsnprintf(host->fault.text, sizeof host->fault.text, format, args);
    va_end(args);
    host_throw(host);
}

static void host_spend(struct lua_host *host, uint64_t instructions) {
    const struct policy_view *view = host->view;
    host->used += instructions;
    if (host->used > host->allowed)
        host->stop = LSCHED_E_BUDGET;
    else if (view && view->interrupted && view->interrupted(view->engine))
        host->stop = LSCHED_E_INTERRUPTED;
    if (host->stop) host_throw(host);
}

/* Sets the meter to the number of instructions until the next check of the budget. The functions
 * that read and set the meter allocate nothing. */
static void meter_grant(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    uint64_t left = host->allowed > host->used ? host->allowed - host->used : 0;
    host->granted = left < HOST_METER_STEP ? left : HOST_METER_STEP;
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_METER);
    api->pushnumber(host->L, (double)host->granted);
    api->rawseti(host->L, -2, 1);
    api->settop(host->L, -2);
}

void host_settle(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_METER);
    api->rawgeti(host->L, -1, 1);
    double left = api->tonumber(host->L, -1);
    api->settop(host->L, -3);
    host->used += (uint64_t)((double)host->granted - left);
    meter_grant(host);
}

/* Policy text calls this function when the meter is below 0. */
static int host_meter(lua_State *L) {
    struct lua_host *host = host_of(L);
    host_settle(host);
    host_spend(host, 0);
    return 0;
}

void host_charge(struct lua_host *host, uint64_t instructions) {
    if (instructions) host_spend(host, instructions);
}

/* Makes the meter. It has a metatable, so that nobody takes it for a table of the policy text. */
static void meter_make(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    api->createtable(host->L, 3, 0);
    api->pushnumber(host->L, 0);
    api->rawseti(host->L, -2, 1);
    api->pushcclosure(host->L, host_meter, 0);
    api->rawseti(host->L, -2, 2);
    api->pushnumber(host->L, 0);
    api->rawseti(host->L, -2, 3);
    api->createtable(host->L, 0, 1);
    api->pushlstring(host->L, "__metatable", 11);
    api->pushboolean(host->L, 0);
    api->rawset(host->L, -3);
    api->setmetatable(host->L, -2);
    api->rawseti(host->L, LUA_REGISTRYINDEX, SLOT_METER);
}

void host_call_policy(struct lua_host *host, int n_args, int n_results) {
    host->call_bytes = 0;
    host->limits_strings = 1;
    host->api.call(host->L, n_args, n_results);
    host->limits_strings = 0;
}

/* ---- faults ---- */

/* Skips a position such as "policy:12: " at the beginning of a message. libsched chose the chunk
 * names, so the form of the position is known. If the position is in the policy text, the function
 * also sets *line. Returns the message after the position. */
static const char *skip_position(const char *message, uint32_t *line) {
    static const char *const chunks[] = {"policy:", "prelude:", "library:", "loop:"};
    for (size_t i = 0; i < sizeof chunks / sizeof chunks[0]; i++) {
        size_t n = strlen(chunks[i]);
        if (strncmp(message, chunks[i], n) != 0) continue;
        uint32_t number = 0;
        const char *p = message + n;
        while (*p >= '0' && *p <= '9' && number < 100000)
            number = number * 10 + (uint32_t)(*p++ - '0');
        if (p == message + n || p[0] != ':' || p[1] != ' ') return message;
        if (i == 0 && *line == 0) *line = number;
        return p + 2;
    }
    return message;
}

/* Prepares a clearer wording of LuaJIT's arithmetic error. LuaJIT's message says what the value is,
 * but not that a number is needed. */
static const char *skip_arithmetic(const char *text, const char **instead) {
    static const char words[] = "attempt to perform arithmetic on ";
    int is_it = strncmp(text, words, sizeof words - 1) == 0;
    *instead = is_it ? "arithmetic needs numbers, got " : "";
    return is_it ? text + sizeof words - 1 : text;
}

/* The depth at which PUC Lua gives up, between 16,000 and 20,000 calls, depends on what the state
 * did before. With LuaJIT, it depends on the text alone. */
static int is_depth_by_chance(const char *text) {
#if defined(LSCHED_LUA_PUC)
    return strncmp(text, "stack overflow", 14) == 0;
#else
    (void)text;
    return 0;
#endif
}

/* The error handler. LuaJIT calls it where the error happens, before the stack unwinds. It must not
 * allocate. */
static int host_handler(lua_State *L) {
    struct lua_host *host = host_of(L);
    const struct luajit_api *api = &host->api;
    struct fault *fault = &host->fault;
    int type = api->type(L, 1);
    if (fault->code == LSCHED_OK && !host->stop) {
        const char *text = type == LUA_TSTRING ? api->tolstring(L, 1, NULL) : NULL, *instead;
        if (text) {
            text = skip_arithmetic(skip_position(text, &fault->line), &instead);
            fault_set(fault, LSCHED_E_POLICY, "%s%s", instead, text);
            if (is_depth_by_chance(text)) fault->sub = LSCHED_SUB_NOT_DETERMINISTIC;
        } else {
            fault_set(fault, LSCHED_E_POLICY, "(error object is a %s)", api->typename(L, type));
        }
    }
    host->failed_in_text = host->limits_strings;
    lua_Debug ar;
    for (int level = 0; fault->line == 0 && level < 16 && api->getstack(L, level, &ar); level++) {
        if (api->getinfo(L, "Sl", &ar) && strcmp(ar.source, "=policy") == 0 && ar.currentline > 0)
            fault->line = (uint32_t)ar.currentline;
    }
    return 1;
}

/* Sets the fault's word. LuaJIT's messages put the word that they are about in quotes, such as:
 * field 'x', near 'x'. */
static void fault_word_of_text(struct fault *fault) {
    const char *near = strstr(fault->text, "near '"),
               *begin = near ? near + 6 : strchr(fault->text, '\'');
    if (!begin) return;
    if (!near) begin++;
    const char *end = near ? strrchr(begin, '\'') : strchr(begin, '\'');
    if (end && end > begin) fault_word(fault, begin, (size_t)(end - begin));
}

void host_fault_at(struct lua_host *host, uint32_t node) {
    if (node == PARSE_NONE) return;
    host->fault.line = tree_at(&host->tree, node)->line;
    host->fault.column = tree_at(&host->tree, node)->column;
}

void host_find_column(struct lua_host *host) {
    struct fault *fault = &host->fault;
    struct lex_token at;
    if (!fault->word[0]) fault_word_of_text(fault);
    if (fault->column || !fault->line || !fault->word[0]) return;
    if (strcmp(fault->word, "<eof>") == 0) {
        source_token(host->text, host->text_len, 0, "", &at);
        fault->line = at.line;
        fault->column = at.column;
    } else if (source_token(host->text, host->text_len, fault->line, fault->word, &at)) {
        fault->column = at.column;
    }
}

static int32_t fault_of_memory(struct lua_host *host) {
    struct fault *fault = &host->fault;
    fault->sub = LSCHED_SUB_NOT_DETERMINISTIC;
    switch (host->refused) {
    case REFUSED_BY_HOST: return fault_set(fault, LSCHED_E_NOMEM, "out of memory");
    case REFUSED_CALL:
        return fault_set(fault, LSCHED_E_POLICY, "allocated more than %u MiB in one call",
                         (unsigned)(CALL_BYTES_MAX >> 20));
    case REFUSED_STRING:
        fault->sub = LSCHED_SUB_NONE;
        return fault_set(fault, LSCHED_E_POLICY, "a string longer than %u bytes",
                         (unsigned)HOST_STRING_BYTES_MAX);
    default:
        return fault_set(fault, LSCHED_E_POLICY, "holds more memory than its limit of %u KiB",
                         (unsigned)((host->heap_limit_bytes + HOST_BLOCK_BYTES) >> 10));
    }
}

static int32_t fault_of_call(struct lua_host *host, int status) {
    struct fault *fault = &host->fault;
    if (host->stop == LSCHED_E_BUDGET) {
        int by_cycle =
            host->allowed != UINT64_MAX && host->per_cycle - host->spent <= host->allowed;
        return fault_set(
            fault, LSCHED_E_BUDGET, "it was still running after %llu instructions; %s no more",
            (unsigned long long)host->allowed, by_cycle ? "a cycle may spend" : "a call may spend");
    }
    if (host->stop == LSCHED_E_INTERRUPTED) {
        fault->sub = LSCHED_SUB_NOT_DETERMINISTIC;
        return fault_set(fault, LSCHED_E_INTERRUPTED, "interrupted by the host");
    }
    if (status == LUA_ERRMEM || host->refused) return fault_of_memory(host);
    if (fault->code == LSCHED_OK)
        return fault_set(fault, LSCHED_E_POLICY, "failed inside the handling of an error");
    return fault->code;
}

/* ---- protected calls ---- */

struct lua_run {
    void (*body)(struct lua_host *host, void *user);
    void *user;
};

static int host_trampoline(lua_State *L) {
    struct lua_host *host = host_of(L);
    struct lua_run *run = host->api.touserdata(L, 1);
    host->api.settop(L, 0);
    run->body(host, run->user);
    return 0;
}

/* Runs a protected call. The error handler and the trampoline are always on the Lua stack, at
 * indexes 1 and 2. To copy them and to push a pointer allocates nothing, because the stack has
 * room. Therefore nothing outside of the protected call can fail. */
static int host_protected(struct lua_host *host, struct lua_run *run) {
    const struct luajit_api *api = &host->api;
    void *before = lua_locale_enter(host->locale);
    api->pushvalue(host->L, 2);
    api->pushlightuserdata(host->L, run);
    int status = api->pcall(host->L, 1, 0, 1);
    lua_locale_leave(before);
    api->settop(host->L, 2);
    host->limits_strings = 0;
    return status;
}

static void lua_state_collect(struct lua_host *host, void *unused) {
    (void)unused;
    host->api.gc(host->L, LUA_GCCOLLECT, 0);
}

/* Collects garbage after a failure, or when much memory is in use. LuaJIT does not collect garbage
 * when an allocation is refused. Without this function, a call could fail although most of the
 * memory is garbage. A failed collection is not an error. */
static void host_tidy(struct lua_host *host, int failed) {
    struct lua_run run = {lua_state_collect, NULL};
    if (failed || host->heap_bytes > host->heap_limit_bytes / 2) host_protected(host, &run);
}

int32_t host_run(struct lua_host *host, void (*body)(struct lua_host *host, void *user), void *user,
                 uint64_t allowed) {
    struct lua_run run = {body, user};
    fault_clear(&host->fault);
    host->refused = REFUSED_NOTHING;
    host->stop = 0;
    host->failed_in_text = 0;
    host->used = 0;
    host->allowed = allowed;
    meter_grant(host);
    int status = host_protected(host, &run);
    host_settle(host);
    int32_t code = status == 0 ? LSCHED_OK : fault_of_call(host, status);
    host_tidy(host, code < 0);
    return code;
}

/* ---- open and close ---- */

static void find_string_buffer(struct lua_host *host) {
#if defined(LSCHED_LUA_PUC)
    const struct luajit_api *api = &host->api;
    api->pushlstring(host->L, "a", 1);
    api->pushlstring(host->L, "b", 1);
    host->finds_buffer = 1;
    api->concat(host->L, 2);
    host->finds_buffer = 0;
    api->settop(host->L, -2);
#else
    (void)host;
#endif
}

static int host_boot(lua_State *L) {
    const struct luajit_api *api = &host_of(L)->api;
    api->pushcclosure(L, host_handler, 0);
    api->rawseti(L, LUA_REGISTRYINDEX, SLOT_HANDLER);
    api->pushcclosure(L, host_trampoline, 0);
    api->rawseti(L, LUA_REGISTRYINDEX, SLOT_TRAMPOLINE);
    meter_make(host_of(L));
    find_string_buffer(host_of(L));
    return 0;
}

int32_t host_open(struct lua_host *host) {
    const struct luajit_api *api = &host->api;
    host->block = alloc_new(host->alloc, HOST_BLOCK_BYTES);
    if (!host->block) return fault_set(&host->fault, LSCHED_E_NOMEM, "out of memory");
    host->block_used = HOST_BLOCK_HEAD;
    const struct block_head head = {host};
    memcpy(host->block + HOST_BLOCK_HEAD - sizeof head, &head, sizeof head);
    if (!lua_locale_open(&host->locale))
        return fault_set(&host->fault, LSCHED_E_NOMEM, "out of memory");
    host->booting = 1;
    host->L = api->newstate(host_realloc, host);
    host->booting = 0;
    if (!host->L)
        return fault_set(&host->fault, LSCHED_E_NOLUA,
                         "this LuaJIT was built without GC64 and does not accept an allocator");
    if ((char *)host->L != host->block + HOST_BLOCK_HEAD)
        return fault_set(&host->fault, LSCHED_E_NOLUA,
                         "the memory layout of this LuaJIT's state is not known");
    if (api->cpcall(host->L, host_boot, NULL) != 0)
        return fault_set(&host->fault, LSCHED_E_NOMEM, "out of memory");
#if defined(LSCHED_LUA_PUC)
    if (!host->string_buffer)
        return fault_set(&host->fault, LSCHED_E_NOLUA,
                         "the string buffer of this PUC Lua is not known");
#endif
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_HANDLER);
    api->rawgeti(host->L, LUA_REGISTRYINDEX, SLOT_TRAMPOLINE);
    api->gc(host->L, LUA_GCSETPAUSE, 120);
    return LSCHED_OK;
}

void host_close(struct lua_host *host) {
    if (host->L) host->api.close(host->L);
    host->L = NULL;
    lua_locale_close(&host->locale);
    alloc_free(host->alloc, host->block, HOST_BLOCK_BYTES);
    host->block = NULL;
}

int host_is_policy_function(struct lua_host *host, struct function_lines *lines) {
    lua_Debug ar;
    if (host->api.iscfunction(host->L, -1)) return 0;
    host->api.pushvalue(host->L, -1);
    if (!host->api.getinfo(host->L, ">S", &ar) || strcmp(ar.source, "=policy") != 0) return 0;
    lines->first = ar.linedefined > 0 ? (uint32_t)ar.linedefined : 0;
    lines->last = ar.lastlinedefined > 0 ? (uint32_t)ar.lastlinedefined : 0;
    return 1;
}
