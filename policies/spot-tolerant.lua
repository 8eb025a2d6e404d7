-- spot-tolerant: spot nodes take only work that can stand losing them.
--
-- When: a part of the nodes is cheap and may vanish at any time (spot or preemptible machines,
-- borrowed desktops), marked by a label. Work may go there if it is preemptible, nobody waits for
-- it at a screen, and it is short by its estimate or writes checkpoints often enough. Such work
-- prefers spot nodes and leaves the firm ones to the rest. docs/policies/spot-tolerant.md has an
-- example.

-- From 0 (not given) to at most so many hours.
local function is_within(seconds, hours)
    return seconds > 0 and seconds <= hours * 3600
end

return {
    api = 1,
    name = "spot-tolerant",
    fair_share = "drf",
    placement = "binpack", -- in cycles in which the hooks fail
    params = {
        label = "lifecycle",   -- nodes that have this label
        value = "spot",        -- with this value may vanish
        short_hours = 2,       -- work that is estimated to run no longer may be lost
        checkpoint_hours = 1,  -- or work that writes a checkpoint at least that often
        spot_bonus = 1000,     -- how much tolerant work prefers spot nodes to a lower price
    },
    filter = function(job, node)
        if node.labels[params.label] ~= params.value then return true end
        if not job.preemptible or job.interactive then return false end
        return is_within(job.duration, params.short_hours)
            or is_within(job.checkpoint, params.checkpoint_hours)
    end,
    score = function(job, node)
        local bonus = 0
        if node.labels[params.label] == params.value then bonus = params.spot_bonus end
        return bonus - node.price - node.gpu_free - node.cpu_free / 1000
    end,
}
