-- Settings that are never done.
-- expect: load E_BUDGET it was still running after
return {
    api = 1,
    eviction = function()
        while true do
        end
    end,
}
