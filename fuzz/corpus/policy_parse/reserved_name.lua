local a, b, c, d = 1, 2, __lsched3, 4
--[[a + b * c - d˜˜˜˜˜˜˜ .. d == a .. b
x[y]] + t:m { z }:v "ûs" {}
