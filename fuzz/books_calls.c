/*
 * books_calls.c -- the input chooses the calls of a random orchestrator that keeps books of its
 * own: books/books.h says what is compared. A finding aborts.
 */
#include "books/books.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct books b;
    b.fail_per_mille = size > 0 && data[0] & 1 ? 20 : 0;
    books_open(&b, size, data, size);
    while (b.source.left > 0 && b.step < 400) books_step(&b);
    books_close(&b);
    return 0;
}
