-- No conversion of arguments.
-- expect: hook E_POLICY math.exp: argument 1 must be a number, got the string '
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            return math.exp("1")
        end
        return 42
    end,
}
