/* SPDX-License-Identifier: BSD-3-Clause */
/* Named paths of a node's network interface, and the buses that they share. */
#include "prov/net/file/net_file_int.h"

#include <errno.h>
#include <string.h>

/*
 * Copies the next word of text to name. Returns NULL if no word is left or the
 * word is too long.
 */
static const char *word(const char *text, char *name, size_t len)
{
	size_t n;

	text += strspn(text, " ,");
	n = strcspn(text, " ,");
	if (!n || n >= len)
		return NULL;
	memcpy(name, text, n);
	name[n] = 0;
	return text + n;
}

static struct net_path *path_find(struct net_config *cfg, const char *name)
{
	for (unsigned i = 0; i < cfg->paths; i++)
		if (!strcmp(cfg->path[i].name, name))
			return &cfg->path[i];
	return NULL;
}

static struct net_bus *bus_find(const struct net_config *cfg, const char *name)
{
	for (unsigned i = 0; i < cfg->buses; i++)
		if (!strcmp(cfg->bus[i].name, name))
			return (struct net_bus *)(uintptr_t)&cfg->bus[i];
	return NULL;
}

int file_paths(const char *text, struct net_config *cfg)
{
	char name[sizeof(cfg->path[0].name)];

	while (*text) {
		text = word(text, name, sizeof(name));
		if (!text || cfg->paths == NET_PATHS_MAX ||
		    path_find(cfg, name))
			return -EINVAL;
		memcpy(cfg->path[cfg->paths++].name, name, sizeof(name));
	}
	return 0;
}

int file_buses(const char *text, struct net_config *cfg)
{
	char name[sizeof(cfg->bus[0].name)];

	while (*text) {
		text = word(text, name, sizeof(name));
		if (!text || cfg->buses == NET_BUSES_MAX || bus_find(cfg, name))
			return -EINVAL;
		memcpy(cfg->bus[cfg->buses++].name, name, sizeof(name));
	}
	return 0;
}

int file_bus_mask(const char *text, const struct net_config *cfg,
		  uint8_t *mask_p)
{
	char name[sizeof(cfg->bus[0].name)];
	const struct net_bus *bus;

	*mask_p = 0;
	while (*text) {
		text = word(text, name, sizeof(name));
		bus = text ? bus_find(cfg, name) : NULL;
		if (!bus)
			return -EINVAL;
		*mask_p |= (uint8_t)(1u << (bus - cfg->bus));
	}
	return 0;
}

void *file_part(const char *name, unsigned flags, struct net_config *cfg)
{
	return flags & FILE_OF_PATH ? (void *)path_find(cfg, name)
				    : (void *)bus_find(cfg, name);
}
