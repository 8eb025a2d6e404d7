/*
 * field_reader.h -- functions that read typed values from a YAML tree, and report unknown keys.
 *
 * A schema is a table of the keys that a map can have. Each row has a key, the function that reads
 * the value of the key, and the struct member that gets the result. Therefore the value of a key
 * has exactly one type, and YAML's implicit types cannot change its meaning. An unknown key is an
 * error, and the message suggests a similar key. A read function returns 0; if it fails, it fills
 * the error record and returns a negative code.
 */
#ifndef LIBSCHED_FIELD_READER_H
#define LIBSCHED_FIELD_READER_H

#include "base/units.h"
#include "config/read/old_names.h"
#include "config/read/scenario_form.h"
#include "config/read/yaml_reader.h"

struct field_reader {
    struct ytree tree;
    struct complain complain;
    struct lsched_scenario *scenario;
    struct scn_memory *memory;
    /* 1 if a topology has the level "node", so that each node gets a label of that name */
    uint32_t label_nodes;
    /* index in `tree` of the value of `links` under the GPUs of the node that is being read; 0:
     * none */
    uint32_t gpu_links;
    int64_t base_us; /* time in microseconds to which an offset such as 2h30m is added */
    /* number of elements that templates and ranges are still allowed to produce */
    uint64_t elements_left;
    /* the maps whose keys people most often write into another map; the list ends with NULL */
    const struct field_home *const *homes;
    /* bit i is set if the scenario already has a note about the old spelling old_names[i] */
    uint32_t noted;
};

typedef int32_t (*read_fn)(struct field_reader *r, uint32_t value, void *out);
/* A read function that several keys share. `param` is the value that the key's row in the schema
 * gives to the function. */
typedef int32_t (*read_with_fn)(struct field_reader *r, uint32_t value, void *out, uint32_t param);

/* One row of a schema. Exactly one of the members `read`, `with` and `words` is set. */
struct field {
    const char *name;
    read_fn read;
    read_with_fn with;
    /* array of `param` words. The value must be one of the words, and the result is the index of
     * the word. */
    const char *const *words;
    uint32_t param;
    size_t offset; /* offset in bytes of the struct member that gets the result */
    /* 0: the result is not a list. Otherwise `read` appends to a struct scn_list. The pointer to
     * the items goes to the member at `offset`, and the number of items goes to a uint32_t at the
     * offset `count`. */
    size_t count;
    uint32_t each; /* 1: `read` reads one item, and the text can have one item or a list of items */
    /* 0: unused. Otherwise the reader sets the bits `param` of a uint32_t at the offset `set`, to
     * tell the caller that the text has this key. */
    size_t set;
};
#define FIELD(type, key, reader, member) \
    { .name = key, .read = reader, .offset = offsetof(type, member) }
#define FIELD_LIST(type, key, reader, member, n) \
    { .name = key, .read = reader, .offset = offsetof(type, member), .count = offsetof(type, n) }
#define FIELD_EACH(type, key, reader, member, n)                                                   \
    {                                                                                              \
        .name = key, .read = reader, .offset = offsetof(type, member), .count = offsetof(type, n), \
        .each = 1                                                                                  \
    }
#define FIELD_WITH(type, key, reader, value, member) \
    { .name = key, .with = reader, .param = value, .offset = offsetof(type, member) }
#define FIELD_WORD(type, key, list, member)                                 \
    {                                                                       \
        .name = key, .words = list, .param = sizeof(list) / sizeof *(list), \
        .offset = offsetof(type, member)                                    \
    }
/* Rows for keys whose read function gets a pointer to the whole struct instead of a member. */
#define FIELD_KEY(key, reader) \
    { .name = key, .read = reader }
#define FIELD_KEY_WITH(key, reader, value) \
    { .name = key, .with = reader, .param = value }

