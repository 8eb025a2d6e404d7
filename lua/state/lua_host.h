/*
 * lua_host.h -- struct lua_host: the LuaJIT state of one policy and everything around it; internal
 * to lua/.
 *
 * Invariants: the Lua state is only used inside host_run(), which makes one protected call. Outside
 * of host_run(), nothing that could allocate is pushed on the stack. All memory of the state comes
 * from host_realloc(), which counts the bytes and can refuse. The instructions of policy text
 * are counted by the meter, see lua_host.c. After any failure, the state can be used again.
 *
 * A C function that Lua calls gets only a lua_State. host_of() finds the lua_host from the
 * lua_State without a global variable. The lua_State is the first object that lua_newstate
 * allocates. Therefore it lies at the beginning of the first memory block, right behind a pointer
 * to the lua_host.
 */
#ifndef LSCHED_LUA_HOST_H
#define LSCHED_LUA_HOST_H

#include "base/alloc.h"
#include "lua/front/lua_fault.h"
#include "lua/front/lua_hook_kinds.h"
#include "lua/front/lua_lex.h"
#include "lua/front/lua_source.h"
#include "lua/front/lua_tail.h"
#include "lua/state/luajit_api.h"
#include "policy/policy.h"

/* Name of the meter in the environment. Policy text cannot use this name, because the lexer refuses
 * names that begin so. */
#define METER_NAME "__lsched_meter"

enum {
    /* size of the first memory block; lua_newstate uses only this block, because Debian's LuaJIT
     * crashes if lua_newstate is refused memory */
    HOST_BLOCK_BYTES = 64 * 1024,
    HOST_BLOCK_HEAD = 64,
    /* number of instructions between two checks of the budget, if no check comes before */
    HOST_METER_STEP = 1000,
    /* longest string, which bounds the running time of one instruction */
    HOST_STRING_BYTES_MAX = LEX_STRING_BYTES_MAX,
    /* number of elements of a batch whose fields are filled together and that run in one loop */
    HOST_CHUNK = 256,
    HOST_NAME_BYTES = 128,
    HOST_HOOKS = POLICY_HOOKS,
    HOST_TEXT_WARNINGS = 24, /* number of warnings about the policy text that are kept */
    HOST_WARNINGS_MAX = HOST_TEXT_WARNINGS + 2 * HOST_HOOKS,
    HOST_FIELDS_MAX = 64, /* maximum number of fields of one object */
    HOST_PARAMS_MAX = 256
};

/* Indexes in Lua's registry, which policy text cannot reach. */
enum host_slot {
    SLOT_HANDLER = 1,
    SLOT_TRAMPOLINE,
    /* the meter, a table: [1] is the number of instructions until the next check of the budget, and
     * [2] the function that checks it; [3] is 0, see lua_rewrite.c */
    SLOT_METER,
    SLOT_BUILD,  /* function of the prelude that makes batch loops */
    SLOT_PARAMS, /* table of the policy's parameters */
    /* metatable that makes tables of the policy text read-only if hooks can reach them */
    SLOT_FROZEN,
    SLOT_SNAPSHOT, /* entries of tables that hooks can reach: table, key, value, table, key, ... */
    /* SLOT_AT[1] is the number (from 1) of the element in the chunk for which the loop runs now */
    SLOT_AT,
    SLOT_OUT, /* first result of the hook for each element */
    SLOT_WHY, /* second result of the hook for each element */
    SLOT_DEFINITION,
    SLOT_LOOP, /* SLOT_LOOP plus the index of a hook: the hook's batch loop */
    /* SLOT_COLUMN plus the index of a field: the field's column */
    SLOT_COLUMN = SLOT_LOOP + HOST_HOOKS
};

enum host_refusal { REFUSED_NOTHING, REFUSED_BY_HOST, REFUSED_LIMIT, REFUSED_CALL, REFUSED_STRING };

struct hook_object {
    uint8_t object; /* enum policy_object */
    /* 1: each element of a batch has an object of its own; 0: all elements have the same object */
    uint8_t per_row;
    /* 1: the hook gets a read-only view of the object, because the text does not show for certain
     * how the hook uses it */
    uint8_t sealed;
    uint8_t n_fields;
    /* enum policy_field of each field that the hook reads; labels are not among them */
    uint8_t fields[HOST_FIELDS_MAX];
    uint8_t labels;
};

struct hook {
    const struct hook_kind *kind;
    uint32_t present;
    /* FUNCTION node of the hook in the tree, PARSE_NONE if unknown; valid only while loading */
    uint32_t node;
    uint32_t line, column;
    uint32_t reads_now;
    /* 1: elements of a batch that are equal in all fields share one call of the hook; see
     * lua_same.h */
    uint32_t is_shared;
    uint64_t trial_instructions; /* instructions of one call with typical objects */
    /* Counts of trial runs of the hook:
     *   trial_asked   all trial runs
     *   trial_yes     trial runs that returned true */
    uint32_t trial_asked, trial_yes;
    double trial_most; /* largest number that a trial run returned */
    /* resource kind that a trial run returned and that the library does not know; "" if none */
    char trial_odd[32];
    /* In the current cycle:
     *   spent   instructions that calls of the hook executed
     *   asked   number of elements for which the hook was called
     *   kept    instructions charged for answers that the engine has cached */
    uint64_t spent, asked, kept;
    struct hook_object objects[HOST_HOOK_OBJECTS];
    /* tail calls of the hook; an error in one of them is reported at the line of the tail call */
    struct tails tails;
};

