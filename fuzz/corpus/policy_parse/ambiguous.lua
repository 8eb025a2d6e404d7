f
(g)