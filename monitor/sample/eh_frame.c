#include "monitor/sample/eh_frame.h"

#include <stdlib.h>
#include <string.h>

#include "base/plain/bytes.h"

#define LEN_BYTES 4
#define ID_BYTES 4
#define RECORD_BYTES (LEN_BYTES + ID_BYTES)
#define STATES 8       /* that a function may remember at a time */
#define STACK_WORDS 16 /* of an expression */
#define STEPS 256      /* of an expression */

/* How an address is written in a record: its form, and what it is relative to. */
enum {
    FORM_POINTER = 0x00,
    FORM_UNSIGNED = 0x03,
    FORM_SIGNED = 0x0b,
    FORM_BITS = 0x0f,
    RELATIVE_TO_ITSELF = 0x10,
    RELATIVE_BITS = 0x70,
    LEFT_OUT = 0xff
};

/* A reader of the section's bytes. After a failure it stays failed, and gives zeros. */
struct cursor {
    const struct um_eh_frame *eh_frame;
    size_t at, end;
    bool failed;
};

/* What a CIE says about the records that refer to it. */
struct common {
    uint32_t code_factor;
    int32_t data_factor;
    uint8_t encoding; /* of addresses */
    bool has_more;    /* FDEs have data of their own before their instructions */
    size_t code, code_end;
};

/* A row of the table that the instructions of a record make, and what is needed on the way. */
struct machine {
    const struct common *common;
    uint32_t rva; /* of the row */
    struct um_eh_frame_row row;
    struct um_eh_frame_row first; /* after the CIE */
    struct um_eh_frame_row kept[STATES];
    size_t kept_count;
};

static uint32_t take(struct cursor *cursor, size_t bytes)
{
    if (cursor->failed || bytes > cursor->end - cursor->at) {
        cursor->failed = true;
        return 0;
    }
    size_t at = cursor->at;
    cursor->at += bytes;
    return (uint32_t)um_bytes_get(cursor->eh_frame->bytes + at, bytes);
}

/* A number in groups of seven bits, the lowest first. What does not fit into 32 bits is lost. */
static uint32_t take_leb(struct cursor *cursor, bool is_signed)
{
    uint32_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint32_t byte = take(cursor, 1);
        if (shift < 32)
            value |= (byte & 0x7f) << shift;
        if ((byte & 0x80) == 0) {
            if (is_signed && (byte & 0x40) && shift + 7 < 32)
                value |= UINT32_MAX << (shift + 7);
            return value;
        }
    }
}

static uint32_t take_unsigned(struct cursor *cursor)
{
    return take_leb(cursor, false);
}

static int32_t take_signed(struct cursor *cursor)
{
    return (int32_t)take_leb(cursor, true);
}

static void skip(struct cursor *cursor, uint32_t bytes)
{
    if (cursor->failed || bytes > cursor->end - cursor->at)
        cursor->failed = true;
    else
        cursor->at += bytes;
}

/* An address as an RVA, or a length. */
static uint32_t take_address(struct cursor *cursor, uint8_t encoding, bool is_length)
{
    uint8_t form = encoding & FORM_BITS;
    uint8_t relative = encoding & RELATIVE_BITS;
    uint32_t here = cursor->eh_frame->rva + (uint32_t)cursor->at;
    uint32_t value = take(cursor, 4);
    if ((form != FORM_POINTER && form != FORM_UNSIGNED && form != FORM_SIGNED) ||
        (relative != 0 && relative != RELATIVE_TO_ITSELF) || (encoding & 0x80))
        cursor->failed = true;
    if (is_length)
        return value;
    return relative == 0 ? value - cursor->eh_frame->base : value + here;
}

/* The record at an offset: a cursor behind its identifier. False: there is none, or it is not
 * whole. */
static bool open_record(const struct um_eh_frame *eh_frame, size_t at, struct cursor *cursor,
                        uint32_t *id)
{
    if (at > eh_frame->len || eh_frame->len - at < RECORD_BYTES)
        return false;
    uint32_t len = um_bytes_get32(eh_frame->bytes + at);
    if (len < ID_BYTES || len > eh_frame->len - at - LEN_BYTES)
        return false;
    *id = um_bytes_get32(eh_frame->bytes + at + LEN_BYTES);
    *cursor =
        (struct cursor){.eh_frame = eh_frame, .at = at + RECORD_BYTES, .end = at + LEN_BYTES + len};
    return true;
}

