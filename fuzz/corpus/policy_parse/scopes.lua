local x = x
local x = x, y
do local x = 1 do local x = x + 1 f(x) end f(x) end
repeat local x = x until x
for x = x, x, x do local x = x end
for x, y in x, y do x = y end
local function f(x) return f(x) end
local g = function(g) return g(g) end
function h(x, x, ...) return function(...) return x, ... end end
if x then local x = 1 elseif x then local x = 2 else local x = 3 end
local goto = 1 goto = goto.goto
