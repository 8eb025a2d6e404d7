/*
 * explain_names.h -- writes labels and device models that a job asks for and no node has, with the
 * most similar name that exists.
 *
 * The most similar name is, in this order: the same word in other case, a word that begins with
 * the wanted one or with which the wanted one begins, a word with one typing error, else the first
 * word by its bytes. Cost: O(nodes) for each label, O(devices) for models.
 */
#ifndef LIBSCHED_EXPLAIN_NAMES_H
#define LIBSCHED_EXPLAIN_NAMES_H

#include "engine/state/object_words.h"

/* Writes the labels that the shape requires and the node lacks, such as " with label zone=A (there
 * is zone=a)". With node NO_ROW, these are the labels that every node lacks. */
void put_labels_missing(const struct columns *k, uint32_t shape, uint32_t node, struct text_out *o);
/* Writes the models that the shape requires, such as " with device model H100 (there is
 * H100-80GB)"; nothing if the shape allows all models. */
void put_models_missing(const struct columns *k, uint32_t shape, struct text_out *o);

#endif