/* Reads a key that the schema does not have, such as a resource kind. Returns 1 if it has read the
 * value of the key, 0 if the key is unknown, or a negative code. A caller passes NULL for such a
 * function if only the keys of the schema are allowed. */
typedef int32_t (*read_other_fn)(struct field_reader *r, uint32_t key, uint32_t value, void *out);

/* Reads every key of the map into the struct `out`, in the order of the text. `what` is the word
 * for the object in messages, such as "a node" or "a job". */
int32_t read_map(struct field_reader *r, uint32_t map, const char *what, const struct field *fields,
                 size_t n_fields, void *out, read_other_fn other);
#define READ_MAP(r, map, what, fields, out, other) \
    read_map(r, map, what, fields, sizeof(fields) / sizeof *(fields), out, other)
/* A map with its keys, for messages about a key that stands in the wrong map. */
struct field_home {
    const char *what;
    const struct field *fields;
    size_t n;
};
/* Returns the index in the YAML tree of the value of the key `name`; 0 if the map has no such
 * key. */
uint32_t read_find(const struct field_reader *r, uint32_t map, const char *name);
/* Fills the error for a key that is not among the candidates. The message suggests the most similar
 * candidate, or lists the candidates. */
int32_t read_unknown(const struct field_reader *r, uint32_t key, const char *what,
                     name_candidate_fn candidate, const void *user);
/* Writes the text of the key to *name. If the text is the old spelling of a candidate, the function
 * writes the new spelling instead. It then adds a note to the scenario, but only once for each old
 * spelling. A map that has both the old and the new spelling of a key is an error. */
int32_t read_key_name(struct field_reader *r, uint32_t map, uint32_t key,
                      name_candidate_fn candidate, const void *user, const char **name);
/* Calls fn for every item of the list, with `out` as last argument. `what` is the word for the
 * items in messages. */
int32_t read_items(struct field_reader *r, uint32_t list, const char *what, read_fn fn, void *out);
/* Calls fn for every item of a list. A value that is not a list is treated as a list with that one
 * item. */
int32_t read_one_or_items(struct field_reader *r, uint32_t value, read_fn fn, void *out);

/* Reads any scalar that is not empty. */
int32_t read_text(struct field_reader *r, uint32_t value, void *lsched_text_out);
/* Copies a text into the memory of the scenario. */
int32_t read_copy(const struct field_reader *r, const char *text, size_t len, lsched_text *out);
int32_t read_bool(struct field_reader *r, uint32_t value, void *uint32_out);
/* Reads true or false. The value true sets the bits in *uint32_out, and false clears them. */
int32_t read_flag(struct field_reader *r, uint32_t value, void *uint32_out, uint32_t bits);
/* Reads true or false. The value true clears the bits in *uint32_out, and false sets them. */
int32_t read_flag_not(struct field_reader *r, uint32_t value, void *uint32_out, uint32_t bits);
/* Only stores the index of the value in the YAML tree. The caller reads the value later, because
 * its meaning depends on other keys of the map. */
int32_t read_later(struct field_reader *r, uint32_t value, void *uint32_out);
/* Does nothing. A schema uses this function for a key that another function reads. */
int32_t read_ignore(struct field_reader *r, uint32_t value, void *out);
int32_t read_u32(struct field_reader *r, uint32_t value, void *uint32_out);
int32_t read_i32(struct field_reader *r, uint32_t value, void *int32_out);
/* Reads a decimal number, or a hexadecimal number that begins with 0x. */
int32_t read_u64(struct field_reader *r, uint32_t value, void *uint64_out);
/* Reads a number that is at least 1. */
int32_t read_count(struct field_reader *r, uint32_t value, void *uint32_out);

/* Reads one of n words and writes its index in `words` to *out. */
int32_t read_word(struct field_reader *r, uint32_t value, const char *const *words, uint32_t n,
                  uint32_t *out);

