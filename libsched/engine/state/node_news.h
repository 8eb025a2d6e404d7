/*
 * node_news.h -- which nodes changed, for actions that keep what they have read of nodes and of the
 * tasks on them.
 *
 * The logs of nodes and tasks tell the changes, as they do for the other caches. A change of the
 * expected run time of a job is a change of its tasks. What a cycle changes and takes back is in
 * the logs, too, but for words of decisions and jobs; therefore an undone cycle is told as a change
 * of all nodes.
 *
 * Cost: O(changes since the call that wrote `seen`).
 */
#ifndef LIBSCHED_NODE_NEWS_H
#define LIBSCHED_NODE_NEWS_H

#include "model/store/columns.h"

struct node_news {
    uint32_t *list;
    uint32_t cap;
    uint64_t undone; /* number of cycles that were undone */
};

void node_news_close(struct node_news *w, struct columns *k);
/* Implements lsched_act.nodes_changed. */
int32_t node_news_get(struct node_news *w, struct columns *k, uint64_t *seen,
                      const uint32_t **nodes, uint32_t *n);

#endif
