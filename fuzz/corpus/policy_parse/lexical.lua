--[==[ long
]] ]=] comment ]==] local a = 'q\'\\\n\065\x41\z
    tail' -- short
local b = [[
one]] .. [==[ ]] ]==] .. "\"" --[[x]] ..'y'
local c = 0x1p4 + 0xA.8 + .5 + 3. + 1e-3 + 1E+2
local d = a..b..c local e=-c
return { a, b; c, d }
