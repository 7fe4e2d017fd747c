#include "overlay/glyphs_sdl.h"

#include <SDL_ttf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"

#define PATH_BYTES 1024
#define SLOTS 256 /* glyphs kept per face; a power of two */
#define ELLIPSIS 0x2026

struct glyph {
    uint32_t code; /* 0: free */
    int advance;
    SDL_Surface *image; /* NULL: nothing to see (a space) */
};

struct face {
    TTF_Font *font;
    unsigned used;
    struct glyph glyph[SLOTS];
};

struct um_glyphs {
    struct face face[UM_GLYPHS_FACES];
};

/* Sizes at 100 %, in px of the em square. */
static const struct {
    double size;
    const char *file;
} face_of[UM_GLYPHS_FACES] = {
    [UM_GLYPHS_BIG] = {34, "DejaVuSans-Bold.ttf"},
    [UM_GLYPHS_STRONG] = {13, "DejaVuSans-Bold.ttf"},
    [UM_GLYPHS_PLAIN] = {12, "DejaVuSans.ttf"},
    [UM_GLYPHS_SMALL] = {10, "DejaVuSans.ttf"},
    [UM_GLYPHS_WORD] = {20, "DejaVuSans-Bold.ttf"},
};

static void forget(struct face *face)
{
    for (int i = 0; i < SLOTS; i++) {
        SDL_FreeSurface(face->glyph[i].image);
        face->glyph[i] = (struct glyph){0};
    }
    face->used = 0;
}

static int size_px(enum um_glyphs_face face, double scale)
{
    return (int)lround(face_of[face].size * scale);
}

static TTF_Font *open_font(const char *font_dir, enum um_glyphs_face face, double scale)
{
    char *base = !font_dir ? SDL_GetBasePath() : NULL;
    TTF_Font *font = NULL;
    char path[PATH_BYTES];
    int len;

    if (!font_dir)
        len = snprintf(path, sizeof path, "%sfonts/%s", base ? base : "", face_of[face].file);
    else
        len = snprintf(path, sizeof path, "%s/%s", font_dir, face_of[face].file);
    SDL_free(base);
    if (len > 0 && (size_t)len < sizeof path)
        font = TTF_OpenFont(path, size_px(face, scale));
    if (font)
        TTF_SetFontHinting(font, TTF_HINTING_LIGHT);
    return font;
}

enum um_status um_glyphs_open(const char *font_dir, double scale, struct um_glyphs **glyphs)
{
    struct um_glyphs *made = calloc(1, sizeof *made);

    if (!made)
        return UM_ERR_MEMORY;
    if (TTF_Init() != 0) {
        free(made);
        return UM_ERR_MEMORY;
    }
    for (int i = 0; i < UM_GLYPHS_FACES; i++) {
        made->face[i].font = open_font(font_dir, (enum um_glyphs_face)i, scale);
        if (!made->face[i].font) {
            um_glyphs_close(made);
            return UM_ERR_NOT_FOUND;
        }
    }
    *glyphs = made;
    return UM_OK;
}

enum um_status um_glyphs_set_scale(struct um_glyphs *glyphs, double scale)
{
    for (int i = 0; i < UM_GLYPHS_FACES; i++) {
        forget(&glyphs->face[i]);
        if (TTF_SetFontSize(glyphs->face[i].font, size_px((enum um_glyphs_face)i, scale)) != 0)
            return UM_ERR_IO;
    }
    return UM_OK;
}

int um_glyphs_height(const struct um_glyphs *glyphs, enum um_glyphs_face face)
{
    return TTF_FontHeight(glyphs->face[face].font);
}

int um_glyphs_ascent(const struct um_glyphs *glyphs, enum um_glyphs_face face)
{
    return TTF_FontAscent(glyphs->face[face].font);
}

static void render(struct face *face, struct glyph *glyph, uint32_t code)
{
    const SDL_Color white = {255, 255, 255, 255};

    glyph->code = code;
    if (TTF_GlyphMetrics32(face->font, code, NULL, NULL, NULL, NULL, &glyph->advance) != 0)
        glyph->advance = 0;
    /* The glyph's colour is not premultiplied by its alpha. SDL blends such a source over a
     * premultiplied picture so that the result is premultiplied again. */
    glyph->image = code == ' ' ? NULL : TTF_RenderGlyph32_Blended(face->font, code, white);
    if (glyph->image)
        SDL_SetSurfaceBlendMode(glyph->image, SDL_BLENDMODE_BLEND);
}

static const struct glyph *find(struct face *face, uint32_t code)
{
    uint32_t at = code * UINT32_C(2654435761) >> 24;

    if (face->used >= SLOTS * 3 / 4)
        forget(face);
    while (face->glyph[at % SLOTS].code != 0 && face->glyph[at % SLOTS].code != code)
        at++;
    if (face->glyph[at % SLOTS].code == 0) {
        render(face, &face->glyph[at % SLOTS], code);
        face->used++;
    }
    return &face->glyph[at % SLOTS];
}

int um_glyphs_width(struct um_glyphs *glyphs, enum um_glyphs_face face, const char *text)
{
    int width = 0;
    uint32_t code;

    while ((code = um_utf8_next(&text)) != 0)
        width += find(&glyphs->face[face], code)->advance;
    return width;
}

static int draw_code(struct face *face, SDL_Surface *surface, int x, int y, uint32_t rgb,
                     uint32_t code)
{
    const struct glyph *glyph = find(face, code);
    SDL_Rect to = {x, y, 0, 0};

    if (glyph->image) {
        SDL_SetSurfaceColorMod(glyph->image, (Uint8)(rgb >> 16), (Uint8)(rgb >> 8), (Uint8)rgb);
        SDL_BlitSurface(glyph->image, NULL, surface, &to);
    }
    return glyph->advance;
}

int um_glyphs_draw(struct um_glyphs *glyphs, enum um_glyphs_face face, SDL_Surface *surface, int x,
                   int y, int limit_px, uint32_t rgb, const char *text)
{
    struct face *used = &glyphs->face[face];
    int start = x, dots = 0;
    uint32_t code;

    if (limit_px > 0 && um_glyphs_width(glyphs, face, text) > limit_px) {
        dots = find(used, ELLIPSIS)->advance;
        if (dots > limit_px)
            return 0;
    }
    while ((code = um_utf8_next(&text)) != 0) {
        if (dots > 0 && x - start + find(used, code)->advance > limit_px - dots)
            return x - start + draw_code(used, surface, x, y, rgb, ELLIPSIS);
        x += draw_code(used, surface, x, y, rgb, code);
    }
    return x - start;
}

void um_glyphs_close(struct um_glyphs *glyphs)
{
    if (!glyphs)
        return;
    for (int i = 0; i < UM_GLYPHS_FACES; i++) {
        forget(&glyphs->face[i]);
        if (glyphs->face[i].font)
            TTF_CloseFont(glyphs->face[i].font);
    }
    TTF_Quit();
    free(glyphs);
}
