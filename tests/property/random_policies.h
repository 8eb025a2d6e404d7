/*
 * random_policies.h -- policies that come and go under random events: some that ask for more than
 * room, one that fails, two that evict.
 */
#ifndef TESTS_RANDOM_POLICIES_H
#define TESTS_RANDOM_POLICIES_H

#include <string.h>

#include <libsched/libsched.h>

static const char *const hooks[] = {
    "return { api = 1, name = 'a', placement = 'spread', fair_share = 'fifo',\n"
    "  priority = function(job, queue) return job.priority + job.waiting / 60 end,\n"
    "  score = function(job, node) return node.gpu_free - node.price end }",
    "return { api = 1, name = 'b', placement = 'least-fragmentation',\n"
    "  admit = function(job, queue) return job.priority < 4 or job.waiting > 100, 'later' end,\n"
    "  filter = function(job, node) return node.price < 3 or job.priority > 0 end }",
    "return { api = 1, name = 'c', placement = 'best-fit',\n"
    "  weight = function(queue) return 1 + queue.jobs_pending % 3 end,\n"
    "  quota = function(queue, now) if queue.depth > 0 then return { gpu = 2 } end end }",
    /* fails now and then: the cycle begins again without the hook */
    "return { api = 1, name = 'd', placement = 'binpack',\n"
    "  score = function(job, node) return 1 / (node.price - 1) end,\n"
    "  priority = function(job, queue) return job.name.sub and 0 or job.priority end }",
    "return { api = 1, name = 'e', fair_share = 'quota', placement = 'binpack',\n"
    "  pipeline = { 'allocate', 'consolidate', 'reclaim', 'preempt', 'evict-stale-gangs' } }",
    "return { api = 1, name = 'f', fair_share = 'quota', placement = 'spread',\n"
    "  pipeline = { 'allocate', 'reclaim', 'preempt', 'consolidate' },\n"
    "  eviction = { victims = 'newest', protection = 'divergence', per_hour = 20 } }",
};

#define N_HOOKS (sizeof hooks / sizeof hooks[0])

/* Does it evict. */
static inline int evicts(const char *name, const char *text) {
    const char *is = NULL;
    for (uint32_t i = 0; !text && (text = lsched_policy_ready_made(i, &is, NULL)) != NULL; i++)
        if (strcmp(is, name) != 0) text = NULL;
    return text && strstr(text, "pipeline =") != NULL;
}

#endif
