#include "tests/unit/profile/fake_program.h"

#include <criterion/criterion.h>
#include <string.h>

static const struct um_functions_name names[FAKE_HOOK + 1] = {
    [FAKE_START] = {"C:\\Windows\\System32\\ntdll.dll", "start", NULL, 0},
    [FAKE_MAIN] = {"C:\\work\\App.exe", "main", "app.c", 10},
    [FAKE_SEND] = {"C:\\Windows\\System32\\USER32.DLL", "SendMessageW", NULL, 0},
    [FAKE_PROC] = {"C:\\work\\App.exe", "window \"proc\"; 2", "app.c", 20},
    [FAKE_PARSE] = {"C:\\work\\plug.dll", "parse_solution", "plug.c", 30},
    [FAKE_WAIT] = {"C:\\Windows\\System32\\ntdll.dll", "wait", NULL, 0},
    [FAKE_METHOD] = {"C:\\work\\App.exe", "Shop::Goods::Basket::add_up", NULL, 0},
    [FAKE_MANAGED] = {"<managed>", "Shop.Parser.Parse(Int32)", "C:\\src\\Parser.cs", 110, true},
    [FAKE_OPTIMIZED] = {"<managed>", "Shop.Parser.Skip(Int32)", "C:\\src\\Parser.cs", 120, true},
    [FAKE_HOOK] = {"C:\\uimon\\uimon-hook64.dll", "um_observe_message", NULL, 0},
};

const char *const fake_labels[FAKE_FUNCTIONS + 1] = {
    "",
    "ntdll!start",
    "App!main",
    "USER32!SendMessageW",
    "App!window \"proc\"; 2",
    "plug!parse_solution",
    "ntdll!wait",
};

static bool look_up(void *context, uint64_t key, struct um_functions_name *name)
{
    (void)context;
    if (key / 16 == 0 || key / 16 > FAKE_HOOK || !names[key / 16].name)
        return false;
    *name = names[key / 16];
    if (key / 16 == FAKE_MANAGED)
        name->line += (uint32_t)(key % 16) / 4; /* four addresses a line */
    name->is_nearest = key / 16 == FAKE_OPTIMIZED && key % 4 == 0;
    return true;
}

void fake_program_init(struct fake_program *fake)
{
    cr_assert_eq(um_samples_init(&fake->samples, 0), UM_OK);
    cr_assert_eq(um_functions_init(&fake->functions, look_up, NULL), UM_OK);
    um_view_init(&fake->view, &fake->samples, &fake->functions);
}

void fake_program_deinit(struct fake_program *fake)
{
    um_samples_deinit(&fake->samples);
    um_functions_deinit(&fake->functions);
}

void fake_program_add_at(struct fake_program *fake, uint32_t freeze, const char *stack,
                         uint64_t at_ns, uint64_t gap_ns)
{
    uint64_t keys[64];
    bool cut = stack[0] == '-';
    size_t count = 0;
    size_t number = fake->samples.count;
    struct um_samples_entry entry = {.at_ns = at_ns,
                                     .thread = 7,
                                     .freeze = freeze,
                                     .gap_ns = gap_ns,
                                     .cost = {1, 0, 6000000, 1000000}};
    for (size_t i = strlen(stack); i > cut; i--)
        if (stack[i - 1] == '?')
            entry.guessed |= UINT64_C(1) << (count - 1);
        else /* another address of the function each time */
            keys[count++] = (uint64_t)(stack[i - 1] - '0') * 16 + number % 16;
    cr_assert_eq(um_samples_add(&fake->samples, &entry, keys, count, cut), UM_OK);
}

void fake_program_add(struct fake_program *fake, uint32_t freeze, const char *stack)
{
    fake_program_add_at(fake, freeze, stack, fake->samples.count * UINT64_C(10000000), 10000000);
}

static uint32_t find_child(const struct fake_program *fake, const struct um_calltree *tree,
                           uint32_t parent, const char *label, size_t len)
{
    bool folded = label[0] == '~';
    uint32_t child = tree->nodes[parent].first_child;
    for (; child != UM_CALLTREE_NONE; child = tree->nodes[child].next_sibling) {
        uint32_t id = (uint32_t)tree->nodes[child].key;
        struct um_functions_label found = um_functions_label(&fake->functions, id);
        if (child != UM_CALLTREE_CUT && tree->nodes[child].folded == folded &&
            strlen(found.text) == len - folded &&
            strncmp(found.text, label + folded, len - folded) == 0)
            break;
    }
    return child;
}

const struct um_calltree_node *fake_program_find(const struct fake_program *fake,
                                                 const struct um_calltree *tree, const char *path)
{
    uint32_t at = UM_CALLTREE_ROOT;
    while (*path) {
        size_t len = strcspn(path, ";");
        at = find_child(fake, tree, at, path, len);
        if (at == UM_CALLTREE_NONE)
            return NULL;
        path += len + (path[len] == ';');
    }
    return &tree->nodes[at];
}
