-- A million settings.
-- expect: load E_POLICY holds more memory than its limit
return {
    api = 1,
    usage = function()
        local t = {}
        for i = 1, 1e6 do
            t["key" .. i] = i
        end
        return t
    end,
}
