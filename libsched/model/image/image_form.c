/* image_form.c -- see image_form.h. */
#include "model/image/image_form.h"

#include <stdio.h>

#include "base/hash.h"

const char *const image_heap_names[BLOCK_HEAPS] = {
    "BLOCKS.TEXT", "BLOCKS.DEVICE", "BLOCKS.GROUP", "BLOCKS.SHARED",
    "BLOCKS.NUMA", "BLOCKS.ANSWER", "BLOCKS.CELL",  "BLOCKS.CROWD"};

const struct image_counter image_counters[IMAGE_COUNTERS] = {
#define COUNTER(name, words) {"COUNTER." #name, M_##name, words},
#include "model/store/counters.def"
#undef COUNTER
};

void image_table_name(uint32_t table, char out[IMAGE_NAME_BYTES + 1]) {
    memset(out, 0, IMAGE_NAME_BYTES + 1);
    snprintf(out, IMAGE_NAME_BYTES + 1, "TABLE.%s", table_names[table]);
}

uint64_t image_header_checksum(const struct image_header *h) {
    return hash_bytes(h, offsetof(struct image_header, checksum), 0);
}

uint64_t image_section_checksum(const struct image_section *s, const void *payload) {
    return hash_bytes(payload, (size_t)(s->rows * s->stride),
                      hash_bytes(s, offsetof(struct image_section, checksum), 0));
}
