/*
 * lua_host.h -- struct lua_host: the LuaJIT state of one policy and everything around it; internal
 * to lua/.
 *
 * Invariants: every use of the state happens inside host_run(), which is one protected call, and
 * outside of it nothing that could allocate is pushed on the stack. All memory of the state comes
 * from host_realloc(), which counts the bytes and can refuse. Every instruction of policy text is
 * counted by host_count(). After any failure the state is usable as before.
 *
 * A C function that Lua calls gets only a lua_State. host_of() finds the lua_host from it without a
 * global variable: the state is the first thing that lua_newstate allocates, so it lies at the
 * begin of the first memory block, right behind a pointer to the lua_host.
 */
#ifndef LSCHED_LUA_HOST_H
#define LSCHED_LUA_HOST_H

#include "base/alloc.h"
#include "lua/front/lua_fault.h"
#include "lua/front/lua_lex.h"
#include "lua/lift/lua_lift.h"
#include "lua/front/lua_source.h"
#include "lua/front/lua_tail.h"
#include "lua/front/luajit_api.h"
#include "policy/policy.h"

enum {
    HOST_BLOCK_BYTES = 64 * 1024, /* Debian's LuaJIT crashes if lua_newstate is refused memory */
    HOST_BLOCK_HEAD = 64,
    /* instructions between two checks of the budget */
    HOST_COUNT_EVERY = 100,
    HOST_STRING_BYTES_MAX = LEX_STRING_BYTES_MAX, /* bounds the time of one instruction */
    HOST_CHUNK = 256, /* elements of a batch that are filled in and run at once */
    HOST_NAME_BYTES = 128,
    HOST_HOOKS = POLICY_HOOKS,
    HOST_TEXT_WARNINGS = 24, /* warnings of source_warning that are kept */
    HOST_WARNINGS_MAX = HOST_TEXT_WARNINGS + 2 * HOST_HOOKS,
    HOST_HOOK_OBJECTS = 2,
    HOST_FIELDS_MAX = 64, /* fields of one object */
    HOST_PARAMS_MAX = 256
};

/* Indexes in Lua's registry, which no Lua code can reach. */
enum host_slot {
    SLOT_HANDLER = 1,
    SLOT_TRAMPOLINE,
    SLOT_BUILD,  /* the function of the prelude that makes batch loops */
    SLOT_PARAMS, /* values of the policy's params */
    /* metatable that makes tables of the policy text read-only if hooks can reach them */
    SLOT_FROZEN,
    SLOT_SNAPSHOT, /* content of these tables: table, key, value, table, ... */
    SLOT_AT,       /* [1]: the batch element that the running loop is at */
    SLOT_OUT,      /* first results of the hook */
    SLOT_WHY,      /* second results of the hook */
    SLOT_DEFINITION,
    SLOT_LOOP,                           /* plus the index of the hook */
    SLOT_COLUMN = SLOT_LOOP + HOST_HOOKS /* plus the index of the field */
};

enum host_refusal { REFUSED_NOTHING, REFUSED_BY_HOST, REFUSED_LIMIT, REFUSED_CALL, REFUSED_STRING };

struct hook_object {
    uint8_t object;  /* enum policy_object */
    uint8_t per_row; /* 1: one object for each element of a batch; 0: one for all */
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
    /* FUNCTION of the hook in the tree, PARSE_NONE: unknown; valid only while loading */
    uint32_t node;
    uint32_t line, column;
    uint32_t reads_now;
    /* 1: the hook runs once for equal elements of a batch; see lua_same.h */
    uint32_t is_shared;
    uint64_t trial_instructions;     /* instructions of one call with typical objects */
    uint32_t trial_asked, trial_yes; /* number of trial runs; of those that answered true */
    double trial_most;               /* the largest number that a trial run returned */
    /* resource kind that a trial run returned and that the library does not know; "": none */
    char trial_odd[32];
    /* in this cycle: instructions spent, elements asked, instructions charged for kept answers */
    uint64_t spent, asked, kept;
    struct hook_object objects[HOST_HOOK_OBJECTS];
    struct tails tails;   /* tail calls of the hook, to find the line of an error in one of them */
    struct lifted lifted; /* how the hook is compiled, or why it is not */
};

