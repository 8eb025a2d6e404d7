/*
 * xml_scan.h -- checks whether a text is well-formed XML, and says where it is broken.
 *
 * libhwloc says only that it cannot read a file, therefore this check comes first. The check
 * covers matching tags, attributes in quotes, one root, and nothing after the root. The scanner is
 * no parser: it keeps no tree, resolves no entities, and refuses declarations within a document
 * type, which no topology needs.
 */
#ifndef LSCHED_CLI_XML_SCAN_H
#define LSCHED_CLI_XML_SCAN_H

#include <stddef.h>

#include <libsched/libsched.h>

enum { XML_DEPTH_MAX = 128 };

/* Checks the text. `root` is the name that the outermost element must have. Returns 0, or
 * LSCHED_E_SYNTAX or LSCHED_E_LIMIT with err filled. */
int32_t xml_scan(const char *text, size_t len, const char *root, lsched_error *err);

#endif
