-- A global as memory.
-- expect: load E_POLICY assignment to global 'n'
return {
    api = 1,
    priority = function(job)
        n = 1
        return n
    end,
}
