-- A field that the job does not have.
-- expect: load E_POLICY a job is read-only: 'mark' cannot be set
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local j = job
            j.mark = 1
        end
        return 42
    end,
}
