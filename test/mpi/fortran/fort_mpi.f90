! SPDX-License-Identifier: BSD-3-Clause
! The module mpi: choice buffers of any type and rank, windows, files,
! generalized requests, error handlers, allocated memory.
module fort_mpi_parts
use mpi
use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
implicit none
integer :: bad = 0, calls = 0, rank, size
contains

subroutine check(good, what)
	logical, intent(in) :: good
	character(len=*), intent(in) :: what

	if (good) return
	print *, 'wrong: ', what
	bad = bad + 1
end subroutine

subroutine buffers
	character(len=6) :: text
	complex :: z(2, 2)
	real :: x, total
	integer :: ierr, n

	text = merge('letter', '      ', rank == 0)
	call MPI_Bcast(text, 6, MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
	call check(text == 'letter', 'character')
	z = (0, 0)
	if (rank == 0) z = (1, 2)
	call MPI_Bcast(z, 4, MPI_COMPLEX, 0, MPI_COMM_WORLD, ierr)
	call check(z(2, 2) == (1, 2), 'complex array')
	! the compiler passes a section as a contiguous copy
	if (rank == 0) z(1, :) = (3, 4)
	call MPI_Bcast(z(1, :), 2, MPI_COMPLEX, 0, MPI_COMM_WORLD, ierr)
	call check(z(1, 2) == (3, 4) .and. z(2, 2) == (1, 2), 'section')
	x = 1
	call MPI_Allreduce(x, total, 1, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, &
		ierr)
	call check(total == size, 'scalar')
	call MPI_Sizeof(z, n, ierr)
	call check(n == 8, 'sizeof')
end subroutine

subroutine windows
	integer :: win, ierr, right
	integer(MPI_ADDRESS_KIND) :: bytes, zero, val
	type(c_ptr) :: p
	integer, pointer :: mem(:)
	logical :: flag

	bytes = 8
	zero = 0
	right = mod(rank + 1, size)
	call MPI_Win_allocate(bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, p, win, &
		ierr)
	call c_f_pointer(p, mem, [2])
	mem = -1
	call MPI_Win_fence(0, win, ierr)
	call MPI_Put(rank, 1, MPI_INTEGER, right, zero, 1, MPI_INTEGER, win, &
		ierr)
	call MPI_Win_fence(0, win, ierr)
	call check(mem(1) == mod(rank + size - 1, size), 'put')
	call MPI_Win_get_attr(win, MPI_WIN_SIZE, val, flag, ierr)
	call check(flag .and. val == 8, 'size of a window')
	call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, val, flag, ierr)
	call check(flag .and. val == 4, 'unit of a window')
	call MPI_Win_free(win, ierr)
	call check(win == MPI_WIN_NULL, 'null window')
end subroutine

subroutine files(name)
	character(len=*), intent(in) :: name
	integer :: fh, ierr, n, status(MPI_STATUS_SIZE), got
	integer(MPI_OFFSET_KIND) :: at
	character(len=20) :: rep
	integer :: etype, ftype

	call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + &
		MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, fh, &
		ierr)
	call check(ierr == MPI_SUCCESS, 'open')
	at = 4 * rank
	call MPI_File_write_at_all(fh, at, rank, 1, MPI_INTEGER, status, ierr)
	call MPI_Get_count(status, MPI_INTEGER, n, ierr)
	call check(n == 1, 'written')
	call MPI_File_sync(fh, ierr)
	call MPI_Barrier(MPI_COMM_WORLD, ierr)
	at = 4 * mod(rank + 1, size)
	call MPI_File_read_at(fh, at, got, 1, MPI_INTEGER, MPI_STATUS_IGNORE, &
		ierr)
	call check(got == mod(rank + 1, size), 'read')
	call MPI_File_get_view(fh, at, etype, ftype, rep, ierr)
	call check(rep == 'native' .and. etype == MPI_BYTE, 'view')
	call MPI_File_close(fh, ierr)
	call check(fh == MPI_FILE_NULL, 'null file')
end subroutine

