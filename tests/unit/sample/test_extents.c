/* Entries at random places, compared with a list that is gone through. */
#include <criterion/criterion.h>

#include "base/random.h"
#include "monitor/sample/extents.h"

#define MOST 40
#define SPACE 2000 /* addresses */

struct entry {
    struct um_extent extent;
    uint32_t own;
};

Test(extents, find_what_a_list_finds)
{
    struct um_random random = {11};
    struct entry entries[MOST], list[MOST];
    struct um_extents extents;
    size_t count = 0, refused = 0;
    um_extents_init(&extents, entries, sizeof *entries, MOST);
    while (count < MOST) {
        struct entry added = {
            {um_random_below(&random, SPACE), 1 + um_random_below(&random, 60), 0},
            (uint32_t)count};
        bool overlaps = false;
        for (size_t i = 0; i < count; i++)
            overlaps |= added.extent.base < list[i].extent.base + list[i].extent.bytes &&
                        list[i].extent.base < added.extent.base + added.extent.bytes;
        enum um_status status = um_extents_add(&extents, &added);
        cr_assert_eq(status, overlaps ? UM_ERR_EXISTS : UM_OK);
        refused += overlaps;
        if (overlaps)
            continue;
        cr_assert_eq(added.extent.index, (int32_t)count);
        list[count++] = added;
    }
    cr_assert_gt(refused, 10);
    for (uint64_t address = 0; address < SPACE + 100; address++) {
        const struct entry *found = um_extents_find(&extents, address), *expected = NULL;
        for (size_t i = 0; i < MOST; i++)
            if (address >= list[i].extent.base &&
                address < list[i].extent.base + list[i].extent.bytes)
                expected = &list[i];
        cr_assert_eq(found != NULL, expected != NULL);
        cr_assert(!found ||
                  (found->own == expected->own && found->extent.index == expected->extent.index));
    }
}

Test(extents, without_room_nothing_is_added)
{
    struct entry entries[2], added = {{0x1000, 0x1000, 7}, 0};
    struct um_extents extents;
    um_extents_init(&extents, entries, sizeof *entries, 1);
    cr_assert_eq(um_extents_add(&extents, &added), UM_OK);
    cr_assert(um_extents_is_full(&extents));
    added.extent.base = 0x4000;
    cr_assert_eq(um_extents_add(&extents, &added), UM_ERR_TOO_LARGE);
    cr_assert_null(um_extents_find(&extents, 0x4000));
    cr_assert_eq(um_extents_at(&extents, 0), um_extents_find(&extents, 0x1fff));
    cr_assert_null(um_extents_find(&extents, 0x2000));
    cr_assert_null(um_extents_find(&extents, 0xfff));
}
