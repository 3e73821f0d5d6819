/* SPDX-License-Identifier: BSD-3-Clause */
/* Selection of the instance of struct weft_core_backend. */
#ifndef WEFT_BOOT_BACKEND_H
#define WEFT_BOOT_BACKEND_H

/*
 * Joins the world if the provider has one, and sets weft_core.backend and
 * weft_core.traits. Called between fi_domain and fi_enable. Returns 0 or
 * -errno.
 */
int weft_core_backend_open(void);

#endif
