/* Compares the table of message names with the system's own headers, when it is compiled. */
#include <windows.h>
#include <dde.h>
#include <stdio.h>

#include "base/message_names_list.h"

#define IN_HEADER(name, id) _Static_assert(name == id, #name " differs from its header");
#define IN_NO_HEADER(name, id)
UM_MESSAGE_NAMES_LIST(IN_HEADER, IN_NO_HEADER)

#define ONE(name, id) +1
#define NONE(name, id)

int main(void)
{
    printf("%d message names agree with the system's headers\n",
           0 UM_MESSAGE_NAMES_LIST(ONE, NONE));
    return 0;
}
