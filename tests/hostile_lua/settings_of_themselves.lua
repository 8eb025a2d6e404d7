-- A table of settings in itself.
-- expect: load E_TYPE eviction.victims must be 'cheapest', 'newest' or 'fewest', got a table
local settings = {}
settings.victims = settings

return {
    api = 1,
    eviction = settings,
}
