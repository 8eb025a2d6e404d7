return {
    api = 1,
    fair_share = "quota",
    pipeline = { "allocate", "reclaim" },
    eviction = {
        release_seconds = "30s",
    },
}
