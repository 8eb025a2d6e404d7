/*
 * args.h -- checking what comes in: sizes first, then pointers, texts, ids, amounts. Every message names the element and says what was
 * expected and what was found.
 */
#ifndef LIBSCHED_ARGS_H
#define LIBSCHED_ARGS_H

#include "engine/cluster.h"

#if defined(__GNUC__)
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#else
#define PRINTF_LIKE(f, a)
#endif

/* Fill err (may be NULL) and return code. */
int32_t fail(lsched_error *err, int32_t code, const char *format, ...) PRINTF_LIKE(3, 4);
/* The text of a code alone, where nothing better is known. Keeps a message that is there already. */
int32_t fail_plain(lsched_error *err, int32_t code);
/* Write a record into the caller's, as far as its size allows. */
void err_copy(lsched_error *to, const lsched_error *from);
/* Clear err for a new call; LSCHED_E_SIZE for a record that is too small to hold a code. */
int32_t err_begin(lsched_error *err);

/* Copy a size-first struct of the caller into ours, missing fields zero. limit: bytes that the caller's stride allows, 0: no stride. */
int32_t arg_struct(void *to, uint32_t to_size, const void *from, size_t limit, const char *what,
                   lsched_error *err);
/* Copy out up to the size that the caller declared in *to. */
int32_t arg_out(void *to, const void *from, uint32_t from_size);
/* Normalise a text: len 0 with a pointer is NUL-terminated. NULL gives an empty text. */
lsched_text arg_text(lsched_text t);
/* Insert into a sorted list of n; 1, or 0 if it is there already. */
uint32_t arg_insert_text(lsched_text *list, uint32_t n, lsched_text t);
/* A name: 1 to 255 bytes without NUL. */
int32_t arg_name(lsched_text *t, const char *what, lsched_error *err);
/* An instant, which may lie before 1970; differences of two never overflow. */
int32_t arg_instant(int64_t us, const char *what, lsched_error *err);
/* A duration or a time of a cycle: not negative. */
int32_t arg_time(int64_t us, const char *what, lsched_error *err);
/* The stride of a batch: elem_size, or if 0 the size of the first element. */
size_t arg_stride(const void *first, size_t elem_size);
/* Row of an id of the kind. LSCHED_E_KIND, LSCHED_E_STALE. */
int32_t arg_id(const struct columns *k, lsched_id id, uint32_t kind, uint32_t *row,
               lsched_error *err);
/* By id, or if 0 by name. LSCHED_E_NOENT. */
int32_t arg_ref(const struct columns *k, lsched_id id, lsched_text name, uint32_t kind,
                uint32_t *row, lsched_error *err);
/* A list of amounts into an array by kind; kinds that are not named keep what is there. any: LSCHED_ANY_RESOURCE sets all. */
enum { AMOUNT_UNLIMITED = 1, AMOUNT_ANY = 2, AMOUNT_NO_GPU = 4, AMOUNT_DERIVED = 8 };
int32_t arg_amounts(const struct columns *k, const lsched_amount *list, uint32_t n, uint32_t flags,
                    const char *what, int64_t *to, lsched_error *err);
/* The same for lists that may name kinds that are a part of another as well: their amounts go to `derived`, by number. */
int32_t arg_quotas(const struct columns *k, const lsched_amount *list, uint32_t n, const char *what,
                   int64_t *to, int64_t *derived, lsched_error *err);
/* Fails with what is wrong about a kind that is none with an amount of its own: unknown, or a part of another. */
int32_t arg_kind(const struct columns *k, uint32_t kind, const char *what, lsched_error *err);
uint32_t index_table_of(uint32_t kind);
uint32_t table_of(uint32_t kind);

#endif
