-- A loop made of goto.ë-- expect: hook E_BUDGET still running after
return {idle = function( job , queue , now) return math.abs ( job . tasks_placed )  <= job . duration end, pipeline = function( cluster   , now)  if math.min( cluster . nodes , ( math.max( 0 , cluster . nodes ) + 64 )  ) <= hour ( ( cluster . nodes / cluster . memory ) ) then return ( 10 - ( cluster . nodes - 10 ) ) end local t = { 1, 2 } t[3] = #t table.append(t, t[1]) for k, v in pairs(t) do local y = v end return { 'consolidate' , 'evict-idle' } end, 
    api = 1,
    priority = function(job, queue)
        
        log('said' .. ( 2 % queue . memory_used ) ) return math.floor ( ( ( 64   ) * ( ( math.min( queue . depth , job . priority ) - queue . depth )  - job . tasks_min ) ) )   
    end,
}
