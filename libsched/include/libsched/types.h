/*
 * types.h -- what every header of libsched begins with: export macro, versions, error codes and records, ids, texts, amounts,
 * allocators. Included by libsched.h, whose head states the rules; hosts include that.
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
#define LSCHED_VERSION_MINOR 1
#define LSCHED_VERSION_PATCH 0
/* Raised whenever any decision may change for equal input. Two builds with the same number replay
 * to equal plans. */
#define LSCHED_SEMANTICS 2

/* ---- errors ---- */

enum {
#define X(name, value, text) LSCHED_##name = value,
#include <libsched/errors.def>
#undef X
    LSCHED_ERROR_ENUM_END_ = 1
};

#define LSCHED_MESSAGE_BYTES 240

/* What went wrong. line and column count from 1 and are 0 where there is no text; index is the element
 * of a batch, -1 where there is none. message is NUL-terminated UTF-8. */
typedef struct lsched_error {
    uint32_t size;
    int32_t code;
    int32_t sub;
    uint32_t line;
    uint32_t column;
    int32_t reserved_zero;
    int64_t index;
    char message[LSCHED_MESSAGE_BYTES];
} lsched_error;
/* clang-format off */
#define LSCHED_ERROR_INIT {sizeof(lsched_error), 0, 0, 0, 0, 0, -1, {0}}
/* clang-format on */

/* "E_STALE" and its one-line text; for an unknown code a text that says so. Static storage. */
LSCHED_API const char *lsched_error_name(int32_t code);
LSCHED_API const char *lsched_error_text(int32_t code);
LSCHED_API void lsched_error_init(lsched_error *err, uint32_t size);

/* ---- ids, texts, amounts ---- */

/* id = kind (4 bits) | generation (28) | slot (32); 0 is "none". A stale id or one of another kind is an
 * error, never undefined behaviour. */
typedef uint64_t lsched_id;

/* An id is unique over a cluster's life. What was issued after the state was saved that is
 * loaded now, or by a process whose cluster is built anew, would come again: a host that cannot
 * rule that out counts its starts, beside the saved state, and gives the count as
 * lsched_cluster_opts.incarnation. Of a load it is greater than that of the saved state
 * (LSCHED_E_RANGE): ids of what is there stay valid, ids that were issued after the save are
 * LSCHED_E_STALE for ever. 0: go on with the ids of the saved state. */
#define LSCHED_INCARNATION_MAX 16383u

enum {
    LSCHED_KIND_NONE = 0,
    LSCHED_KIND_NODE = 1,
    LSCHED_KIND_QUEUE = 2,
    LSCHED_KIND_JOB = 3,
    LSCHED_KIND_DECISION = 4,
    LSCHED_KIND_TOPOLOGY = 5
};
#define LSCHED_ID_KIND(id) ((uint32_t)((uint64_t)(id) >> 60))

/* Text of len bytes; len 0 with a non-NULL ptr means NUL-terminated. Frozen. */
typedef struct lsched_text {
    const char *ptr;
    uint64_t len;
} lsched_text;
#define LSCHED_TEXT(literal) \
    { (literal), 0 }

/* An amount of one resource kind. Frozen. */
typedef struct lsched_amount {
    uint32_t kind; /* LSCHED_CPU, _MEMORY, _GPU, or what lsched_resource_add returned */
    uint32_t reserved_zero;
    int64_t amount; /* base units of the kind, or LSCHED_UNLIMITED where that is allowed */
} lsched_amount;

/* A label, or a label that is asked for. Frozen. */
typedef struct lsched_label {
    lsched_text key;
    lsched_text value;
} lsched_label;

enum { LSCHED_ANY_RESOURCE = 0, LSCHED_CPU = 1, LSCHED_MEMORY = 2, LSCHED_GPU = 3 };

#define LSCHED_UNLIMITED      INT64_MAX
#define LSCHED_AMOUNT_MAX     ((int64_t)1 << 62) /* the largest amount and the largest total */
#define LSCHED_NAME_BYTES_MAX 255
#define LSCHED_NEVER_US       INT64_MAX

/* ---- the long-lived objects ---- */

typedef struct lsched_cluster lsched_cluster;
typedef struct lsched_plan lsched_plan;

/* ---- allocator ---- */

/* malloc-like hooks; sizes are passed back, so an allocator need not store them. alloc returns memory aligned
 * for any type or NULL; realloc may be called with old = NULL, old_bytes = 0; free never gets NULL. */
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
