#include "tests/unit/naming/fake_names.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "base/plain/clock.h"
#include "base/thread.h"
#include "names/serve.h"
#include "tests/conformance/transport_memory.h"
#include "tests/unit/live/fake_target.h"

#define PROCESSES 8

struct fake {
    struct um_thread thread;
    struct um_conn *conn;
    char module[32];
    char searched[32];
    bool dies;
    uint32_t pid;
    uint64_t base; /* of the module */
};

static struct fake fakes[PROCESSES];
static unsigned fake_count;
static atomic_bool died_once;
static atomic_bool is_held;
static struct um_transport transport;
atomic_uint fake_names_asked;
atomic_uint fake_names_pdb;

static enum um_status read_conn(void *context, uint8_t *bytes, size_t cap_bytes, size_t *len_bytes)
{
    struct fake *fake = context;
    if (fake->dies)
        return UM_ERR_IO;
    return um_transport_memory()->read(fake->conn, bytes, cap_bytes, UM_TRANSPORT_FOREVER,
                                       len_bytes);
}

static enum um_status write_conn(void *context, const uint8_t *bytes, size_t len_bytes)
{
    struct fake *fake = context;
    if (fake->dies)
        return UM_ERR_IO;
    return um_transport_memory()->write(fake->conn, bytes, len_bytes, UM_TRANSPORT_FOREVER);
}

static void take_search(void *context, const char *path)
{
    struct fake *fake = context;
    snprintf(fake->searched, sizeof fake->searched, "%s", path);
}

static void take_module(void *context, const struct um_names_module *module)
{
    struct fake *fake = context;
    snprintf(fake->module, sizeof fake->module, "%s", module->path);
    fake->base = module->base;
}

/* Waits until the monitor gives up. */
static void never_answer(struct fake *fake)
{
    uint8_t byte;
    size_t len;
    while (um_transport_memory()->read(fake->conn, &byte, 1, UM_TRANSPORT_FOREVER, &len) == UM_OK)
        continue;
    fake->dies = true;
}

static void take_process(void *context, uint32_t pid)
{
    struct fake *fake = context;
    fake->pid = pid;
}

static void find(void *context, const struct um_names_address *address, struct um_names_name *name)
{
    uint32_t rva = address->rva;
    struct fake *fake = context;
    bool once = strcmp(fake->module, "dies once") == 0;

    atomic_fetch_add(&fake_names_asked, 1);
    if (strcmp(fake->module, "dies") == 0 || (once && rva == 700 && !atomic_load(&died_once)))
        fake->dies = true;
    if (once && fake->dies)
        atomic_store(&died_once, true);
    if (strcmp(fake->module, "slow") == 0)
        never_answer(fake);
    while (atomic_load(&is_held))
        um_clock_sleep_ns(UM_CLOCK_NS_PER_MS);
    if (strcmp(fake->module, "babbles") == 0)
        um_transport_memory()->write(fake->conn, "babble babble", 13, FAKE_HANG_MS);
    if (fake->module[0] == '\0') { /* generated code */
        name->kind = UM_NAMES_MANAGED;
        snprintf(name->name, sizeof name->name, "My.Type%u.Method+%u in %u",
                 (unsigned)(fake->base >> 32), rva, fake->pid);
        if (rva == FAKE_NAMES_STUB)
            strcpy(name->name, "ILStubClass.IL_STUB_PInvoke(MSG ByRef)");
        if (rva / 2 == FAKE_NAMES_LONG / 2)
            snprintf(name->name, sizeof name->name, "My.Method%0600u", rva);
        strcpy(name->file, "C:\\my\\Type.cs");
        strcpy(name->assembly, "C:\\my\\plug.dll");
        name->assembly_timestamp = 5;
        name->assembly_bytes = 6;
        strcpy(name->checksum, "md5:900150983cd24fb0d6963f7d28e17f72");
        name->line = 42;
        name->is_nearest = 1;
        name->pdb = (uint8_t)atomic_load(&fake_names_pdb);
        if (name->pdb != UM_NAMES_PDB_GOOD) {
            name->file[0] = '\0';
            name->line = name->is_nearest = 0;
        }
        return;
    }
    name->kind = UM_NAMES_DEBUG;
    name->line = rva + 1;
    snprintf(name->name, sizeof name->name, "%s+%u", fake->module, rva);
    snprintf(name->file, sizeof name->file, "%s", fake->searched);
}

static void run(void *context)
{
    struct fake *fake = context;
    const struct um_serve_io io = {fake, read_conn, write_conn};
    const struct um_serve_symbols symbols = {fake, take_search, take_module, find, take_process};
    um_serve(&io, &symbols);
    um_transport_memory()->shut(fake->conn);
    um_transport_memory()->close(fake->conn);
}

static enum um_status start_fake(intptr_t handle)
{
    struct fake *fake = &fakes[fake_count++];
    cr_assert_leq(fake_count, PROCESSES);
    cr_assert_eq(um_transport_memory()->adopt(handle, &fake->conn), UM_OK);
    return um_thread_start(run, fake, &fake->thread);
}

static enum um_status start_none(intptr_t handle)
{
    struct um_conn *conn;
    cr_assert_eq(um_transport_memory()->adopt(handle, &conn), UM_OK);
    um_transport_memory()->close(conn);
    return UM_ERR_NOT_FOUND;
}

/* In one process there is one handle of the connection, which the thread has taken over. */
static enum um_status adopt_none(intptr_t handle, struct um_conn **conn)
{
    (void)handle, (void)conn;
    return UM_ERR_ARG;
}

const struct um_transport *fake_names_start(void)
{
    transport = *um_transport_memory();
    transport.adopt = adopt_none;
    fake_target_start();
    fake_part_is(start_fake);
    return &transport;
}

void fake_names_hold(bool held)
{
    atomic_store(&is_held, held);
}

void fake_names_refuse(void)
{
    fake_part_is(start_none);
}

void fake_names_end(void)
{
    fake_names_hold(false);
    for (unsigned i = 0; i < fake_count; i++)
        um_thread_join(&fakes[i].thread);
}
