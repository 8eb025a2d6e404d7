-- An address as text would differ in each run.
-- expect: hook E_POLICY table function
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            error(tostring({}) .. " " .. tostring(error))
        end
        return 42
    end,
}
