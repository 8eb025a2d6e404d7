-- The text itself never ends.
-- expect: load E_BUDGET still running after
while true do end
return { api = 1 }
