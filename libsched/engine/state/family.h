/*
 * family.h -- the family of a cluster: the cluster, its clones, and their clones. Plans of a member
 * name the family, so that an adoption can tell a plan of a clone from a plan of another cluster.
 *
 * Members can live and end in different threads. Therefore the counts are atomic, and the block
 * belongs to no member: the last of the members and plans that hold it frees it. A block in use is
 * at one address, so two handles are of one family if their pointers are equal; no decision depends
 * on the address itself. Each handle has a number in its family, which is never given twice.
 *
 * Why not a mark in the columns: equal calls would no longer give equal images. Why not a number
 * that the host gives: a host that gives none, or one twice, would adopt plans of other clusters.
 */
#ifndef LIBSCHED_FAMILY_H
#define LIBSCHED_FAMILY_H

#include "base/alloc.h"

struct cluster_family;

/* Makes a family with one member, whose number is 0. The bytes of the block, family_bytes() of
 * them, are counted in *a, but freed without it. Returns NULL without memory. */
struct cluster_family *family_open(struct alloc *a);
size_t family_bytes(void);
/* Adds a holder that is not a member, such as a plan. */
struct cluster_family *family_hold(struct cluster_family *f);
/* Adds a member, and returns its number. */
uint32_t family_join(struct cluster_family *f);
/* Ends one membership or hold. f: can be NULL. */
void family_leave(struct cluster_family *f);

#endif
