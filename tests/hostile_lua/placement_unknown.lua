-- A strategy that does not exist.
-- expect: cycle E_POLICY strategy 'binpak' is not known; did you mean 'binpack'
return {
    api = 1,
    placement = function(job, queue, now)
        if job.name == "evil" then
            return "binpak"
        end
        return nil
    end,
}
