/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Tables that map libfabric's numbers to those of the collective unit:
 * weft_mcgroup_call.h.
 */
#include "prov/ofi/group/weft_mcgroup_call.h"
#include "prov/ofi/group/weft_mcgroup.h"

const struct weft_mcgroup_call_row
	weft_mcgroup_call_rows[WEFT_MCGROUP_CALLS] = {
		[FI_BARRIER] = { .kind = WEFT_CUNIT_BARRIER },
		[FI_BROADCAST] = { .kind = WEFT_CUNIT_BCAST },
		[FI_ALLTOALL] = { .kind = WEFT_CUNIT_ALLTOALL },
		[FI_ALLREDUCE] = { WEFT_CUNIT_ALLREDUCE, true, true },
		[FI_ALLGATHER] = { .kind = WEFT_CUNIT_ALLGATHER },
		[FI_REDUCE_SCATTER] = { WEFT_CUNIT_REDUCE_SCATTER, true,
					false },
		[FI_REDUCE] = { WEFT_CUNIT_REDUCE, true, true },
		[FI_SCATTER] = { .kind = WEFT_CUNIT_SCATTER },
		[FI_GATHER] = { .kind = WEFT_CUNIT_GATHER },
	};

const uint8_t weft_mcgroup_op_names[WEFT_MCGROUP_OPS] = {
	[FI_SUM] = WEFT_CUNIT_SUM + 1, [FI_MIN] = WEFT_CUNIT_MIN + 1,
	[FI_MAX] = WEFT_CUNIT_MAX + 1, [FI_BAND] = WEFT_CUNIT_AND + 1,
	[FI_BOR] = WEFT_CUNIT_OR + 1,  [FI_BXOR] = WEFT_CUNIT_XOR + 1,
};

size_t weft_mcgroup_bytes(enum fi_datatype t)
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
	struct weft_cunit_call call;
	size_t bytes;

	if (!attr)
		return -FI_EINVAL;
	if ((size_t)coll >= WEFT_MCGROUP_CALLS)
		return -FI_EOPNOTSUPP;
	bytes = weft_mcgroup_bytes(attr->datatype);
	if (weft_mcgroup_call_rows[coll].reduces &&
	    (!weft_mcgroup_names(attr->op, attr->datatype, &call) ||
	     !weft_cunit_supports(call.op, call.type)))
		return -FI_EOPNOTSUPP;
	if (coll != FI_BARRIER && !bytes)
		return -FI_EOPNOTSUPP;
	attr->datatype_attr.size = bytes;
	/* only memory limits the count: data are sent in packets */
	attr->datatype_attr.count = bytes ? SIZE_MAX / bytes : 0;
	attr->max_members = INT32_MAX;
	attr->mode = 0;
	return 0;
}
