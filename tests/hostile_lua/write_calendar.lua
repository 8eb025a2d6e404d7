-- A library as a global that is set.
-- expect: load E_POLICY assignment to global 'calendar'
calendar = {}
return { api = 1 }
