#include "base/utf8.h"

void um_utf8_put(FILE *file, uint32_t character)
{
    char bytes[4] = {0};
    fwrite(bytes, 1, um_utf8_encode(character, bytes), file);
}
