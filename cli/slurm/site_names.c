/* site_names.c -- see site_names.h. */
#include "cli/slurm/site_names.h"

#include <inttypes.h>
#include <string.h>

#include <libsched/libsched.h>

#include "cli/support/text_hash.h"
#include "cli/support/utf8.h"

enum { NUMBER_BYTES = 17 /* '~' and 16 digits */ };

void site_name_put_quoted(FILE *out, const char *text, size_t len) {
    fputc('"', out);
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') fputc('\\', out);
        fputc(c, out);
    }
    fputc('"', out);
}

size_t site_name_clean(const char *before, const char *text, size_t len,
                       char out[SITE_NAME_BYTES]) {
    size_t n = strlen(before), cut = n;
    memcpy(out, before, n);
    for (size_t at = 0; at < len;) {
        size_t bytes = utf8_length(text + at, len - at), step = bytes > 0 ? bytes : 1;
        unsigned char c = (unsigned char)text[at];
        bool odd = bytes == 0 || c < 0x20 || c == 0x7f || c == '[' || c == ']' || c == '%' ||
                   (bytes == 2 && c == 0xc2) || bytes > 2;
        if (n + (odd ? 3 * step : step) > LSCHED_NAME_BYTES_MAX) {
            n = cut + (size_t)snprintf(out + cut, SITE_NAME_BYTES - cut, "~%016" PRIx64,
                                       text_hash(text, len));
            break;
        }
        for (size_t end = at + step; at < end; at++) {
            if (odd)
                n += (size_t)snprintf(out + n, SITE_NAME_BYTES - n, "%%%02X",
                                      (unsigned char)text[at]);
            else
                out[n++] = text[at];
        }
        if (n <= LSCHED_NAME_BYTES_MAX - NUMBER_BYTES) cut = n;
    }
    out[n] = '\0';
    return n;
}

void site_name_put(FILE *out, const char *before, const char *text, size_t len) {
    char name[SITE_NAME_BYTES] = "";
    size_t n = site_name_clean(before, text, len, name);
    site_name_put_quoted(out, name, n);
}

void site_name_put_text(FILE *out, const char *text) {
    site_name_put(out, "", text, strlen(text));
}

bool site_name_stands_before(const char *list, const char *word, size_t len, const char *stops) {
    char mine[SITE_NAME_BYTES], other[SITE_NAME_BYTES];
    site_name_clean("", word, len, mine);
    for (const char *at = list; at < word;) {
        size_t n = strcspn(at, stops);
        site_name_clean("", at, n, other);
        if (strcmp(mine, other) == 0) return true;
        at += n + 1;
    }
    return false;
}
