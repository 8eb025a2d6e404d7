-- An escape beyond a byte.
-- expect: load E_SYNTAX escape
local s = "\999"
return { api = 1 }