static void skip_pointer(struct cursor *cursor)
{
    uint8_t form = (uint8_t)take(cursor, 1) & FORM_BITS;
    if (form != FORM_POINTER && form != FORM_UNSIGNED && form != FORM_SIGNED)
        cursor->failed = true;
    skip(cursor, 4);
}

/* What the letters of a CIE's augmentation stand for. */
static void take_augmentation(struct cursor *cursor, const char *letters, struct common *common)
{
    if (letters[0] != 'z')
        return;
    common->has_more = true;
    uint32_t len = take_unsigned(cursor);
    size_t begin = cursor->at;
    for (letters++; *letters; letters++)
        if (*letters == 'R')
            common->encoding = (uint8_t)take(cursor, 1);
        else if (*letters == 'L')
            skip(cursor, 1);
        else if (*letters == 'P')
            skip_pointer(cursor);
        else if (*letters != 'S')
            break; /* what follows is not known, but its length is */
    cursor->at = begin;
    skip(cursor, len);
}

/* Reads a CIE. False: it is none, or not of this kind. */
static bool read_common(const struct um_eh_frame *eh_frame, size_t at, struct common *common)
{
    struct cursor cursor;
    char letters[8] = "";
    uint32_t id;
    if (!open_record(eh_frame, at, &cursor, &id) || id != 0)
        return false;
    uint32_t version = take(&cursor, 1);
    size_t count = 0;
    for (uint32_t letter = take(&cursor, 1); letter != 0 && count + 1 < sizeof letters;
         letter = take(&cursor, 1))
        letters[count++] = (char)letter;
    *common = (struct common){.encoding = FORM_POINTER};
    common->code_factor = take_unsigned(&cursor);
    common->data_factor = take_signed(&cursor);
    uint32_t back = version == 1 ? take(&cursor, 1) : take_unsigned(&cursor);
    take_augmentation(&cursor, letters, common);
    common->code = cursor.at;
    common->code_end = cursor.end;
    return !cursor.failed && (version == 1 || version == 3) && back == UM_EH_FRAME_RETURN &&
           (letters[0] == 'z' || letters[0] == '\0') && common->encoding != LEFT_OUT;
}

/* Reads an FDE up to its instructions. False: it is none, or cannot be read. */
static bool read_function(const struct um_eh_frame *eh_frame, size_t at, struct common *common,
                          struct um_eh_frame_entry *entry, struct cursor *cursor)
{
    uint32_t id;
    if (!open_record(eh_frame, at, cursor, &id) || id == 0 || id > at + LEN_BYTES ||
        !read_common(eh_frame, at + LEN_BYTES - id, common))
        return false;
    entry->record = (uint32_t)at;
    entry->begin_rva = take_address(cursor, common->encoding, false);
    uint32_t len = take_address(cursor, common->encoding, true);
    entry->end_rva = entry->begin_rva + len;
    if (common->has_more)
        skip(cursor, take_unsigned(cursor));
    return !cursor->failed && len > 0 && entry->end_rva > entry->begin_rva;
}

/* The list ------------------------------------------------------------------------------------- */

bool um_eh_frame_is_one(const uint8_t bytes[UM_EH_FRAME_PROBE_BYTES])
{
    uint32_t len = um_bytes_get32(bytes);
    uint8_t version = bytes[RECORD_BYTES];
    uint8_t letter = bytes[RECORD_BYTES + 1];
    return len >= RECORD_BYTES && len < 256 && len % 4 == 0 &&
           um_bytes_get32(bytes + LEN_BYTES) == 0 && (version == 1 || version == 3) &&
           (letter == 'z' || letter == '\0');
}

/* Goes through all records. Returns how many are functions, and fills in as many of `entries` as
 * there is room for. */
