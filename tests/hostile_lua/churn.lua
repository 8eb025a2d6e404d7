-- Garbage faster than instructions can count.
-- expect: hook E_POLICY allocated more than 64 MiB in one call
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local long, i = "0123456789abcdef", 0
            for k = 1, 5 do long = long .. long end
            while true do
                i = i + 1
                local garbage = long .. i
            end
        end
        return 42
    end,
}
