/*
 * case_reader.h -- from the YAML of a case to struct case_form.
 */
#ifndef CONFORMANCE_CASE_READER_H
#define CONFORMANCE_CASE_READER_H

#include "case_form.h"
#include "yaml_tree.h"

/* Returns 0 if something that the case cannot do without is missing or makes no sense; says what on stderr. */
int case_read(struct case_form *c, struct pool *pool, struct yaml_file *file,
              const yaml_node_t *root);

#endif