static size_t list_functions(const struct um_eh_frame *eh_frame, struct um_eh_frame_entry *entries,
                             size_t cap)
{
    size_t count = 0;
    for (size_t at = 0; at + LEN_BYTES <= eh_frame->len;) {
        struct common common;
        struct cursor cursor;
        struct um_eh_frame_entry entry;
        uint32_t len = um_bytes_get32(eh_frame->bytes + at);
        if (len > eh_frame->len - at - LEN_BYTES)
            break;
        if (len > 0 && read_function(eh_frame, at, &common, &entry, &cursor)) {
            if (count < cap)
                entries[count] = entry;
            count++;
        }
        at += LEN_BYTES + len;
    }
    return count;
}

static int by_begin(const void *a, const void *b)
{
    const struct um_eh_frame_entry *x = a;
    const struct um_eh_frame_entry *y = b;
    return x->begin_rva < y->begin_rva ? -1 : x->begin_rva > y->begin_rva;
}

enum um_status um_eh_frame_open(uint8_t *bytes, size_t len, uint32_t base, uint32_t rva,
                                struct um_eh_frame *eh_frame)
{
    struct um_eh_frame opened = {.bytes = bytes, .len = len, .base = base, .rva = rva};
    enum um_status status = len > UM_EH_FRAME_MOST_BYTES ? UM_ERR_TOO_LARGE : UM_OK;
    if (status == UM_OK) {
        opened.count = list_functions(&opened, NULL, 0);
        opened.entries = calloc(opened.count + 1, sizeof opened.entries[0]);
        status = opened.entries ? UM_OK : UM_ERR_MEMORY;
    }
    if (status != UM_OK) {
        free(bytes);
        return status; /* cppcheck-suppress memleak ; there are no entries here */
    }
    (void)list_functions(&opened, opened.entries, opened.count);
    qsort(opened.entries, opened.count, sizeof opened.entries[0], by_begin);
    *eh_frame = opened;
    return UM_OK;
}

void um_eh_frame_close(struct um_eh_frame *eh_frame)
{
    free(eh_frame->bytes);
    free(eh_frame->entries);
    memset(eh_frame, 0, sizeof *eh_frame);
}

/* The last function that begins at or below the byte, if it has it; else NULL. */
static const struct um_eh_frame_entry *search(const struct um_eh_frame *eh_frame, uint32_t rva)
{
    size_t low = 0;
    size_t high = eh_frame->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (eh_frame->entries[middle].begin_rva <= rva)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 && rva < eh_frame->entries[low - 1].end_rva ? &eh_frame->entries[low - 1] : NULL;
}

/* Instructions --------------------------------------------------------------------------------- */

/* Sets how a register is found. Those of other numbers (vector registers) do not matter. */
static void set(struct machine *machine, uint32_t number, struct um_eh_frame_place place)
{
    if (number < UM_EH_FRAME_PLACES)
        machine->row.places[number] = place;
}

static void set_offset(struct machine *machine, uint32_t number, enum um_eh_frame_how how,
                       int64_t factored)
{
    set(machine, number,
        (struct um_eh_frame_place){.how = (uint8_t)how,
                                   .offset = (int32_t)(factored * machine->common->data_factor)});
}

static void restore(struct machine *machine, uint32_t number)
{
    if (number < UM_EH_FRAME_PLACES)
        machine->row.places[number] = machine->first.places[number];
}

static struct um_eh_frame_place take_expression(struct cursor *cursor, enum um_eh_frame_how how)
{
    struct um_eh_frame_place place = {.how = (uint8_t)how,
                                      .expression_bytes = take_unsigned(cursor)};
    place.expression = (uint32_t)cursor->at;
    skip(cursor, place.expression_bytes);
    return place;
}

static void set_cfa(struct machine *machine, struct cursor *cursor, uint32_t number, int32_t offset)
{
    if (number >= UM_EH_FRAME_REGISTERS)
        cursor->failed = true;
    machine->row.cfa = (struct um_eh_frame_place){
        .how = UM_EH_FRAME_SUM, .from = (uint8_t)number, .offset = offset};
}

static void keep(struct machine *machine, struct cursor *cursor, bool back)
{
    if (back ? machine->kept_count == 0 : machine->kept_count == STATES)
        cursor->failed = true;
    else if (back)
        machine->row = machine->kept[--machine->kept_count];
    else
        machine->kept[machine->kept_count++] = machine->row;
}

