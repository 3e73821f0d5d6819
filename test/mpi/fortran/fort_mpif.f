! SPDX-License-Identifier: BSD-3-Clause
! mpif.h in fixed form: messages, collectives, operators, attributes, strings.
      program fort_mpif
      implicit none
      include 'mpif.h'
      integer ierr, rank, size, bad, all
      bad = 0
      call mpi_init(ierr)
      call mpi_comm_rank(MPI_COMM_WORLD, rank, ierr)
      call mpi_comm_size(MPI_COMM_WORLD, size, ierr)
      call ring(rank, size, bad)
      call requests(rank, size, bad)
      call reductions(rank, size, bad)
      call attributes(bad)
      call names(bad)
      call topology(size, bad)
      call types(rank, bad)
      call mpi_allreduce(bad, all, 1, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, ierr)
      call mpi_finalize(ierr)
      if (all .ne. 0) stop 1
      end

      subroutine check(good, what, bad)
      implicit none
      logical good
      character*(*) what
      integer bad
      if (good) return
      print *, 'wrong: ', what
      bad = bad + 1
      end

      subroutine ring(rank, size, bad)
      implicit none
      include 'mpif.h'
      integer rank, size, bad, ierr, n, got, status(MPI_STATUS_SIZE)
      integer to, from
      double precision t
      to = mod(rank + 1, size)
      from = mod(rank + size - 1, size)
      t = mpi_wtime()
      call mpi_sendrecv(rank, 1, MPI_INTEGER, to, 5, got, 1,
     &     MPI_INTEGER, from, 5, MPI_COMM_WORLD, status, ierr)
      call check(ierr .eq. MPI_SUCCESS, 'sendrecv', bad)
      call check(got .eq. from, 'value of the ring', bad)
      call check(status(MPI_SOURCE) .eq. from, 'source', bad)
      call check(status(MPI_TAG) .eq. 5, 'tag', bad)
      call mpi_get_count(status, MPI_INTEGER, n, ierr)
      call check(n .eq. 1, 'count', bad)
      call mpi_sendrecv_replace(got, 1, MPI_INTEGER, to, 6, from, 6,
     &     MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call check(got .eq. mod(rank + 2*size - 2, size), 'replace', bad)
      call check(mpi_wtime() .ge. t, 'time', bad)
      end

      subroutine requests(rank, size, bad)
      implicit none
      include 'mpif.h'
      integer rank, size, bad, ierr, r(2), i, n, list(2)
      integer st(MPI_STATUS_SIZE, 2)
      double precision x(3), y(3)
      logical flag
      x = rank
      y = -1
      call mpi_irecv(y, 3, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 1,
     &     MPI_COMM_WORLD, r(1), ierr)
      call mpi_isend(x, 3, MPI_DOUBLE_PRECISION, mod(rank + 1, size), 1,
     &     MPI_COMM_WORLD, r(2), ierr)
      call mpi_waitall(2, r, st, ierr)
      i = mod(rank + size - 1, size)
      call check(y(3) .eq. i .and. st(MPI_SOURCE, 1) .eq. i, 'irecv',
     &     bad)
      call check(r(1) .eq. MPI_REQUEST_NULL, 'null request', bad)
      call mpi_irecv(y, 3, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 1,
     &     MPI_COMM_WORLD, r(2), ierr)
      r(1) = MPI_REQUEST_NULL
      call mpi_waitany(2, r, i, st, ierr)
      call check(i .eq. 2, 'index of waitany counts from 1', bad)
      call mpi_waitany(2, r, i, st, ierr)
      call check(i .eq. MPI_UNDEFINED, 'index without requests', bad)
      call mpi_irecv(y, 3, MPI_DOUBLE_PRECISION, MPI_PROC_NULL, 1,
     &     MPI_COMM_WORLD, r(2), ierr)
      call mpi_waitsome(2, r, n, list, MPI_STATUSES_IGNORE, ierr)
      call check(n .eq. 1 .and. list(1) .eq. 2, 'waitsome', bad)
      call mpi_iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, flag,
     &     MPI_STATUS_IGNORE, ierr)
      call check(.not. flag, 'iprobe', bad)
      call mpi_barrier(MPI_COMM_WORLD, ierr)
      end

