/*
 * lua_host.h -- one policy's LuaJIT state and everything around it; internal to lua/.
 *
 * Invariants: every use of the state happens inside host_run(), one protected call, and nothing is
 * pushed outside of it that could allocate; every byte of the state comes from host_realloc(),
 * which counts and refuses; every instruction of policy text is counted by host_count(). After any
 * failure the state is as good as new.
 *
 * C functions get only a lua_State; host_of() finds the host from it without a global: the state is
 * the first thing that lua_newstate allocates, so it lies at the begin of our first block, just
 * behind a pointer to the host.
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
    HOST_COUNT_EVERY = 100,                       /* instructions between two looks at the budget */
    HOST_STRING_BYTES_MAX = LEX_STRING_BYTES_MAX, /* bounds what one instruction can cost */
    HOST_CHUNK = 256, /* elements of a batch that are filled and run at once */
    HOST_NAME_BYTES = 128,
    HOST_HOOKS = POLICY_HOOKS,
    HOST_TEXT_WARNINGS = 24, /* that are kept of what source_warning finds */
    HOST_WARNINGS_MAX = HOST_TEXT_WARNINGS + 2 * HOST_HOOKS,
    HOST_HOOK_OBJECTS = 2,
    HOST_FIELDS_MAX = 64, /* of one object */
    HOST_PARAMS_MAX = 256
};

/* Places in the registry, which no Lua code can reach. */
enum host_slot {
    SLOT_HANDLER = 1,
    SLOT_TRAMPOLINE,
    SLOT_BUILD,    /* the prelude's maker of batch loops */
    SLOT_PARAMS,   /* values of params */
    SLOT_FROZEN,   /* metatable of tables of the chunk that hooks can reach */
    SLOT_SNAPSHOT, /* what these tables hold: table, key, value, table, ... */
    SLOT_AT,       /* [1]: the element that the running loop is at */
    SLOT_OUT,      /* first results */
    SLOT_WHY,      /* second results */
    SLOT_DEFINITION,
    SLOT_LOOP,                           /* + hook */
    SLOT_COLUMN = SLOT_LOOP + HOST_HOOKS /* + field */
};

enum host_refusal { REFUSED_NOTHING, REFUSED_BY_HOST, REFUSED_LIMIT, REFUSED_CALL, REFUSED_STRING };

struct hook_object {
    uint8_t object;  /* enum policy_object */
    uint8_t per_row; /* one for each element of a batch, else one for all */
    uint8_t sealed;  /* given as a read-only view, because its use cannot be followed in the text */
    uint8_t n_fields;
    uint8_t fields[HOST_FIELDS_MAX]; /* numbers of enum policy_field; LABELS is not a column */
    uint8_t labels;
};

struct hook {
    const struct hook_kind *kind;
    uint32_t present;
    uint32_t node; /* its FUNCTION in the tree, PARSE_NONE: cannot be told; while loading */
    uint32_t line, column;
    uint32_t reads_now;
    uint32_t is_shared;          /* equal elements of a batch are asked about once: lua_same.h */
    uint64_t trial_instructions; /* of one call with typical objects */
    uint32_t trial_asked, trial_yes; /* trial runs; of these with the answer yes */
    double trial_most;               /* the largest number that one gave */
    char trial_odd[32];              /* a kind of amounts that is not the library's; "": none */
    uint64_t spent, asked,
        kept; /* in this cycle: instructions, elements, charged for kept answers */
    struct hook_object objects[HOST_HOOK_OBJECTS];
    struct tails tails;   /* calls that it ends in, for the line of an error in one */
    struct lifted lifted; /* how it is answered without Lua, or why not */
};

/* What a hook returns: the last column of hooks.def. */
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

/* How a hook is called; hook_kinds[] is in the order of the LSCHED_HOOK_* bits. */
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
    char *text; /* kept for the columns of messages */
    size_t text_len;
    char name[HOST_NAME_BYTES]; /* in messages */

    uint64_t heap_bytes, heap_limit_bytes; /* beyond the block */
    uint64_t call_bytes;
    enum host_refusal refused;
    uint8_t booting;        /* inside lua_newstate: the block only */
    uint8_t limits_strings; /* policy text runs */
    uint8_t chunk_runs;     /* the text itself runs, not a hook */

    uint64_t per_call, per_cycle; /* instructions */
    uint64_t used, allowed;       /* by the call that runs */
    uint32_t count_every;         /* instructions between two looks */
    uint64_t spent;               /* since cycle_begin */
    uint8_t failed_in_text;       /* policy text ran, or what it called */
    int32_t stop; /* why the count hook ended the call: LSCHED_E_BUDGET or _INTERRUPTED */

    const struct policy_view *view; /* while a hook runs */
    const struct batch *batch;      /* likewise */
    const uint32_t *label_rows;
    struct hook hooks[HOST_HOOKS];
    /* Of the text first, then what nothing reads, then of the trial runs; the last one is empty. */
    char warnings[HOST_WARNINGS_MAX + 1][LSCHED_MESSAGE_BYTES];
    uint32_t n_warnings;
    struct policy_desc desc;
    lsched_param params[HOST_PARAMS_MAX]; /* by key; texts lie in strings that SLOT_PARAMS holds */
    uint32_t n_params;
    const lsched_policy_opts *opts; /* while loading */
    struct source_facts facts;
    uint32_t n_snapshot; /* entries that a hook could change; 0 if its text assigns nothing */
    uint32_t is_tainted; /* a hook failed and may have changed some */
    struct fault fault;
    union policy_value values[HOST_CHUNK];
    struct same *same; /* room for lua_same.c; NULL where no hook needs it */

    struct parse_tree tree;            /* of the text, while it is loaded */
    struct lift *lift;                 /* likewise */
    const struct col_kernels *kernels; /* of lifted hooks */
    void *scratch;                     /* of the program that runs; aligned, inside of: */
    char *scratch_block;
    size_t scratch_bytes;
    uint32_t is_lifting_off; /* tests: all hooks are answered by Lua */
};

