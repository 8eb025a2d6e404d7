/* short_names.c -- see short_names.h. */
#include "base/short_names.h"

#include <string.h>

#include "base/utf8_text.h"

static const char short_names_dots[] = "...";
#define MARK '\''
#define DOTS (sizeof short_names_dots - 1)

struct quoted_part {
    size_t from, len; /* first byte behind the opening mark, bytes before the closing one */
};

static int short_names_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* True if the mark at this position can open a quoted part. It is an apostrophe behind a letter. */
static int short_names_opens(const char *text, size_t at) {
    return at == 0 || !short_names_letter(text[at - 1]);
}

static size_t end_of_part(const char *text, size_t from) {
    const char *end = strchr(text + from, MARK);
    while (end && short_names_letter(end[1])) end = strchr(end + 1, MARK);
    return end ? (size_t)(end - text) : 0;
}

static struct quoted_part longest_part(const char *text) {
    struct quoted_part best = {0, 0};
    for (size_t at = 0; text[at];) {
        size_t end =
            text[at] == MARK && short_names_opens(text, at) ? end_of_part(text, at + 1) : 0;
        if (end && end - at - 1 > best.len) best = (struct quoted_part){at + 1, end - at - 1};
        at = end ? end + 1 : at + 1;
    }
    return best;
}

/* Moves a position back to the begin of the character at it. */
static size_t begin_of_character(const char *text, size_t at, size_t least) {
    size_t to = at;
    while (to > least && at - to < 3 && ((unsigned char)text[to] & 0xC0u) == 0x80u) to--;
    return to;
}

/* Replaces about `cut` bytes in the middle of the part. Returns 0 if the part is too short. */
static int cut_middle(char *text, struct quoted_part p, size_t cut) {
    if (p.len <= 2 * SHORT_NAMES_KEPT + DOTS) return 0;
    size_t most = p.len - 2 * SHORT_NAMES_KEPT;
    cut += DOTS;
    if (cut > most) cut = most;
    size_t from = begin_of_character(text, p.from + (p.len - cut) / 2, p.from);
    size_t to = from + cut, end = p.from + p.len;
    while (to < end && ((unsigned char)text[to] & 0xC0u) == 0x80u) to++;
    /* dots of an earlier cut */
    while (from > p.from && text[from - 1] == '.') from--;
    while (to < end && text[to] == '.') to++;
    memcpy(text + from, short_names_dots, DOTS);
    memmove(text + from + DOTS, text + to, strlen(text + to) + 1);
    return 1;
}

static void short_names_cut(char *text, size_t room) {
    for (;;) {
        size_t len = strlen(text), shown = utf8_shown(NULL, 0, text, len);
        if (shown < room) return;
        struct quoted_part p = longest_part(text);
        size_t wide = p.len ? utf8_shown(NULL, 0, text + p.from, p.len) / p.len + 1 : 1;
        size_t cut = (shown - room + wide) / wide;
        if (!cut_middle(text, p, cut)) return;
    }
}

void short_names(char *text, char *out, size_t room) {
    short_names_cut(text, room);
    size_t len = strlen(text);
    if (len >= room) len = room - 1;
    memcpy(out, text, len);
    out[len] = 0;
}
