/*
 * random_policies.h -- policies that come and go under random events: some that ask for more than
 * room, one that fails, two that evict, two that say how long jobs run and what they need to start, two
 * that choose as they go.
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
    "return { api = 1, name = 'g', pipeline = { 'evict-overdue', 'allocate', 'evict-idle', 'drain' },\n"
    "  time_limit = function(job) return job.gpu > 1 and 90 or job.time_limit end,\n"
    "  idle = function(job) return job.idle > 30 and job.gpu_utilization < 0.5 end,\n"
    "  gang_minimum = function(job) return job.tasks > 2 and 2 or nil end }",
    /* work of a queue is compared by another number than the submitted priority; fails now and then */
    "return { api = 1, name = 'q', fair_share = 'quota',\n"
    "  pipeline = { 'allocate', 'reclaim', 'preempt' },\n"
    "  preempt_priority = function(job, queue)\n"
    "    if job.runtime > 200 and job.tasks > 8 then return 0 / 0 end\n"
    "    return job.tasks * 3 - math.floor(job.runtime / 60) - queue.jobs_pending % 2 end }",
    /* fails now and then, when much runs for long */
    "return { api = 1, name = 'h', fair_share = 'quota',\n"
    "  pipeline = { 'evict-overdue', 'allocate', 'reclaim' },\n"
    "  time_limit = function(job) return job.runtime > 100 and job.tasks > 8 and 0 or 60 end,\n"
    "  gang_minimum = function(job) return job.priority > 3 and job.tasks > 8 and 0 or 1 end }",
    "return { api = 1, name = 'e', fair_share = 'quota', placement = 'binpack',\n"
    "  pipeline = { 'drain', 'allocate', 'consolidate', 'reclaim', 'preempt', 'evict-stale-gangs' } }",
    "return { api = 1, name = 'f', fair_share = 'quota', placement = 'spread',\n"
    "  pipeline = { 'allocate', 'reclaim', 'preempt', 'consolidate' },\n"
    "  eviction = { victims = 'newest', protection = 'divergence', per_hour = 20 } }",
    "return { api = 1, name = 'k', fair_share = 'drf',\n"
    "  pipeline = { 'drain', 'ts-dpbp', 'consolidate', 'reclaim', 'preempt', 'evict-stale-gangs' } }",
    "return { api = 1, name = 'l', order = 'fifo', pipeline = { 'ts-dpbp', 'allocate' } }",
    "return { api = 1, name = 'm', order = 'fifo', pipeline = { 'backfill' } }",
    "return { api = 1, name = 'n', fair_share = 'quota', params = { backfill_reservations = 2, backfill_order = 2 },\n"
    "  pipeline = { 'drain', 'backfill', 'consolidate', 'reclaim', 'preempt', 'evict-stale-gangs' } }",
    "return { api = 1, name = 'o', fair_share = 'drf', params = { backfill_reservations = 0 },\n"
    "  pipeline = { 'backfill', 'allocate' } }",
    "return { api = 1, name = 'p', order = 'fifo', params = { backfill_order = 0 },\n"
    "  pipeline = { 'backfill' } }",
    "return { api = 1, name = 'i', pipeline = function(cluster, now)\n"
    "    if cluster.jobs_pending % 3 == 0 then return { 'allocate', 'reclaim', 'preempt' } end\n"
    "    if cluster.gpu_free > 2 then return { 'allocate' } end end,\n"
    "  fair_share = 'quota',\n"
    "  limit = function(queue, now)\n"
    "    if queue.depth == 0 then return nil, now + 17 end\n"
    "    return { gpu = queue.jobs % 5, cpu = math.huge }, now - now % 7 + 7 end,\n"
    "  queue_order = function(queue) return queue.jobs_pending % 3 - queue.priority / 2 end,\n"
    "  placement = function(job, queue)\n"
    "    if queue.depth > 1 then return 'spread' end\n"
    "    if job.gpu > 1 then return 'best-fit' end end }",
    /* fails now and then, in each of its hooks */
    "return { api = 1, name = 'j', pipeline = function(cluster)\n"
    "    return { 'allocate', cluster.jobs_pending == 3 and 'reclam' or 'preempt' } end,\n"
    "  limit = function(queue) return { [queue.jobs == 2 and 'gpus' or 'gpu'] = 3 } end,\n"
    "  queue_order = function(queue) return 1 / queue.jobs_pending end,\n"
    "  placement = function(job) return job.priority == 3 and 'tight' or job.tasks > 1 and 'fgd' or nil end }",
};

#define N_HOOKS (sizeof hooks / sizeof hooks[0])

/* Does it evict. */
static inline int evicts(const char *name, const char *text) {
    lsched_ready_policy is = {.size = sizeof is};
    for (size_t i = 0; !text && lsched_ready_policies_at(i, &is, NULL) == LSCHED_OK; i++)
        if (strcmp(is.name.ptr, name) == 0) text = is.text.ptr;
    return text && strstr(text, "pipeline =") != NULL;
}

#endif
