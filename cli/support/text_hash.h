/* text_hash.h -- the FNV-1a hash of a text: equal on every machine, and no part of any decision. */
#ifndef LSCHED_CLI_TEXT_HASH_H
#define LSCHED_CLI_TEXT_HASH_H

#include <stddef.h>
#include <stdint.h>

static inline uint64_t text_hash(const char *text, size_t len) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < len; i++) hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
    return hash;
}

#endif
