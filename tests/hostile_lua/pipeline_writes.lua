-- The cluster is read-only.
-- expect: load E_POLICY a cluster is read-only
return {
    api = 1,
    pipeline = function(cluster, now)
        if now == 666 then
            cluster.jobs = 0
        end
        return nil
    end,
}