/* Instructions that say how a register is found. Returns false for any other one. */
static bool run_place(struct machine *machine, struct cursor *cursor, uint32_t code)
{
    uint32_t number;
    switch (code) {
    case 0x05: /* DW_CFA_offset_extended */
    case 0x11: /* _sf */
        number = take_unsigned(cursor);
        set_offset(machine, number, UM_EH_FRAME_STORED,
                   code == 0x05 ? (int64_t)take_unsigned(cursor) : take_signed(cursor));
        return true;
    case 0x2f: /* DW_CFA_GNU_negative_offset_extended */
        number = take_unsigned(cursor);
        set_offset(machine, number, UM_EH_FRAME_STORED, -(int64_t)take_unsigned(cursor));
        return true;
    case 0x14: /* DW_CFA_val_offset */
    case 0x15: /* _sf */
        number = take_unsigned(cursor);
        set_offset(machine, number, UM_EH_FRAME_SUM,
                   code == 0x14 ? (int64_t)take_unsigned(cursor) : take_signed(cursor));
        return true;
    case 0x06: /* DW_CFA_restore_extended */
        restore(machine, take_unsigned(cursor));
        return true;
    case 0x07: /* DW_CFA_undefined */
        set(machine, take_unsigned(cursor), (struct um_eh_frame_place){.how = UM_EH_FRAME_UNKNOWN});
        return true;
    case 0x08: /* DW_CFA_same_value */
        set(machine, take_unsigned(cursor), (struct um_eh_frame_place){.how = UM_EH_FRAME_SAME});
        return true;
    case 0x09: { /* DW_CFA_register */
        number = take_unsigned(cursor);
        uint32_t from = take_unsigned(cursor);
        bool is_one = from < UM_EH_FRAME_REGISTERS;
        set(machine, number,
            (struct um_eh_frame_place){.how = is_one ? UM_EH_FRAME_MOVED : UM_EH_FRAME_UNKNOWN,
                                       .from = (uint8_t)(is_one ? from : 0)});
        return true;
    }
    case 0x10: /* DW_CFA_expression */
    case 0x16: /* DW_CFA_val_expression */
        number = take_unsigned(cursor);
        set(machine, number,
            take_expression(cursor, code == 0x10 ? UM_EH_FRAME_STORED_AT : UM_EH_FRAME_EXPRESSION));
        return true;
    default:
        return false;
    }
}

/* Instructions that say what the CFA is, and all others. */
static void run_other(struct machine *machine, struct cursor *cursor, uint32_t code)
{
    uint32_t number;
    switch (code) {
    case 0x00: /* DW_CFA_nop */
        break;
    case 0x0a: /* DW_CFA_remember_state */
        keep(machine, cursor, false);
        break;
    case 0x0b: /* DW_CFA_restore_state */
        keep(machine, cursor, true);
        break;
    case 0x0c: /* DW_CFA_def_cfa */
        number = take_unsigned(cursor);
        set_cfa(machine, cursor, number, (int32_t)take_unsigned(cursor));
        break;
    case 0x12: /* DW_CFA_def_cfa_sf */
        number = take_unsigned(cursor);
        set_cfa(machine, cursor, number,
                (int32_t)((int64_t)take_signed(cursor) * machine->common->data_factor));
        break;
    case 0x0d: /* DW_CFA_def_cfa_register */
        set_cfa(machine, cursor, take_unsigned(cursor), machine->row.cfa.offset);
        break;
    case 0x0e: /* DW_CFA_def_cfa_offset */
        machine->row.cfa.offset = (int32_t)take_unsigned(cursor);
        break;
    case 0x13: /* DW_CFA_def_cfa_offset_sf */
        machine->row.cfa.offset =
            (int32_t)((int64_t)take_signed(cursor) * machine->common->data_factor);
        break;
    case 0x0f: /* DW_CFA_def_cfa_expression */
        machine->row.cfa = take_expression(cursor, UM_EH_FRAME_EXPRESSION);
        break;
    case 0x2e: /* DW_CFA_GNU_args_size: for exceptions */
        (void)take_unsigned(cursor);
        break;
    default:
        cursor->failed = true;
    }
}

