/*
 * call_args.h -- what every public call does with what it is handed: the caller's error record,
 * size-first structs, texts, names, times.
 * Every message names the element and says what was expected and what was found.
 *
 * Structs begin with their size as the caller knows it: missing fields read as zero, an unknown
 * tail must be zero, and nothing is written past the size that the caller declared.
 */
#ifndef LIBSCHED_CALL_ARGS_H
#define LIBSCHED_CALL_ARGS_H

#include <libsched/libsched.h>

#if defined(__GNUC__)
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#else
#define PRINTF_LIKE(f, a)
#endif

/* Fill err (may be NULL) and return code. */
int32_t fail(lsched_error *err, int32_t code, const char *format, ...) PRINTF_LIKE(3, 4);
/* The text of a code alone, where nothing better is known. Keeps a message that is there
 * already. */
int32_t fail_plain(lsched_error *err, int32_t code);
/* Write a record into the caller's, as far as its size allows. What is no character in the
 * message, because a name has it, becomes \xNN: every message of the library goes through here,
 * and is UTF-8 on one line. */
void err_copy(lsched_error *to, const lsched_error *from);
/* Clear err for a new call; LSCHED_E_SIZE for a record that is too small to hold a code. */
int32_t err_begin(lsched_error *err);

/* Copy a size-first struct of the caller into ours, missing fields zero. limit: bytes that the
 * caller's stride allows, 0: no stride. */
int32_t arg_struct(void *to, uint32_t to_size, const void *from, size_t limit, const char *what,
                   lsched_error *err);
/* A reserved word of a struct is 0: LSCHED_E_INVAL with what it belongs to, so that a later
 * version can give it a meaning without a host that passes what was on its stack. */
int32_t arg_reserved(uint32_t word, const char *field, const char *what, lsched_error *err);
/* The same of element i of a list within `what`, or of a batch (what NULL). */
int32_t arg_reserved_at(uint32_t word, const char *field, const char *what, const char *list,
                        size_t i, lsched_error *err);
/* A table of hooks, NULL allowed: whole, no hook missing. */
int32_t arg_allocator(const lsched_allocator *hooks, const char *what, lsched_error *err);
/* Copy out up to the size that the caller declared in *to. */
int32_t arg_out(void *to, const void *from, uint32_t from_size);
/* Normalise a text: len 0 with a pointer is NUL-terminated. NULL gives an empty text. */
lsched_text arg_text(lsched_text t);
/* A name: 1 to 255 bytes without NUL. */
int32_t arg_name(lsched_text *t, const char *what, lsched_error *err);
/* An instant, which may lie before 1970; differences of two never overflow. */
int32_t arg_instant(int64_t us, const char *what, lsched_error *err);
/* A duration or a time of a cycle: not negative. */
int32_t arg_time(int64_t us, const char *what, lsched_error *err);
/* The stride of a batch: elem_size, or if 0 the size of the first element. */
size_t arg_stride(const void *first, size_t elem_size);

#endif
