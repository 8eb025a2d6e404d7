-- A table of settings in itself.
-- expect: load E_TYPE eviction.victims must be a string, got a table
local settings = {}
settings.victims = settings

return {
    api = 1,
    eviction = settings,
}
