! SPDX-License-Identifier: BSD-3-Clause
! The derived types that the modules mpi and mpi_f08 share, and procedures of
! both modules that are not in the function table.
module mpi_fort_types
implicit none

type, bind(C) :: MPI_Status
	integer :: MPI_SOURCE
	integer :: MPI_TAG
	integer :: MPI_ERROR
	integer, private :: internal(5)
end type

type, bind(C) :: MPI_Comm
	integer :: MPI_VAL
end type
type, bind(C) :: MPI_Datatype
	integer :: MPI_VAL
end type
type, bind(C) :: MPI_Errhandler
	integer :: MPI_VAL
end type
type, bind(C) :: MPI_File
	integer :: MPI_VAL
end type
type, bind(C) :: MPI_Group
	integer :: MPI_VAL
end type
type, bind(C) :: MPI_Info
	integer :: MPI_VAL
end type
type, bind(C) :: MPI_Message
	integer :: MPI_VAL
end type
type, bind(C) :: MPI_Op
	integer :: MPI_VAL
end type
type, bind(C) :: MPI_Request
	integer :: MPI_VAL
end type
type, bind(C) :: MPI_Session
	integer :: MPI_VAL
end type
type, bind(C) :: MPI_Win
	integer :: MPI_VAL
end type

interface MPI_Sizeof
	subroutine mpi_sizeof_f08ts(x, size, ierror) &
			bind(C, name="mpi_sizeof_f08ts_")
		type(*), dimension(..), intent(in) :: x
		integer, intent(out) :: size
		integer, optional, intent(out) :: ierror
	end subroutine
end interface
interface PMPI_Sizeof
	subroutine pmpi_sizeof_f08ts(x, size, ierror) &
			bind(C, name="pmpi_sizeof_f08ts_")
		type(*), dimension(..), intent(in) :: x
		integer, intent(out) :: size
		integer, optional, intent(out) :: ierror
	end subroutine
end interface

interface MPI_F_sync_reg
	subroutine mpi_f_sync_reg_f08ts(buf) &
			bind(C, name="mpi_f_sync_reg_f08ts_")
		type(*), dimension(..), asynchronous :: buf
	end subroutine
end interface
interface PMPI_F_sync_reg
	subroutine pmpi_f_sync_reg_f08ts(buf) &
			bind(C, name="pmpi_f_sync_reg_f08ts_")
		type(*), dimension(..), asynchronous :: buf
	end subroutine
end interface

interface MPI_Status_f2f08
	subroutine mpi_status_f2f08_f08(f_status, f08_status, ierror)
		import
		integer, intent(in) :: f_status(8)
		type(MPI_Status), intent(out) :: f08_status
		integer, optional, intent(out) :: ierror
	end subroutine
end interface
interface PMPI_Status_f2f08
	subroutine pmpi_status_f2f08_f08(f_status, f08_status, ierror)
		import
		integer, intent(in) :: f_status(8)
		type(MPI_Status), intent(out) :: f08_status
		integer, optional, intent(out) :: ierror
	end subroutine
end interface
interface MPI_Status_f082f
	subroutine mpi_status_f082f_f08(f08_status, f_status, ierror)
		import
		type(MPI_Status), intent(in) :: f08_status
		integer, intent(out) :: f_status(8)
		integer, optional, intent(out) :: ierror
	end subroutine
end interface
interface PMPI_Status_f082f
	subroutine pmpi_status_f082f_f08(f08_status, f_status, ierror)
		import
		type(MPI_Status), intent(in) :: f08_status
		integer, intent(out) :: f_status(8)
		integer, optional, intent(out) :: ierror
	end subroutine
end interface

! Compares handles by their values.
interface operator(==)
	logical function mpi_fort_comm_eq(a, b)
		import
		type(MPI_Comm), intent(in) :: a, b
	end function
	logical function mpi_fort_datatype_eq(a, b)
		import
		type(MPI_Datatype), intent(in) :: a, b
	end function
	logical function mpi_fort_errhandler_eq(a, b)
		import
		type(MPI_Errhandler), intent(in) :: a, b
	end function
	logical function mpi_fort_file_eq(a, b)
		import
		type(MPI_File), intent(in) :: a, b
	end function
	logical function mpi_fort_group_eq(a, b)
		import
		type(MPI_Group), intent(in) :: a, b
	end function
	logical function mpi_fort_info_eq(a, b)
		import
		type(MPI_Info), intent(in) :: a, b
	end function
	logical function mpi_fort_message_eq(a, b)
		import
		type(MPI_Message), intent(in) :: a, b
	end function
	logical function mpi_fort_op_eq(a, b)
		import
		type(MPI_Op), intent(in) :: a, b
	end function
	logical function mpi_fort_request_eq(a, b)
		import
		type(MPI_Request), intent(in) :: a, b
	end function
	logical function mpi_fort_session_eq(a, b)
		import
		type(MPI_Session), intent(in) :: a, b
	end function
	logical function mpi_fort_win_eq(a, b)
		import
		type(MPI_Win), intent(in) :: a, b
	end function
end interface
interface operator(/=)
	logical function mpi_fort_comm_ne(a, b)
		import
		type(MPI_Comm), intent(in) :: a, b
	end function
	logical function mpi_fort_datatype_ne(a, b)
		import
		type(MPI_Datatype), intent(in) :: a, b
	end function
	logical function mpi_fort_errhandler_ne(a, b)
		import
		type(MPI_Errhandler), intent(in) :: a, b
	end function
	logical function mpi_fort_file_ne(a, b)
		import
		type(MPI_File), intent(in) :: a, b
	end function
	logical function mpi_fort_group_ne(a, b)
		import
		type(MPI_Group), intent(in) :: a, b
	end function
	logical function mpi_fort_info_ne(a, b)
		import
		type(MPI_Info), intent(in) :: a, b
	end function
	logical function mpi_fort_message_ne(a, b)
		import
		type(MPI_Message), intent(in) :: a, b
	end function
	logical function mpi_fort_op_ne(a, b)
		import
		type(MPI_Op), intent(in) :: a, b
	end function
	logical function mpi_fort_request_ne(a, b)
		import
		type(MPI_Request), intent(in) :: a, b
	end function
	logical function mpi_fort_session_ne(a, b)
		import
		type(MPI_Session), intent(in) :: a, b
	end function
	logical function mpi_fort_win_ne(a, b)
		import
		type(MPI_Win), intent(in) :: a, b
	end function
end interface
end module
