-- Letters beyond ASCII in a name.
-- expect: load E_KEY a policy has no 'x'
-- puc51: load E_SYNTAX a name has a letter beyond ASCII
local größe = 1
return { api = 1, x = größe }