subroutine query(extra, status, ierr)
	integer(MPI_ADDRESS_KIND) :: extra
	integer :: status(MPI_STATUS_SIZE), ierr

	call MPI_Status_set_elements(status, MPI_INTEGER, int(extra), ierr)
	call MPI_Status_set_cancelled(status, .false., ierr)
	status(MPI_SOURCE) = 3
	status(MPI_TAG) = 4
end subroutine

subroutine release(extra, ierr)
	integer(MPI_ADDRESS_KIND) :: extra
	integer :: ierr

	calls = calls + int(extra)
	ierr = MPI_SUCCESS
end subroutine

subroutine cancel(extra, complete, ierr)
	integer(MPI_ADDRESS_KIND) :: extra
	logical :: complete
	integer :: ierr

	if (.not. complete) calls = calls + 1000
	ierr = MPI_SUCCESS
end subroutine

subroutine general_requests
	integer :: r, ierr, n, status(MPI_STATUS_SIZE)
	integer(MPI_ADDRESS_KIND) :: extra

	calls = 0
	extra = 11
	call MPI_Grequest_start(query, release, cancel, extra, r, ierr)
	call MPI_Cancel(r, ierr)
	call MPI_Grequest_complete(r, ierr)
	call MPI_Wait(r, status, ierr)
	call MPI_Get_count(status, MPI_INTEGER, n, ierr)
	call check(n == 11 .and. status(MPI_TAG) == 4, 'query')
	call check(calls == 1011, 'cancel and free')
end subroutine

subroutine handler(comm, code)
	integer :: comm, code

	calls = calls + 1
	if (comm /= MPI_COMM_SELF) calls = calls + 100
end subroutine

subroutine error_handlers
	integer :: h, ierr, class, x

	calls = 0
	x = 0
	call MPI_Comm_create_errhandler(handler, h, ierr)
	call MPI_Comm_set_errhandler(MPI_COMM_SELF, h, ierr)
	call MPI_Send(x, 1, MPI_INTEGER, 77, 0, MPI_COMM_SELF, ierr)
	call MPI_Error_class(ierr, class, ierr)
	call check(calls == 1 .and. class == MPI_ERR_RANK, 'error handler')
	call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL, ierr)
	call MPI_Errhandler_free(h, ierr)
end subroutine

subroutine weights
	integer :: graph, ierr, in(1), out(1), nin, nout
	logical :: weighted

	in = mod(rank + size - 1, size)
	out = mod(rank + 1, size)
	call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, in, &
		MPI_UNWEIGHTED, 1, out, MPI_UNWEIGHTED, MPI_INFO_NULL, &
		.false., graph, ierr)
	call MPI_Dist_graph_neighbors_count(graph, nin, nout, weighted, ierr)
	call check(nin == 1 .and. .not. weighted, 'graph')
	call MPI_Comm_free(graph, ierr)
end subroutine

subroutine conversions
	integer :: old(MPI_STATUS_SIZE), again(MPI_STATUS_SIZE), ierr
	type(MPI_Status) :: new

	old = [1, 2, 3, 4, 5, 6, 7, 8]
	call MPI_Status_f2f08(old, new, ierr)
	call check(new%MPI_SOURCE == 1 .and. new%MPI_ERROR == 3, 'f2f08')
	call MPI_Status_f082f(new, again, ierr)
	call check(all(again == old), 'f082f')
end subroutine
end module

program fort_mpi
	use fort_mpi_parts
	integer :: ierr, total, provided
	character(len=200) :: name

	call MPI_Init_thread(MPI_THREAD_SINGLE, provided, ierr)
	call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
	call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
	call buffers
	call windows
	write (name, '(a, i0)') '/tmp/weft-fort_mpi.', getpid()
	call MPI_Bcast(name, len(name), MPI_CHARACTER, 0, MPI_COMM_WORLD, ierr)
	call files(trim(name))
	call general_requests
	call error_handlers
	call weights
	call conversions
	call PMPI_Allreduce(bad, total, 1, MPI_INTEGER, MPI_SUM, &
		MPI_COMM_WORLD, ierr)
	call MPI_Finalize(ierr)
	if (total /= 0) stop 1
end program
