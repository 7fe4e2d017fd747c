#include "monitor/sample/stacks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ipc/clock.h"

/* Module names are compared without regard to case, and they are ASCII here. */
static bool is_name(const char *a, const char *lower)
{
    for (; *a && *lower; a++, lower++) {
        char c = *a >= 'A' && *a <= 'Z' ? (char)(*a - 'A' + 'a') : *a;
        if (c != *lower)
            return false;
    }
    return *a == *lower;
}

bool um_stacks_is_system(const char *module)
{
    static const char *const system[] = {"ntdll.dll", "kernel32.dll", "kernelbase.dll",
                                         "user32.dll", "win32u.dll"};
    for (size_t i = 0; i < sizeof system / sizeof system[0]; i++)
        if (is_name(module, system[i]))
            return true;
    return false;
}

/* Within the instruction that ran, or that called. */
static uint64_t instruction(const struct um_unwind_frame *frame)
{
    bool is_exact = (frame->flags & (UM_UNWIND_FIRST | UM_UNWIND_MACHINE)) != 0;
    return is_exact || frame->pc == 0 ? frame->pc : frame->pc - 1;
}

static void put_frame(const struct um_unwind_frame *frame, struct um_images *images,
                      struct um_stacks_stack *stack)
{
    char *text = stack->texts[stack->count];
    const struct um_stopper_module *module = um_images_module(images, frame->module);
    struct um_unwind_code code = um_images_code(images);
    struct um_unwind_function function;
    uint64_t address = instruction(frame);

    bool known = code.find(code.context, address, &function) == UM_UNWIND_FOUND;
    stack->functions[stack->count++] = known ? function.base + function.rva.begin_rva : address;
    if (module)
        snprintf(text, UM_WIRE_STACK_FRAME_BYTES, "%s+0x%" PRIx64, module->name,
                 address - module->base);
    else
        snprintf(text, UM_WIRE_STACK_FRAME_BYTES, "0x%" PRIx64, address);
}

/* Whether the thread was in a leaf function of no module, called from one. The code of Wine's own
 * that is no Windows module looks so. Its caller is what tells something. */
static bool is_lone_leaf(const struct um_unwind_frame *frames)
{
    return frames[0].module == UM_UNWIND_NO_MODULE && (frames[1].flags & UM_UNWIND_LEAF) &&
           frames[1].module != UM_UNWIND_NO_MODULE;
}

void um_stacks_condense(const struct um_unwind_frame *frames, size_t frame_count,
                        enum um_unwind_stop stop, struct um_images *images,
                        struct um_stacks_stack *stack)
{
    memset(stack, 0, sizeof *stack);
    stack->stop = stop;
    size_t from = frame_count > 1 && is_lone_leaf(frames) ? 1 : 0;
    for (size_t i = from; i < frame_count && stack->count < UM_WIRE_STACK_FRAMES; i++) {
        const struct um_stopper_module *module = um_images_module(images, frames[i].module);
        if (!module || !um_stacks_is_system(module->name))
            put_frame(&frames[i], images, stack);
    }
    if (stack->count == 0)
        put_frame(&frames[0], images, stack);
}

static bool is_same(const struct um_stacks_stack *a, const struct um_stacks_stack *b)
{
    return a->count == b->count && a->stop == b->stop &&
           memcmp(a->functions, b->functions, a->count * sizeof a->functions[0]) == 0;
}

/* Its place, which may be a new one; UM_STACKS_DISTINCT if there is none. */
static size_t place_of(struct um_stacks *stacks, const struct um_stacks_stack *stack)
{
    for (size_t i = 0; i < stacks->count; i++)
        if (is_same(&stacks->stacks[i], stack))
            return i;
    if (stacks->count == UM_STACKS_DISTINCT)
        return UM_STACKS_DISTINCT;
    stacks->stacks[stacks->count] = *stack;
    return stacks->count++;
}

void um_stacks_add(struct um_stacks *stacks, uint64_t time_ns, const struct um_stacks_stack *stack)
{
    size_t place = place_of(stacks, stack);
    size_t late = stacks->samples % UM_STACKS_LATE;
    if (stacks->samples == 0)
        stacks->first_ns = time_ns;
    stacks->last_ns = time_ns;
    stacks->late[late].time_ns = time_ns;
    stacks->late[late].stack = place;
    stacks->samples++;
    if (place < UM_STACKS_DISTINCT)
        stacks->counts[place]++;
}

bool um_stacks_sum(const struct um_stacks *stacks, uint64_t end_ns, struct um_wire_stack *out)
{
    uint32_t counts[UM_STACKS_DISTINCT];
    uint32_t samples = stacks->samples;
    uint64_t last_ns = stacks->last_ns;
    size_t best = 0;

    memcpy(counts, stacks->counts, sizeof counts);
    for (uint32_t i = 0; i < UM_STACKS_LATE && samples > 0; i++) {
        size_t late = (samples - 1) % UM_STACKS_LATE;
        last_ns = stacks->late[late].time_ns;
        if (last_ns <= end_ns)
            break;
        samples--;
        if (stacks->late[late].stack < UM_STACKS_DISTINCT)
            counts[stacks->late[late].stack]--;
    }
    for (size_t i = 1; i < stacks->count; i++)
        if (counts[i] > counts[best])
            best = i;
    if (samples == 0 || counts[best] == 0)
        return false;
    const struct um_stacks_stack *stack = &stacks->stacks[best];
    out->samples = samples;
    out->alike = counts[best];
    out->interval_us =
        samples < 2 ? 0
                    : (uint32_t)((last_ns - stacks->first_ns) / (samples - 1) / UM_CLOCK_NS_PER_US);
    for (size_t i = 0; i < UM_WIRE_STACK_FRAMES; i++)
        um_wire_set_text(out->frames[i], UM_WIRE_STACK_FRAME_BYTES, stack->texts[i]);
    um_wire_set_text(out->stopped, sizeof out->stopped,
                     stack->stop == UM_UNWIND_START ? "" : um_unwind_stop_text(stack->stop));
    return true;
}
