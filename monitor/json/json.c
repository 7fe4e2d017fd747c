#include "monitor/json/json.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "base/pack.h"
#include "base/utc.h"
#include "base/utf8.h"

/* The most bytes that stand for one byte that is not UTF-8: those of U+FFFD. */
#define MENDED_BYTES 3

void um_json_put(struct um_json *json, cJSON *object, const char *name, cJSON *item)
{
    if (cJSON_AddItemToObject(object, name, item))
        return;
    cJSON_Delete(item);
    json->failed = true;
}

static cJSON *append_parent(struct um_json *json, cJSON *array, cJSON *item)
{
    if (cJSON_AddItemToArray(array, item))
        return item;
    cJSON_Delete(item);
    json->failed = true;
    return NULL;
}

void um_json_append(struct um_json *json, cJSON *array, cJSON *item)
{
    append_parent(json, array, item);
}

void um_json_number(struct um_json *json, cJSON *object, const char *name, double value)
{
    if (fabs(value) <= DBL_MAX)
        um_json_put(json, object, name, cJSON_CreateNumber(value));
}

void um_json_decimals(struct um_json *json, cJSON *object, const char *name, double value,
                      int decimals)
{
    double scale = 1;
    while (decimals-- > 0)
        scale *= 10;
    um_json_number(json, object, name, round(value * scale) / scale);
}

void um_json_utc(struct um_json *json, cJSON *object, const char *name, int64_t utc_ms)
{
    struct um_utc at = um_utc_at(utc_ms);
    char text[96]; /* for any six numbers */
    (void)snprintf(text, sizeof text, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02dZ", at.year, at.month,
                   at.day, at.hour, at.minute, at.second);
    um_json_text(json, object, name, text);
}

void um_json_ms(struct um_json *json, cJSON *object, const char *name, uint64_t ns)
{
    um_json_number(json, object, name, round((double)ns / 1000) / 1000);
}

void um_json_u64(struct um_json *json, cJSON *object, const char *name, uint64_t value)
{
    char digits[24];
    (void)snprintf(digits, sizeof digits, "%" PRIu64, value);
    um_json_put(json, object, name, cJSON_CreateRaw(digits));
}

void um_json_bool(struct um_json *json, cJSON *object, const char *name, bool value)
{
    um_json_put(json, object, name, cJSON_CreateBool(value));
}

static cJSON *make_text(const char *text)
{
    size_t len = strlen(text);
    if (um_utf8_valid(text, len))
        return cJSON_CreateString(text);
    char *mended = malloc(MENDED_BYTES * len + 1);
    if (!mended)
        return NULL;
    (void)um_utf8_fit(text, SIZE_MAX, mended, MENDED_BYTES * len + 1);
    cJSON *item = cJSON_CreateString(mended);
    free(mended);
    return item;
}

void um_json_any_text(struct um_json *json, cJSON *object, const char *name, const char *text)
{
    um_json_put(json, object, name, make_text(text));
}

void um_json_text(struct um_json *json, cJSON *object, const char *name, const char *text)
{
    if (text && text[0] != '\0')
        um_json_any_text(json, object, name, text);
}

void um_json_packed(struct um_json *json, cJSON *object, const char *name, struct um_pack *packed)
{
    char *text = um_pack_base64(packed);
    um_json_put(json, object, name, text ? cJSON_CreateString(text) : NULL);
    free(text);
    um_pack_deinit(packed);
}

cJSON *um_json_object(struct um_json *json, cJSON *parent, const char *name)
{
    cJSON *object = cJSON_AddObjectToObject(parent, name);
    json->failed |= !object;
    return object;
}

cJSON *um_json_array(struct um_json *json, cJSON *parent, const char *name)
{
    cJSON *array = cJSON_AddArrayToObject(parent, name);
    json->failed |= !array;
    return array;
}

cJSON *um_json_append_object(struct um_json *json, cJSON *array)
{
    return append_parent(json, array, cJSON_CreateObject());
}

cJSON *um_json_append_array(struct um_json *json, cJSON *array)
{
    return append_parent(json, array, cJSON_CreateArray());
}

void um_json_append_number(struct um_json *json, cJSON *array, double value)
{
    um_json_append(json, array, cJSON_CreateNumber(value));
}

void um_json_append_text(struct um_json *json, cJSON *array, const char *text)
{
    um_json_append(json, array, make_text(text));
}

char *um_json_print(const struct um_json *json, cJSON *root, bool lines)
{
    char *text = NULL;
    if (!json->failed && root)
        text = lines ? cJSON_Print(root) : cJSON_PrintUnformatted(root);
    cJSON_Delete(root);
    return text;
}

cJSON *um_json_member(const cJSON *object, const char *name)
{
    return cJSON_GetObjectItemCaseSensitive(object, name);
}

const char *um_json_member_text(const cJSON *object, const char *name)
{
    return cJSON_GetStringValue(um_json_member(object, name));
}

bool um_json_member_number(const cJSON *object, const char *name, double most, double *out)
{
    const cJSON *item = um_json_member(object, name);
    if (!cJSON_IsNumber(item) || !(item->valuedouble >= 0) || !(item->valuedouble <= most))
        return false;
    *out = item->valuedouble;
    return true;
}
