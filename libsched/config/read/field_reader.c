/* field_reader.c -- see field_reader.h. This file reads maps, lists and scalars without units;
 * quantity_reader.c reads scalars with units. */
#include "config/read/field_reader.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"
#include "config/read/name_range.h"

struct quote read_got(const struct field_reader *r, uint32_t value) {
    const struct ytree_node *node = ytree_at(&r->tree, value);
    struct quote q;
    const char *what = node->kind == YTREE_LIST  ? "a list"
                       : node->kind == YTREE_MAP ? "a map"
                                                 : "nothing";
    if (node->kind == YTREE_SCALAR && (node->n > 0 || node->quoted))
        return complain_quote(ytree_text(&r->tree, node), node->n);
    snprintf(q.text, sizeof q.text, "%s", what);
    return q;
}

int32_t read_expected(const struct field_reader *r, int32_t code, uint32_t value,
                      const char *expected) {
    return complain_at(&r->complain, code, read_mark(r, value), "expected %s, got %s", expected,
                       read_got(r, value).text);
}

void read_no_memory_error(const struct field_reader *r) {
    complain_at(&r->complain, LSCHED_E_NOMEM, (struct mark){0, 0}, "out of memory while reading");
}

void *read_add(struct field_reader *r, struct scn_list *items, struct scn_list *marks, size_t size,
               uint32_t value) {
    void *item = scn_list_add(r->memory, items, size);
    if (item && marks) {
        struct mark *mark = scn_list_add(r->memory, marks, sizeof *mark);
        if (mark)
            *mark = read_mark(r, value);
        else
            item = NULL;
    }
    if (!item) read_no_memory(r);
    return item;
}

int32_t read_note(struct field_reader *r, uint32_t value, const char *text) {
    enum { NOTES_MAX = 16 };
    char line[LSCHED_MESSAGE_BYTES];
    struct mark mark = read_mark(r, value);
    if (r->scenario->notes.n >= NOTES_MAX) return 0;
    const char **note = read_add(r, &r->scenario->notes, NULL, sizeof *note, value);
    if (!note) return LSCHED_E_NOMEM;
    snprintf(line, sizeof line, "%s:%u:%u: %s", r->complain.file, mark.line, mark.column, text);
    *note = scn_memory_text(r->memory, line, strlen(line));
    return *note ? 0 : read_no_memory(r);
}

int32_t read_budget(struct field_reader *r, uint32_t value, uint64_t n) {
    if (n > r->elements_left)
        return complain_at(
            &r->complain, LSCHED_E_LIMIT, read_mark(r, value),
            "expected fewer elements in all, got %llu more than the bound of the scenario allows",
            (unsigned long long)(n - r->elements_left));
    r->elements_left -= n;
    return 0;
}

/* ---- maps and lists ---- */

struct field_names {
    const struct field *fields;
    size_t n;
    const struct field_reader *reader; /* NULL: resource kinds are no keys of this map */
};

static const char *field_candidate(const void *user, size_t i) {
    const struct field_names *names = user;
    if (i < names->n) return names->fields[i].name;
    if (!names->reader) return NULL;
    const struct lsched_scenario *s = names->reader->scenario;
    i = i - names->n + LSCHED_CPU;
    if (i < s->n_kinds) return s->kinds[i];
    return i - s->n_kinds < s->n_models ? s->models[i - s->n_kinds] : NULL;
}

int32_t read_unknown(const struct field_reader *r, uint32_t key, const char *what,
                     read_candidate_fn candidate, const void *user) {
    struct suggest near;
    size_t len, used = 0;
    char all[160] = "none";
    const char *name;
    const char *text = read_chars(r, key, &len);
    suggest_begin(&near, text, len);
    for (size_t i = 0; (name = candidate(user, i)) != NULL; i++) {
        suggest_offer(&near, name, strlen(name));
        if (used + strlen(name) + 7 < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? ", " : "", name);
        else
            memcpy(all + used, " ...", 5);
    }
    if (near.best)
        return complain_at(&r->complain, LSCHED_E_KEY, read_mark(r, key),
                           "expected a key of %s, got %s; did you mean \"%s\"?", what,
                           read_got(r, key).text, near.best);
    return complain_at(&r->complain, LSCHED_E_KEY, read_mark(r, key),
                       "expected a key of %s, got %s; keys are %s", what, read_got(r, key).text,
                       all);
}

