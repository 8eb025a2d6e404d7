/*
 * xml_scan.h -- checks whether a text is well-formed XML, and reports the line and the column of
 * the first mistake.
 *
 * libhwloc does not say where a file has a mistake, therefore the program checks the file before
 * libhwloc reads it. The check finds tags that do not match, attributes without quotes, and text
 * outside the one outermost element. The scanner is not a parser: it builds no tree and does not
 * replace entities. Declarations inside a document type are an error, because a topology needs
 * none.
 */
#ifndef LSCHED_CLI_XML_SCAN_H
#define LSCHED_CLI_XML_SCAN_H

#include <stddef.h>

#include <libsched/libsched.h>

enum { XML_DEPTH_MAX = 128 };

/* Checks the text. The outermost element must have the name `root`. Returns 0, LSCHED_E_SYNTAX or
 * LSCHED_E_LIMIT; fills *err after an error. */
int32_t xml_scan(const char *text, size_t len, const char *root, lsched_error *err);

#endif
