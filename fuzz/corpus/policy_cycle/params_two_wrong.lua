return { api = 1, params = { a = {}, b = 1 / 0, c = hour, d = { 1 } } }
