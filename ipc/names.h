/* What the monitor and uimon-names say to each other: addresses one way, their names the other.
 * This header specifies the format and declares its encoder and decoder. Not on the hot path.
 *
 * Stream. Each side sends a preamble of 8 bytes, followed by frames:
 *
 *   preamble   offset 0  u32  magic, "UINA" (0x414e4955)
 *                     4  u16  version, 1
 *                     6  u16  flags, 0; a reader refuses others
 *   frame             0  u16  length of the payload in bytes, at most UM_NAMES_MAX_PAYLOAD
 *                     2  u8   type (enum um_names_type)
 *                     3  u8   flags, 0
 *                     4       payload
 *
 * The monitor sends SEARCH once, before the first MODULE; it may leave it out. PROCESS precedes the
 * MODULEs that lie in a process whose memory may be read for their names. Each MODULE says which
 * file the ADDRESSes behind it lie in. uimon-names sends one NAME for each ADDRESS, in the
 * same order. It keeps nothing that the monitor would have to send it twice, so a new process can
 * go on where another one has ended.
 *
 * Payload. The fields lie in the order of the struct, in the size of their C type and without
 * padding; the number that begins a field's comment is its offset. Numbers are little-endian. A
 * char array is a u16 length in bytes and that many bytes of UTF-8 without a NUL; '?' stands for
 * what is not UTF-8, and a text that is too long for the array is cut. Both programs are of the
 * same version of uimon, so a reader refuses whatever it does not know.
 */
#ifndef UM_IPC_NAMES_H
#define UM_IPC_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ipc/status.h"

#define UM_NAMES_MAGIC UINT32_C(0x414e4955)
#define UM_NAMES_VERSION 1
#define UM_NAMES_PREAMBLE_BYTES 8
#define UM_NAMES_HEADER_BYTES 4
#define UM_NAMES_MAX_PAYLOAD 4096
#define UM_NAMES_MAX_BYTES (UM_NAMES_HEADER_BYTES + UM_NAMES_MAX_PAYLOAD)

/* For a minidump uimon-names is started with one of these, a process id and a file. From a snapshot
 * it stops nothing. Where it can have none it has done nothing, and ends with UM_NAMES_NO_SNAPSHOT:
 * the monitor is to decide whether the program may be stopped for it, and to look after its threads
 * then. */
#define UM_NAMES_DUMP "--dump"
#define UM_NAMES_DUMP_STOPPED "--dump-stopped"
#define UM_NAMES_NO_SNAPSHOT 3

/* Of texts, with their NUL. */
#define UM_NAMES_SEARCH_BYTES 4094
#define UM_NAMES_PATH_BYTES 1024
#define UM_NAMES_NAME_BYTES 1024

/* So many ADDRESSes may wait for their NAME. What they and their NAMEs take fits into the pipe, so
 * neither side can wait for the other to read. */
#define UM_NAMES_WINDOW 64

enum um_names_type {
    UM_NAMES_SEARCH = 1,
    UM_NAMES_MODULE = 2,
    UM_NAMES_ADDRESS = 3,
    UM_NAMES_NAME = 4,
    UM_NAMES_PROCESS = 5,
};

/* Where a name comes from. */
enum um_names_kind {
    UM_NAMES_NOWHERE = 0, /* there is none; um_names_why says why */
    UM_NAMES_DEBUG = 1,   /* debug information, or symbol table and unwind data: the function */
    UM_NAMES_EXPORT = 2,  /* the nearest export or symbol before it: may be another function */
    UM_NAMES_MANAGED = 3, /* a runtime of managed code: it is the method */
    UM_NAMES_KIND_COUNT = 4,
};

