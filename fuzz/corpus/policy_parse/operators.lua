local a, b, c, d = 1, 2, 3, 4
x = a + b * c - d / a % b
x = a .. b + c .. d == a .. b
x = not a == b and -c < -d or #t > 1 and a ~= b or c <= d == (a >= b)
x = - - a - -b .. - c .. #t.u
x = a or b or c and d and not not x
x = (a or b) and (c .. d) .. a
x = f(a, b + 1, { c }) + g 'x' + h [[y]] + t:m { z } + t.u:v "s" {}
