-- Thousands of values in one instruction.
-- expect: hook E_POLICY no global 'unpack'
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return unpack({}, 1, 7000)
        end
        return 42
    end,
}
