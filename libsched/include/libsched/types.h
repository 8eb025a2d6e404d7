/*
 * types.h -- the types that all libsched headers use: export macro, versions, error codes and
 * records, ids, texts, amounts, allocators.
 *
 * Sizes and offsets of structs are those of LP64 machines: 64-bit pointers. Others are not supported.
 *
 * libsched.h includes this header and states the rules; orchestrators include libsched.h.
 */
#ifndef LIBSCHED_TYPES_H
#define LIBSCHED_TYPES_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define LSCHED_API
#elif defined(__GNUC__)
#define LSCHED_API __attribute__((visibility("default")))
#else
#define LSCHED_API
#endif

#define LSCHED_VERSION_MAJOR 0
#define LSCHED_VERSION_MINOR 2
#define LSCHED_VERSION_PATCH 0
/* Version of the decisions. A change of the library that can change any decision for equal calls
 * raises this number. Two builds with the same number make equal plans from equal calls. */
#define LSCHED_SEMANTICS 2

/* ---- structs that begin with their size ---- */

/* An initializer of any struct that begins with `size`: all fields are 0, which is their default, and
 * `size` is that of the caller's headers. LSCHED_JOB_DESC_INIT and the like are short for it. */
#ifdef __cplusplus
extern "C++" {
template <class T> inline T lsched_sized_() {
    T fresh = T();
    fresh.size = static_cast<uint32_t>(sizeof(T));
    return fresh;
}
}
#define LSCHED_INIT(type) (lsched_sized_<type>())
#else
#define LSCHED_INIT(type) \
    { .size = (uint32_t)sizeof(type) }
#endif
/* The same as a function, for languages without macros and for memory that is not initialized: zeroes
 * the `size` bytes of a struct, which begins with its size, and sets this size. NULL is allowed. */
LSCHED_API void lsched_init(void *record, uint32_t size);

/* ---- errors ---- */

enum lsched_error_code {
#define X(name, value, text) LSCHED_##name = value,
#include <libsched/errors.def>
#undef X
    LSCHED_ERROR_ENUM_END_ = 1
};

#define LSCHED_MESSAGE_BYTES 240

/* Says more about some error codes. NOT_DETERMINISTIC: a policy failed (LSCHED_E_POLICY,
 * LSCHED_E_BUDGET) because of its memory limit or of lsched_interrupt. With equal calls, it does not
 * fail again at the same place. */
enum lsched_error_sub { LSCHED_SUB_NONE = 0, LSCHED_SUB_NOT_DETERMINISTIC = 1 };

/* Describes one error. A record whose size is 0 is treated as NULL. `line` and `column` are a
 * position in a text, from 1; 0 if the error is not about a text. `index` is the index of the bad
 * element of a batch; -1 if there is none. `message` is NUL-terminated UTF-8. */
typedef struct lsched_error {
    uint32_t size;
    int32_t code;
    int32_t sub; /* LSCHED_SUB_* */
    uint32_t line;
    uint32_t column;
    int32_t reserved_zero;
    int64_t index; /* index of the wrong element of a batch or list; -1: none */
    char message[LSCHED_MESSAGE_BYTES];
} lsched_error;
#define LSCHED_ERROR_INIT LSCHED_INIT(lsched_error)

/* lsched_error_name returns the name of a code ("E_STALE"), and lsched_error_text its meaning in
 * one line. For an unknown code, they return a text that says so. The texts are static. */
LSCHED_API const char *lsched_error_name(int32_t code);
LSCHED_API const char *lsched_error_text(int32_t code);

/* ---- ids, texts, amounts ---- */

/* An id consists of a kind (4 bits), a generation (28 bits) and a row (32 bits). The id 0 means no
 * object. A call with a stale id or with an id of a wrong kind returns an error. */
typedef uint64_t lsched_id;

/* Greatest incarnation. An id is unique over the life of a cluster, with one exception. If the
 * orchestrator crashes and loads a saved state, the library could issue ids again that it had
 * issued after the save. To prevent that, the orchestrator counts its starts, stores this number
 * with the saved state, and passes it as lsched_cluster_opts.incarnation. For a load, the
 * incarnation must be greater than that of the saved state, or 0 (else LSCHED_E_RANGE). Ids of the
 * loaded objects stay valid, and ids that were issued after the save are LSCHED_E_STALE for ever. A
 * process that builds its cluster again without a saved state passes the number in the same way.
 * Incarnation 0 continues with the ids of the saved state. */
#define LSCHED_INCARNATION_MAX 16383u

enum lsched_object_kind {
    LSCHED_KIND_NONE = 0,
    LSCHED_KIND_NODE = 1,
    LSCHED_KIND_QUEUE = 2,
    LSCHED_KIND_JOB = 3,
    LSCHED_KIND_DECISION = 4,
    LSCHED_KIND_TOPOLOGY = 5
};
/* The kind is the only part of an id that programs can read: with a salt, the other bits are mixed. */
#define LSCHED_ID_KIND(id) ((uint32_t)((uint64_t)(id) >> 60))

/* A text of len bytes: `ptr` need not end with a NUL byte. If len is 0, the text is empty, whatever
 * `ptr` is. If len is LSCHED_NUL_TERMINATED, `ptr` ends with a NUL byte, or is NULL for the empty
 * text. Texts that the library returns have their length. Frozen layout, no size field. */
