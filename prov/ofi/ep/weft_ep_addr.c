/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Address and carrier of an endpoint, by the rules in fi_weft(7) under
 * FI_WEFT_CARRIER and FI_WEFT_IFACE. Sockets are opened only on request: if a
 * carrier with sockets is named, or if a key is set together with an address
 * that other hosts can reach.
 */
#include "prov/ofi/ep/weft_ep_addr.h"
#include "prov/ofi/weft_addr.h"
#include "prov/ofi/weft_conf.h"
#include "src/job/job_log.h"

#include <arpa/inet.h>
#include <errno.h>
#include <string.h>

#define KEY_MIN 16u

static bool has_key(const struct weft_ep *ep)
{
	return ep->key_bytes || *weft_conf()->key;
}

static bool is_loopback(const struct weft_ep *ep)
{
	return weft_name_is_loopback(&ep->name);
}

static const char *family_text(const struct weft_ep *ep)
{
	return weft_name_is_ipv6(&ep->name) ? "IPv6" : "IPv4";
}

/* Returns whether this endpoint can receive datagrams. */
static bool has_socket(const struct weft_ep *ep)
{
	const struct weft_carrier_ops *c = weft_conf()->carrier;

	return c ? c == &weft_carrier_sock || c == &weft_carrier_hybrid
		 : has_key(ep);
}

static int name_by_rule(struct weft_ep *ep)
{
	char text[INET6_ADDRSTRLEN];
	int err = weft_addr_default_route(&ep->name);

	if (err)
		weft_log_once(
			WEFT_LOG_ERROR,
			"ofi: no interface except the loopback is up with an "
			"%s address, so other hosts cannot reach this one; set "
			"FI_WEFT_IFACE to select an interface, or "
			"FI_WEFT_FAMILY to inet or inet6",
			family_text(ep));
	else
		weft_log(WEFT_LOG_INFO,
			 "ofi: endpoint address %s; set FI_WEFT_IFACE to "
			 "select another",
			 weft_name_host_text(&ep->name, text));
	return err;
}

/* Chooses the endpoint's address; an address requested by the user is kept. */
static int name_choose(struct weft_ep *ep)
{
	const char *iface = weft_conf()->iface;

	if (!has_socket(ep) || !is_loopback(ep))
		return 0;
	if (*iface) {
		int err = weft_addr_iface(iface, &ep->name);

		if (err)
			weft_log_once(WEFT_LOG_ERROR,
				      "ofi: FI_WEFT_IFACE=%s: no interface of "
				      "that name has an %s address",
				      iface, family_text(ep));
		return err;
	}
	return ep->anywhere && has_key(ep) ? name_by_rule(ep) : 0;
}

/*
 * Checks that an endpoint that other hosts can reach has a key, or that the
 * user has declared the network trusted.
 */
static int key_check(const struct weft_ep *ep)
{
	const char *key = weft_conf()->key;

	if (!has_socket(ep) || ep->key_bytes || is_loopback(ep) ||
	    !strcmp(key, "none") || strlen(key) >= KEY_MIN)
		return 0;
	weft_log_once(WEFT_LOG_ERROR,
		      "ofi: other hosts can reach this endpoint: set "
		      "FI_WEFT_KEY to a secret of %u characters or more, equal "
		      "on all hosts, or to none if the network is trusted",
		      KEY_MIN);
	return -EACCES;
}

int weft_ep_addr_choose(struct weft_ep *ep,
			const struct weft_carrier_ops **carrier_p)
{
	const struct weft_carrier_ops *requested = weft_conf()->carrier;
	int err = name_choose(ep);

	if (!err)
		err = key_check(ep);
	if (err)
		return err;
	if (requested == &weft_carrier_shm && ep->anywhere && ep->key_bytes)
		weft_log_once(
			WEFT_LOG_WARN,
			"ofi: FI_WEFT_CARRIER=shm: shared memory does "
			"not reach other hosts; use auto, hybrid or sock");
	if (requested)
		*carrier_p = requested;
	else
		*carrier_p = has_socket(ep) && !is_loopback(ep)
				     ? &weft_carrier_hybrid
				     : &weft_carrier_shm;
	return 0;
}

void weft_ep_key_set(const struct weft_ep *ep, struct weft_nic_attr *attr)
{
	const char *text = weft_conf()->key;

	attr->key = ep->key_bytes ? (const void *)ep->key : text;
	attr->key_bytes = ep->key_bytes;
	if (!ep->key_bytes && strcmp(text, "none"))
		attr->key_bytes = strlen(text);
}
