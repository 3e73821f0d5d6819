/* SPDX-License-Identifier: BSD-3-Clause */
/* CRC-32C (Castagnoli) of a datagram. */
#ifndef WEFT_CARRIER_SOCK_CRC_H
#define WEFT_CARRIER_SOCK_CRC_H

#include <stddef.h>
#include <stdint.h>

uint32_t sock_crc(const void *data, size_t bytes);

#endif
