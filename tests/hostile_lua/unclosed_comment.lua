-- A comment without an end.
-- expect: load E_SYNTAX a long bracket is not closed
--[==[ 
return { api = 1 }
