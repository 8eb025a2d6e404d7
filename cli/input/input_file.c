/*
 * input_file.c -- see input_file.h. The size of a file is limited, so that an endless device or a
 * wrong path cannot fill the memory.
 *
 * A scenario can name other files, and can come from another person, but the program runs with the
 * operator's permissions, and an error message can show words of a file. Therefore the program
 * checks a file that a scenario names before it reads a byte of it. Such a file is opened without
 * blocking, because opening a FIFO could block forever.
 */
#define _XOPEN_SOURCE 700 /* needed for realpath */
#include "cli/input/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/support/text_hash.h"
#include "cli/support/utf8.h"
#include "cli/support/cli_errors.h"

enum { MEBIBYTES_MAX = 256, BESIDE_MEBIBYTES_MAX = 1 };

static int read_all(FILE *in, size_t mebibytes, struct input_file *out) {
    size_t capacity = 1 << 16;
    out->text = must_alloc(capacity + 1);
    for (;;) {
        out->len += fread(out->text + out->len, 1, capacity - out->len, in);
        if (out->len < capacity) break; /* the file has ended, or an error has occurred */
        if (capacity >= mebibytes << 20) {
            complain("%s: is larger than %zu MiB", out->name, mebibytes);
            return EXIT_INPUT;
        }
        capacity *= 2;
        out->text = must_resize(out->text, capacity + 1);
    }
    if (ferror(in)) {
        complain("%s: cannot read: %s", out->name, strerror(errno));
        return EXIT_INPUT;
    }
    out->text[out->len] = '\0';
    return EXIT_OK;
}

int input_read(const char *path, struct input_file *out) {
    return input_read_most(path, MEBIBYTES_MAX, out);
}

int input_read_most(const char *path, size_t mebibytes, struct input_file *out) {
    memset(out, 0, sizeof *out);
    bool standard = strcmp(path, "-") == 0;
    out->name = standard ? "standard input" : path;
    if (standard && feof(stdin)) {
        complain("standard input was read already; '-' can stand for one file only");
        return EXIT_INPUT;
    }
    FILE *in = standard ? stdin : fopen(path, "rb");
    if (in == NULL) {
        complain("%s: cannot open: %s", path, strerror(errno));
        return EXIT_INPUT;
    }
    int rc = read_all(in, mebibytes, out);
    if (!standard) fclose(in);
    if (rc != EXIT_OK) input_free(out);
    return rc;
}

/* Returns the length in bytes of the directory part of a path, with its last slash. */
static size_t directory_len(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash != NULL ? (size_t)(slash - path) + 1 : 0;
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n > m && strcmp(text + n - m, end) == 0;
}

/* Follows all links of a path. Returns true if the result has the ending `ending` and lies in the
 * directory or below it. */
static bool stays_beside(const char *directory, const char *path, const char *ending) {
    char *home = realpath(directory[0] != '\0' ? directory : ".", NULL);
    char *real = realpath(path, NULL);
    bool stays = home != NULL && real != NULL;
    if (stays) {
        size_t n = strcmp(home, "/") == 0 ? 0 : strlen(home);
        stays = strncmp(home, real, n) == 0 && real[n] == '/' && ends_with(real, ending);
    }
    free(home);
    free(real);
    return stays;
}

static int refuse_beside(const char *path, const char *what, const char *ending, const char *got) {
    complain("%s: expected %s in a regular file with the ending %s beside the scenario, got %s",
             path, what, ending, got);
    return EXIT_INPUT;
}

static int open_beside(const char *directory, const char *path, const char *ending,
                       const char *what, FILE **in) {
    struct stat status;
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) {
        complain("%s: cannot open: %s", path, strerror(errno));
        return EXIT_INPUT;
    }
    bool regular = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    bool stays = stays_beside(directory, path, ending);
    *in = regular && stays ? fdopen(file, "rb") : NULL;
    if (*in != NULL) return EXIT_OK;
    close(file);
    return refuse_beside(path, what, ending,
                         !regular ? "no regular file" : "a link to another place");
}

int input_read_beside(const char *beside, const char *name, const char *ending, const char *what,
                      struct input_file *out) {
    memset(out, 0, sizeof *out);
    if (strchr(name, '/') != NULL || strcmp(name, "..") == 0 || strcmp(name, ".") == 0)
        return refuse_beside(name, what, ending, "a path to another place");
    if (!ends_with(name, ending)) return refuse_beside(name, what, ending, "another name");
    size_t directory = directory_len(beside), bytes = directory + strlen(name) + 1;
    char *path = must_alloc(bytes), *home = must_copy(beside, directory);
    snprintf(path, bytes, "%s%s", home, name);
    FILE *in = NULL;
    int rc = open_beside(home, path, ending, what, &in);
    out->name = out->own_name = path;
    if (rc == EXIT_OK) {
        rc = read_all(in, BESIDE_MEBIBYTES_MAX, out);
        fclose(in);
    }
    if (rc != EXIT_OK) input_free(out);
    free(home);
    return rc;
}

void input_free(struct input_file *file) {
    free(file->own_name);
    free(file->text);
    if (file->own_name != NULL) file->name = NULL;
    file->own_name = file->text = NULL;
    file->len = 0;
}

uint64_t input_fingerprint(const struct input_file *file) {
    size_t mark = utf8_mark(file->text, file->len);
    return text_hash(file->text + mark, file->len - mark);
}
