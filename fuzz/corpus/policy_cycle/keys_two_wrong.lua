return { api = 1, [1] = 2, [true] = 3, [{}] = 4 }
