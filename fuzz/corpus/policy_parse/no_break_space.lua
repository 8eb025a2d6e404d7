local a = 1
local b = a
return { a }