/* Reads one label (a key and its text) and appends it to `list`, a struct scn_list of lsched_label.
 * The function is a read_other_fn and returns 1 or a negative code. */
int32_t read_label(struct field_reader *r, uint32_t key, uint32_t value, void *list);
/* Reads a name or a list of names, expands their ranges, and appends the names to a struct scn_list
 * of lsched_text. */
int32_t read_names(struct field_reader *r, uint32_t value, void *list_of_text);
struct name_range;
/* Reads a name that can have ranges, such as "n-[0-63]". The result points to text of the YAML
 * tree. */
int32_t read_range(struct field_reader *r, uint32_t value, void *name_range);
/* Reads the name of one object, where a range would make one object whose name has brackets: no
 * other key could name this object. */
int32_t read_single_name(struct field_reader *r, uint32_t value, lsched_text *out);
/* Writes name i of the range to *out. The name is in the memory of the scenario. */
int32_t read_range_name(struct field_reader *r, const struct name_range *range, uint64_t i,
                        lsched_text *out);
/* Writes the number of objects that a template describes to *n, and subtracts this number from
 * elements_left. `count` is the value of the template's key `count`; 0 if the text does not have
 * the key. A template whose name has a range describes one object for each name; a `count` that
 * differs from the number of names is an error. A template whose name has no range describes
 * `count` objects, or one object without `count`. */
int32_t read_template(struct field_reader *r, uint32_t value, const struct name_range *range,
                      uint32_t count, uint64_t *n);
/* Writes name i of a template to *out. A template with the name "box" and a count of 3 has the
 * names box-0, box-1 and box-2. */
int32_t read_template_name(struct field_reader *r, const struct name_range *range, uint32_t count,
                           uint64_t i, lsched_text *out);

/* Adds a note to the scenario about a value that is accepted but probably not meant. Only the
 * first 16 notes of a scenario are kept. */
int32_t read_note(struct field_reader *r, uint32_t value, const char *text);
/* Subtracts n from elements_left. If elements_left is less than n, returns LSCHED_E_LIMIT
 * instead. */
int32_t read_budget(struct field_reader *r, uint32_t value, uint64_t n);

int32_t read_expected(const struct field_reader *r, int32_t code, uint32_t value,
                      const char *expected);
struct quote read_got(const struct field_reader *r, uint32_t value);
void read_no_memory_error(const struct field_reader *r);

/* Appends a zeroed element to `items` and returns it. Unless `marks` is NULL, the function also
 * appends the place of `value` in the text to `marks`. When memory is out, it fills the error and
 * returns NULL. */
void *read_add(struct field_reader *r, struct scn_list *items, struct scn_list *marks, size_t size,
               uint32_t value);

/* Fills the error and returns LSCHED_E_NOMEM. The function is inline so that a static analyser sees
 * that its result is never 0. */
static inline int32_t read_no_memory(const struct field_reader *r) {
    read_no_memory_error(r);
    return LSCHED_E_NOMEM;
}
static inline struct mark read_mark(const struct field_reader *r, uint32_t value) {
    return r->tree.nodes[value].mark;
}
static inline int read_is(const struct field_reader *r, uint32_t value, enum ytree_kind kind) {
    return ytree_at(&r->tree, value)->kind == (uint32_t)kind;
}
/* Returns the NUL-terminated text of a value that is a scalar, and "" for any other value. *len
 * gets the length of the text. */
const char *read_scalar(const struct field_reader *r, uint32_t value, size_t *len);
/* True if the value is a scalar whose text is `word`. */
int read_is_word(const struct field_reader *r, uint32_t value, const char *word);
/* Returns the NUL-terminated text of a value. Before the call, the caller has made sure that the
 * value is a scalar. */
static inline const char *read_chars(const struct field_reader *r, uint32_t value, size_t *len) {
    const struct ytree_node *node = ytree_at(&r->tree, value);
    *len = node->n;
    return ytree_text(&r->tree, node);
}

#endif
