-- A comparison that empties the table.
-- expect: hook E_POLICY attempt to compare
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local t = { 3, 2, 1 }
            table.sort(t, function(a, b)
                t[1], t[2], t[3] = nil, nil, nil
                return a < b
            end)
        end
        return 42
    end,
}
