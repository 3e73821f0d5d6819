/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables from libfabric's numbers to the collective unit's: weft_mc_call.h. */
#include "prov/ofi/weft_mc_call.h"
#include "prov/ofi/weft_mc.h"

const struct weft_mc_call_row weft_mc_call_rows[WEFT_MC_CALLS] = {
	[FI_BARRIER] = { .kind = WEFT_CU_BARRIER },
	[FI_BROADCAST] = { .kind = WEFT_CU_BCAST },
	[FI_ALLTOALL] = { .kind = WEFT_CU_ALLTOALL },
	[FI_ALLREDUCE] = { WEFT_CU_ALLREDUCE, true, true },
	[FI_ALLGATHER] = { .kind = WEFT_CU_ALLGATHER },
	[FI_REDUCE_SCATTER] = { WEFT_CU_REDUCE_SCATTER, true, false },
	[FI_REDUCE] = { WEFT_CU_REDUCE, true, true },
	[FI_SCATTER] = { .kind = WEFT_CU_SCATTER },
	[FI_GATHER] = { .kind = WEFT_CU_GATHER },
};

const uint8_t weft_mc_types[WEFT_MC_TYPES] = {
	[FI_INT8] = WEFT_CU_INT8 + 1,	[FI_UINT8] = WEFT_CU_UINT8 + 1,
	[FI_INT16] = WEFT_CU_INT16 + 1, [FI_UINT16] = WEFT_CU_UINT16 + 1,
	[FI_INT32] = WEFT_CU_INT32 + 1, [FI_UINT32] = WEFT_CU_UINT32 + 1,
	[FI_INT64] = WEFT_CU_INT64 + 1, [FI_UINT64] = WEFT_CU_UINT64 + 1,
	[FI_FLOAT] = WEFT_CU_FLOAT + 1, [FI_DOUBLE] = WEFT_CU_DOUBLE + 1,
};

const uint8_t weft_mc_op_names[WEFT_MC_OPS] = {
	[FI_SUM] = WEFT_CU_SUM + 1, [FI_MIN] = WEFT_CU_MIN + 1,
	[FI_MAX] = WEFT_CU_MAX + 1, [FI_BAND] = WEFT_CU_AND + 1,
	[FI_BOR] = WEFT_CU_OR + 1,  [FI_BXOR] = WEFT_CU_XOR + 1,
};

size_t weft_mc_bytes(enum fi_datatype t)
{
	static const uint8_t bytes[] = {
		[FI_INT8] = 1,
		[FI_UINT8] = 1,
		[FI_INT16] = 2,
		[FI_UINT16] = 2,
		[FI_INT32] = 4,
		[FI_UINT32] = 4,
		[FI_INT64] = 8,
		[FI_UINT64] = 8,
		[FI_FLOAT] = 4,
		[FI_DOUBLE] = 8,
		[FI_FLOAT_COMPLEX] = 8,
		[FI_DOUBLE_COMPLEX] = 16,
		[FI_LONG_DOUBLE] = sizeof(long double),
		[FI_LONG_DOUBLE_COMPLEX] = 2 * sizeof(long double),
		[FI_INT128] = 16,
		[FI_UINT128] = 16,
	};

	return (size_t)t < WEFT_COUNT_OF(bytes) ? bytes[t] : 0;
}

int weft_query_collective(struct fid_domain *domain, enum fi_collective_op coll,
			  struct fi_collective_attr *attr, uint64_t flags)
{
	struct weft_cu_call call;
	size_t bytes;

	if (!attr)
		return -FI_EINVAL;
	if ((size_t)coll >= WEFT_MC_CALLS)
		return -FI_EOPNOTSUPP;
	bytes = weft_mc_bytes(attr->datatype);
	if (weft_mc_call_rows[coll].reduces &&
	    (!weft_mc_names(attr->op, attr->datatype, &call) ||
	     !weft_cu_supports(call.op, call.type)))
		return -FI_EOPNOTSUPP;
	if (coll != FI_BARRIER && !bytes)
		return -FI_EOPNOTSUPP;
	attr->datatype_attr.size = bytes;
	/* limited by memory only: they go in packets */
	attr->datatype_attr.count = bytes ? SIZE_MAX / bytes : 0;
	attr->max_members = INT32_MAX;
	attr->mode = 0;
	return 0;
}
