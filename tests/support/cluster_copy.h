/*
 * cluster_copy.h -- a copy of a cluster by its saved image, for tests that go on with the copy.
 */
#ifndef TESTS_SUPPORT_CLUSTER_COPY_H
#define TESTS_SUPPORT_CLUSTER_COPY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <libsched/libsched.h>

struct cluster_image {
    uint8_t *data;
    size_t n;
};

static inline int32_t cluster_image_append(void *out, const void *bytes, size_t n) {
    struct cluster_image *image = out;
    uint8_t *grown = realloc(image->data, image->n + n);
    if (!grown) return 1;
    image->data = grown;
    memcpy(image->data + image->n, bytes, n);
    image->n += n;
    return 0;
}

/* Saves the cluster and loads the image into *copy. Returns the first code that is no success. */
static inline int32_t cluster_copy_by_image(const lsched_cluster *cluster, lsched_cluster **copy,
                                            lsched_error *err) {
    struct cluster_image image = {NULL, 0};
    int32_t rc = lsched_cluster_save(cluster, cluster_image_append, &image, err);
    if (rc == LSCHED_OK) rc = lsched_cluster_load(NULL, image.data, image.n, copy, err);
    free(image.data);
    return rc;
}

#endif
