-- Another log for all.
-- expect: load E_POLICY assignment to global 'log'
function log() end
return { api = 1 }