/* ---- lua_state.c ---- */

struct lua_host *host_of(lua_State *L);
int32_t host_open(struct lua_host *host);
void host_close(struct lua_host *host);
/* Calls body inside the state with `allowed` instructions. On failure host->fault holds code,
 * text and line. */
int32_t host_run(struct lua_host *host, void (*body)(struct lua_host *host, void *user), void *user,
                 uint64_t allowed);
/* In host_run only: ends the call with host->fault, which must be set. */
_Noreturn void host_throw(struct lua_host *host);
/* In host_run only: how many instructions lie between two looks at the budget; the count starts
 * anew. */
void host_count_every(struct lua_host *host, uint32_t instructions);
/* In host_run only: charges work that the count of instructions does not see. */
void host_charge(struct lua_host *host, uint64_t instructions);
/* In host_run only: runs the function below n_args arguments on the stack under the rules for
 * policy text. */
void host_call_policy(struct lua_host *host, int n_args, int n_results);
/* While loading: the fault is at this node of the tree, PARSE_NONE: at none that is known. */
void host_fault_at(struct lua_host *host, uint32_t node);
/* The column of the fault's word, where it is known to stand on the fault's line. */
void host_find_column(struct lua_host *host);

/* ---- lua_env.c ---- */

/* In host_run only: builds the environment; afterwards nothing else can be reached from policy
 * text. */
void env_build(struct lua_host *host);

/* ---- lua_definition.c ---- */

/* The type of a key of the table at the index that is no string, LUA_TSTRING if all are strings. Of
 * several the least: a hash has no order. */
int definition_odd_key(struct lua_host *host, int table);
/* In host_run only: checks the table at SLOT_DEFINITION, fills host->desc, params, and the
 * hooks. */
void definition_read(struct lua_host *host);
/* Could it name an algorithm? */
int host_is_word(const char *text, size_t len);

/* ---- lua_settings.c ---- */

enum { SETTINGS = 2 };
/* Under which key of the definition settings i stand. */
const char *settings_key(uint32_t i);
/* In host_run only: checks the value on top of the stack and fills host->desc; nil: nothing is
 * said. Leaves it, or what a function returned, on the stack. */
void settings_read(struct lua_host *host, uint32_t i);

/* ---- lua_freeze.c ---- */

struct function_lines {
    uint32_t first, last; /* as debug information has them */
};

/* Is the function on top of the stack one of the policy's text? Fills *lines. */
int host_is_policy_function(struct lua_host *host, struct function_lines *lines);
/* In host_run only: makes the tables that hooks can reach read-only and notes what they hold. The
 * definition is at stack index 1. */
void freeze_reachable(struct lua_host *host);
/* In host_run only: undoes what a hook changed in such tables. Returns the name of an entry that
 * was changed (valid until the state is used again), NULL if there was none. */
const char *freeze_restore(struct lua_host *host);

/* ---- lua_fields.c ---- */

extern const char *const object_names[POLICY_OBJECTS];
/* Which fields the function of this hook may read, from the text. Also fills hook->node. */
int32_t fields_collect(struct lua_host *host, struct hook *hook,
                       const struct function_lines *lines);

/* ---- lua_hooks.c ---- */

/* In host_run only: makes the batch loop of a hook whose function is on top of the stack; pops
 * it. */
void hook_build(struct lua_host *host, uint32_t hook);
extern const struct policy_ops hook_ops;
/* While a hook runs: "score of job 'llm' on node 'h100-3': ", of the element that its loop is
 * at. */
void hook_prefix(struct lua_host *host, char *out, size_t cap);

/* ---- lua_policy.c ---- */

void host_destroy(void *self);

/* ---- lua_smoke.c ---- */

/* Runs every hook on made-up objects; fills host->warnings. An error: with typical ones it
 * fails. */
int32_t smoke_run(struct lua_host *host, lsched_error *err);

#endif
