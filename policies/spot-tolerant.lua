-- spot-tolerant: spot nodes take only work that can stand losing them.
--
-- When: a part of the nodes is cheap and may vanish at any time (spot or preemptible machines,
-- borrowed desktops), marked by a label. Work may go there if it is preemptible, nobody waits for
-- it at a screen, and it is short by its estimate. Such work prefers spot nodes and leaves the firm
-- ones to the rest. docs/policies/spot-tolerant.md has an example.
local SECONDS_PER_HOUR = 3600

-- By label of the node: true for spot nodes.
local function is_spot(node)
    return node.labels[params.label] == params.value
end

return {
    api = 1,
    name = "spot-tolerant",
    fair_share = "drf",
    placement = "binpack", -- in cycles in which the hooks fail
    params = {
        label = "lifecycle", -- nodes that have this label
        value = "spot",      -- with this value may vanish
        short_hours = 4,     -- work that is estimated to run no longer may be lost
        spot_bonus = 1000,   -- how much tolerant work prefers spot nodes to a lower price
    },
    filter = function(job, node)
        if not is_spot(node) then return true end
        if not job.preemptible or job.interactive then return false end
        return job.duration > 0 and job.duration <= params.short_hours * SECONDS_PER_HOUR
    end,
    score = function(job, node)
        local bonus = is_spot(node) and params.spot_bonus or 0
        return bonus - node.price - node.gpu_free - node.cpu_free / 1000
    end,
}
