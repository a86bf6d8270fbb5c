! Subroutines of a module, called from the main program.
module zoo
   use iso_fortran_env, only: int64
contains
   function zoo_inner(start) result(n)
      integer(int64), value :: start
      integer(int64) :: n, i
      n = start
      do i = 1, 200
         n = ieor(n * 1103515245_int64, i)
      end do
   end function

   function zoo_middle(n) result(m)
      integer(int64), value :: n
      integer(int64) :: m
      m = zoo_inner(n) + 1
   end function

   function zoo_outer(n) result(m)
      integer(int64), value :: n
      integer(int64) :: m
      m = zoo_middle(n) + 1
   end function
end module

program main
   use zoo
   integer(int64) :: i, total
   total = 0
   do i = 1, 5000000
      total = ieor(total, zoo_outer(i))
   end do
   print *, total
end program
