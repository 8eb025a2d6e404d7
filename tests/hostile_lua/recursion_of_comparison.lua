-- sort whose comparison sorts.
-- expect: hook E_POLICY stack overflow
-- puc51: hook E_POLICY holds more memory than its limit
return {
    api = 1,
    priority = function(job, queue)
        if job.name == "evil" then
            local function before(a, b)
                table.sort({ 3, 1, 2 }, before)
                return a < b
            end
            table.sort({ 1, 2 }, before)
        end
        return 42
    end,
}
