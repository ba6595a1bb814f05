KB = 1024
def size(x):
    if x > KB:
        extra = 1
    return x + extra
good = size(2 * KB)
bad = size(KB)
