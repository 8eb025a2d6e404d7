/*
 * explain_names.h -- labels and device models that a job asks for and no node has, with the nearest
 * that there is.
 *
 * The nearest is the same word in other letters, else one that begins with it or that it begins
 * with, else a typing error away, else the first by its bytes. Cost: O(nodes) for each label,
 * O(devices) for models.
 */
#ifndef LIBSCHED_EXPLAIN_NAMES_H
#define LIBSCHED_EXPLAIN_NAMES_H

#include "engine/state/object_words.h"

/* " with label zone=A (there is zone=a)": of the labels that the shape selects those that the node
 * lacks; NO_ROW: that every node lacks. */
void put_labels_missing(const struct columns *k, uint32_t shape, uint32_t node, struct text_out *o);
/* " with device model H100 (there is H100-80GB)"; nothing if it allows all. */
void put_models_missing(const struct columns *k, uint32_t shape, struct text_out *o);

#endif
