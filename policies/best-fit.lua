-- best-fit: each task goes to the node that it leaves with the least room.
--
-- When: tasks of mixed sizes on nodes that are much alike, and a simple rule is wanted that
-- everybody understands. It keeps large holes for large tasks, but does not look at which tasks are
-- to come: fgd and least-fragmentation do.
return {
    api = 1,
    name = "best-fit",
    placement = "best-fit",
}