! The operator gets the datatype as an integer.
      subroutine larger(a, b, n, type)
      implicit none
      include 'mpif.h'
      integer n, type, i, a(n), b(n)
      if (type .ne. MPI_INTEGER) stop 2
      do i = 1, n
        b(i) = max(a(i), b(i))
      end do
      end

      subroutine reductions(rank, size, bad)
      implicit none
      include 'mpif.h'
      integer rank, size, bad, ierr, op, x(4), y(4)
      logical yes, any
      external larger
      x = rank
      call mpi_op_create(larger, .true., op, ierr)
      call mpi_allreduce(x, y, 4, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
      call check(all(y .eq. size - 1), 'own operator', bad)
      call mpi_op_commutative(op, yes, ierr)
      call check(yes, 'commutative', bad)
      call mpi_op_free(op, ierr)
      call check(op .eq. MPI_OP_NULL, 'null op', bad)
      call mpi_allreduce(MPI_IN_PLACE, x, 4, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, ierr)
      call check(x(2) .eq. size*(size - 1)/2, 'in place', bad)
      yes = rank .eq. size - 1
      call mpi_allreduce(yes, any, 1, MPI_LOGICAL, MPI_LOR,
     &     MPI_COMM_WORLD, ierr)
      call check(any, 'logical or', bad)
      end

! The copy adds the extra state, to tell it from MPI_COMM_DUP_FN.
      subroutine copy(old, key, extra, in, out, flag, ierr)
      implicit none
      include 'mpif.h'
      integer old, key, ierr
      integer(kind=MPI_ADDRESS_KIND) extra, in, out
      logical flag
      out = in + extra
      flag = .true.
      ierr = MPI_SUCCESS
      end

      subroutine del(comm, key, val, extra, ierr)
      implicit none
      include 'mpif.h'
      integer comm, key, ierr, deleted
      integer(kind=MPI_ADDRESS_KIND) extra, val
      common /deletions/ deleted
      deleted = deleted + int(val)
      ierr = MPI_SUCCESS
      end

      subroutine attributes(bad)
      implicit none
      include 'mpif.h'
      integer bad, ierr, key, dup, deleted, old, old_val
      integer(kind=MPI_ADDRESS_KIND) val, extra
      logical flag
      external copy, del
      common /deletions/ deleted
      deleted = 0
      extra = 100
      call mpi_comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, val, flag,
     &     ierr)
      call check(flag .and. val .ge. 32767, 'tag_ub', bad)
      call mpi_comm_create_keyval(copy, del, key, extra, ierr)
      val = 7
      call mpi_comm_set_attr(MPI_COMM_SELF, key, val, ierr)
      call mpi_comm_dup(MPI_COMM_SELF, dup, ierr)
      call mpi_comm_get_attr(dup, key, val, flag, ierr)
      call check(flag .and. val .eq. 107, 'copied attribute', bad)
      call mpi_comm_free(dup, ierr)
      call check(deleted .eq. 107, 'deleted attribute', bad)
      call mpi_comm_delete_attr(MPI_COMM_SELF, key, ierr)
      call mpi_comm_free_keyval(key, ierr)
      call check(key .eq. MPI_KEYVAL_INVALID, 'free keyval', bad)
