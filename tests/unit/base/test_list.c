#include <criterion/criterion.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/list.h"

struct item {
    uint64_t number;
    char tail[3]; /* a size that is no power of two */
};

Test(list, elements_stay_where_they_are_as_it_grows)
{
    struct item *items = NULL;
    size_t room = 0, moves = 0;

    for (size_t count = 1; count <= 1000; count++) {
        size_t before = room;
        cr_assert(um_list_reserve(&items, &room, count, 1000, sizeof *items));
        cr_assert(room >= count && room <= 1000, "%zu has room for %zu", count, room);
        for (size_t i = before; i < room; i++)
            cr_assert(items[i].number == 0 && items[i].tail[2] == 0, "%zu of %zu", i, room);
        moves += room != before;
        items[count - 1] = (struct item){count, "ab"};
    }
    for (size_t i = 0; i < 1000; i++)
        cr_assert_eq(items[i].number, i + 1);
    cr_expect_lt(moves, 12, "%zu moves", moves);
    free(items);
}

Test(list, many_at_once_have_room)
{
    struct item *items = NULL;
    size_t room = 0;

    cr_assert(um_list_reserve(&items, &room, 5000, SIZE_MAX, sizeof *items));
    cr_expect_geq(room, 5000);
    items[4999].number = 1;
    free(items);
}

Test(list, nothing_changes_where_there_is_no_room)
{
    struct item *items = NULL;
    size_t room = 0;

    cr_expect(!um_list_reserve(&items, &room, 3, 2, sizeof *items));
    cr_expect(!items && room == 0);
    cr_assert(um_list_reserve(&items, &room, 2, 2, sizeof *items));
    struct item *before = items;
    items[1].number = 7;
    cr_expect(!um_list_reserve(&items, &room, 3, 2, sizeof *items));
    cr_expect(!um_list_reserve(&items, &room, SIZE_MAX / 2, SIZE_MAX, sizeof *items));
    cr_expect(!um_list_reserve(&items, &room, SIZE_MAX, SIZE_MAX, sizeof *items));
    cr_expect(items == before && items[1].number == 7 && room == 2);
    free(items);
}
