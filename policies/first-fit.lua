-- first-fit: each task goes to the first node, by name, that has room.
--
-- When: as a baseline to compare with, or where names of nodes say which are to be filled first
-- (for instance "a-owned-1" before "b-rented-1"). The nodes at the end of the list stay empty and
-- can be switched off.
return {
    api = 1,
    name = "first-fit",
    placement = "first-fit",
}
