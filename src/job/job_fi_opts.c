/* SPDX-License-Identifier: BSD-3-Clause */
/* The table of the provider's options. */
#include "src/job/job_fi_opts.h"
#include "src/job/job_skeleton.h"

#include <stddef.h>

/* in the order of enum weft_fi_opt */
const struct weft_cfg_opt weft_fi_opts[WEFT_FI_COUNT] = {
	{ "FI_WEFT_MACHINE", WEFT_CFG_TEXT, "native",
	  "Machine whose network interface is emulated: native, bgq, gemini, "
	  "qsnet2, sunway, apenet or generic; with the virtual clock NAME:DIMS "
	  "sets its "
	  "dimensions, as in bgq:2x2x2x2x2, and a file describes another "
	  "machine",
	  NULL },
	{ "FI_WEFT_CARRIER", WEFT_CFG_TEXT, "auto",
	  "Carrier of packets: shm (shared memory, processes of this host), "
	  "sock (datagrams between any hosts), hybrid (shm or sock, by peer), "
	  "loop (inside one process, for tests); auto is hybrid if other hosts "
	  "can reach the endpoint, else shm",
	  "auto|shm|sock|hybrid|loop" },
	{ "FI_WEFT_FAULTS", WEFT_CFG_TEXT, "",
	  "Fault plan, or a file with one: faults of the machine's links and "
	  "nodes with the virtual clock; otherwise bit errors of packets, "
	  "which the machine's code detects, and faults of the loop and sock "
	  "carriers",
	  NULL },
	{ "FI_WEFT_IFACE", WEFT_CFG_TEXT, "",
	  "Interface or address of the endpoint's datagrams; default in a job "
	  "on several hosts: the interface of the default route, else the "
	  "first that is up; otherwise the loopback",
	  NULL },
	{ "FI_WEFT_FAMILY", WEFT_CFG_TEXT, "auto",
	  "Family of the endpoint's address, equal on all hosts of a job: "
	  "inet (IPv4) or inet6 (IPv6); auto: IPv4, or IPv6 on a host without "
	  "IPv4 addresses",
	  "auto|inet|inet6" },
	{ "FI_WEFT_KEY", WEFT_CFG_TEXT, "",
	  "Secret of 16 characters or more that signs the sock carrier's "
	  "datagrams; none: the network is trusted. Weft's MPI creates one per "
	  "job",
	  NULL },
	{ "FI_WEFT_ENCRYPT", WEFT_CFG_BOOL, "no",
	  "The sock carrier also encrypts datagrams, with AES-128-GCM; all "
	  "peers must use the same setting",
	  NULL },
	{ "FI_WEFT_SILENCE", WEFT_CFG_INT, "300",
	  "Seconds without a response after which a peer is declared dead; "
	  "sock carrier only",
	  "1..1000000" },
	{ "FI_WEFT_STREAM_MIN", WEFT_CFG_SIZE, "40000",
	  "Minimum bytes of a message, read or write whose bytes the sock "
	  "carrier transfers over a TCP connection instead of datagrams, with "
	  "machine native; 0: datagrams only",
	  NULL },
	{ "FI_WEFT_DMA", WEFT_CFG_BOOL, "yes",
	  "Copy large messages directly between processes; no: send them in "
	  "packets",
	  NULL },
	{ "FI_WEFT_PEER", WEFT_CFG_BOOL, "yes",
	  "The interface accesses device memory directly, on machines that "
	  "support it; no: stage it through host memory",
	  NULL },
	{ "FI_WEFT_CUDA", WEFT_CFG_TEXT, "auto",
	  "Memory of NVIDIA GPUs: auto, accepted if the host has the driver's "
	  "devices; yes, no, or the path of the driver library",
	  NULL },
	{ "FI_WEFT_SPIN", WEFT_CFG_SIZE, "0",
	  "Nanoseconds to spin before a wait blocks; 0 is the default, 1 never "
	  "spins",
	  "0..4294967295" },
	{ "FI_WEFT_EAGER", WEFT_CFG_SIZE, "0",
	  "Largest eager message in bytes; 0 is the machine's value",
	  "0..16777216" },
	{ "FI_WEFT_HOST_EAGER", WEFT_CFG_SIZE, "0",
	  "Largest eager message of machine native in bytes, as measured by "
	  "mpiexec; 0 is 64 KiB",
	  "0..16777216" },
	{ "FI_WEFT_SHARED_COPY_MIN", WEFT_CFG_SIZE, "0",
	  "Minimum bytes, with machine native, of a single message that sender "
	  "and receiver copy together (shared copy), as measured by mpiexec; 0 "
	  "is 128 KiB",
	  NULL },
	{ "FI_WEFT_SHARED_COPY_MIN_BUSY", WEFT_CFG_SIZE, "0",
	  "Minimum bytes of a shared copy while other messages between the two "
	  "processes are outstanding: mpiexec uses a quarter of a core's L2 "
	  "cache; 0 is 128 KiB",
	  NULL },
	{ "FI_WEFT_COPY_LOOP_MAX", WEFT_CFG_SIZE, "0",
	  "Payloads from 512 bytes up to this size are copied by Weft's copy "
	  "loop, longer payloads by the C library, as measured by mpiexec; 0: "
	  "no payloads",
	  NULL },
	{ "FI_WEFT_FIFO", WEFT_CFG_SIZE, "0",
	  "Slots of a reception FIFO; 0 is the carrier's value", "0..1048576" },
	{ "FI_WEFT_NODE", WEFT_CFG_INT, "-1",
	  "Number of the emulated node, which determines its coordinates in "
	  "the machine; -1 uses the launcher's rank (PMIX_RANK), if set",
	  "-1..2147483646" },
	{ "FI_WEFT_ARITY", WEFT_CFG_INT, "0",
	  "Children of a node in the trees of collectives on this host, 1 to "
	  "128; the minimum of the members' values is used; 0: binomial trees, "
	  "in the order of recursive doubling; bgq's trees follow its torus",
	  "0..128" },
	{ "FI_WEFT_MATCH", WEFT_CFG_TEXT, "machine",
	  "Where messages are matched on machines whose interface can match "
	  "(qsnet2): unit, by the interface, with the virtual clock also "
	  "while the processor computes; host, by the processor; machine: "
	  "unit with the virtual clock, host with the live clock",
	  "machine|unit|host" },
	{ "FI_WEFT_CLOCK", WEFT_CFG_TEXT, "live",
	  "live: real time on this host; virtual: virtual time, on a model of "
	  "the machine's network",
	  "live|virtual" },
	{ "FI_WEFT_PPN", WEFT_CFG_INT, "0",
	  "Ranks per node of the model; 0 is the machine's value", NULL },
	{ "FI_WEFT_MAP", WEFT_CFG_TEXT, "",
	  "Mapping of ranks to coordinates of the model: an order of letters "
	  "such as ABCDET, the last varies fastest, or a file",
	  NULL },
	{ "FI_WEFT_COMPUTE", WEFT_CFG_TEXT, "0",
	  "Virtual clock: factor of CPU time between calls, or "
	  "instructions=N or blocks=N: N instructions, or N basic blocks of a "
	  "program with -lweft-blocks, take a second; 0 counts no "
	  "computation, which makes results deterministic",
	  NULL },
	{ "FI_WEFT_NOISE", WEFT_CFG_TEXT, "",
	  "Virtual clock: interruptions of computation, "
	  "RATE,LENGTH[,fixed][,SEED]: RATE per second of computation, LENGTH "
	  "us each on average",
	  NULL },
	{ WEFT_SKELETON_VAR, WEFT_CFG_TEXT, "",
	  "Set by mpiexec --skeleton: descriptor of the folded memory, and the "
	  "smallest allocation in it",
	  NULL },
	{ "FI_WEFT_JOB", WEFT_CFG_TEXT, "",
	  "Virtual clock without a launcher: name:rank:size", NULL },
	{ "FI_WEFT_UNIVERSE", WEFT_CFG_INT, "0",
	  "Virtual clock: largest number of ranks, with those that are spawned "
	  "during the run; 0: none can be spawned",
	  NULL },
};
