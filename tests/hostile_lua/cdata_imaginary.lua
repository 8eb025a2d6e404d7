-- A complex number loads it too.
-- expect: load E_SYNTAX one kind of number
local x = 2i
return { api = 1 }
