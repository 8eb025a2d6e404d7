/*
 * explain_names.h -- writes the labels and device models that a job asks for and that no node has,
 * with the most similar name that exists (near_word.h).
 *
 * Cost: O(nodes) for each label, O(devices) for models.
 */
#ifndef LIBSCHED_EXPLAIN_NAMES_H
#define LIBSCHED_EXPLAIN_NAMES_H

#include "engine/state/object_words.h"

/* Writes the labels that the shape requires and that the node does not have, such as " with the
 * label zone=A (there is zone=a)". If `node` is NO_ROW, writes the required labels that no node
 * has. */
void explain_names_labels(const struct columns *k, uint32_t shape, uint32_t node,
                          struct text_out *o);
/* Writes the models of which the shape requires one, such as " with device model H100 (there is
 * H100-80GB)". Writes nothing if the shape allows all models. */
void explain_names_models(const struct columns *k, uint32_t shape, struct text_out *o);

#endif
