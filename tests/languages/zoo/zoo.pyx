# cython: language_level=3
# C functions of a module, called by a Python function.
cdef unsigned long zoo_inner(unsigned long n) noexcept:
    cdef unsigned long i
    for i in range(200):
        n = n * 1103515245 + (i ^ n)
    return n


cdef unsigned long zoo_middle(unsigned long n) noexcept:
    return zoo_inner(n) + 1


cpdef unsigned long zoo_outer(unsigned long n) noexcept:
    return zoo_middle(n) + 1


def zoo_rounds():
    cdef unsigned long sum = 0
    cdef unsigned long i
    for i in range(3000000):
        sum += zoo_outer(i)
    return sum
