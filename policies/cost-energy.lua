-- cost-energy: work goes where it costs least in money and power, and idle nodes stay idle.
--
-- When: nodes differ in price or power, or what stands idle is switched off, returned to the cloud,
-- or sleeps. A node in use costs a job the part of its hourly price and power that the job takes
-- up; an idle one costs at least idle_part of the whole, since it must be woken for the job. Needs
-- `price` (per hour) and `power` (W) of nodes; where both are 0 the fullest node goes first.
-- docs/policies/cost-energy.md has an example.
return {
    api = 1,
    name = "cost-energy",
    fair_share = "drf",
    placement = "binpack", -- in cycles in which the hooks fail
    params = {
        price_per_kwh = 0.25, -- of electricity, in the unit of node prices
        idle_part = 1,        -- an idle node counts as if so much of it were taken; 0: like others
    },
    score = function(job, node)
        local hourly = node.price + node.power / 1000 * params.price_per_kwh
        local part, idle = 0, 0
        if node.cpu > 0 then
            part, idle = job.cpu / node.cpu, node.cpu_free / node.cpu
        end
        if node.gpu > 0 then
            part, idle = math.max(part, job.gpu / node.gpu), node.gpu_free / node.gpu
        end
        if node.tasks == 0 then part = math.max(part, params.idle_part) end
        return -hourly * part - 0.001 * idle
    end,
}
