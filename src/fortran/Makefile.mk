# src/fortran: the Fortran bindings, over the C ABI
EXTRA_DIST += src/fortran/README src/fortran/make_bindings.py \
	src/fortran/fort_table.py src/fortran/fort_write_c.py \
	src/fortran/fort_write_f.py src/fortran/mpi_fort_types.f90 \
	src/fortran/mpi_f08_head.f90

if HAVE_FORTRAN
FORT_CPPFLAGS = -D_GNU_SOURCE -I$(srcdir) -I$(srcdir)/include -Isrc/fortran \
	-DFORT_TRUE='($(FORT_TRUE))' -DFORT_FALSE='($(FORT_FALSE))'

# Each procedure is compiled twice, under its MPI_ and its PMPI_ name.
FORT_SOURCES = src/fortran/fort_attr.c src/fortran/fort_callback_calls.c \
	src/fortran/fort_removed.c src/fortran/fort_spawn.c \
	src/fortran/fort_special.c
noinst_LTLIBRARIES += libmpifort-mpi.la libmpifort-pmpi.la
libmpifort_mpi_la_SOURCES = $(FORT_SOURCES)
nodist_libmpifort_mpi_la_SOURCES = src/fortran/fort_bodies.c
libmpifort_mpi_la_CPPFLAGS = $(FORT_CPPFLAGS)
# every procedure calls one function of libmpi_abi, directly instead of through
# the PLT
libmpifort_mpi_la_CFLAGS = $(AM_CFLAGS) -fno-plt
libmpifort_pmpi_la_SOURCES = $(FORT_SOURCES)
nodist_libmpifort_pmpi_la_SOURCES = src/fortran/fort_bodies.c
libmpifort_pmpi_la_CPPFLAGS = $(FORT_CPPFLAGS) -DFORT_PMPI
libmpifort_pmpi_la_CFLAGS = $(AM_CFLAGS) -fno-plt

lib_LTLIBRARIES += libmpifort_abi.la
libmpifort_abi_la_SOURCES = src/fortran/fort.h src/fortran/fort_callback.c \
	src/fortran/fort_callback.h src/fortran/fort_cell.c \
	src/fortran/fort_convert.c \
	src/fortran/fort_init.c src/fortran/fort_init.h \
	src/fortran/fort_section.c src/fortran/fort_section.h \
	src/fortran/fort_slots.c
libmpifort_abi_la_CPPFLAGS = $(FORT_CPPFLAGS)
# not linked with libmpi_abi.la, for which libtool would write a RUNPATH to the
# prefix: both libraries are in one folder, also in a moved tree
libmpifort_abi_la_LIBADD = libmpifort-mpi.la libmpifort-pmpi.la
libmpifort_abi_la_DEPENDENCIES = libmpifort-mpi.la libmpifort-pmpi.la libmpi_abi.la
libmpifort_abi_la_LDFLAGS = $(AM_LDFLAGS) -Wl,.libs/libmpi_abi.so \
	-Wl,-rpath,'$$ORIGIN' -version-info 1:0:0 -no-undefined

FORT_WRITTEN = src/fortran/fort_bodies.c src/fortran/fort_have.h \
	src/fortran/mpif.h src/fortran/mpi.f90 src/fortran/mpi_f08.f90
FORT_MODULES = src/fortran/mpi_fort_types.mod src/fortran/mpi.mod \
	src/fortran/mpi_f08.mod
src/fortran/bindings.stamp: $(srcdir)/src/fortran/make_bindings.py \
		$(srcdir)/src/fortran/fort_table.py \
		$(srcdir)/src/fortran/fort_write_c.py \
		$(srcdir)/src/fortran/fort_write_f.py \
		$(srcdir)/src/fortran/mpi_f08_head.f90 \
		$(srcdir)/share/abi/functions $(srcdir)/share/abi/constants \
		$(srcdir)/include/mpi.h
	$(AM_V_GEN)$(MKDIR_P) src/fortran && $(PYTHON3) -B \
	$(srcdir)/src/fortran/make_bindings.py $(srcdir)/share/abi \
	$(srcdir)/include/mpi.h src/fortran && touch $@
$(FORT_WRITTEN): src/fortran/bindings.stamp
	@:
# The modules have interfaces only: no object file belongs to them.
src/fortran/modules.stamp: $(FORT_WRITTEN) \
		$(srcdir)/src/fortran/mpi_fort_types.f90
	$(AM_V_GEN)top=$$(cd $(srcdir) && pwd) && cd src/fortran && \
	$(FC) $(FCFLAGS) -fsyntax-only $$top/src/fortran/mpi_fort_types.f90 && \
	$(FC) $(FCFLAGS) -fsyntax-only mpi.f90 && \
	$(FC) $(FCFLAGS) -fsyntax-only mpi_f08.f90 && touch modules.stamp
$(FORT_MODULES): src/fortran/modules.stamp
	@:
src/fortran/libmpifort_mpi_la-fort_special.lo \
	src/fortran/libmpifort_mpi_la-fort_spawn.lo \
	src/fortran/libmpifort_mpi_la-fort_callback_calls.lo \
	src/fortran/libmpifort_pmpi_la-fort_special.lo \
	src/fortran/libmpifort_pmpi_la-fort_spawn.lo \
	src/fortran/libmpifort_pmpi_la-fort_callback_calls.lo: \
	src/fortran/fort_have.h
nodist_include_HEADERS = src/fortran/mpif.h
fortmoddir = $(includedir)
nodist_fortmod_DATA = $(FORT_MODULES)
CLEANFILES += $(FORT_WRITTEN) $(FORT_MODULES) src/fortran/bindings.stamp \
	src/fortran/modules.stamp
endif
