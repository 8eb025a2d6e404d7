/*
 * yaml_tree.c -- see yaml_tree.h. Uses libyaml's document API: cases are short files of our own making or of people whom
 * we trust, so its lack of limits does not matter here (the library's own reader has them).
 */
#include "yaml_tree.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

int yaml_open(struct yaml_file *file, const char *path) {
    yaml_parser_t parser;
    FILE *in = fopen(path, "rb");
    int ok = 0;
    *file = (struct yaml_file){.path = path};
    if (!in) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return 0;
    }
    if (yaml_parser_initialize(&parser)) {
        yaml_parser_set_input_file(&parser, in);
        ok = yaml_parser_load(&parser, &file->document);
        if (!ok)
            fprintf(stderr, "%s:%zu: %s\n", path, parser.problem_mark.line + 1,
                    parser.problem ? parser.problem : "not YAML");
        yaml_parser_delete(&parser);
    }
    fclose(in);
    return ok;
}

void yaml_close(struct yaml_file *file) {
    yaml_document_delete(&file->document);
}

void yaml_complain(struct yaml_file *file, const yaml_node_t *at, const char *what,
                   const char *detail) {
    fprintf(stderr, "%s:%zu: %s '%s'\n", file->path, at ? at->start_mark.line + 1 : 1, what,
            detail);
    file->complaints++;
}

uint32_t yaml_list_size(const yaml_node_t *list) {
    if (!list || list->type != YAML_SEQUENCE_NODE) return 0;
    return (uint32_t)(list->data.sequence.items.top - list->data.sequence.items.start);
}

yaml_node_t *yaml_list_at(struct yaml_file *file, const yaml_node_t *list, uint32_t i) {
    return yaml_document_get_node(&file->document, list->data.sequence.items.start[i]);
}

static const char *scalar_text(const yaml_node_t *node) {
    return node && node->type == YAML_SCALAR_NODE ? (const char *)node->data.scalar.value : NULL;
}

struct yaml_map yaml_map_begin(struct yaml_file *file, const yaml_node_t *map) {
    struct yaml_map m = {file, map, 0};
    if (map && map->type != YAML_MAPPING_NODE) {
        yaml_complain(file, map, "expected a map, got",
                      scalar_text(map) ? scalar_text(map) : "a list");
        m.map = NULL;
    }
    return m;
}

void yaml_map_end(struct yaml_map *m, const char *const *ignored) {
    if (!m->map) return;
    const yaml_node_pair_t *start = m->map->data.mapping.pairs.start;
    for (const yaml_node_pair_t *p = start; p < m->map->data.mapping.pairs.top; p++) {
        const yaml_node_t *key = yaml_document_get_node(&m->file->document, p->key);
        const char *name = scalar_text(key);
        int known = p - start < MAP_KEYS_MAX && (m->asked >> (p - start) & 1);
        for (const char *const *i = ignored; !known && i && *i; i++)
            known = name && strcmp(*i, name) == 0;
        if (!known) yaml_complain(m->file, key, "no such key:", name ? name : "?");
    }
}

yaml_node_t *yaml_get(struct yaml_map *m, const char *key) {
    if (!m->map) return NULL;
    const yaml_node_pair_t *start = m->map->data.mapping.pairs.start;
    for (const yaml_node_pair_t *p = start; p < m->map->data.mapping.pairs.top; p++) {
        const char *name = scalar_text(yaml_document_get_node(&m->file->document, p->key));
        if (!name || strcmp(name, key) != 0) continue;
        if (p - start < MAP_KEYS_MAX) m->asked |= UINT64_C(1) << (p - start);
        return yaml_document_get_node(&m->file->document, p->value);
    }
    return NULL;
}

const char *yaml_get_text(struct yaml_map *m, const char *key, const char *otherwise) {
    yaml_node_t *node = yaml_get(m, key);
    const char *text = scalar_text(node);
    if (node && !text) yaml_complain(m->file, node, "expected a text for", key);
    return text ? text : otherwise;
}

int yaml_get_bool(struct yaml_map *m, const char *key, int otherwise) {
    const char *text = yaml_get_text(m, key, NULL);
    if (!text) return otherwise;
    if (strcmp(text, "true") == 0) return 1;
    if (strcmp(text, "false") != 0)
        yaml_complain(m->file, yaml_get(m, key), "expected true or false for", key);
    return 0;
}

int64_t yaml_get_amount(struct yaml_map *m, const char *key, double scale, int64_t otherwise) {
    const char *text = yaml_get_text(m, key, NULL);
    char *end = NULL;
    if (!text) return otherwise;
    if (strcmp(text, "unlimited") == 0) return LSCHED_UNLIMITED;
    double value = strtod(text, &end) * scale;
    if (end != text && *end == '\0' && fabs(value) < (double)LSCHED_AMOUNT_MAX)
        return llround(value);
    yaml_complain(m->file, yaml_get(m, key), "expected a number for", key);
    return otherwise;
}
