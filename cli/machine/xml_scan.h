/*
 * xml_scan.h -- is a text whole and well-formed XML, and if not, where is it broken?
 *
 * libhwloc says only that it cannot read a file, so this goes over it first: tags that match,
 * attributes in quotes, one root, nothing after it. Not a parser: it keeps no tree, resolves no
 * entity, and refuses declarations of document types, which no topology needs.
 */
#ifndef LSCHED_CLI_XML_SCAN_H
#define LSCHED_CLI_XML_SCAN_H

#include <stddef.h>

#include <libsched/libsched.h>

enum { XML_DEPTH_MAX = 128 };

/* root: the name that the outermost element must have. Returns 0, or LSCHED_E_SYNTAX or
 * LSCHED_E_LIMIT with err filled. */
int32_t xml_scan(const char *text, size_t len, const char *root, lsched_error *err);

#endif