/* Why there is no name. */
enum um_names_why {
    UM_NAMES_FOUND = 0,
    UM_NAMES_NO_FILE = 1,
    UM_NAMES_REFUSED = 2,
    UM_NAMES_NO_MODULE = 3,
    UM_NAMES_CUT_OFF = 4,
    UM_NAMES_OTHER_BUILD = 5,
    UM_NAMES_NO_SYMBOLS = 6,
    UM_NAMES_OUTSIDE = 7,
    UM_NAMES_FAILED = 8,
    UM_NAMES_ENDED = 9,
    UM_NAMES_NO_RUNTIME = 10, /* from here on: of code that only a runtime can name */
    UM_NAMES_NO_DAC = 11,
    UM_NAMES_UNTRUSTED_DAC = 12,
    UM_NAMES_OTHER_DAC = 13,
    UM_NAMES_UNREADABLE = 14,
    UM_NAMES_NO_METHOD = 15,
    UM_NAMES_RAN_AWAY = 16,
    UM_NAMES_WHY_COUNT = 17,
};

/* Where the symbols of all modules are looked for, besides beside them. */
struct um_names_search {
    char path[UM_NAMES_SEARCH_BYTES]; /* 0: written as in _NT_SYMBOL_PATH; "": nowhere */
};

/* With an empty path and no size it stands for addresses of generated code, which is in no file. */
struct um_names_module {
    uint32_t timestamp;             /* 0: of the image's header; 0: not known */
    uint32_t image_bytes;           /* 4: its size in memory by that header; 0: not known */
    uint64_t base;                  /* 8: where it lies in the process; 0: not known */
    char path[UM_NAMES_PATH_BYTES]; /* 16 */
};

struct um_names_address {
    uint32_t number; /* 0: the asker's */
    uint32_t rva;    /* 4: of a byte of the module, from its base */
    uint32_t round;  /* 8: what was read of the process's memory in another round is read anew */
};

struct um_names_process_id {
    uint32_t pid; /* 0 */
};

struct um_names_name {
    uint32_t number;       /* 0: of the address */
    uint32_t displacement; /* 4: from the begin of what has the name to the address */
    uint32_t line;         /* 8: from 1; 0: not known */
    uint8_t kind;          /* 12: enum um_names_kind */
    uint8_t why;           /* 13: enum um_names_why; FOUND if and only if there is a name */
    char name[UM_NAMES_NAME_BYTES]; /* 14 */
    char file[UM_NAMES_PATH_BYTES]; /* of the source; "": not known */
};

struct um_names_frame {
    uint8_t type; /* enum um_names_type */
    union {
        struct um_names_search search;
        struct um_names_module module;
        struct um_names_address address;
        struct um_names_name name;
        struct um_names_process_id process;
    } as;
};

/* Units: `bytes` has UM_NAMES_PREAMBLE_BYTES. */
void um_names_preamble(uint8_t *bytes);

/* Checks what a stream begins with. Errors: UM_ERR_PARTIAL more bytes are needed; UM_ERR_FORMAT;
 * UM_ERR_VERSION. */
enum um_status um_names_check_preamble(const uint8_t *bytes, size_t len_bytes);

/* Writes a frame. Units: `bytes` has UM_NAMES_MAX_BYTES. Returns how many it takes; 0 if the type
 * is not known. */
size_t um_names_encode(const struct um_names_frame *frame, uint8_t *bytes);

/* Reads the frame that the bytes begin with. `frame` and `consumed_bytes` are untouched on failure.
 * Errors: UM_ERR_PARTIAL more bytes are needed; UM_ERR_TOO_LARGE its payload is longer than any;
 * UM_ERR_FORMAT. */
enum um_status um_names_decode(const uint8_t *bytes, size_t len_bytes, struct um_names_frame *frame,
                               size_t *consumed_bytes);

/* Why there is no name, in a few words for a parenthesis; "unknown" for what is not in the list.
 * Owner: static text. */
const char *um_names_why_text(unsigned why);

/* Whether the address is so far behind an export that it is likely to be in another function, and
 * is to be shown as "export, may be another function": 19 of 20 functions are shorter than that.
 * Source: the exception directories of uimon's programs and of SDL's libraries. */
#define UM_NAMES_DOUBTFUL_BYTES 1024
bool um_names_is_doubtful(unsigned kind, uint32_t displacement);

#endif
