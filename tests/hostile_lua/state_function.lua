-- A function that replaces itself.
-- expect: load E_POLICY functions are pure: 'f' belongs to the chunk
local function f() return 1 end
return {
    api = 1,
    priority = function(job)
        f = nil
        return 1
    end,
}
