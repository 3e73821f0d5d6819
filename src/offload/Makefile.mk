# src/offload: class routes and device memory
libmpi_abi_la_SOURCES += src/offload/offload_device.c \
	src/offload/offload_device.h src/offload/offload_route.c \
	src/offload/offload_route.h src/offload/offload_route_call.c \
	src/offload/offload_route_call.h
EXTRA_DIST += src/offload/README
