/* slurm_values.c -- see slurm_values.h. */
#include "cli/slurm_records/slurm_values.h"

#include <string.h>

#include "cli/slurm_records/record.h"
#include "cli/support/time_text.h"

/* Reads digits at *at. Returns false if there is none or the number is above the limit. */
static bool digits(const char **at, const char *end, int64_t most, int64_t *out) {
    const char *from = *at;
    for (*out = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
        int digit = **at - '0';
        if (*out > (most - digit) / 10) return false;
        *out = 10 * *out + digit;
    }
    return *at > from;
}

bool slurm_number(const char *text, int64_t *out) {
    const char *at = text, *end = text + strlen(text);
    return digits(&at, end, SLURM_AMOUNT_MAX, out) && at == end;
}

/* Returns 1 for K, 2 for M, 3 for G ... and 0 for another character. */
static int unit_power(char c) {
    static const char units[] = "KMGTPkmgtp";
    const char *found = c != '\0' ? strchr(units, c) : NULL;
    return found != NULL ? (int)(found - units) % 5 + 1 : 0;
}

static bool scale(int64_t *value, int powers) {
    for (; powers > 0; powers--) {
        if (*value > SLURM_AMOUNT_MAX / 1024) return false;
        *value *= 1024;
    }
    for (; powers < 0; powers++) *value = (*value + 1023) / 1024;
    return true;
}

/* Reads "12", "12.5" and a unit into thousandths of the unit. */
static bool decimal(const char **at, const char *end, int64_t *milli) {
    if (!digits(at, end, SLURM_AMOUNT_MAX / 1000, milli)) return false;
    *milli *= 1000;
    if (*at == end || **at != '.') return true;
    int64_t worth = 100;
    for (++*at; *at < end && **at >= '0' && **at <= '9'; ++*at, worth /= 10)
        *milli += worth * (**at - '0');
    return true;
}

bool slurm_mebibytes(const char *text, int64_t *out) {
    const char *at = text, *end = text + strlen(text);
    int64_t milli = 0;
    if (!decimal(&at, end, &milli)) return false;
    int power = at < end ? unit_power(*at) : 0;
    if (power > 0) at++;
    /* old releases end the amount with 'n' or 'c': for each node, for each CPU */
    if (at + 1 == end && (*at == 'n' || *at == 'c' || *at == 'B')) at++;
    if (at != end || !scale(&milli, power > 0 ? power - 2 : 0)) return false;
    *out = (milli + 999) / 1000;
    return true;
}

bool slurm_count(const char *text, size_t len, int64_t *out) {
    const char *at = text, *end = text + len;
    int64_t milli = 0;
    if (!decimal(&at, end, &milli)) return false;
    int power = at < end ? unit_power(*at) : 0;
    if (at + (power > 0) != end || !scale(&milli, power)) return false;
    *out = (milli + 999) / 1000;
    return true;
}

bool slurm_duration(const char *text, int64_t *seconds) {
    const char *at = text, *end = text + strlen(text);
    int64_t days = 0, part[3] = {0, 0, 0};
    int n = 0;
    if (same_word(text, strlen(text), "UNLIMITED", 9) ||
        same_word(text, strlen(text), "INFINITE", 8)) {
        *seconds = SLURM_UNLIMITED;
        return true;
    }
    const char *dash = strchr(text, '-');
    if (dash != NULL) {
        if (!digits(&at, dash, 1000000, &days) || at != dash) return false;
        at = dash + 1;
    }
    for (;;) {
        if (n == 3 || !digits(&at, end, SLURM_SECONDS_MAX / 4096, &part[n])) return false;
        n++;
        if (at < end && *at == '.') at = end; /* sacct writes fractions of a second */
        if (at == end) break;
        if (*at++ != ':') return false;
    }
    int64_t hours = dash != NULL || n == 3 ? part[0] : 0;
    int64_t minutes = dash != NULL || n == 3 ? part[1] : part[0];
    int64_t rest = dash != NULL || n == 3 ? part[2] : part[1];
    *seconds = days * 86400 + hours * 3600 + minutes * 60 + rest;
    return true;
}

