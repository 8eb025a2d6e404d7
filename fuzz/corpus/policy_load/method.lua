local p = {}
function p.f.g:h(a) end
return p
