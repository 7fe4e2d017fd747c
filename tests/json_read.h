/* Reads JSON by a path of names and places: "freeze_list.0.call". Header-only, for tests. */
#ifndef UM_TESTS_JSON_READ_H
#define UM_TESTS_JSON_READ_H

#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <criterion/criterion.h>

/* NULL if it is not there. */
static inline const cJSON *json_at(const cJSON *root, const char *path)
{
    const cJSON *item = root;
    while (item && *path) {
        char name[64] = "";
        size_t len = strcspn(path, ".");
        cr_assert_lt(len, sizeof name);
        memcpy(name, path, len);
        item = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, atoi(name))
                                   : cJSON_GetObjectItemCaseSensitive(item, name);
        path += path[len] == '.' ? len + 1 : len;
    }
    return item;
}

static inline double json_number(const cJSON *root, const char *path)
{
    const cJSON *item = json_at(root, path);
    cr_assert(cJSON_IsNumber(item), "%s is no number", path);
    return item->valuedouble;
}

static inline const char *json_text(const cJSON *root, const char *path)
{
    const cJSON *item = json_at(root, path);
    cr_assert(cJSON_IsString(item), "%s is no text", path);
    return item->valuestring;
}

/* The number of elements; 0 of what is not there. */
static inline int json_size(const cJSON *root, const char *path)
{
    return cJSON_GetArraySize(json_at(root, path));
}

#endif
