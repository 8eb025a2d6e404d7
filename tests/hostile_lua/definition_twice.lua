-- One function as two hooks.
-- expect: load E_KEY a policy has no 'colour'
local function f(a) return 1 end
return { api = 1, priority = f, weight = f, colour = f }