/* Where the next row begins, if the instruction begins one; else the present row. */
static uint32_t next_row(const struct machine *machine, struct cursor *cursor, uint32_t code)
{
    uint32_t factor = machine->common->code_factor;
    switch (code) {
    case 0x01: /* DW_CFA_set_loc */
        return take_address(cursor, machine->common->encoding, false);
    case 0x02: /* DW_CFA_advance_loc1, 2, 4 */
        return machine->rva + take(cursor, 1) * factor;
    case 0x03:
        return machine->rva + take(cursor, 2) * factor;
    case 0x04:
        return machine->rva + take(cursor, 4) * factor;
    default:
        return machine->rva;
    }
}

/* Runs instructions up to the row of `rva`. False: they contradict themselves. */
static bool run(struct machine *machine, struct cursor *cursor, uint32_t rva)
{
    while (!cursor->failed && cursor->at < cursor->end) {
        uint32_t code = take(cursor, 1);
        uint32_t low = code & 0x3f;
        uint32_t next = machine->rva;
        if (code >> 6 == 1) /* DW_CFA_advance_loc */
            next += low * machine->common->code_factor;
        else if (code >= 0x01 && code <= 0x04)
            next = next_row(machine, cursor, code);
        else if (code >> 6 == 2) /* DW_CFA_offset */
            set_offset(machine, low, UM_EH_FRAME_STORED, take_unsigned(cursor));
        else if (code >> 6 == 3) /* DW_CFA_restore */
            restore(machine, low);
        else if (!run_place(machine, cursor, code))
            run_other(machine, cursor, code);
        if (next < machine->rva)
            return false;
        if (next > rva)
            break;
        machine->rva = next;
    }
    return !cursor->failed;
}

bool um_eh_frame_find(const struct um_eh_frame *eh_frame, uint32_t rva, struct um_eh_frame_row *row)
{
    const struct um_eh_frame_entry *entry = search(eh_frame, rva);
    struct um_eh_frame_entry same;
    struct common common;
    struct cursor function;
    if (!entry || !read_function(eh_frame, entry->record, &common, &same, &function))
        return false;
    struct machine machine = {.common = &common, .rva = entry->begin_rva};
    struct cursor first = {.eh_frame = eh_frame, .at = common.code, .end = common.code_end};
    machine.row.cfa.how = UM_EH_FRAME_UNKNOWN;
    if (!run(&machine, &first, UINT32_MAX))
        return false;
    machine.rva = entry->begin_rva;
    machine.first = machine.row;
    if (!run(&machine, &function, rva))
        return false;
    *row = machine.row;
    row->begin_rva = entry->begin_rva;
    row->end_rva = entry->end_rva;
    return true;
}

/* Expressions ---------------------------------------------------------------------------------- */

struct evaluation {
    const struct um_eh_frame_state *state;
    struct cursor cursor;
    uint32_t stack[STACK_WORDS];
    size_t depth;
};

static void push(struct evaluation *evaluation, uint32_t value)
{
    if (evaluation->depth == STACK_WORDS)
        evaluation->cursor.failed = true;
    else
        evaluation->stack[evaluation->depth++] = value;
}

static uint32_t pop(struct evaluation *evaluation)
{
    if (evaluation->depth == 0) {
        evaluation->cursor.failed = true;
        return 0;
    }
    return evaluation->stack[--evaluation->depth];
}

static uint32_t register_of(struct evaluation *evaluation, uint32_t number)
{
    const struct um_eh_frame_state *state = evaluation->state;
    if (number >= UM_EH_FRAME_REGISTERS || !(state->known >> number & 1)) {
        evaluation->cursor.failed = true;
        return 0;
    }
    return state->registers[number];
}

static void load(struct evaluation *evaluation)
{
    uint32_t value = 0;
    uint32_t address = pop(evaluation);
    if (!evaluation->cursor.failed &&
        !evaluation->state->load(evaluation->state->context, address, &value))
        evaluation->cursor.failed = true;
    push(evaluation, value);
}

/* Operations on the two topmost values. */
static void combine(struct evaluation *evaluation, uint32_t code)
{
    uint32_t b = pop(evaluation);
    uint32_t a = pop(evaluation);
    push(evaluation, code == 0x1a ? (a & b) : code == 0x1c ? a - b : a + b);
}