struct lua_host {
    struct luajit_api api;
    struct alloc *alloc;
    lua_State *L;
    char *block;
    size_t block_used;
    char *text; /* policy text; needed later to find the columns of messages */
    size_t text_len;
    char name[HOST_NAME_BYTES]; /* name of the policy in messages */

    /* heap_bytes: bytes allocated outside `block`; heap_limit_bytes: the largest value allowed */
    uint64_t heap_bytes, heap_limit_bytes;
    uint64_t call_bytes;
    enum host_refusal refused;
    /* the locale "C", which the thread has while PUC Lua runs; NULL with LuaJIT */
    void *locale;
    /* buffer in which PUC Lua joins strings, compared only, never read; NULL with LuaJIT */
    const void *string_buffer;
    uint8_t finds_buffer;   /* 1: the next block of the right size is the string buffer */
    uint8_t booting;        /* 1: inside lua_newstate, where only `block` is used */
    uint8_t limits_strings; /* 1: policy text runs, so allocations are limited */
    uint8_t chunk_runs;     /* 1: the policy file itself runs, not a hook */

    /* budgets for one call of a hook and for one cycle, in instructions */
    uint64_t per_call, per_cycle;
    /* instructions of the current protected call:
     *   used     executed up to the last check of the budget, and what C functions charged
     *   allowed  most instructions
     *   granted  what the meter showed after the last check */
    uint64_t used, allowed, granted;
    uint64_t spent; /* instructions charged since the cycle began */
    /* 1: the error happened in policy text, or in a function that it called */
    uint8_t failed_in_text;
    int32_t stop; /* LSCHED_E_BUDGET or LSCHED_E_INTERRUPTED if host_spend ended the call, else 0 */

    const struct policy_view *view; /* set only while a hook runs */
    const struct batch *batch;      /* batch of the hook that runs */
    const uint32_t *label_rows;
    struct hook hooks[HOST_HOOKS];
    /* Warnings in this order: about the policy text, about keys that have no effect, from the trial
     * runs. The last entry of the array stays empty. */
    char warnings[HOST_WARNINGS_MAX + 1][LSCHED_MESSAGE_BYTES];
    uint32_t n_warnings;
    struct policy_desc desc;
    /* parameters, sorted by key; their texts point into strings that SLOT_PARAMS keeps alive */
    lsched_param params[HOST_PARAMS_MAX];
    uint32_t n_params;
    const lsched_policy_opts *opts; /* options of the caller, valid only while loading */
    struct source_facts facts;
    /* number of recorded entries of tables that hooks can reach; 0 if no function of the policy
     * text assigns an entry */
    uint32_t n_snapshot;
    /* 1: the last call of a hook failed and has possibly changed recorded entries */
    uint32_t is_tainted;
    struct fault fault;
    union policy_value values[HOST_CHUNK];
    struct same *same; /* memory of lua_same.c; NULL if no hook of the policy uses it */

    struct parse_tree tree; /* tree of the policy text, valid only while loading */
    /* for each hook: its compiled form, or the reason why it is not compiled; owned by
     * lua_lift.c */
    struct lifted *lifted;
    struct lift *lift;                 /* compiler of hooks, exists only while loading */
    const struct col_kernels *kernels; /* functions that run the operations of compiled hooks */
    /* memory of the compiled program that runs now; an aligned address inside scratch_block */
    void *scratch;
    char *scratch_block;
    size_t scratch_bytes;
    /* 1: LuaJIT runs every hook, also compiled ones (in trial runs and tests) */
    uint32_t is_lifting_off;
};

struct lua_host *host_of(lua_State *L);
int32_t host_open(struct lua_host *host);
void host_close(struct lua_host *host);
/* Runs `body` in a protected call with a budget of `allowed` instructions. Returns LSCHED_OK or an
 * error code. On an error, host->fault holds code, text and line. */
int32_t host_run(struct lua_host *host, void (*body)(struct lua_host *host, void *user), void *user,
                 uint64_t allowed);
/* In host_run only: ends the protected call with the error in host->fault. The caller must have set
 * host->fault. */
_Noreturn void host_throw(struct lua_host *host);
/* In host_run only: sets code and text of host->fault, as fault_set does, and ends the protected
 * call with this error. */
_Noreturn void host_refuse(struct lua_host *host, int32_t code, const char *format, ...)
    FAULT_PRINTF(3, 4);
/* Reads the meter, so that `used` contains every instruction up to now. */
void host_settle(struct lua_host *host);
/* In host_run only: adds work in C, which the meter does not include, to the instructions of the
 * call. */
void host_charge(struct lua_host *host, uint64_t instructions);
/* In host_run only: calls a function of the policy text with the limits for policy text. Before the
 * call, the function and then its n_args arguments are on top of the stack. */
void host_call_policy(struct lua_host *host, int n_args, int n_results);
/* Only while loading: sets line and column of the fault to the position of this node. If `node` is
 * PARSE_NONE, line and column do not change. */
void host_fault_at(struct lua_host *host, uint32_t node);
/* Sets the column of host->fault, if the fault's word occurs on the fault's line of the policy
 * text. */
void host_find_column(struct lua_host *host);
struct function_lines {
    /* numbers of the first and the last line of a function, from Lua's debug information */
    uint32_t first, last;
};

/* True if the function on top of the stack comes from the policy text. Fills *lines. */
int host_is_policy_function(struct lua_host *host, struct function_lines *lines);

#endif
