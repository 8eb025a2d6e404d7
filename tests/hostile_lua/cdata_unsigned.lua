-- The same in hexadecimal.
-- expect: load E_SYNTAX one kind of number
local x = 0x10ULL
return { api = 1 }