/* The kind of result of a hook: the last column of hooks.def. */
enum hook_answer {
    HOOK_GIVES_NUMBER,
    HOOK_GIVES_NUMBER_OR_NIL,
    HOOK_GIVES_TRUTH,
    HOOK_GIVES_TRUTH_OR_NIL,
    HOOK_GIVES_AMOUNTS,
    HOOK_GIVES_ADMISSION,
    HOOK_GIVES_WORD,
    HOOK_GIVES_WORDS
};

/* The name, arguments and result of a hook. hook_kinds[] is in the order of the LSCHED_HOOK_* bits.
 */
struct hook_kind {
    const char *name;
    uint32_t n_objects;
    uint8_t objects[HOST_HOOK_OBJECTS];
    uint8_t per_row[HOST_HOOK_OBJECTS];
    enum hook_answer answer;
};
extern const struct hook_kind hook_kinds[HOST_HOOKS];

struct lua_host {
    struct luajit_api api;
    struct alloc *alloc;
    lua_State *L;
    char *block;
    size_t block_used;
    char *text; /* policy text, kept to find the columns of messages */
    size_t text_len;
    char name[HOST_NAME_BYTES]; /* name of the policy in messages */

    uint64_t heap_bytes, heap_limit_bytes; /* bytes beyond `block`: in use, and the most allowed */
    uint64_t call_bytes;
    enum host_refusal refused;
    uint8_t booting;        /* 1: inside lua_newstate, where only `block` is used */
    uint8_t limits_strings; /* 1: policy text runs, so allocations are limited */
    uint8_t chunk_runs;     /* 1: the policy file itself runs, not a hook */

    uint64_t per_call, per_cycle; /* budgets in instructions */
    uint64_t used, allowed;       /* instructions of the current call: used, allowed */
    uint32_t count_every;         /* instructions between two checks of the budget */
    uint64_t spent;               /* instructions since cycle_begin */
    /* 1: the error happened in policy text, or in a function that it called */
    uint8_t failed_in_text;
    int32_t stop; /* LSCHED_E_BUDGET or LSCHED_E_INTERRUPTED if the count hook ended the call */

    const struct policy_view *view; /* while a hook runs */
    const struct batch *batch;      /* batch of the hook while it runs */
    const uint32_t *label_rows;
    struct hook hooks[HOST_HOOKS];
    /* Warnings about the text come first, then about keys that nothing reads, then from the trial
     * runs. The last entry stays empty. */
    char warnings[HOST_WARNINGS_MAX + 1][LSCHED_MESSAGE_BYTES];
    uint32_t n_warnings;
    struct policy_desc desc;
    /* sorted by key; texts point into strings that SLOT_PARAMS holds */
    lsched_param params[HOST_PARAMS_MAX];
    uint32_t n_params;
    const lsched_policy_opts *opts; /* valid while loading */
    struct source_facts facts;
    /* entries of tables that a hook could change; 0 if the policy text assigns no entry */
    uint32_t n_snapshot;
    uint32_t is_tainted; /* 1: a hook failed and may have changed some entries */
    struct fault fault;
    union policy_value values[HOST_CHUNK];
    struct same *same; /* memory of lua_same.c; NULL if no hook needs it */

    struct parse_tree tree;            /* tree of the policy text while it is loaded */
    struct lift *lift;                 /* compiler of hooks, while the policy is loaded */
    const struct col_kernels *kernels; /* functions that run the operations of compiled hooks */
    /* memory of the compiled program that runs; aligned, inside scratch_block */
    void *scratch;
    char *scratch_block;
    size_t scratch_bytes;
    uint32_t is_lifting_off; /* 1: no hook is compiled, Lua answers all (for tests) */
};

/* ---- lua_state.c ---- */

