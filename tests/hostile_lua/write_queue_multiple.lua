-- A queue in a list of targets.
-- expect: load E_POLICY a queue is read-only: 'jobs' cannot be set
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local a
            a, queue.jobs, a = 1, 2, 3
        end
        return 42
    end,
}
