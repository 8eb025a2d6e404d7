-- select far behind the end.
-- expect: hook E_POLICY done
return {
    api = 1,
    priority = function(job, queue, now)
        if job.name == "evil" then
            error(select("#", select(1e9, 1, 2)) == 0 and "done" or "more")
        end
        return 42
    end,
}
