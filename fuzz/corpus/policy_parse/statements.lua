local a, b = 1, f()
local function g(x, ...) return x, ... end
function t.u.v:w(y) self.y = y; return self end
function h() end
a, t.b, t[1] = g(a), -b, { 1, x = 2; [3] = 4, g(), }
do local a = a end
while a < b do a = a + 1 break end
repeat local c = g(a) until c == a or not c
if a then elseif b then g() elseif t then else h() end
for i = 1, 10, 2 do local j = i end
for k, v in pairs(t), 2 do t[k] = v end
for i = 1, 2 do if i then goto continue end a = i ::continue:: end
goto done
::done::
return a, (g()), function() return a end
