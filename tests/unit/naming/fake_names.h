/* Threads in place of uimon-names.exe. They name an address "MODULE+RVA", in line RVA + 1 of a file
 * called as the search path. They know a few modules by which things go wrong: "dies" ends the
 * process, "slow" never answers, "babbles" sends what is no frame, and "dies once" ends it the
 * first time that it is asked for 700. */
#ifndef UM_TESTS_FAKE_NAMES_H
#define UM_TESTS_FAKE_NAMES_H

#include <stdatomic.h>
#include <stdbool.h>

#include "ipc/transport.h"

/* Generated code at this offset, and at the next, has two names of 609 bytes that differ in their
 * last one. */
#define FAKE_NAMES_LONG 0x7770u

/* Generated code at this offset calls native code. */
#define FAKE_NAMES_STUB 0x7780u

/* From now on such threads are started. Returns the transport by which they are reached. */
const struct um_transport *fake_names_start(void);

/* From now on none can be started. */
void fake_names_refuse(void);

/* Until it is false, they find their answers, and wait. */
void fake_names_hold(bool held);

/* Waits for all threads; who talked to them has closed his ends. */
void fake_names_end(void);

extern atomic_uint fake_names_asked; /* addresses that reached a process */

/* What is wrong with the PDB of generated code, enum um_names_pdb. The code is of C:\my\plug.dll,
 * the build 5 of 6 bytes. */
extern atomic_uint fake_names_pdb;

#endif
