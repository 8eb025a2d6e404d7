-- The last bit of a power depends on the machine.
-- expect: load E_SYNTAX the operator ^ is not allowed
return { api = 1, priority = function(job) return 2 ^ 0.5 end }
