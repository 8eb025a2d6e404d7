return { api = 1, name = "x" priority = 3 }
