-- A policy table that is a library.
-- expect: load E_KEY api = 1 is missing
return math
