/*
 * input_file.c -- read with a bound, so that a device or a wrong path cannot fill the memory.
 */
#include "input_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "utf8.h"

#define INPUT_BYTES_MAX ((size_t)1 << 28)

static int read_all(FILE *in, struct input_file *out) {
    size_t capacity = 1 << 16;
    out->text = must_alloc(capacity + 1);
    for (;;) {
        out->len += fread(out->text + out->len, 1, capacity - out->len, in);
        if (out->len < capacity) break; /* the end, or an error */
        if (capacity >= INPUT_BYTES_MAX) {
            complain("%s: is larger than %zu MiB", out->name, INPUT_BYTES_MAX >> 20);
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
    int rc = read_all(in, out);
    if (!standard) fclose(in);
    if (rc != EXIT_OK) input_free(out);
    return rc;
}

void input_free(struct input_file *file) {
    free(file->text);
    file->text = NULL;
    file->len = 0;
}

uint64_t input_fingerprint(const struct input_file *file) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = utf8_mark(file->text, file->len); i < file->len; i++)
        hash = (hash ^ (unsigned char)file->text[i]) * 0x100000001b3u;
    return hash;
}
