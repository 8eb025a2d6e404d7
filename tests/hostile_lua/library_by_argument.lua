-- A library given away and written.
-- expect: hook E_POLICY math is read-only
local function set(of)
    of.floor = 7
end

return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            set(math)
        end
        return 42
    end,
}
