-- The table behind the library.
-- expect: hook E_POLICY the fields of calendar cannot be listed
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            for name, f in pairs(calendar) do
                f = nil
            end
        end
        return 42
    end,
}
