/*
 * field_reader.h -- functions that read typed values from a YAML tree.
 *
 * A schema is a table: each row has the key, the function that reads its value, and the struct
 * member that takes the result. Therefore every value has exactly one type, an unknown key is an
 * error with a suggestion, and YAML's implicit types cannot change what a value means. A read
 * function returns 0, or a negative code after it filled the error.
 */
#ifndef LIBSCHED_FIELD_READER_H
#define LIBSCHED_FIELD_READER_H

#include "base/units.h"
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
    int64_t base_us;        /* time in microseconds that offsets of time are added to */
    uint64_t elements_left; /* number of elements that templates and ranges may still expand to */
};

typedef int32_t (*read_fn)(struct field_reader *r, uint32_t value, void *out);

struct field {
    const char *name;
    read_fn read;
    size_t offset;
};
#define FIELD(type, name, read, member) \
    { name, read, offsetof(type, member) }

/* Reads a key that is in no table, such as a resource kind. Returns 1 if it took the key, 0 if the
 * key is unknown, or a negative code. A NULL pointer means that only keys of the table are
 * known. */
typedef int32_t (*read_other_fn)(struct field_reader *r, uint32_t key, uint32_t value, void *out);

/* Reads every key of the map, in the order of the text. `what` names the object in messages, such
 * as "a node" or "a job". */
int32_t read_map(struct field_reader *r, uint32_t map, const char *what, const struct field *fields,
                 size_t n_fields, void *out, read_other_fn other);
/* Fills the error for a key that is not among the candidates. candidate(user, i) returns candidate
 * i, and NULL after the last one. */
typedef const char *(*read_candidate_fn)(const void *user, size_t i);
int32_t read_unknown(const struct field_reader *r, uint32_t key, const char *what,
                     read_candidate_fn candidate, const void *user);
/* Calls fn for every item of the list and passes `out` to it. */
int32_t read_items(struct field_reader *r, uint32_t list, const char *what, read_fn fn, void *out);
/* Calls fn for every item of a list. A value that is not a list is treated as a list with that one
 * item. */
int32_t read_one_or_items(struct field_reader *r, uint32_t value, read_fn fn, void *out);

int32_t read_text(struct field_reader *r, uint32_t value,
                  void *lsched_text_out); /* any scalar that is not empty */
int32_t read_bool(struct field_reader *r, uint32_t value, void *uint32_out);
int32_t read_u32(struct field_reader *r, uint32_t value, void *uint32_out);
int32_t read_i32(struct field_reader *r, uint32_t value, void *int32_out);
int32_t read_u64(struct field_reader *r, uint32_t value,
                 void *uint64_out); /* decimal number, or hexadecimal number after 0x */
/* number of at least 1 */
int32_t read_count(struct field_reader *r, uint32_t value, void *uint32_out);
int32_t read_memory(struct field_reader *r, uint32_t value, void *int64_out);
int32_t read_duration(struct field_reader *r, uint32_t value, void *int64_out);
int32_t read_time(struct field_reader *r, uint32_t value,
                  void *int64_out); /* offset from base_us, or a date */
int32_t read_price(struct field_reader *r, uint32_t value, void *int64_out);
int32_t read_power(struct field_reader *r, uint32_t value, void *int64_out);
/* GPUs in thousandths */
int32_t read_milli(struct field_reader *r, uint32_t value, void *int64_out);
int32_t read_units(struct field_reader *r, uint32_t value, enum units_kind kind, int64_t *out);

/* Reads one of n words and writes its index in `words` to *out. */
int32_t read_word(struct field_reader *r, uint32_t value, const char *const *words, uint32_t n,
                  uint32_t *out);

/* Expands the ranges in a name or a list of names and appends the names to a struct scn_list of
 * lsched_text. */
int32_t read_names(struct field_reader *r, uint32_t value, void *list_of_text);
struct name_range;
/* Reads a name that may hold ranges, such as "n-[0-63]". `range` borrows the text from the tree. */
int32_t read_range(struct field_reader *r, uint32_t value, struct name_range *range);
/* Writes name i of the range to *out, in memory of the scenario. */
int32_t read_range_name(struct field_reader *r, const struct name_range *range, uint64_t i,
                        lsched_text *out);
/* Writes the number of objects that a template describes to *n. The number is that of the names in
 * the range of its name, or `count` if the name has no range (0: not given). A name with a range
 * and a different `count` are an error. The number of objects is taken off elements_left. */
int32_t read_template(struct field_reader *r, uint32_t value, const struct name_range *range,
                      uint32_t count, uint64_t *n);
/* Writes name i of a template to *out: the name "box" with a count of 3 becomes box-0 to box-2. */
int32_t read_template_name(struct field_reader *r, const struct name_range *range, uint32_t count,
                           uint64_t i, lsched_text *out);

/* read_kind returns the index of the resource kind with this name, 0 if there is none.
 * read_amount reads an amount of a resource kind in base units. */
uint32_t read_kind(const struct field_reader *r, const char *name);
int32_t read_amount(struct field_reader *r, uint32_t value, uint32_t kind, int64_t *out);
/* Reads a map such as {gpu: 8, memory: 2Ti} and appends its amounts to a struct scn_list of
 * lsched_amount; `unlimited` is allowed as an amount. */
int32_t read_limits(struct field_reader *r, uint32_t value, void *list_of_amount);
/* Appends an amount if the key is a resource kind. The result is that of a read_other_fn. */
int32_t read_amount_key(struct field_reader *r, uint32_t key, uint32_t value,
                        struct scn_list *amounts);

/* Adds a note to the scenario about a value that is accepted but probably not meant. Only the
 * first 16 notes of a scenario are kept. */
int32_t read_note(struct field_reader *r, uint32_t value, const char *text);
/* Takes n expanded elements off elements_left; LSCHED_E_LIMIT if fewer are left. */
int32_t read_budget(struct field_reader *r, uint32_t value, uint64_t n);

int32_t read_expected(const struct field_reader *r, int32_t code, uint32_t value,
                      const char *expected);
struct quote read_got(const struct field_reader *r, uint32_t value);
void read_no_memory_error(const struct field_reader *r);

/* Appends an element to `items`, and the place of `value` in the text to `marks` unless `marks` is
 * NULL. Returns NULL with the error filled when memory is out. */
void *read_add(struct field_reader *r, struct scn_list *items, struct scn_list *marks, size_t size,
               uint32_t value);

/* The function is inline so that a static analyser sees that the returned code is never 0. */
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
/* Returns the NUL-terminated text of a scalar. */
static inline const char *read_chars(const struct field_reader *r, uint32_t value, size_t *len) {
    const struct ytree_node *node = ytree_at(&r->tree, value);
    *len = node->n;
    return ytree_text(&r->tree, node);
}

#endif
