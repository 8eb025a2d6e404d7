-- A candidate that outlives its call.
-- expect: hook E_POLICY cannot be set
local seen = { last = false }

local function keep(of, what)
    of.next = what
end

return {
    api = 1,
    victim = function(job, candidate)
        if candidate.name == "evil" then
            keep(seen, candidate)
        end
        return 42
    end,
}
