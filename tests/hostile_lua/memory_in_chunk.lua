-- Memory eaten while loading.
-- expect: load E_POLICY holds more memory than its limit
local t = {}
for i = 1, 1e9 do t[i] = { i } end
return { api = 1 }