static void evaluate(struct evaluation *evaluation)
{
    struct cursor *cursor = &evaluation->cursor;
    uint32_t code = take(cursor, 1);
    if (code >= 0x30 && code <= 0x4f) { /* DW_OP_lit */
        push(evaluation, code - 0x30);
        return;
    }
    if (code >= 0x70 && code <= 0x8f) { /* DW_OP_breg */
        uint32_t base = register_of(evaluation, code - 0x70);
        push(evaluation, base + (uint32_t)take_signed(cursor));
        return;
    }
    switch (code) {
    case 0x06: /* DW_OP_deref */
        load(evaluation);
        break;
    case 0x08: /* DW_OP_const1u, 1s, 2u, 2s, 4u, 4s */
        push(evaluation, take(cursor, 1));
        break;
    case 0x09:
        push(evaluation, (uint32_t)(int8_t)take(cursor, 1));
        break;
    case 0x0a:
        push(evaluation, take(cursor, 2));
        break;
    case 0x0b:
        push(evaluation, (uint32_t)(int16_t)take(cursor, 2));
        break;
    case 0x0c:
    case 0x0d:
        push(evaluation, take(cursor, 4));
        break;
    case 0x10: /* DW_OP_constu, consts */
        push(evaluation, take_unsigned(cursor));
        break;
    case 0x11:
        push(evaluation, (uint32_t)take_signed(cursor));
        break;
    case 0x1a: /* DW_OP_and, minus, plus */
    case 0x1c:
    case 0x22:
        combine(evaluation, code);
        break;
    case 0x23: /* DW_OP_plus_uconst */
        push(evaluation, pop(evaluation) + take_unsigned(cursor));
        break;
    default: /* compilers write no others for x86 */
        cursor->failed = true;
    }
}

/* `first` is on the stack at the begin, if it is given. */
static bool value_of(const struct um_eh_frame *eh_frame, const struct um_eh_frame_place *place,
                     const struct um_eh_frame_state *state, const uint32_t *first, uint32_t *value)
{
    struct evaluation evaluation = {
        .state = state,
        .cursor = {.eh_frame = eh_frame,
                   .at = place->expression,
                   .end = (size_t)place->expression + place->expression_bytes}};
    if (first)
        push(&evaluation, *first);
    for (int i = 0; i < STEPS && !evaluation.cursor.failed; i++) {
        if (evaluation.cursor.at == evaluation.cursor.end) {
            *value = pop(&evaluation);
            return !evaluation.cursor.failed;
        }
        evaluate(&evaluation);
    }
    return false;
}

bool um_eh_frame_cfa(const struct um_eh_frame *eh_frame, const struct um_eh_frame_row *row,
                     const struct um_eh_frame_state *state, uint32_t *cfa)
{
    const struct um_eh_frame_place *place = &row->cfa;
    if (place->how == UM_EH_FRAME_EXPRESSION)
        return value_of(eh_frame, place, state, NULL, cfa);
    if (place->how != UM_EH_FRAME_SUM || !(state->known >> place->from & 1))
        return false;
    *cfa = state->registers[place->from] + (uint32_t)place->offset;
    return true;
}

bool um_eh_frame_value(const struct um_eh_frame *eh_frame, const struct um_eh_frame_row *row,
                       const struct um_eh_frame_state *state, uint32_t cfa, unsigned place_number,
                       uint32_t *value)
{
    const struct um_eh_frame_place *place = &row->places[place_number];
    uint32_t address;
    switch (place->how) {
    case UM_EH_FRAME_STORED:
        return state->load(state->context, cfa + (uint32_t)place->offset, value);
    case UM_EH_FRAME_SUM:
        *value = cfa + (uint32_t)place->offset;
        return true;
    case UM_EH_FRAME_STORED_AT:
        return value_of(eh_frame, place, state, &cfa, &address) &&
               state->load(state->context, address, value);
    case UM_EH_FRAME_EXPRESSION:
        return value_of(eh_frame, place, state, &cfa, value);
    case UM_EH_FRAME_MOVED:
    case UM_EH_FRAME_SAME: {
        unsigned from = place->how == UM_EH_FRAME_MOVED ? place->from : place_number;
        if (from >= UM_EH_FRAME_REGISTERS || !(state->known >> from & 1))
            return false;
        *value = state->registers[from];
        return true;
    }
    default:
        return false;
    }
}
