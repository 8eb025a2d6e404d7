-- The last bit of a power depends on the machine.
-- expect: load E_SYNTAX no operator ^
return { api = 1, priority = function(job) return 2 ^ 0.5 end }
