-- binpack: each task goes to the fullest node that has room.
--
-- When: whole nodes are to stay free, for gangs of 8 GPUs a node or to be switched off. Tasks that
-- share a node also share its network, disks and faults; where that hurts, use spread.
return {
    api = 1,
    name = "binpack",
    placement = "binpack",
}
