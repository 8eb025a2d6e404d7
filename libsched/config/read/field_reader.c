/* field_reader.c -- see field_reader.h. */
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
    /* not NULL if the map can also have resource kinds as keys */
    const struct field_reader *reader;
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

/* Returns the map that has the key, or NULL. `what` is the map in which the key stands. */
static const char *read_home(const struct field_reader *r, const char *key, const char *what) {
    for (const struct field_home *const *at = r->homes; at && *at; at++) {
        if (strcmp((*at)->what, what) == 0) continue;
        for (size_t i = 0; i < (*at)->n; i++)
            if (strcmp((*at)->fields[i].name, key) == 0) return (*at)->what;
    }
    return NULL;
}

int32_t read_unknown(const struct field_reader *r, uint32_t key, const char *what,
                     name_candidate_fn candidate, const void *user) {
    struct suggest near;
    size_t len, used = 0;
    char all[160] = "none";
    const char *name;
    const char *text = read_chars(r, key, &len);
    const char *home = read_home(r, text, what);
    if (home)
        return complain_at(&r->complain, LSCHED_E_KEY, read_mark(r, key),
                           "expected a key of %s, got %s, which is a key of %s", what,
                           read_got(r, key).text, home);
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

/* Adds the note about an old spelling, unless the scenario already has that note. */
static int32_t read_note_old(struct field_reader *r, uint32_t value, const struct old_name *pair) {
    char text[120];
    uint32_t bit = 1u << (pair - old_names);
    if (r->noted & bit) return 0;
    r->noted |= bit;
    snprintf(text, sizeof text, "\"%s\" is the old spelling of \"%s\"; write the new one",
             pair->old, pair->now);
    return read_note(r, value, text);
}

uint32_t read_find(const struct field_reader *r, uint32_t map, const char *name) {
    const struct ytree_node *node = ytree_at(&r->tree, map);
    size_t len;
    if (node->kind != YTREE_MAP) return 0;
    for (uint32_t key = node->first, left = node->n; left > 0; left--) {
        uint32_t value = r->tree.nodes[key].next;
        if (strcmp(read_chars(r, key, &len), name) == 0) return value;
        key = r->tree.nodes[value].next;
    }
    return 0;
}

int32_t read_key_name(struct field_reader *r, uint32_t map, uint32_t key,
                      name_candidate_fn candidate, const void *user, const char **name) {
    size_t len;
    *name = read_chars(r, key, &len);
    const struct old_name *pair = old_name_find(*name, candidate, user);
    if (!pair) return 0;
    *name = pair->now;
    if (read_find(r, map, pair->now))
        return complain_at(&r->complain, LSCHED_E_EXISTS, read_mark(r, key),
                           "expected \"%s\" once, got its old spelling \"%s\" too; remove one "
                           "of the two keys",
                           pair->now, pair->old);
    return read_note_old(r, key, pair);
}

static int32_t read_field(struct field_reader *r, const struct field *f, uint32_t value,
                          void *out) {
    char *member = (char *)out + f->offset;
    struct scn_list list = {NULL, 0, 0};
    uint32_t given = 0;
    if (f->set) {
        memcpy(&given, (char *)out + f->set, sizeof given);
        given |= f->param;
        memcpy((char *)out + f->set, &given, sizeof given);
    }
    if (f->with) return f->with(r, value, member, f->param);
    if (f->words) return read_word(r, value, f->words, f->param, (uint32_t *)(void *)member);
    if (f->count == 0) return f->read(r, value, member);
    int32_t code = f->each ? read_one_or_items(r, value, f->read, &list) : f->read(r, value, &list);
    memcpy(member, &list.items, sizeof list.items);
    memcpy((char *)out + f->count, &list.n, sizeof list.n);
    return code;
}

int32_t read_map(struct field_reader *r, uint32_t map, const char *what, const struct field *fields,
                 size_t n_fields, void *out, read_other_fn other) {
    const struct ytree_node *node = ytree_at(&r->tree, map);
    const struct field_names own = {fields, n_fields, NULL}, all = {fields, n_fields, r};
    if (node->kind != YTREE_MAP)
        return complain_at(&r->complain, LSCHED_E_TYPE, read_mark(r, map),
                           "expected a map with the keys of %s, got %s", what,
                           read_got(r, map).text);
    uint32_t key = node->first;
    for (uint32_t left = node->n; left > 0; left--) {
        uint32_t value = r->tree.nodes[key].next;
        const char *name;
        size_t f = 0;
        int32_t code = read_key_name(r, map, key, field_candidate, &own, &name);
        if (code) return code;
        while (f < n_fields && strcmp(fields[f].name, name) != 0) f++;
        code = f < n_fields ? read_field(r, &fields[f], value, out)
               : other      ? other(r, key, value, out)
                            : 0;
        if (code < 0) return code;
        if (f == n_fields && code == 0)
            return read_unknown(r, key, what, field_candidate, other ? &all : &own);
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

const char *read_scalar(const struct field_reader *r, uint32_t value, size_t *len) {
    *len = 0;
    return read_is(r, value, YTREE_SCALAR) ? read_chars(r, value, len) : "";
}

int read_is_word(const struct field_reader *r, uint32_t value, const char *word) {
    size_t len;
    return strcmp(read_scalar(r, value, &len), word) == 0;
}

int32_t read_later(struct field_reader *r, uint32_t value, void *out) {
    (void)r;
    *(uint32_t *)out = value;
    return 0;
}

int32_t read_ignore(struct field_reader *r, uint32_t value, void *out) {
    (void)r;
    (void)value;
    (void)out;
    return 0;
}

int32_t read_copy(const struct field_reader *r, const char *text, size_t len, lsched_text *out) {
    *out = (lsched_text){scn_memory_text(r->memory, text, len), len};
    return out->ptr ? 0 : read_no_memory(r);
}

int32_t read_text(struct field_reader *r, uint32_t value, void *out) {
    size_t len;
    const char *chars = read_scalar(r, value, &len);
    if (len == 0) return read_expected(r, LSCHED_E_TYPE, value, "a text");
    return read_copy(r, chars, len, out);
}

int32_t read_bool(struct field_reader *r, uint32_t value, void *out) {
    int is_true = read_is_word(r, value, "true");
    if ((!is_true && !read_is_word(r, value, "false")) || ytree_at(&r->tree, value)->quoted)
        return read_expected(r, LSCHED_E_TYPE, value, "true or false");
    *(uint32_t *)out = (uint32_t)is_true;
    return 0;
}

int32_t read_flag(struct field_reader *r, uint32_t value, void *out, uint32_t bits) {
    uint32_t *flags = out, is_true = 0;
    int32_t code = read_bool(r, value, &is_true);
    *flags = is_true ? *flags | bits : *flags & ~bits;
    return code;
}

int32_t read_flag_not(struct field_reader *r, uint32_t value, void *out, uint32_t bits) {
    int32_t code = read_flag(r, value, out, bits);
    *(uint32_t *)out ^= bits;
    return code;
}

/* Reads a whole number that consists of decimal digits only. The result is:
 *   0  the text is not such a number
 *   1  the number is in *out
 *   2  the number is greater than max */
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
    size_t len;
    char expected[64];
    const char *text = read_scalar(r, value, &len);
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
    size_t len;
    uint64_t n = 0;
    const char *text = read_scalar(r, value, &len);
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
    size_t len;
    const char *text = read_scalar(r, value, &len);
    if (len > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
        return read_hex(text + 2, len - 2, out)
                   ? 0
                   : read_expected(r, LSCHED_E_TYPE, value, "up to 16 hexadecimal digits");
    return read_whole(r, value, 0, UINT64_MAX, out);
}

struct word_list {
    const char *const *words;
    uint32_t n;
};

static const char *word_candidate(const void *user, size_t i) {
    const struct word_list *list = user;
    return i < list->n ? list->words[i] : NULL;
}

int32_t read_word(struct field_reader *r, uint32_t value, const char *const *words, uint32_t n,
                  uint32_t *out) {
    char expected[160] = "one of ";
    size_t len, used = strlen(expected);
    const char *text = read_scalar(r, value, &len);
    const struct old_name *pair =
        old_name_find(text, word_candidate, &(struct word_list){words, n});
    if (pair) {
        int32_t code = read_note_old(r, value, pair);
        if (code) return code;
        text = pair->now;
    }
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

int32_t read_label(struct field_reader *r, uint32_t key, uint32_t value, void *list) {
    lsched_label *label = read_add(r, list, NULL, sizeof *label, value);
    if (!label) return LSCHED_E_NOMEM;
    int32_t code = read_text(r, key, &label->key);
    if (!code) code = read_text(r, value, &label->value);
    return code ? code : 1;
}

int32_t read_range(struct field_reader *r, uint32_t value, void *name_range) {
    size_t len;
    /* the text belongs to the YAML tree, which exists longer than the range */
    const char *text = read_scalar(r, value, &len);
    if (len == 0) return read_expected(r, LSCHED_E_TYPE, value, "a name");
    const char *wrong = name_range_parse(name_range, text, len);
    if (!wrong) return 0;
    return complain_at(&r->complain, LSCHED_E_SYNTAX, read_mark(r, value),
                       "expected a name, or names such as \"n-[0-63]\", got %s: %s",
                       read_got(r, value).text, wrong);
}

int32_t read_single_name(struct field_reader *r, uint32_t value, lsched_text *out) {
    struct name_range range;
    int32_t code = read_text(r, value, out);
    if (code || out->len == 0) return code; /* the library refuses an empty name */
    int is_range = !name_range_parse(&range, out->ptr, (size_t)out->len);
    if (is_range && range.n_sets == 0) return 0;
    return complain_at(&r->complain, LSCHED_E_SYNTAX, read_mark(r, value),
                       "expected one name, got %s: %s", read_got(r, value).text,
                       is_range ? "write an entry for each of the names"
                                : "a name here has no brackets");
}

int32_t read_range_name(struct field_reader *r, const struct name_range *range, uint64_t i,
                        lsched_text *out) {
    char name[NAME_RANGE_BYTES];
    return read_copy(r, name, name_range_write(range, i, name), out);
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
    n += (size_t)snprintf(name + n, sizeof name - n, "-%llu", (unsigned long long)i);
    return read_copy(r, name, n, out);
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
