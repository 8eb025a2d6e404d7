-- A hook about victims that does not end.
-- expect: hook E_BUDGET it was still running after
return {
    api = 1,
    victim = function(job, candidate)
        if candidate.name == "evil" then
            while true do
            end
        end
        return 42
    end,
}
