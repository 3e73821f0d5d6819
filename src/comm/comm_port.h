/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Ports, by which processes of several jobs connect. A port is a number of the
 * process that opened it; its name also contains the name of the endpoint of
 * that process:
 *
 *   weft:0badcafe:02002345...
 *
 * In a job with a key (boot_secret.h) the name begins with the number of the
 * key: only processes that have the key can send to the port. A job and the
 * jobs that it spawns have one key.
 *
 *   connecting root                       accepting root
 *   request: identity, number  -------->  port number
 *   number                     <--------  answer: identity, tag
 *   both create the intercommunicator as MPI_Intercomm_create does, with
 *   messages between the roots that have the tag
 *
 * The functions are collective over comm; only the root uses the port's name.
 * They return 0 or -errno; -ENXIO: there is no such port, -EKEYREJECTED: the
 * port belongs to a job with another key.
 */
#ifndef WEFT_COMM_PORT_H
#define WEFT_COMM_PORT_H

#include "src/comm/comm.h"

/* Opens a port and writes its name. Returns 0 or -errno. */
int weft_comm_port_open(char name[MPI_MAX_PORT_NAME]);
/*
 * Closes a port of this process. Returns 0, or -ENXIO if there is no such port.
 */
int weft_comm_port_close(const char *name);

int weft_comm_port_accept(struct weft_comm *c, int root, const char *name,
			  struct weft_comm **comm_p);
int weft_comm_port_connect(struct weft_comm *c, int root, const char *name,
			   struct weft_comm **comm_p);

/*
 * Sends the root's result rc to all members of c, so that the operation fails
 * at all of them if the root cannot open a port. Returns the root's result.
 */
int weft_comm_port_agree(struct weft_comm *c, int root, int rc);

/*
 * For MPI_Comm_join: connects two processes that have exchanged the names of
 * their ports. Both processes call the function; the one whose port has the
 * lower name accepts.
 */
int weft_comm_port_join(struct weft_comm *self, const char *mine,
			const char *theirs, struct weft_comm **comm_p);

#endif