int32_t read_map(struct field_reader *r, uint32_t map, const char *what, const struct field *fields,
                 size_t n_fields, void *out, read_other_fn other) {
    const struct ytree_node *node = ytree_at(&r->tree, map);
    if (node->kind != YTREE_MAP)
        return complain_at(&r->complain, LSCHED_E_TYPE, read_mark(r, map),
                           "expected a map with the keys of %s, got %s", what,
                           read_got(r, map).text);
    uint32_t key = node->first;
    for (uint32_t left = node->n; left > 0; left--) {
        uint32_t value = r->tree.nodes[key].next;
        size_t len, f = 0;
        const char *text = read_chars(r, key, &len);
        while (f < n_fields && strcmp(fields[f].name, text) != 0) f++;
        int32_t code = f < n_fields ? fields[f].read(r, value, (char *)out + fields[f].offset)
                       : other      ? other(r, key, value, out)
                                    : 0;
        if (code < 0) return code;
        if (f == n_fields && code == 0) {
            struct field_names names = {fields, n_fields, other ? r : NULL};
            return read_unknown(r, key, what, field_candidate, &names);
        }
        key = r->tree.nodes[value].next;
    }
    return 0;
}

int32_t read_items(struct field_reader *r, uint32_t list, const char *what, read_fn fn, void *out) {
    const struct ytree_node *node = ytree_at(&r->tree, list);
    if (node->kind != YTREE_LIST)
        return complain_at(&r->complain, LSCHED_E_TYPE, read_mark(r, list),
                           "expected a list of %s, got %s", what, read_got(r, list).text);
    uint32_t item = node->first;
    for (uint32_t left = node->n; left > 0; left--) {
        int32_t code = fn(r, item, out);
        if (code) return code;
        item = r->tree.nodes[item].next;
    }
    return 0;
}

int32_t read_one_or_items(struct field_reader *r, uint32_t value, read_fn fn, void *out) {
    if (read_is(r, value, YTREE_LIST)) return read_items(r, value, "", fn, out);
    return fn(r, value, out);
}

/* ---- scalars ---- */

static int read_is_empty(const struct field_reader *r, uint32_t value) {
    const struct ytree_node *node = ytree_at(&r->tree, value);
    return node->kind != YTREE_SCALAR || node->n == 0;
}

int32_t read_text(struct field_reader *r, uint32_t value, void *out) {
    lsched_text *text = out;
    size_t len;
    if (read_is_empty(r, value)) return read_expected(r, LSCHED_E_TYPE, value, "a text");
    const char *chars = read_chars(r, value, &len);
    text->ptr = scn_memory_text(r->memory, chars, len);
    text->len = len;
    return text->ptr ? 0 : read_no_memory(r);
}

int32_t read_bool(struct field_reader *r, uint32_t value, void *out) {
    size_t len = 0;
    const char *text = read_is_empty(r, value) ? "" : read_chars(r, value, &len);
    int is_true = strcmp(text, "true") == 0;
    if ((!is_true && strcmp(text, "false") != 0) || ytree_at(&r->tree, value)->quoted)
        return read_expected(r, LSCHED_E_TYPE, value, "true or false");
    *(uint32_t *)out = (uint32_t)is_true;
    return 0;
}

/* Reads a whole number that consists of decimal digits alone. Returns 0 if the text is no such
 * number, 1 if *out has the number, 2 if the number is above max. */
static int read_digits(const char *text, size_t len, uint64_t max, uint64_t *out) {
    uint64_t n = 0;
    int result = len > 0;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9') return 0;
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (n > (max - digit) / 10)
            result = 2;
        else
            n = n * 10 + digit;
    }
    *out = n;
    return result;
}

static int32_t read_whole(struct field_reader *r, uint32_t value, uint32_t min, uint64_t max,
                          uint64_t *out) {
    size_t len = 0;
    char expected[64];
    const char *text = read_is_empty(r, value) ? "" : read_chars(r, value, &len);
    int result = read_digits(text, len, max, out);
    if (result == 1) return 0;
    if (result == 0 && !(len > 1 && text[0] == '-' && read_digits(text + 1, len - 1, max, out)))
        return read_expected(r, LSCHED_E_TYPE, value, "a whole number");
    snprintf(expected, sizeof expected, "a whole number from %u to %llu", (unsigned)min,
             (unsigned long long)max);
    return read_expected(r, LSCHED_E_RANGE, value, expected);
}

/* UINT32_MAX has a special meaning in many fields, therefore a scenario cannot write that
 * number. */
static int32_t read_from(struct field_reader *r, uint32_t value, uint32_t min, void *out) {
    uint64_t n = 0;
    int32_t code = read_whole(r, value, min, UINT32_MAX - 1, &n);
    if (!code) *(uint32_t *)out = (uint32_t)n;
    return code;
}

int32_t read_u32(struct field_reader *r, uint32_t value, void *out) {
    return read_from(r, value, 0, out);
}

int32_t read_count(struct field_reader *r, uint32_t value, void *out) {
    uint32_t n = 0;
    int32_t code = read_from(r, value, 1, &n);
    if (!code && n == 0) code = read_expected(r, LSCHED_E_RANGE, value, "a count of at least 1");
    if (!code) *(uint32_t *)out = n;
    return code;
}

