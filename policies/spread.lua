-- spread: each task goes to the emptiest node.
--
-- When: services and interactive work that should share power, network and faults with as few
-- others as possible, on a cluster that is far from full. Large gangs suffer: no node stays empty.
return {
    api = 1,
    name = "spread",
    placement = "spread",
}
