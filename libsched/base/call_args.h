/*
 * call_args.h -- how every public call reads and writes its arguments: the caller's error record,
 * structs that begin with their size, texts, names, times.
 *
 * Every message names the element, what was expected and what was found. A struct begins with its
 * size as the caller knows it: missing fields read as zero, an unknown tail must be zero, and
 * nothing is written past the size that the caller declared.
 */
#ifndef LIBSCHED_CALL_ARGS_H
#define LIBSCHED_CALL_ARGS_H

#include <libsched/libsched.h>

#if defined(__GNUC__)
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))
#else
#define PRINTF_LIKE(f, a)
#endif

/* Fills err (can be NULL) and returns code. */
int32_t fail(lsched_error *err, int32_t code, const char *format, ...) PRINTF_LIKE(3, 4);
/* Fills err with the general text of the code, for errors without a better message. Keeps a message
 * that err has already. */
int32_t fail_plain(lsched_error *err, int32_t code);
/* Copies an error record to the caller's record, as far as its size allows. Bytes of the message
 * that cannot be shown (from names) become \xNN: every message of the library passes here and is
 * UTF-8 on one line. */
void err_copy(lsched_error *to, const lsched_error *from);
/* Clears err for a new call. LSCHED_E_SIZE: the record is too small to hold a code. */
int32_t err_begin(lsched_error *err);

/* Copies a caller's struct, which begins with its size, into the library's; missing fields become
 * zero. limit: bytes that the caller's stride allows, 0: no stride. */
int32_t arg_struct(void *to, uint32_t to_size, const void *from, size_t limit, const char *what,
                   lsched_error *err);
/* Checks that a reserved word is 0: LSCHED_E_INVAL, and the message names the struct. A later
 * version can then give the word a meaning, because no caller passes undefined stack bytes in
 * it. */
int32_t arg_reserved(uint32_t word, const char *field, const char *what, lsched_error *err);
/* Does the same for element i of a list within `what`, or of a batch (what NULL). */
int32_t arg_reserved_at(uint32_t word, const char *field, const char *what, const char *list,
                        size_t i, lsched_error *err);
/* Checks an allocator table: no function may be missing. hooks can be NULL. */
int32_t arg_allocator(const lsched_allocator *hooks, const char *what, lsched_error *err);
/* Copies a result out, up to the size that the caller declared in *to. */
int32_t arg_out(void *to, const void *from, uint32_t from_size);
/* Normalises a text: len 0 with a pointer means NUL-terminated. NULL gives an empty text. */
lsched_text arg_text(lsched_text t);
/* Checks a name: 1 to 255 bytes without NUL. */
int32_t arg_name(lsched_text *t, const char *what, lsched_error *err);
/* Checks a time, which can be before 1970, such that differences of two times never overflow. */
int32_t arg_instant(int64_t us, const char *what, lsched_error *err);
/* Checks a duration or the time of a cycle: it must not be negative. */
int32_t arg_time(int64_t us, const char *what, lsched_error *err);
/* Returns the stride of a batch: elem_size, or the size of the first element if elem_size is 0. */
size_t arg_stride(const void *first, size_t elem_size);

#endif
