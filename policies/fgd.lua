-- fgd: fragmentation gradient descent, by the rules of the paper (Weng et al., USENIX ATC 2023).
--
-- When: many tasks ask for a part of a GPU and the mix of tasks is known (lsched_task_mix_set).
-- Each task goes where what is left of the node loses least of its use to that mix.
-- least-fragmentation does the same with exact numbers and leaves fewer GPUs idle; this one is here
-- to compare with the paper.
return {
    api = 1,
    name = "fgd",
    placement = "fgd",
}
