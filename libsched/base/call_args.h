/*
 * call_args.h -- functions with which every public call reads its arguments and writes its results:
 * error records, structs that begin with their size, texts, names and times.
 *
 * Every message names the wrong element, what was expected and what was found. The first member of
 * a public struct is its size, which the caller sets. The size differs between versions of the
 * library. If the caller's struct is shorter than the library's, the missing fields count as zero.
 * If it is longer, all bytes that the library does not know must be zero. The library writes no
 * byte after the size that the caller has set.
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
/* Fills err with the general text of the code, and returns code. If err already has a message for
 * this code, the function keeps that message. */
int32_t fail_plain(lsched_error *err, int32_t code);
/* Copies the error record `from` to the caller's record `to`, as many bytes as the size of `to`
 * allows. A message can contain names with any bytes. Bytes that cannot be shown are replaced by
 * \xNN. Every message of the library is copied by this function, therefore every message is one
 * line of UTF-8. */
void err_copy(lsched_error *to, const lsched_error *from);
/* Sets up an error record of `size` bytes that describes no error. */
void err_clear(lsched_error *err, uint32_t size);
/* Clears the caller's error record at the start of a call. Returns LSCHED_E_SIZE if the record is
 * too small for an error code. */
int32_t err_begin(lsched_error *err);

/* Copies the caller's struct `from`, which begins with its size, to the library's struct `to`,
 * which has to_size bytes. Fields that the caller's struct does not have become zero. `limit` is
 * the largest size that is allowed: for an element of a batch it is the stride of the batch in
 * bytes, otherwise it is 0, which means no such bound. */
int32_t arg_struct(void *to, uint32_t to_size, const void *from, size_t limit, const char *what,
                   lsched_error *err);
/* Checks that a reserved field, which has the value `word`, is 0. Otherwise returns LSCHED_E_INVAL
 * with a message that names the struct and the field. Because of this check, no caller leaves
 * undefined bytes in the field. Therefore a later version can give the field a meaning. */
int32_t arg_reserved(uint32_t word, const char *field, const char *what, lsched_error *err);
/* Makes the same check as arg_reserved() for element i of the list `list` in the struct `what`. If
 * `what` is NULL, the list is a batch. */
int32_t arg_reserved_at(uint32_t word, const char *field, const char *what, const char *list,
                        size_t i, lsched_error *err);
/* Checks the orchestrator's allocator table: none of its functions is allowed to be NULL. `hooks`
 * itself can be NULL. */
int32_t arg_allocator(const lsched_allocator *hooks, const char *what, lsched_error *err);
/* Copies a result to the caller's struct `to`, but at most as many bytes as the size at the
 * beginning of `to`, which the caller has set. */
int32_t arg_out(void *to, const void *from, uint32_t from_size);
/* Returns the text with its length, which the function determines if it is LSCHED_NUL_TERMINATED. A
 * text whose ptr is NULL becomes an empty text. */
lsched_text arg_text(lsched_text t);
/* Determines the length of a name like arg_text(), and checks that the name has 1 to 255 bytes and
 * no NUL byte. */
int32_t arg_name(lsched_text *t, const char *what, lsched_error *err);
/* Checks a point of time in microseconds since 1970. It must be from -2^61 to 2^61, so that the
 * difference of two times never overflows. */
int32_t arg_instant(int64_t us, const char *what, lsched_error *err);
/* Checks a duration or the time of a cycle in microseconds. It must be from 0 to 2^61. */
int32_t arg_time(int64_t us, const char *what, lsched_error *err);
/* Sets *stride to the distance in bytes from one element of a list to the next: elem_size, or, if
 * elem_size is 0, the size at the beginning of the first element. Sets it to 0 if the list is empty
 * or NULL. Error LSCHED_E_SIZE: the distance is not a multiple of the alignment of the elements. */
int32_t arg_stride(const void *first, size_t n, size_t elem_size, const char *what, size_t *stride,
                   lsched_error *err);

#endif
