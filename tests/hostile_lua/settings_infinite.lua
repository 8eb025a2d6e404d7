-- A half-life without end.
-- expect: load E_RANGE usage.half_life must be
return {
    api = 1,
    usage = { half_life = math.huge },
}
