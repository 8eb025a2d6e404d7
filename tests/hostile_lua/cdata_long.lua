-- A literal of 64 bits loads the FFI.
-- expect: load E_SYNTAX one kind of number
local x = 1LL
return { api = 1 }
