-- Garbage faster than instructions can count.
-- expect: hook E_POLICY allocated more than 64 MiB in one call
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            while true do
                local t = {
                    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
                    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30,
                }
            end
        end
        return 42
    end,
}
