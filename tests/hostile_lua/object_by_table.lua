-- An object in a list, written.
-- expect: hook E_POLICY cannot be set
local function first(list)
    return list[1]
end

return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            first({ job }).priority = 7
        end
        return 42
    end,
}
