/*
 * pack_memory.h -- an allocator through which a packing solver that an algorithm calls takes its
 * memory from the engine, because an algorithm must take all memory from its env.
 *
 * The allocator holds a pointer to `env`, which must outlive the packer.
 */
#ifndef LIBSCHED_PACK_MEMORY_H
#define LIBSCHED_PACK_MEMORY_H

#include <libsched/algorithm.h>

lsched_allocator pack_memory(lsched_algorithm_env *env);

#endif
