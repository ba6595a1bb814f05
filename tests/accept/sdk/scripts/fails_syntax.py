size = 4
length = size *
