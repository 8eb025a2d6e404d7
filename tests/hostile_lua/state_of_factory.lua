-- A variable of a function that made the hook.
-- expect: load E_POLICY functions are pure: 'n' belongs to the function around
local function make()
    local n = 0
    return function(job)
        n = n + 1
        return n
    end
end
return { api = 1, priority = make() }