int32_t read_i32(struct field_reader *r, uint32_t value, void *out) {
    size_t len = 0;
    uint64_t n = 0;
    const char *text = read_is_empty(r, value) ? "" : read_chars(r, value, &len);
    int negative = len > 1 && text[0] == '-';
    int result = read_digits(text + negative, len - (size_t)negative,
                             (uint64_t)INT32_MAX + (uint64_t)negative, &n);
    if (result == 0) return read_expected(r, LSCHED_E_TYPE, value, "a whole number");
    if (result == 2) return read_expected(r, LSCHED_E_RANGE, value, "a whole number of 32 bits");
    *(int32_t *)out = (int32_t)(negative ? -(int64_t)n : (int64_t)n);
    return 0;
}

static int read_hex(const char *text, size_t len, uint64_t *out) {
    uint64_t n = 0;
    if (len < 1 || len > 16) return 0;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        uint64_t digit = c >= '0' && c <= '9'   ? (uint64_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint64_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint64_t)(c - 'A') + 10
                                                : 16;
        if (digit == 16) return 0;
        n = n << 4 | digit;
    }
    *out = n;
    return 1;
}

int32_t read_u64(struct field_reader *r, uint32_t value, void *out) {
    size_t len = 0;
    const char *text = read_is_empty(r, value) ? "" : read_chars(r, value, &len);
    if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return read_hex(text + 2, len - 2, out)
                   ? 0
                   : read_expected(r, LSCHED_E_TYPE, value, "up to 16 hexadecimal digits");
    return read_whole(r, value, 0, UINT64_MAX, out);
}

int32_t read_word(struct field_reader *r, uint32_t value, const char *const *words, uint32_t n,
                  uint32_t *out) {
    char expected[160] = "one of ";
    size_t len = 0, used = strlen(expected);
    const char *text = read_is_empty(r, value) ? "" : read_chars(r, value, &len);
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(words[i], text) == 0) {
            *out = i;
            return 0;
        }
        if (used + strlen(words[i]) + 3 < sizeof expected)
            used += (size_t)snprintf(expected + used, sizeof expected - used, "%s%s", i ? ", " : "",
                                     words[i]);
    }
    return read_expected(r, LSCHED_E_TYPE, value, expected);
}

/* ---- names and ranges ---- */

int32_t read_range(struct field_reader *r, uint32_t value, struct name_range *range) {
    size_t len;
    if (read_is_empty(r, value)) return read_expected(r, LSCHED_E_TYPE, value, "a name");
    /* text of the tree, which lives longer than the range */
    const char *text = read_chars(r, value, &len);
    const char *wrong = name_range_parse(range, text, len);
    if (!wrong) return 0;
    return complain_at(&r->complain, LSCHED_E_SYNTAX, read_mark(r, value),
                       "expected a name, or names such as \"n-[0-63]\", got %s: %s",
                       read_got(r, value).text, wrong);
}

int32_t read_range_name(struct field_reader *r, const struct name_range *range, uint64_t i,
                        lsched_text *out) {
    char name[NAME_RANGE_BYTES];
    out->len = name_range_write(range, i, name);
    out->ptr = scn_memory_text(r->memory, name, out->len);
    return out->ptr ? 0 : read_no_memory(r);
}

int32_t read_template(struct field_reader *r, uint32_t value, const struct name_range *range,
                      uint32_t count, uint64_t *n) {
    *n = range->n_sets > 0 || count == 0 ? range->count : count;
    if (count > 0 && *n != count)
        return complain_at(
            &r->complain, LSCHED_E_RANGE, read_mark(r, value),
            "expected a count of %llu, which is what the range of the name gives, got %u",
            (unsigned long long)*n, count);
    return read_budget(r, value, *n);
}

int32_t read_template_name(struct field_reader *r, const struct name_range *range, uint32_t count,
                           uint64_t i, lsched_text *out) {
    char name[NAME_RANGE_BYTES + 16];
    if (range->n_sets > 0 || count == 0) return read_range_name(r, range, i, out);
    size_t n = name_range_write(range, 0, name);
    out->len = n + (size_t)snprintf(name + n, sizeof name - n, "-%llu", (unsigned long long)i);
    out->ptr = scn_memory_text(r->memory, name, out->len);
    return out->ptr ? 0 : read_no_memory(r);
}

static int32_t read_name_item(struct field_reader *r, uint32_t value, void *out) {
    struct name_range range = {0};
    int32_t code = read_range(r, value, &range);
    if (!code) code = read_budget(r, value, range.count);
    for (uint64_t i = 0; !code && i < range.count; i++) {
        lsched_text *name = read_add(r, out, NULL, sizeof *name, value);
        code = name ? read_range_name(r, &range, i, name) : LSCHED_E_NOMEM;
    }
    return code;
}

int32_t read_names(struct field_reader *r, uint32_t value, void *list_of_text) {
    return read_one_or_items(r, value, read_name_item, list_of_text);
}
