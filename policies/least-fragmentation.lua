-- least-fragmentation: each task goes where it spoils least of the room that the tasks to come
-- could use.
--
-- When: GPUs are scarce, tasks are mixed (parts of a GPU, one, several) and the mix of tasks is
-- known (lsched_task_mix_set); without a mix it works as best-fit does. The choice for a cluster
-- that is to be filled to the last GPU.
return {
    api = 1,
    name = "least-fragmentation",
    placement = "least-fragmentation",
}
