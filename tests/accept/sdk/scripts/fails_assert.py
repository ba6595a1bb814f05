MB = 1 << 20
def check(a, b):
    assert a <= b, "does not fit"
    return b
used = 3*MB
check(used, 4*MB)
used += 2*MB
check(used, 4*MB)
