return {
    api = 1,
    priority = function(job)
        local hours, points = job.waiting / 3600, 0
        while points < hours do
            hours = hours + 1
        end
        return points
    end,
}
