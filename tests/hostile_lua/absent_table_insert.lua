-- Positions near 2^53 hang it.
-- expect: hook E_POLICY table has no 'insert'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            table.insert({}, 2 * 1e15, 1)
        end
        return 42
    end,
}
