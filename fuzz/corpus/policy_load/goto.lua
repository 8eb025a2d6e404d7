local goto = 1
return { api = 1, weight = function(q) for i = 1, 3 do if i == 2 then goto done end end ::done:: return 1 end }
