/*
 * api_init.c -- sets up any struct of the public headers with its defaults, for languages without
 * LSCHED_INIT. The default of each field is 0, so the function needs no list of the structs.
 */
#include <libsched/types.h>

#include <string.h>

LSCHED_API void lsched_init(void *record, uint32_t size) {
    if (!record) return;
    memset(record, 0, size);
    if (size >= sizeof size) memcpy(record, &size, sizeof size);
}
