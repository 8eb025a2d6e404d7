-- A policy table that holds itself.
-- expect: load E_KEY a policy has no 't'
local t = { api = 1 }
t.t = t
return t
