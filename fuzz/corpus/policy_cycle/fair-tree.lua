-- fair-tree: accounts in turn by what they have used of late, their jobs by age, size and
-- priority.
--
-- When: one pool for many accounts and users, batch jobs that run to their end, and nobody is
-- promised a part of the cluster: who has used less than its share goes first until it has caught
-- up. Use fades with half_life_days. Nobody is evicted. Known as Fair Tree with multifactor
-- priority; docs/policies/fair-tree.md says what is different here.
return {
    api = 1,
    name = "fair-tree",
    fair_share = "fair-tree",
    placement = "binpack",
    params = {
        half_life_days = 7,   -- use that is this old counts half
        weight_age = 1000,    -- points of a job that has waited for max_age_days or longer
        max_age_days = 7,
        weight_size = 0,      -- points of a job of large_gpus or more; below 0: small first
        large_gpus = 64,
        weight_priority = 1,  -- points for each 1 of the priority that a job was submitted with
    },
    usage = function()
        return { half_life = params.half_life_days * 86400 }
    end,
    priority = function(job)
        local age, size = 1, 1
        if job.waiting < params.max_age_days * 86400 then
            age = job.waiting / (params.max_age_days * 86400)
        end
        if job.gpu_total < params.large_gpus then
            size = job.gpu_total / params.large_gpus
        end
        return params.weight_age * age + params.weight_size * size
            + params.weight_priority * job.priority
    end,
}
