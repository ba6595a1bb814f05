/* The network's own tables: network.c has them. */
#ifndef NETWORK_H
#define NETWORK_H

#include "net.h"
#include "network_data.h"

extern const char network_name[];
extern const struct net_step network_steps[];
extern const struct net_file network_files[];
/* By step. */
extern const struct net_golden network_goldens[];

#endif
