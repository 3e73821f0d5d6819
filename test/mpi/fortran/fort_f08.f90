! SPDX-License-Identifier: BSD-3-Clause
! The module mpi_f08: array sections, large counts, handles, callbacks,
! statuses, optional ierror.
module fort_f08_parts
use mpi_f08
use, intrinsic :: iso_c_binding
implicit none
integer :: bad = 0, calls = 0, rank, size, left, right
contains

subroutine check(good, what)
	logical, intent(in) :: good
	character(len=*), intent(in) :: what

	if (good) return
	print *, 'wrong: ', what
	bad = bad + 1
end subroutine

! Sends and receives array sections: strided, two-dimensional, part of the last
! row.
subroutine sections
	integer :: a(6, 5), b(6, 5), c(30), i
	type(MPI_Request) :: r(2)
	type(MPI_Status) :: status

	a = reshape([(i + 1000 * rank, i = 1, 30)], [6, 5])
	b = 0
	call MPI_Irecv(b(2:6:2, 1:5:2), 9, MPI_INTEGER, left, 1, &
		MPI_COMM_WORLD, r(1))
	call MPI_Isend(a(1:5:2, 2:4), 9, MPI_INTEGER, right, 1, &
		MPI_COMM_WORLD, r(2))
	call MPI_Waitall(2, r, MPI_STATUSES_IGNORE)
	call check(all(b(2:6:2, 1:5:2) - 1000 * left == &
		reshape([7, 9, 11, 13, 15, 17, 19, 21, 23], [3, 3])), 'section')
	call check(count(b /= 0) == 9, 'outside the section')
	b = 0
	call MPI_Sendrecv(a(3, :), 4, MPI_INTEGER, right, 2, b(5, 1:4), 4, &
		MPI_INTEGER, left, 2, MPI_COMM_WORLD, status)
	call check(b(5, 4) == 21 + 1000 * left .and. b(5, 5) == 0, 'part')
	call check(status%MPI_SOURCE == left .and. status%MPI_TAG == 2, &
		'status')
	c = 0
	call MPI_Sendrecv(a(1:2, :), 5, MPI_INTEGER, right, 3, c(30:1:-3), 5, &
		MPI_INTEGER, left, 3, MPI_COMM_WORLD, status)
	call check(all(c(30:18:-3) - 1000 * left == [1, 2, 7, 8, 13]), &
		'backwards')
end subroutine

