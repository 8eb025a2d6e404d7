-- The text itself never ends.
-- expect: load E_BUDGET it was still running after
while true do end
return { api = 1 }
