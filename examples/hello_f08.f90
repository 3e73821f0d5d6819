! SPDX-License-Identifier: BSD-3-Clause
! Each rank prints its number and sends a row of its matrix, which is not
! contiguous in memory, to the next rank.
program hello
  use mpi_f08
  implicit none
  integer :: rank, ranks, next, last
  integer :: matrix(4, 3), row(3), total(3)
  type(MPI_Request) :: request

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  print '("hello from rank ", i0, " of ", i0)', rank, ranks
  next = mod(rank + 1, ranks)
  last = mod(rank + ranks - 1, ranks)
  matrix = -1
  matrix(2, :) = [1, 2, rank]
  call MPI_Isend(matrix(2, :), 3, MPI_INTEGER, next, 0, MPI_COMM_WORLD, request)
  call MPI_Recv(row, 3, MPI_INTEGER, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Wait(request, MPI_STATUS_IGNORE)
  call MPI_Allreduce(row, total, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '("sums: ", 2(i0, " "), i0)', total
  call MPI_Finalize()
end program hello