! Uses sections whose size is not that of the datatype.
subroutine section_types
	complex :: z(8), w(8)
	real :: x(4, 4), y(4, 4)
	type(MPI_Datatype) :: pair

	z = cmplx(rank, rank)
	w = 0
	call MPI_Sendrecv(z(1:8:2), 8, MPI_REAL, right, 4, w(2:8:2), 8, &
		MPI_REAL, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
	call check(all(w(2:8:2) == cmplx(left, left)) .and. w(1) == 0, &
		'items smaller than an element')
	call MPI_Type_contiguous(2, MPI_REAL, pair)
	call MPI_Type_commit(pair)
	x = rank + 1
	y = 0
	call MPI_Sendrecv(x(1, :), 2, pair, right, 5, y(2, :), 2, pair, left, &
		5, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
	call check(all(y(2, :) == left + 1) .and. sum(y(1, :)) == 0, &
		'items larger than an element')
	call MPI_Type_free(pair)
end subroutine

subroutine section_collectives
	integer :: x(10), y(2 * size), z(4, 2 * size), i
	type(MPI_Request) :: r

	x = [(i + 100 * rank, i = 1, 10)]
	y = 0
	! receives blocks of one element into every other element of y
	call MPI_Iallgather(x(3), 1, MPI_INTEGER, y(1::2), 1, MPI_INTEGER, &
		MPI_COMM_WORLD, r)
	call MPI_Wait(r, MPI_STATUS_IGNORE)
	call check(all(y(1::2) == [(3 + 100 * i, i = 0, size - 1)]) .and. &
		all(y(2::2) == 0), 'allgather')
	z = 0
	call MPI_Allgather(x(2:8:6), 2, MPI_INTEGER, z(2, :), 2, MPI_INTEGER, &
		MPI_COMM_WORLD)
	call check(z(2, 2 * size) == 8 + 100 * (size - 1), 'strided blocks')
	z = 0
	call MPI_Allgather(x(2:8:2), 4, MPI_INTEGER, z(1:2, :), 4, &
		MPI_INTEGER, MPI_COMM_WORLD)
	call check(z(2, 2 * size) == 8 + 100 * (size - 1) .and. &
		all(z(3:4, :) == 0), 'copied blocks')
	call MPI_Allreduce(MPI_IN_PLACE, x(1:9:2), 5, MPI_INTEGER, MPI_MAX, &
		MPI_COMM_WORLD)
	call check(x(9) == 9 + 100 * (size - 1) .and. x(10) == 10 + 100 * rank, &
		'reduction of a section')
	if (rank == 0) x(1:10:3) = -1
	call MPI_Bcast(x(1:10:3), 4, MPI_INTEGER, 0, MPI_COMM_WORLD)
	call check(all(x(1:10:3) == -1) .and. x(2) /= -1, 'bcast')
end subroutine

! A sum of two numbers that double precision cannot add without rounding.
subroutine quadruple_precision
	integer, parameter :: q = selected_real_kind(33)
	real(q) :: x, total
	type(MPI_Datatype) :: t

	x = 1 + rank * 2.0_q**(-100)
	call MPI_Allreduce(x, total, 1, MPI_REAL16, MPI_SUM, MPI_COMM_WORLD)
	call check(total == size + (size * (size - 1) / 2) * 2.0_q**(-100), &
		'sum of real(16)')
	call MPI_Type_match_size(MPI_TYPECLASS_REAL, 16, t)
	call check(t == MPI_REAL16, 'type of 16 bytes')
end subroutine

subroutine large_counts
	integer(MPI_COUNT_KIND) :: n, lb, extent
	integer :: x(3), y(3), small
	type(MPI_Status) :: status
	type(MPI_Datatype) :: t

	x = rank
	n = 3
	call MPI_Sendrecv(x, n, MPI_INTEGER, right, 6, y, n, MPI_INTEGER, &
		left, 6, MPI_COMM_WORLD, status)
	call MPI_Get_count(status, MPI_INTEGER, n)
	call MPI_Get_count(status, MPI_INTEGER, small)
	call check(n == 3 .and. small == 3 .and. y(3) == left, 'large count')
	n = 5000000000_MPI_COUNT_KIND
	call MPI_Type_contiguous(n, MPI_BYTE, t)
	call MPI_Type_size(t, n)
	call check(n == 5000000000_MPI_COUNT_KIND, 'large type')
	call MPI_Type_get_extent(t, lb, extent)
	call check(extent == n, 'extent')
	call MPI_Type_free(t)
end subroutine

subroutine product(in, inout, len, datatype)
	type(c_ptr), value :: in, inout
	integer :: len
	type(MPI_Datatype) :: datatype
	real, pointer :: a(:), b(:)

	if (datatype /= MPI_REAL) calls = calls + 1000
	call c_f_pointer(in, a, [len])
	call c_f_pointer(inout, b, [len])
	b = a * b
	calls = calls + 1
end subroutine

subroutine operators
	type(MPI_Op) :: op, user
	real :: x(2), y(2)
	logical :: flag

	calls = 0
	x = 2
	y = 0
	call MPI_Op_create(product, .true., user)
	call MPI_Allreduce(x, y, 2, MPI_REAL, user, MPI_COMM_WORLD)
	call check(all(y == 2.0**size) .and. calls < 1000, 'operator')
	call MPI_Op_commutative(user, flag)
	call check(flag, 'commutative')
	call MPI_Op_free(user)
	op = MPI_OP_NULL
	call check(user == op .and. user /= MPI_SUM, 'handles')
end subroutine

subroutine copy(oldcomm, keyval, extra, in, out, flag, ierror)
	type(MPI_Comm) :: oldcomm
	integer :: keyval, ierror
	integer(MPI_ADDRESS_KIND) :: extra, in, out
	logical :: flag

	if (oldcomm == MPI_COMM_SELF) out = in * extra
	flag = .true.
	ierror = MPI_SUCCESS
end subroutine

subroutine attributes
	integer(MPI_ADDRESS_KIND) :: val
	integer :: key
	type(MPI_Comm) :: dup
	logical :: flag

	call MPI_Comm_create_keyval(copy, MPI_COMM_NULL_DELETE_FN, key, &
		3_MPI_ADDRESS_KIND)
	call MPI_Comm_set_attr(MPI_COMM_SELF, key, 5_MPI_ADDRESS_KIND)
	call MPI_Comm_dup(MPI_COMM_SELF, dup)
	call MPI_Comm_get_attr(dup, key, val, flag)
	call check(flag .and. val == 15, 'attribute')
	call MPI_Comm_free(dup)
	call MPI_Comm_delete_attr(MPI_COMM_SELF, key)
	call MPI_Comm_free_keyval(key)
end subroutine

subroutine handler(comm, error_code)
	type(MPI_Comm) :: comm
	integer :: error_code

	calls = calls + 1
end subroutine

subroutine errors
	type(MPI_Errhandler) :: h
	integer :: ierror, x(4)
	type(MPI_Request) :: r

	calls = 0
	call MPI_Comm_create_errhandler(handler, h)
	call MPI_Comm_set_errhandler(MPI_COMM_SELF, h)
	call MPI_Send(x, 1, MPI_INTEGER, 9, 0, MPI_COMM_SELF, ierror)
	call check(calls == 1 .and. ierror /= MPI_SUCCESS, 'handler')
	! a section that would be copied is refused, since the call is still
	! pending at its return
	call MPI_Iallreduce(MPI_IN_PLACE, x(1:4:2), 2, MPI_INTEGER, MPI_SUM, &
		MPI_COMM_SELF, r, ierror)
	call check(calls == 2 .and. ierror == MPI_ERR_BUFFER, 'pending copy')
	! the section has fewer elements than the count
	call MPI_Send(x(1:4:2), 3, MPI_INTEGER, 0, 0, MPI_COMM_SELF, ierror)
	call check(calls == 3 .and. ierror == MPI_ERR_COUNT, 'short section')
	call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL)
	call MPI_Errhandler_free(h)
end subroutine

subroutine strings
	character(len=MPI_MAX_PROCESSOR_NAME) :: name
	character(len=8) :: short
	integer :: n
	type(MPI_Info) :: info
	logical :: flag

	call MPI_Get_processor_name(name, n)
	call check(n > 0 .and. len_trim(name) == n, 'processor name')
	call MPI_Info_create(info)
	call MPI_Info_set(info, 'key', 'long value')
	call MPI_Info_get(info, 'key', 4, short, flag)
	call check(flag .and. short == 'long', 'short value')
	n = 0
	call MPI_Info_get_string(info, 'key', n, short, flag)
	call check(flag .and. n == 10, 'length only')
	call MPI_Info_free(info)
end subroutine

subroutine memory
	type(c_ptr) :: p, q
	real, pointer :: x(:)
	integer :: n
	character, target :: room(1000)

	call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, p)
	call c_f_pointer(p, x, [100])
	x = 1
	call check(sum(x) == 100, 'alloc_mem')
	call MPI_Free_mem(x)
	call MPI_Buffer_attach(room, 1000)
	call MPI_Buffer_detach(q, n)
	call check(c_associated(q, c_loc(room)) .and. n == 1000, 'detach')
	call MPI_Sizeof(x, n)
	call check(n == 4, 'sizeof')
