/*
 * pack_memory.h -- a packer of an algorithm takes its memory from the engine, like the algorithm.
 *
 * The allocator holds a pointer to env, which must outlive the packer.
 */
#ifndef LIBSCHED_PACK_MEMORY_H
#define LIBSCHED_PACK_MEMORY_H

#include <libsched/algorithm.h>

lsched_allocator pack_memory(lsched_algorithm_env *env);

#endif
