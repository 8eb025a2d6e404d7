/*
 * gzip_input.c -- see gzip_input.h. The size of the decompressed content is limited, because a
 * small file can decompress to any size.
 */
#include "cli/input/gzip_input.h"

#include <string.h>

#include "cli/support/cli_errors.h"

#ifdef LSCHED_WITH_ZLIB
#include <zlib.h>

#define UNPACKED_BYTES_MAX ((size_t)1 << 28)
enum { GZIP_WINDOW = 15 + 16 }; /* zlib: the largest window, and the header of gzip */

static int bad_gzip(const struct input_file *file, const char *why) {
    complain("%s: cannot unpack (gzip): %s", file->name, why);
    return EXIT_INPUT;
}

static const char *gzip_reason(int code) {
    switch (code) {
    case Z_BUF_ERROR:
    case Z_OK: return "the file is cut off";
    case Z_MEM_ERROR: return "out of memory";
    default: return "the file is damaged";
    }
}

/* Unpacks the next part of the file to `out`, which has room. Returns a code of zlib; Z_STREAM_END
 * if the file has ended with a whole member. */
static int gzip_part(z_stream *stream) {
    int code = inflate(stream, Z_NO_FLUSH);
    if (code != Z_STREAM_END || stream->avail_in == 0) return code;
    code = inflateReset(stream); /* another member follows */
    return code == Z_OK ? Z_OK : code;
}

static int gzip_unpack(const struct input_file *file, z_stream *stream, struct input_file *out) {
    size_t capacity = 4 * file->len + 4096;
    if (capacity > UNPACKED_BYTES_MAX) capacity = UNPACKED_BYTES_MAX;
    out->text = must_alloc(capacity + 1);
    /* zlib does not write to its input */
    memcpy(&stream->next_in, &file->text, sizeof stream->next_in);
    stream->avail_in = (uInt)file->len;
    for (;;) {
        stream->next_out = (Bytef *)out->text + out->len;
        stream->avail_out = (uInt)(capacity - out->len);
        int code = gzip_part(stream);
        out->len = capacity - stream->avail_out;
        if (code == Z_STREAM_END) break;
        if (code != Z_OK && (code != Z_BUF_ERROR || stream->avail_out > 0))
            return bad_gzip(file, gzip_reason(code));
        if (stream->avail_out > 0) {
            if (stream->avail_in > 0) continue;
            return bad_gzip(file, gzip_reason(Z_BUF_ERROR));
        }
        if (capacity >= UNPACKED_BYTES_MAX)
            return bad_gzip(file, "it unpacks to more than 256 MiB");
        capacity *= 2;
        out->text = must_resize(out->text, capacity + 1);
    }
    out->text[out->len] = '\0';
    return EXIT_OK;
}

static int gunzip(struct input_file *file) {
    z_stream stream = {0};
    struct input_file plain = {.name = file->name};
    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK) return bad_gzip(file, "out of memory");
    int rc = gzip_unpack(file, &stream, &plain);
    inflateEnd(&stream);
    if (rc != EXIT_OK) {
        input_free(&plain);
        return rc;
    }
    input_free(file);
    *file = plain;
    return EXIT_OK;
}
#else
static int gunzip(struct input_file *file) {
    complain("%s: is compressed with gzip, and this lsched was built without zlib; unpack it with "
             "'gzip -dk' first, or install zlib1g-dev and build again",
             file->name);
    return EXIT_INPUT;
}
#endif

int input_gunzip(struct input_file *file) {
    if (file->len < 2 || memcmp(file->text, "\x1f\x8b", 2) != 0) return EXIT_OK;
    return gunzip(file);
}