bool slurm_time(const char *text, int64_t *seconds) {
    char zulu[32];
    int64_t us = 0;
    size_t len = strlen(text);
    if (slurm_number(text, seconds)) return *seconds <= SLURM_SECONDS_MAX;
    if (len < 10 || len + 2 > sizeof zulu || text[4] != '-') return false;
    memcpy(zulu, text, len + 1);
    if (zulu[len - 1] != 'Z' && strchr(zulu, 'T') != NULL) memcpy(zulu + len, "Z", 2);
    if (!time_parse(zulu, 0, &us)) return false;
    *seconds = us / 1000000;
    return *seconds >= 0 && *seconds <= SLURM_SECONDS_MAX;
}

/* Cuts "gpu:a100:4" or "mem=1600M" at ':' and '='. Returns the number of parts; 0: too many. The
 * part behind a '=' is a count, and *equals is true. */
static size_t cut_parts(const char *from, const char *stop, struct slurm_part part[3],
                        bool *equals) {
    size_t n = 0;
    *equals = false;
    for (const char *word = from; n < 3; word++) {
        const char *begin = word;
        while (word < stop && *word != ':' && *word != '=') word++;
        part[n++] = (struct slurm_part){begin, (size_t)(word - begin)};
        if (word >= stop) return n;
        *equals = *word == '=';
    }
    return 0;
}

/* A type such as "a100" or "1g.10gb" is a name, and not a number that cannot be read. */
static bool is_type(struct slurm_part part) {
    if (part.len > 0 && (part.text[0] == '-' || part.text[0] == '+')) return false;
    for (size_t i = 0; i < part.len; i++)
        if (part.text[i] < '0' || part.text[i] > '9') return true;
    return false;
}

/* Returns the end of the element: a comma outside of parentheses, or the end of the text. */
static const char *element_end(const char *at) {
    int open = 0; /* "gpu:8(S:0-1)" and "gpu:8(IDX:0,2)" end with a remark in parentheses */
    for (; *at != '\0' && (*at != ',' || open > 0); at++) open += (*at == '(') - (*at == ')');
    return at;
}

int slurm_next_tres(const char **at, struct slurm_part *name, struct slurm_part *type,
                    int64_t *count) {
    while (**at == ',') ++*at;
    if (**at == '\0') return 0;
    struct slurm_part part[3];
    const char *from = *at, *end = element_end(from);
    const char *stop = memchr(from, '(', (size_t)(end - from));
    *at = end;
    *name = (struct slurm_part){from, (size_t)(end - from)};
    if (stop == NULL) stop = end;
    if (stop - from >= 5 && (same_word(from, 5, "gres:", 5) || same_word(from, 5, "gres/", 5)))
        from += 5;
    bool equals = false;
    size_t n = cut_parts(from, stop, part, &equals);
    if (n == 0 || part[0].len == 0) return -1;
    bool counted = n > 1 && slurm_count(part[n - 1].text, part[n - 1].len, count);
    if (!counted && (n == 3 || equals || (n == 2 && !is_type(part[1])))) return -1;
    if (!counted) *count = 1;
    bool typed = n == 3 || (n == 2 && !counted);
    *name = part[0];
    *type = typed ? part[1] : (struct slurm_part){"", 0};
    return 1;
}

bool slurm_part_is(struct slurm_part part, const char *word) {
    return part.len == strlen(word) && memcmp(part.text, word, part.len) == 0;
}

int64_t slurm_gres_count(const char *list, const char *gres) {
    struct slurm_part name, type;
    int64_t count = 0, sum = 0;
    for (const char *at = list != NULL ? list : ""; slurm_next_tres(&at, &name, &type, &count) > 0;)
        if (slurm_part_is(name, gres) && count < INT32_MAX && sum < INT32_MAX) sum += count;
    return sum;
}
