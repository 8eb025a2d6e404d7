/*
 * xz_input.c -- see xz_input.h. The size of the decompressed content is limited, because a small
 * file can decompress to any size.
 */
#include "cli/input/xz_input.h"

#include <stdio.h>
#include <string.h>

#include "cli/input/gzip_input.h"

#define UNPACKED_BYTES_MAX ((size_t)1 << 28)
#define XZ_MAGIC \
    "\xFD"       \
    "7zXZ\0"
enum { XZ_MAGIC_BYTES = 6 };

#ifdef LSCHED_WITH_LZMA
#include <lzma.h>

#include "cli/support/cli_errors.h"

#define DECODER_BYTES_MAX ((uint64_t)1 << 28)

static int bad_xz(const struct input_file *file, const char *why) {
    complain("%s: cannot unpack (xz): %s", file->name, why);
    return EXIT_INPUT;
}

static const char *reason(lzma_ret code) {
    switch (code) {
    case LZMA_BUF_ERROR: return "the file is cut off";
    case LZMA_MEMLIMIT_ERROR: return "it needs more than 256 MiB to unpack";
    case LZMA_MEM_ERROR: return "out of memory";
    case LZMA_OPTIONS_ERROR: return "it uses options that this liblzma does not know";
    default: return "the file is damaged";
    }
}

static int unpack(struct input_file *file, lzma_stream *stream, struct input_file *out) {
    size_t capacity = 4 * file->len + 4096;
    if (capacity > UNPACKED_BYTES_MAX) capacity = UNPACKED_BYTES_MAX;
    out->text = must_alloc(capacity + 1);
    stream->next_in = (const uint8_t *)file->text;
    stream->avail_in = file->len;
    for (;;) {
        stream->next_out = (uint8_t *)out->text + out->len;
        stream->avail_out = capacity - out->len;
        lzma_ret code = lzma_code(stream, LZMA_FINISH);
        out->len = capacity - stream->avail_out;
        if (code == LZMA_STREAM_END) break;
        if (code != LZMA_OK || stream->avail_out > 0)
            return bad_xz(file, reason(code != LZMA_OK ? code : LZMA_BUF_ERROR));
        if (capacity >= UNPACKED_BYTES_MAX) return bad_xz(file, "it unpacks to more than 256 MiB");
        capacity *= 2;
        out->text = must_resize(out->text, capacity + 1);
    }
    out->text[out->len] = '\0';
    return EXIT_OK;
}

static int unxz(struct input_file *file) {
    lzma_stream stream = LZMA_STREAM_INIT;
    if (lzma_stream_decoder(&stream, DECODER_BYTES_MAX, LZMA_CONCATENATED) != LZMA_OK)
        return bad_xz(file, "out of memory");
    struct input_file plain = {.name = file->name};
    int rc = unpack(file, &stream, &plain);
    lzma_end(&stream);
    if (rc != EXIT_OK) {
        input_free(&plain);
        return rc;
    }
    input_free(file);
    *file = plain;
    return EXIT_OK;
}
#else
static int unxz(struct input_file *file) {
    complain("%s: is compressed with xz, and this lsched was built without liblzma; unpack it with "
             "'xz -dk' first, or install liblzma-dev and build again",
             file->name);
    return EXIT_INPUT;
}
#endif

/* Replaces the content of a file in the xz or gzip format by the decompressed content. Does not
 * change any other file. */
static int input_unpack(struct input_file *file) {
    if (file->len >= XZ_MAGIC_BYTES && memcmp(file->text, XZ_MAGIC, XZ_MAGIC_BYTES) == 0)
        return unxz(file);
    return input_gunzip(file);
}

int input_read_packed(const char *path, struct input_file *out) {
    int rc = input_read(path, out);
    return rc == EXIT_OK ? input_unpack(out) : rc;
}

int input_read_or_beside(const char *given, const char *beside, const char *name,
                         struct input_file *out) {
    const char *slash = strrchr(beside, '/');
    size_t directory = slash != NULL ? (size_t)(slash - beside) + 1 : 0;
    size_t bytes = directory + strlen(name) + 1;
    char *path = must_alloc(bytes);
    snprintf(path, bytes, "%.*s%s", (int)directory, beside, name);
    int rc = input_read_packed(given != NULL ? given : path, out);
    out->own_name = path;
    return rc;
}
