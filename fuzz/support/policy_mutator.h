/* policy_mutator.h -- changes to policy texts that keep most of them whole: expressions of the tree are replaced, tokens
 * exchanged, statements and hooks added. What it makes is decided by the seed alone. */
#ifndef LSCHED_FUZZ_POLICY_MUTATOR_H
#define LSCHED_FUZZ_POLICY_MUTATOR_H

#include <stddef.h>
#include <stdint.h>

/* As LLVMFuzzerCustomMutator. */
size_t policy_mutate(uint8_t *data, size_t size, size_t max_size, unsigned int seed);

#endif
