# prov/mem: kinds of memory (of the host, of GPUs)
noinst_LTLIBRARIES += libweftmem.la
libweftmem_la_SOURCES = prov/mem/mem.h prov/mem/mem_kind.c \
	prov/mem/mem_device.c prov/mem/cuda/mem_cuda.c \
	prov/mem/cuda/cuda_driver.h prov/mem/cuda/cuda_driver.c \
	prov/mem/cuda/cuda_home.h prov/mem/cuda/cuda_home.c \
	prov/mem/cuda/cuda_kernel.h prov/mem/cuda/cuda_kernel.c \
	prov/mem/cuda/cuda_copy.h prov/mem/cuda/cuda_copy.c \
	prov/mem/cuda/cuda_share.h prov/mem/cuda/cuda_share.c
C_TESTS += prov/mem/mem_test prov/mem/cuda/cuda_share_test
prov_mem_cuda_cuda_share_test_SOURCES = prov/mem/cuda/cuda_share_test.c \
	prov/mem/cuda/cuda_share.c
prov_mem_cuda_cuda_share_test_CFLAGS = $(AM_CFLAGS)
prov_mem_cuda_cuda_share_test_LDADD = $(T_LIBS)
EXTRA_DIST += prov/mem/README prov/mem/cuda/README
