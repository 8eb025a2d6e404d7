/*
 * field_reader.h -- typed values out of a YAML tree.
 *
 * A schema is a table: the key, the function that reads its value, and where in a struct the result
 * goes. So every value has exactly one type, an unknown key is an error with a suggestion, and
 * there is no implicit type for YAML to guess wrong. A read function returns 0, or a negative code
 * with the error filled.
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
    uint32_t label_nodes;   /* a topology has the level "node" */
    uint32_t gpu_links;     /* of the node that is read: value node of `links` of its GPUs, or 0 */
    int64_t base_us;        /* what offsets of time count from */
    uint64_t elements_left; /* of the bound on expanded elements */
};

typedef int32_t (*read_fn)(struct field_reader *r, uint32_t value, void *out);

struct field {
    const char *name;
    read_fn read;
    size_t offset;
};
#define FIELD(type, name, read, member) \
    { name, read, offsetof(type, member) }

/* For keys that are in no table, such as resource kinds: 1 if taken, 0 if unknown, or an error.
 * May be NULL. */
typedef int32_t (*read_other_fn)(struct field_reader *r, uint32_t key, uint32_t value, void *out);

/* "a node", "a job": what stands in messages. Every key of the map is read, in the order of the
 * text. */
int32_t read_map(struct field_reader *r, uint32_t map, const char *what, const struct field *fields,
                 size_t n_fields, void *out, read_other_fn other);
/* The error for a key that is none of the candidates; candidate(user, i) gives them until it
 * gives NULL. */
typedef const char *(*read_candidate_fn)(const void *user, size_t i);
int32_t read_unknown(const struct field_reader *r, uint32_t key, const char *what,
                     read_candidate_fn candidate, const void *user);
/* fn for every item; `out` is handed through. */
int32_t read_items(struct field_reader *r, uint32_t list, const char *what, read_fn fn, void *out);
/* Likewise, but a value that is no list stands for a list of itself. */
int32_t read_one_or_items(struct field_reader *r, uint32_t value, read_fn fn, void *out);

int32_t read_text(struct field_reader *r, uint32_t value,
                  void *lsched_text_out); /* any scalar; not empty */
int32_t read_bool(struct field_reader *r, uint32_t value, void *uint32_out);
int32_t read_u32(struct field_reader *r, uint32_t value, void *uint32_out);
int32_t read_i32(struct field_reader *r, uint32_t value, void *int32_out);
int32_t read_u64(struct field_reader *r, uint32_t value,
                 void *uint64_out); /* decimal, or 0x and hexadecimal */
int32_t read_count(struct field_reader *r, uint32_t value, void *uint32_out); /* at least 1 */
int32_t read_memory(struct field_reader *r, uint32_t value, void *int64_out);
int32_t read_duration(struct field_reader *r, uint32_t value, void *int64_out);
int32_t read_time(struct field_reader *r, uint32_t value,
                  void *int64_out); /* an offset from base_us, or a date */
int32_t read_price(struct field_reader *r, uint32_t value, void *int64_out);
int32_t read_power(struct field_reader *r, uint32_t value, void *int64_out);
int32_t read_milli(struct field_reader *r, uint32_t value, void *int64_out); /* GPUs */
int32_t read_units(struct field_reader *r, uint32_t value, enum units_kind kind, int64_t *out);

/* One of n words; their place in the list goes to *out. */
int32_t read_word(struct field_reader *r, uint32_t value, const char *const *words, uint32_t n,
                  uint32_t *out);

/* Names with ranges expanded, appended to a struct scn_list of lsched_text. */
int32_t read_names(struct field_reader *r, uint32_t value, void *list_of_text);
/* A new lsched_text for element i of a range. */
struct name_range;
int32_t read_range(struct field_reader *r, uint32_t value, struct name_range *range);
int32_t read_range_name(struct field_reader *r, const struct name_range *range, uint64_t i,
                        lsched_text *out);
/* A template stands for as many as its range, or as its count (0: not given), which must not
 * contradict each other. */
int32_t read_template(struct field_reader *r, uint32_t value, const struct name_range *range,
                      uint32_t count, uint64_t *n);
/* Name i of a template: "box" with a count of 3 becomes box-0 to box-2. */
int32_t read_template_name(struct field_reader *r, const struct name_range *range, uint32_t count,
                           uint64_t i, lsched_text *out);

/* Resource kinds: the number of a kind by name (0: none), and an amount of it in base units. */
uint32_t read_kind(const struct field_reader *r, const char *name);
int32_t read_amount(struct field_reader *r, uint32_t value, uint32_t kind, int64_t *out);
/* {gpu: 8, memory: 2Ti} appended to a struct scn_list of lsched_amount; `unlimited` is a value. */
int32_t read_limits(struct field_reader *r, uint32_t value, void *list_of_amount);
/* For `other`: appends an amount if the key is a resource kind. */
int32_t read_amount_key(struct field_reader *r, uint32_t key, uint32_t value,
                        struct scn_list *amounts);

/* Count n more expanded elements against the bound. */
/* Says something of a value that is taken as it is. Of many the first ones are kept. */
int32_t read_note(struct field_reader *r, uint32_t value, const char *text);
int32_t read_budget(struct field_reader *r, uint32_t value, uint64_t n);

int32_t read_expected(const struct field_reader *r, int32_t code, uint32_t value,
                      const char *expected);
struct quote read_got(const struct field_reader *r, uint32_t value);
void read_no_memory_error(const struct field_reader *r);

/* list_add, with the mark of `value` in a second list. NULL with the error filled when memory is
 * out. */
void *read_add(struct field_reader *r, struct scn_list *items, struct scn_list *marks, size_t size,
               uint32_t value);

/* The constant is visible here so that an analyser knows the code is not 0. */
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
/* NUL-terminated text of a scalar. */
static inline const char *read_chars(const struct field_reader *r, uint32_t value, size_t *len) {
    const struct ytree_node *node = ytree_at(&r->tree, value);
    *len = node->n;
    return ytree_text(&r->tree, node);
}

#endif
