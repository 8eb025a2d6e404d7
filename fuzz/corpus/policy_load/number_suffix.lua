local x = 1LL + 0x1p4
return { api = 1 }
