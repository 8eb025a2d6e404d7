/* run_image.c -- see run_image.h. */
#include "forecast/durations/run_image.h"

#include <string.h>

#include "base/call_args.h"
#include "base/hash.h"
#include "base/limits.h"

#define RUN_MAGIC   UINT64_C(0x31534e5552534c31) /* "1LSRUNS1" read as little-endian bytes */
#define RUN_VERSION 1u

size_t run_image_bytes(const struct run_table *t) {
    return sizeof(struct run_image_head) + t->n_rows * sizeof(struct run_image_row);
}

void run_image_save(const struct run_table *t, void *bytes) {
    struct run_image_head head = {.magic = RUN_MAGIC, .version = RUN_VERSION, .rows = t->n_rows};
    char *rows = (char *)bytes + sizeof head, *at = rows;
    for (uint32_t i = t->oldest; i != RUN_NONE; i = t->rows[i].newer) {
        const struct run_row *row = &t->rows[i];
        struct run_image_row image = {{row->key[0], row->key[1]}, {row->runs[0], row->runs[1]}};
        memcpy(at, &image, sizeof image);
        at += sizeof image;
    }
    head.checksum = hash_bytes(rows, (size_t)(at - rows), RUN_VERSION);
    memcpy(bytes, &head, sizeof head);
}

static int32_t run_image_check(const struct run_image_head *head, const char *rows, size_t n,
                               lsched_error *err) {
    size_t expected = sizeof *head + (size_t)head->rows * sizeof(struct run_image_row);
    if (head->magic != RUN_MAGIC)
        return fail(err, LSCHED_E_VERSION, "the bytes are not an image of durations");
    if (head->version != RUN_VERSION)
        return fail(err, LSCHED_E_VERSION,
                    "the image of durations has version %u; this library reads version %u",
                    head->version, RUN_VERSION);
    if (n != expected)
        return fail(err, LSCHED_E_CORRUPT, "the image of durations has %zu bytes; expected %zu", n,
                    expected);
    if (hash_bytes(rows, n - sizeof *head, RUN_VERSION) != head->checksum)
        return fail(err, LSCHED_E_CORRUPT, "the checksum of the image of durations is wrong");
    return LSCHED_OK;
}

int32_t run_image_load(struct run_table *t, const void *bytes, size_t n, lsched_error *err) {
    struct run_image_head head;
    const char *rows = (const char *)bytes + sizeof head;
    if (n < sizeof head)
        return fail(err, LSCHED_E_CORRUPT,
                    "the image of durations has %zu bytes; expected at least %zu", n, sizeof head);
    memcpy(&head, bytes, sizeof head);
    int32_t rc = run_image_check(&head, rows, n, err);
    for (uint32_t i = 0; rc == LSCHED_OK && i < head.rows; i++) {
        struct run_image_row row;
        memcpy(&row, rows + i * sizeof row, sizeof row);
        if (row.runs[0] < 0 || row.runs[0] > LIMIT_TIME_US || row.runs[1] < -1 ||
            row.runs[1] > LIMIT_TIME_US)
            rc = fail(err, LSCHED_E_CORRUPT, "row %u of the image of durations has a wrong run", i);
        else if (run_table_find(t, row.key) != NULL)
            rc = fail(err, LSCHED_E_CORRUPT,
                      "row %u of the image of durations has the user of an earlier row", i);
        if (rc != LSCHED_OK) break;
        if (row.runs[1] >= 0) run_table_add(t, row.key, row.runs[1]);
        run_table_add(t, row.key, row.runs[0]);
    }
    return rc;
}