end subroutine

subroutine windows
	integer, asynchronous :: x(4), y(8)
	type(MPI_Win) :: win

	x = 0
	y = rank
	call MPI_Win_create(x, 16_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, &
		MPI_COMM_WORLD, win)
	call MPI_Win_fence(0, win)
	call MPI_Accumulate(y(1:8:2), 4, MPI_INTEGER, right, &
		0_MPI_ADDRESS_KIND, 4, MPI_INTEGER, MPI_SUM, win)
	call MPI_Win_fence(0, win)
	call check(all(x == left), 'accumulate from a section')
	call MPI_Win_free(win)
end subroutine

subroutine files(name)
	character(len=*), intent(in) :: name
	type(MPI_File) :: fh
	type(MPI_Status) :: status
	integer :: x(6), y(6), n

	x = [1, 2, 3, 4, 5, 6]
	y = 0
	call MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE + &
		MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, fh)
	call MPI_File_write(fh, x(2:6:2), 3, MPI_INTEGER, status)
	call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET)
	call MPI_File_read(fh, y(1:5:2), 3, MPI_INTEGER, status)
	call MPI_Get_elements(status, MPI_INTEGER, n)
	call check(all(y == [2, 0, 4, 0, 6, 0]) .and. n == 3, 'file')
	call MPI_File_close(fh)
	call check(fh == MPI_FILE_NULL, 'null file')
end subroutine
end module

program fort_f08
	use fort_f08_parts
	integer :: total, ierror
	character(len=200) :: name

	call MPI_Init()
	call MPI_Comm_rank(MPI_COMM_WORLD, rank)
	call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
	left = mod(rank + size - 1, size)
	right = mod(rank + 1, size)
	call check(MPI_SUBARRAYS_SUPPORTED, 'subarrays')
	call sections
	call section_types
	call section_collectives
	call quadruple_precision
	call large_counts
	call operators
	call attributes
	call errors
	call strings
	call memory
	call windows
	write (name, '(a, i0)') '/tmp/weft-fort_f08.', getpid()
	call files(trim(name))
	call PMPI_Allreduce(bad, total, 1, MPI_INTEGER, MPI_SUM, &
		MPI_COMM_WORLD)
	call MPI_Finalize()
	if (total /= 0) stop 1
end program