typedef struct lsched_text {
    const char *ptr;
    uint64_t len;
} lsched_text;
#define LSCHED_NUL_TERMINATED 18446744073709551615u /* UINT64_MAX */
/* The text of a string literal: LSCHED_TEXT as an expression, LSCHED_TEXT_INIT as the initializer of
 * a static object. A pointer that is not a literal does not compile; use lsched_cstr() for it. */
#define LSCHED_TEXT_INIT(literal) \
    { "" literal "", sizeof(literal) - 1 }
#ifdef __cplusplus
#define LSCHED_TEXT(literal) (lsched_text LSCHED_TEXT_INIT(literal))
#else
#define LSCHED_TEXT(literal) ((lsched_text)LSCHED_TEXT_INIT(literal))
#endif
/* Returns the text at a NUL-terminated string, which is not copied. NULL is the empty text. */
static inline lsched_text lsched_cstr(const char *string) {
    lsched_text text;
    text.ptr = string;
    text.len = LSCHED_NUL_TERMINATED;
    return text;
}

/* An amount of one resource kind. Frozen layout, no size field. */
typedef struct lsched_amount {
    uint32_t kind; /* LSCHED_CPU, LSCHED_MEMORY, LSCHED_GPU, or the result of lsched_resource_add */
    uint32_t reserved_zero;
    int64_t amount; /* number of base units, or LSCHED_UNLIMITED if the field allows that */
} lsched_amount;

/* A label of an object, or a label that a request requires. Frozen layout, no size field. */
typedef struct lsched_label {
    lsched_text key;
    lsched_text value;
} lsched_label;

enum lsched_resource_kind {
    LSCHED_ANY_RESOURCE = 0,
    LSCHED_CPU = 1,
    LSCHED_MEMORY = 2,
    LSCHED_GPU = 3
};

#define LSCHED_UNLIMITED      9223372036854775807 /* INT64_MAX */
#define LSCHED_AMOUNT_MAX     4611686018427387904 /* 2^62: the largest amount and the largest total */
#define LSCHED_NAME_BYTES_MAX 255
#define LSCHED_NEVER_US       9223372036854775807 /* INT64_MAX: no time, or for ever */

/* ---- batches ---- */

/* Options of every call that applies a batch. NULL means no flags: the batch is atomic and strict.
 * A batch call returns the number of elements that it applied, or an error. `status`, which can be
 * NULL, gets a code for each element: LSCHED_OK, LSCHED_UNCHANGED, or the error of the element. If an
 * atomic batch fails, LSCHED_OK means only that no fault was found in the element: nothing is
 * applied, and all ids are 0. A call that fails before it looks at its elements writes neither
 * `status` nor `ids`. */
typedef struct lsched_batch_opts {
    uint32_t size;
    uint32_t flags; /* LSCHED_BATCH_* */
} lsched_batch_opts;
enum lsched_batch_flag {
    /* The good elements are applied even if others are bad. The result counts the applied ones, and
     * `err` describes the first bad element. */
    LSCHED_BATCH_PARTIAL = 1,
    /* An element that asks for what is already so changes nothing and counts as applied; its status
     * is LSCHED_UNCHANGED. Each function that reads this flag says what it accepts. */
    LSCHED_BATCH_IDEMPOTENT = 2
};
enum lsched_batch_status { LSCHED_UNCHANGED = 1 };

/* ---- structs of a newer or older library ---- */

/* True if the struct that `pointer` points to has the field. A plan and its records are as long as
 * the library that made them says. A program that was built with newer headers and runs with an
 * older library reads a field that was added in between only after this test. */
#define LSCHED_HAS(pointer, field)                                                            \
    ((pointer)->size >= (size_t)((const char *)&(pointer)->field - (const char *)(pointer)) + \
                            sizeof((pointer)->field))

/* ---- the long-lived objects ---- */

typedef struct lsched_cluster lsched_cluster;
typedef struct lsched_plan lsched_plan;

/* A function of the host that gets the bytes of an output one part after the other. It returns 0, or
 * another value to end the output. */
typedef int32_t (*lsched_write_fn)(void *user, const void *bytes, size_t n);

/* ---- allocator ---- */

/* Functions like malloc, realloc and free. The library passes the size of each block to realloc and
 * free; therefore an allocator does not have to store sizes. alloc must return memory that is
 * aligned for any type, or NULL. realloc can get old = NULL with old_bytes = 0. free never gets
 * NULL.
 *
 * `user` must outlive the cluster, its clones, also those into a cluster with another allocator, and
 * the plans and descriptions of all of them. Clones share the allocator, and a plan or description is
 * freed in the thread that destroys it. If several threads do such things at a time, the functions
 * must be thread-safe. */
typedef struct lsched_allocator {
    uint32_t size;
    uint32_t reserved_zero;
    void *user;
    void *(*alloc)(void *user, size_t bytes);
    void *(*realloc)(void *user, void *old, size_t old_bytes, size_t new_bytes);
    void (*free)(void *user, void *old, size_t bytes);
} lsched_allocator;

#ifdef __cplusplus
}
#endif
#endif
