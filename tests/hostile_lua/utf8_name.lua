-- Letters beyond ASCII in a name.
-- expect: load E_KEY a policy has no 'x'
local größe = 1
return { api = 1, x = größe }
