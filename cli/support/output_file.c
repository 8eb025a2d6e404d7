/*
 * output_file.c -- see output_file.h.
 */
#define _GNU_SOURCE /* ftruncate */

#include "cli/support/output_file.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/support/cli_errors.h"

static int output_failed(const struct output_file *f) {
    complain("%s: cannot write: %s", f->path, strerror(errno));
    return EXIT_INTERNAL;
}

int output_file_open(struct output_file *f, const char *path) {
    struct stat info;
    *f = (struct output_file){.path = path};
    if (path == NULL) return EXIT_OK;
    f->is_new = stat(path, &info) != 0;
    f->stream = fopen(path, "ab");
    return f->stream != NULL ? EXIT_OK : output_failed(f);
}

static bool same_file(const struct stat *a, const struct stat *b) {
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool output_file_is_input(const char *path, const char *input) {
    struct stat a, b;
    return stat(path, &a) == 0 && stat(input, &b) == 0 && same_file(&a, &b);
}

bool output_file_same(const struct output_file *one, const struct output_file *two) {
    struct stat a, b;
    if (one->stream == NULL || two->stream == NULL) return false;
    return fstat(fileno(one->stream), &a) == 0 && fstat(fileno(two->stream), &b) == 0 &&
           same_file(&a, &b);
}

FILE *output_file_begin(struct output_file *f) {
    struct stat info;
    if (f->stream == NULL) return NULL;
    /* a stream in append mode writes at the new end of the file; a pipe has nothing to remove */
    f->failed = fstat(fileno(f->stream), &info) != 0 ||
                (S_ISREG(info.st_mode) && ftruncate(fileno(f->stream), 0) != 0);
    return f->stream;
}

int output_file_end(struct output_file *f) {
    bool failed = f->failed || ferror(f->stream) != 0;
    failed |= fclose(f->stream) != 0;
    f->stream = NULL;
    return failed ? output_failed(f) : EXIT_OK;
}

void output_file_drop(struct output_file *f) {
    if (f->stream == NULL) return;
    fclose(f->stream);
    f->stream = NULL;
    if (f->is_new) remove(f->path);
}
