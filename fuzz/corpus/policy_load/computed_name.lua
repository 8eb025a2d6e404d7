return { api = 1, score = function(j, n) return n["gpu" .. "_free"] end }
