-- fifo: first come, first served.
--
-- When: one team, or a queue system that orders the jobs before they come here. Queues are served
-- in the order of their priority and creation, jobs of a queue in the order of priority and
-- submission. A long job at the head may hold up others.
return {
    api = 1,
    name = "fifo",
    fair_share = "fifo",
    placement = "binpack",
}
