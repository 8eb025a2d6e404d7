-- Bytecode behind a comment.
-- expect: load E_SYNTAX a control character
--[[ ]]LJ
return { api = 1 }
