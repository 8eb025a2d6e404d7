-- Words while loading go nowhere, and are counted.
-- expect: load E_BUDGET it was still running after
while true do log("loading") end
