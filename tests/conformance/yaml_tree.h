/*
 * yaml_tree.h -- a YAML file as a tree of values, and typed reading of its maps.
 *
 * A reader of a map asks for the keys that it knows; keys that nobody asked for are reported when the map is done with,
 * because a key that is not understood may be what the case is about.
 */
#ifndef CONFORMANCE_YAML_TREE_H
#define CONFORMANCE_YAML_TREE_H

#include <stdint.h>
#include <yaml.h>

struct yaml_file {
    const char *path;
    yaml_document_t document;
    uint32_t complaints;
};

/* Returns 0 and says why on stderr if the file is not YAML. */
int yaml_open(struct yaml_file *file, const char *path);
void yaml_close(struct yaml_file *file);

/* Say on stderr what is wrong at a place of the file, and count it. */
void yaml_complain(struct yaml_file *file, const yaml_node_t *at, const char *what,
                   const char *detail);

/* Elements of a list; 0 and NULL for anything else. */
uint32_t yaml_list_size(const yaml_node_t *list);
yaml_node_t *yaml_list_at(struct yaml_file *file, const yaml_node_t *list, uint32_t i);

/* A map that is being read. map may be NULL: then no key is there. */
enum { MAP_KEYS_MAX = 64 };
struct yaml_map {
    struct yaml_file *file;
    const yaml_node_t *map;
    uint64_t asked; /* bit i: pair i was asked for */
};
struct yaml_map yaml_map_begin(struct yaml_file *file, const yaml_node_t *map);
/* Complains of the keys that were not asked for, but for those in the NULL-terminated list. */
void yaml_map_end(struct yaml_map *m, const char *const *ignored);

yaml_node_t *yaml_get(struct yaml_map *m, const char *key); /* NULL if absent */
const char *yaml_get_text(struct yaml_map *m, const char *key, const char *otherwise);
int yaml_get_bool(struct yaml_map *m, const char *key, int otherwise);
/* A number times `scale`, rounded to the nearest; "unlimited" is LSCHED_UNLIMITED. */
int64_t yaml_get_amount(struct yaml_map *m, const char *key, double scale, int64_t otherwise);

#endif
