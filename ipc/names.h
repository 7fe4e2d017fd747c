/* The protocol between the monitor and uimon-names: the monitor sends addresses, and gets their
 * names. This header specifies the format and declares its encoder and decoder. Not on the hot
 * path.
 *
 * Stream. Each side sends a preamble of 8 bytes, followed by frames:
 *
 *   preamble   offset 0  u32  magic, "UINA" (0x414e4955)
 *                     4  u16  version, UM_NAMES_VERSION
 *                     6  u16  flags, 0; a reader refuses others
 *   frame             0  u16  length of the payload in bytes, at most UM_NAMES_MAX_PAYLOAD
 *                     2  u8   type (enum um_names_type)
 *                     3  u8   flags, 0
 *                     4       payload
 *
 * The monitor may send SEARCH once, before the first MODULE. PROCESS precedes the MODULEs of a
 * process whose memory may be read for names. Each MODULE is the one of all ADDRESSes after it.
 * uimon-names sends one NAME for each ADDRESS, in the same order. If uimon-names ends, another one
 * can go on after the same SEARCH, PROCESS and MODULE.
 *
 * Payload. The fields lie in the order of the struct, in the size of their C type and without
 * padding; the number that begins a field's comment is its offset. Numbers are little-endian. A
 * char array is a u16 length in bytes and that many bytes of UTF-8 without a NUL. The decoder puts
 * '?' for bytes that are not UTF-8, and cuts a text that is too long for the array. Both programs
 * are of the same version of uimon, so a reader refuses whatever it does not know.
 */
#ifndef UM_IPC_NAMES_H
#define UM_IPC_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/checksum.h"
#include "base/plain/status.h"

#define UM_NAMES_MAGIC UINT32_C(0x414e4955)
#define UM_NAMES_VERSION 5
#define UM_NAMES_PREAMBLE_BYTES 8
#define UM_NAMES_HEADER_BYTES 4
#define UM_NAMES_MAX_PAYLOAD 4096
#define UM_NAMES_MAX_BYTES (UM_NAMES_HEADER_BYTES + UM_NAMES_MAX_PAYLOAD)

/* To write a minidump, uimon-names is started with one of these options, a process id and a file.
 * UM_NAMES_DUMP writes it from a snapshot, and does not stop the program. The file is made once
 * the snapshot is taken, so that the monitor knows when that was. If there can be none,
 * uimon-names writes nothing and ends with UM_NAMES_NO_SNAPSHOT. The monitor then decides whether
 * to use UM_NAMES_DUMP_STOPPED, and ends uimon-names if the program's threads are still suspended
 * after UM_NAMES_SUSPENDED_MOST_S. If the monitor is gone, uimon-names does that itself, a second
 * later. Either of them resumes the threads. */
#define UM_NAMES_DUMP "--dump"
#define UM_NAMES_DUMP_STOPPED "--dump-stopped"
#define UM_NAMES_NO_SNAPSHOT 3
#define UM_NAMES_SUSPENDED_MOST_S 5

/* Sizes of texts, with their NUL. */
#define UM_NAMES_SEARCH_BYTES 4094
#define UM_NAMES_PATH_BYTES 1024
#define UM_NAMES_NAME_BYTES 1024

/* So many ADDRESSes may wait for their NAME. They and their NAMEs fit into the pipe, so that
 * neither side ever waits for the other to read. */
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
    UM_NAMES_NOWHERE = 0, /* there is no name; enum um_names_why says why */
    UM_NAMES_DEBUG = 1, /* debug information, or symbol table and unwind data: it is the function */
    UM_NAMES_EXPORT = 2,  /* the nearest export or symbol before it; may be another function */
    UM_NAMES_MANAGED = 3, /* the runtime of managed code: it is the method */
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
    UM_NAMES_NO_RUNTIME = 10, /* this and the following: for code that only a runtime can name */
    UM_NAMES_NO_DAC = 11,
    UM_NAMES_UNTRUSTED_DAC = 12,
    UM_NAMES_OTHER_DAC = 13,
    UM_NAMES_UNREADABLE = 14,
    UM_NAMES_NO_METHOD = 15,
    UM_NAMES_RAN_AWAY = 16,
    UM_NAMES_WHY_COUNT = 17,
};

/* What is wrong with the PDB of a managed method's assembly. */
enum um_names_pdb {
    UM_NAMES_PDB_GOOD = 0,
    UM_NAMES_PDB_OTHER = 1,
    UM_NAMES_PDB_WINDOWS = 2,
    UM_NAMES_PDB_DAMAGED = 3,
    UM_NAMES_PDB_MISSING = 4, /* none was found beside it, in it, or on the path for symbols */
    UM_NAMES_PDB_NONE = 5,    /* the assembly names none */
    UM_NAMES_PDB_COUNT = 6,
};

/* Where symbols are looked for, in addition to the folder of each module. */
struct um_names_search {
    char path[UM_NAMES_SEARCH_BYTES]; /* 0: written as in _NT_SYMBOL_PATH; "": nowhere */
};

/* With an empty path and no size: generated code, which is in no file. */
struct um_names_module {
    uint32_t timestamp;             /* 0: in the image's header; 0: not known */
    uint32_t image_bytes;           /* 4: its size in memory by that header; 0: not known */
    uint64_t base;                  /* 8: where it lies in the process; 0: not known */
    char path[UM_NAMES_PATH_BYTES]; /* 16 */
};

struct um_names_address {
    uint32_t number; /* 0: chosen by the monitor, and repeated in the NAME */
    uint32_t rva;    /* 4: of a byte of the module, from its base */
    uint32_t round;  /* 8: when it changes, the process's memory is read anew */
};

struct um_names_process_id {
    uint32_t pid; /* 0 */
};

struct um_names_name {
    uint32_t number;       /* 0: of the address */
    uint32_t displacement; /* 4: from the start of the function or symbol to the address */
    uint32_t line;         /* 8: from 1; 0: not known */
    uint32_t first_line;   /* 12: of the whole function in that file; 0: not known */
    uint32_t last_line;    /* 16: not below it */
    uint8_t kind;          /* 20: enum um_names_kind */
    uint8_t why;           /* 21: enum um_names_why; FOUND if and only if there is a name */
    uint8_t pdb;           /* 22: enum um_names_pdb; only for methods */
    uint8_t is_nearest;    /* 23: 1: `line` is only the nearest one before that is known; 0 or 1 */
    uint32_t assembly_timestamp;    /* 24: of a method's assembly, as in struct um_names_module */
    uint32_t assembly_bytes;        /* 28: image_bytes there */
    char name[UM_NAMES_NAME_BYTES]; /* 32 */
    char file[UM_NAMES_PATH_BYTES]; /* of the source; "": not known */
    /* Of a method: the path of its assembly's file, or the assembly's name if it came from no
     * file; "": not known. */
    char assembly[UM_NAMES_PATH_BYTES];
    char checksum[UM_CHECKSUM_BYTES]; /* of the source (base/checksum.h); "": not known */
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

/* Why there is no name, in a few words; "unknown" for a number outside the list. Owner: static
 * text. */
const char *um_names_why_text(unsigned why);

/* The same for what is wrong with a PDB. */
const char *um_names_pdb_text(unsigned pdb);

/* Whether the address is so far behind an export that it is probably in another function, and is to
 * be shown as "export, may be another function". 19 of 20 functions are shorter than that.
 * Source: the exception directories of uimon's programs and of SDL's libraries. */
#define UM_NAMES_DOUBTFUL_BYTES 1024
bool um_names_is_doubtful(unsigned kind, uint32_t displacement);

#endif
