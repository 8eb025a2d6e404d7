-- drf: weighted dominant-resource fairness between queues, full nodes first. The default.
--
-- When: several teams share a cluster and none is to be pushed aside. The queue whose largest share
-- of any resource is smallest comes first; the weights of the queues tilt that. Idle resources go
-- to whoever asks.
return {
    api = 1,
    name = "drf",
    fair_share = "drf",
    placement = "binpack",
}
