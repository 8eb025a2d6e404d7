/*
 * description.h -- descriptions of the objects of a cluster as the orchestrator would submit them
 * again: a node, a queue or a job, with all lists and texts in memory of their own.
 *
 * Each function fills the description from the columns and from the canonical bytes of shapes. It
 * uses no code that reads descriptions, so that a submission of the description checks both.
 * Invariant: a cluster to which all descriptions are submitted has the same meaning hash as the
 * cluster that was described, except for what runs there. If memory runs out, `failed` is set, and
 * the lists stay empty. Cost: linear in the description.
 */
#ifndef LIBSCHED_DESCRIPTION_H
#define LIBSCHED_DESCRIPTION_H

#include "engine/state/cluster.h"

struct description_block;

struct lsched_description {
    struct alloc alloc; /* a copy, so that the description outlives the cluster */
    struct description_block *blocks;
    int failed;
    uint32_t kind; /* LSCHED_KIND_* */
    union {
        lsched_node_desc node;
        lsched_queue_desc queue;
        lsched_job_desc job;
    } of;
};

/* Returns zeroed memory for n elements that lives as long as the description; NULL if n is 0 or if
 * memory ran out. */
void *description_take(struct lsched_description *d, size_t n, size_t size);
/* Returns a copy of the text. */
lsched_text description_text(struct lsched_description *d, lsched_text t);
/* Reads a list of texts, or of labels, from canonical bytes: their number, then the texts. */
const lsched_text *description_texts(struct lsched_description *d, struct reader *r, uint32_t n);
const lsched_label *description_labels(struct lsched_description *d, const struct columns *k,
                                       uint32_t row, uint32_t *n);

void describe_node(struct lsched_description *d, const struct columns *k, uint32_t node);
void describe_queue(struct lsched_description *d, const struct columns *k, uint32_t queue);
void describe_job(struct lsched_description *d, const struct columns *k, uint32_t job);

#endif
