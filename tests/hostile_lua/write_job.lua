-- A field of the job, by another name.
-- expect: load E_POLICY a job is read-only: 'name' cannot be set
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local j = job
            j.name = "good"
        end
        return 42
    end,
}