! A program may also call the predefined procedures.
      extra = 3
      val = 0
      flag = .false.
      call mpi_comm_dup_fn(MPI_COMM_SELF, key, extra, extra, val, flag,
     &     ierr)
      call check(flag .and. val .eq. 3, 'dup_fn', bad)
      call mpi_comm_null_copy_fn(MPI_COMM_SELF, key, extra, extra, val,
     &     flag, ierr)
      call check(.not. flag, 'null_copy_fn', bad)
      call mpi_keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, old, 0,
     &     ierr)
      call mpi_attr_put(MPI_COMM_SELF, old, -5, ierr)
      call mpi_comm_dup(MPI_COMM_SELF, dup, ierr)
      call mpi_attr_get(dup, old, old_val, flag, ierr)
      call check(flag .and. old_val .eq. -5, 'attribute of MPI 1', bad)
      call mpi_comm_free(dup, ierr)
      call mpi_attr_delete(MPI_COMM_SELF, old, ierr)
      end

      subroutine names(bad)
      implicit none
      include 'mpif.h'
      integer bad, ierr, n, info, comm
      logical flag
      character*40 name, val
      character*(MPI_MAX_ERROR_STRING) text
      call mpi_comm_dup(MPI_COMM_WORLD, comm, ierr)
      call mpi_comm_set_name(comm, 'a name   ', ierr)
      name = 'xxxxxxxxxxxxxxxxxx'
      call mpi_comm_get_name(comm, name, n, ierr)
      call check(name .eq. 'a name' .and. n .eq. 6, 'name', bad)
      call mpi_comm_free(comm, ierr)
      call mpi_error_string(MPI_ERR_TAG, text, n, ierr)
      call check(n .gt. 0 .and. text(n:n) .ne. ' ', 'error text', bad)
      call mpi_info_create(info, ierr)
      call mpi_info_set(info, ' key ', ' some value  ', ierr)
      call mpi_info_get(info, 'key', 40, val, flag, ierr)
      call check(flag .and. val .eq. 'some value', 'info', bad)
      n = 40
      call mpi_info_get_string(info, 'key', n, val, flag, ierr)
      call check(flag .and. n .eq. 10, 'length in info', bad)
      call mpi_info_get(info, 'none', 40, val, flag, ierr)
      call check(.not. flag, 'no key', bad)
      call mpi_info_free(info, ierr)
      end

      subroutine topology(size, bad)
      implicit none
      include 'mpif.h'
      integer size, bad, ierr, cart, dims(1), coords(1)
      logical periods(1)
      dims(1) = size
      periods(1) = .true.
      call mpi_cart_create(MPI_COMM_WORLD, 1, dims, periods, .false.,
     &     cart, ierr)
      periods(1) = .false.
      call mpi_cart_get(cart, 1, dims, periods, coords, ierr)
      call check(periods(1) .and. dims(1) .eq. size, 'cart', bad)
      call mpi_comm_free(cart, ierr)
      end

      subroutine types(rank, bad)
      implicit none
      include 'mpif.h'
      integer rank, bad, ierr, col, row, a(4, 3), b(4, 3), kinds(2)
      integer lengths(2), ints(3), list(1)
      integer(kind=MPI_ADDRESS_KIND) places(2), lb, extent
      a = 1
      b = 0
      call mpi_type_vector(3, 1, 4, MPI_INTEGER, row, ierr)
      call mpi_type_commit(row, ierr)
      call mpi_sendrecv(a, 1, row, rank, 3, b(2, 1), 1, row, rank, 3,
     &     MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call check(sum(b) .eq. 3 .and. b(2, 3) .eq. 1, 'row', bad)
      call mpi_type_get_contents(row, 3, 0, 1, ints, places, list, ierr)
      call check(ints(3) .eq. 4 .and. list(1) .eq. MPI_INTEGER,
     &     'contents', bad)
      call mpi_get_address(a, places(1), ierr)
      call mpi_get_address(b, places(2), ierr)
      lengths = 12
      kinds = MPI_INTEGER
      call mpi_type_create_struct(2, lengths, places, kinds, col, ierr)
      call mpi_type_commit(col, ierr)
      b = 2
      call mpi_bcast(MPI_BOTTOM, 1, col, 0, MPI_COMM_SELF, ierr)
      call check(ierr .eq. MPI_SUCCESS, 'bottom', bad)
      call mpi_type_get_extent(MPI_REAL8, lb, extent, ierr)
      call check(extent .eq. 8, 'extent', bad)
      call mpi_type_free(row, ierr)
      call mpi_type_free(col, ierr)
! Names of MPI 1 that MPI 3.0 removed.
      ints = (/ 1, 1, 0 /)
      kinds = (/ 0, 8 /)
      call mpi_type_hindexed(2, ints, kinds, MPI_INTEGER, row, ierr)
      call mpi_type_extent(row, kinds(1), ierr)
      call check(kinds(1) .eq. 12, 'removed names', bad)
      call mpi_type_free(row, ierr)
      end
