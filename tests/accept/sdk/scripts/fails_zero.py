a = 8
b = a - 8
c = a // b
