-- An object that a function gives back, written.
-- expect: hook E_POLICY cannot be set
local function same(x)
    return x
end

return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            same(job).priority = 7
        end
        return 42
    end,
}