struct lua_host *host_of(lua_State *L);
int32_t host_open(struct lua_host *host);
void host_close(struct lua_host *host);
/* Calls `body` in a protected call with a budget of `allowed` instructions. On failure host->fault
 * holds code, text and line. */
int32_t host_run(struct lua_host *host, void (*body)(struct lua_host *host, void *user), void *user,
                 uint64_t allowed);
/* In host_run only: ends the protected call with host->fault, which must be set. */
_Noreturn void host_throw(struct lua_host *host);
/* In host_run only: sets how many instructions lie between two checks of the budget, and restarts
 * the count of instructions. */
void host_count_every(struct lua_host *host, uint32_t instructions);
/* In host_run only: charges work that the instruction count does not cover. */
void host_charge(struct lua_host *host, uint64_t instructions);
/* In host_run only: calls the function that lies on the stack below its n_args arguments, under the
 * rules for policy text. */
void host_call_policy(struct lua_host *host, int n_args, int n_results);
/* While loading: sets line and column of the fault to this node of the tree; PARSE_NONE: leaves
 * them unknown. */
void host_fault_at(struct lua_host *host, uint32_t node);
/* Sets the column of the fault from the fault's word, if that word is found on the fault's line. */
void host_find_column(struct lua_host *host);

/* ---- lua_env.c ---- */

/* In host_run only: builds the global environment of policy text. Afterwards policy text can reach
 * nothing else. */
void env_build(struct lua_host *host);

/* ---- lua_definition.c ---- */

/* Returns the Lua type of a key of the table at this stack index that is not a string, or
 * LUA_TSTRING if all keys are strings. If there are several such types, it returns the smallest,
 * because a hash has no order. */
int definition_odd_key(struct lua_host *host, int table);
/* In host_run only: checks the table at SLOT_DEFINITION, and fills host->desc, the params and the
 * hooks. */
void definition_read(struct lua_host *host);
/* True if the text has the form of an algorithm's name. */
int host_is_word(const char *text, size_t len);

/* ---- lua_settings.c ---- */

enum { SETTINGS = 2 };
/* Returns the key of the definition under which settings number i are written. */
const char *settings_key(uint32_t i);
/* In host_run only: checks the value on top of the stack and fills host->desc; nil means that
 * nothing is set. Leaves the value, or the result of a function that it was, on the stack. */
void settings_read(struct lua_host *host, uint32_t i);

/* ---- lua_freeze.c ---- */

struct function_lines {
    uint32_t first, last; /* first and last line, from debug information */
};

/* True if the function on top of the stack comes from the policy text. Fills *lines. */
int host_is_policy_function(struct lua_host *host, struct function_lines *lines);
/* In host_run only: makes the tables that hooks can reach read-only and records their content. The
 * definition is at stack index 1. */
void freeze_reachable(struct lua_host *host);
/* In host_run only: undoes the changes that a hook made to these tables. Returns the name of a
 * changed entry (valid until the state is used again), or NULL if there was none. */
const char *freeze_restore(struct lua_host *host);

/* ---- lua_fields.c ---- */

extern const char *const object_names[POLICY_OBJECTS];
/* Determines from the text which fields the function of this hook can read. Also fills hook->node.
 */
int32_t fields_collect(struct lua_host *host, struct hook *hook,
                       const struct function_lines *lines);

/* ---- lua_hooks.c ---- */

/* In host_run only: makes the batch loop of the hook whose function is on top of the stack, and
 * pops the function. */
void hook_build(struct lua_host *host, uint32_t hook);
extern const struct policy_ops hook_ops;
/* While a hook runs: writes a prefix such as "score of job 'llm' on node 'h100-3': " for the
 * element that the loop is at. */
void hook_prefix(struct lua_host *host, char *out, size_t cap);

/* ---- lua_policy.c ---- */

void host_destroy(void *self);

/* ---- lua_smoke.c ---- */

/* Runs every hook on made-up objects and fills host->warnings. Returns an error if a hook fails
 * with typical objects. */
int32_t smoke_run(struct lua_host *host, lsched_error *err);

#endif
