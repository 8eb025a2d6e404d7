-- A strategy that does not exist.
-- expect: cycle E_KEY binpack
return {
    api = 1,
    placement = function(job, queue, now)
        if job.name == "evil" then
            return "binpak"
        end
        return nil
    end,
}
