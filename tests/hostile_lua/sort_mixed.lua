-- Values without an order.
-- expect: hook E_POLICY attempt to compare
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            table.sort({ 1, "a" })
        end
        return 42
    end,
}
