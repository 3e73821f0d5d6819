# Static libraries: libmpi_abi.a with the provider inside, libmpifort_abi.a and
# libweft-nic.a, made from the objects of the shared ones. Each is one object,
# in which only the names that the shared library exports are global. "make
# static" makes them; configure --enable-static also installs them.
noinst_LTLIBRARIES += libweftstatic.la
libweftstatic_la_SOURCES = src/boot/boot_library_static.c
libweftstatic_la_CPPFLAGS = $(AM_CPPFLAGS) -DWEFT_LIBDIR='"$(libdir)"'

STATIC_ARCHIVES = libmpi_abi.a libweft-nic.a
if HAVE_FORTRAN
STATIC_ARCHIVES += libmpifort_abi.a
endif
static: $(STATIC_ARCHIVES)
if STATIC
staticlibdir = $(libdir)
staticlib_DATA = $(STATIC_ARCHIVES)
endif

# the files behind libtool's .lo objects and .la convenience libraries
pic_objects = $(foreach o,$(1:.lo=.o),$(dir $(o)).libs/$(notdir $(o)))
pic_archives = $(patsubst %.la,.libs/%.a,$(filter %.la,$(1)))
# $(call one_object,RESULT,OBJECTS,LIBRARIES)
one_object = $(CC) $(CFLAGS) -r -nostdlib -o $(1) $(call pic_objects,$(2)) \
	-Wl,--whole-archive $(call pic_archives,$(3)) -Wl,--no-whole-archive
only_global = $(OBJCOPY) -w --localize-hidden $(addprefix --keep-global-symbol=,$(1))

# Some folders are compiled both into the provider and into the MPI library. In
# the static library, as with the shared ones, each copy has its own state.
libmpi_abi.a: libmpi_abi.la libweft-direct.la libweftstatic.la
	$(AM_V_GEN)rm -f $@ && \
	$(call one_object,static-prov.o,$(libweft_direct_la_OBJECTS),$(libweft_direct_la_LIBADD)) && \
	$(OBJCOPY) --redefine-sym fi_prov_ini=weft_linked_provider static-prov.o && \
	$(call only_global,weft_linked_provider) static-prov.o && \
	$(call one_object,static-mpi.o,$(filter-out %boot_library.lo,$(libmpi_abi_la_OBJECTS)),$(libmpi_abi_la_LIBADD) libweftstatic.la) && \
	$(call only_global,'MPI_*' 'PMPI_*' 'MPIX_*' 'PMPIX_*') static-mpi.o && \
	$(CC) -r -nostdlib -o static-all.o static-mpi.o static-prov.o && \
	$(OBJCOPY) --localize-symbol=weft_linked_provider static-all.o && \
	$(AR) cr $@ static-all.o && \
	rm -f static-all.o static-mpi.o static-prov.o
libmpifort_abi.a: libmpifort_abi.la
	$(AM_V_GEN)rm -f $@ && \
	$(call one_object,static-fort.o,$(libmpifort_abi_la_OBJECTS),$(libmpifort_abi_la_LIBADD)) && \
	$(OBJCOPY) --localize-hidden static-fort.o && \
	$(AR) cr $@ static-fort.o && rm -f static-fort.o
libweft-nic.a: libweft-nic.la
	$(AM_V_GEN)rm -f $@ && \
	$(call one_object,static-nic.o,,$(libweft_nic_la_LIBADD)) && \
	$(call only_global,$(foreach u,bgq gemini qsnet2 sunway apenet mem,'weft_$(u)_*')) static-nic.o && \
	$(AR) cr $@ static-nic.o && rm -f static-nic.o
CLEANFILES += $(STATIC_ARCHIVES)
PLAIN_TESTS += test/tools/tool_static.sh
.PHONY: static
