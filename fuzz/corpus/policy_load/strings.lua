local s = [==[ ]] ]==] .. '\z  
 \x41' .. "\
"
return { api = 1, priority = function(job) return string.len(s .. job.name) end }
