/*
 * explain_places.h -- writes which required topology level keeps a job waiting, and which domain of
 * that level is closest to having room.
 */
#ifndef LIBSCHED_EXPLAIN_PLACES_H
#define LIBSCHED_EXPLAIN_PLACES_H

#include "engine/state/object_words.h"

/* Writes the required level and the closest domain, such as "no rack has room for 32 tasks at once:
 * a/r3 comes closest, with room for 20 of the 32; a task ". */
void explain_places_put(const struct columns *k, const lsched_waiting *w, struct text_out *o);
/* Writes what the closest domain lacks for a job with several task shapes, such as "; in a/r3, n7
 * comes closest, with 4 of the 6 cores". */
void explain_places_put_lack(const struct columns *k, const lsched_waiting *w, struct text_out *o);
/* Updates the task group, the resource kind and the closest node in a waiting record with the code
 * LSCHED_WAIT_TOPOLOGY. */
void explain_places_refresh(const struct columns *k, lsched_waiting *w);

#endif
