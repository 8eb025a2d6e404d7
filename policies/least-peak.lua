-- least-peak: services go where their busy hours meet the quiet hours of others.
--
-- When: groups say how their demand follows the time of day (`demand_period`), as services do that
-- were measured. A node is charged the highest point of the day, and each task goes where that rises
-- least; what does not follow the day fills up the fullest node.
return {
    api = 1,
    name = "least-peak",
    placement = "least-peak",
}
