/*
 * consumer.c -- the smallest host: creates and destroys a cluster. Its own alloc_new shares a name
 * with an internal function of the library, which a static link must not mind.
 */
#include <libsched/libsched.h>
#include <stdio.h>

int alloc_new(void);
int alloc_new(void) {
    return 7;
}

int main(void) {
    lsched_cluster *cluster = NULL;
    lsched_error err = LSCHED_ERROR_INIT;
    if (lsched_cluster_create(NULL, &cluster, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    lsched_cluster_destroy(cluster);
    printf("libsched %s\n", lsched_version());
    return alloc_new() == 7 ? 0 : 1;
}
