/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Includes MPI_BODY twice: once for the functions with int counts, once for
 * those with MPI_Count, whose names end in _c. A body defines function X as
 *
 *   MPI_WEAK(X)
 *   int PMPI(X)(const void *buf, COUNT_T count, ...)
 *
 * and uses these names for what differs:
 *
 *                   int form     MPI_Count form
 *   COUNT_T         int          MPI_Count       a count
 *   DISPL_T         int          MPI_Aint        a displacement in elements
 *   OFFSET_T        MPI_Aint     MPI_Count       a displacement in bytes
 *   LARGE           false        true
 *   NARROW(n)       n, or MPI_UNDEFINED above INT_MAX    n
 *   COUNT_MEMBER    i            c               member of struct mpi_list
 *   OFFSET_MEMBER   a            c
 *   COUNTS(array)   mpi_ints     mpi_counts      an array for coll/
 *   DISPLS(array)   mpi_ints     mpi_aints
 *
 * No include guard: a file with several bodies includes this file for each.
 */
#define COUNT_T	      int
#define DISPL_T	      int
#define OFFSET_T      MPI_Aint
#define LARGE	      false
#define NARROW	      mpi_narrow
#define COUNT_MEMBER  i
#define OFFSET_MEMBER a
#define COUNTS	      mpi_ints
#define DISPLS	      mpi_ints
#define PMPI(x)	      MPI_PASTE(PMPI_, x, )
#define MPI_NAME(x)   MPI_PASTE(MPI_, x, )
#include MPI_BODY
#undef COUNT_T
#undef DISPL_T
#undef OFFSET_T
#undef LARGE
#undef NARROW
#undef COUNT_MEMBER
#undef OFFSET_MEMBER
#undef COUNTS
#undef DISPLS
#undef PMPI
#undef MPI_NAME

#define COUNT_T	      MPI_Count
#define DISPL_T	      MPI_Aint
#define OFFSET_T      MPI_Count
#define LARGE	      true
#define NARROW(n)     (n)
#define COUNT_MEMBER  c
#define OFFSET_MEMBER c
#define COUNTS	      mpi_counts
#define DISPLS	      mpi_aints
#define PMPI(x)	      MPI_PASTE(PMPI_, x, _c)
#define MPI_NAME(x)   MPI_PASTE(MPI_, x, _c)
#include MPI_BODY
#undef COUNT_T
#undef DISPL_T
#undef OFFSET_T
#undef LARGE
#undef NARROW
#undef COUNT_MEMBER
#undef OFFSET_MEMBER
#undef COUNTS
#undef DISPLS
#undef PMPI
#undef MPI_NAME
#undef MPI_BODY
