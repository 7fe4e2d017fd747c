#include "overlay/glyphs_sdl.h"

#include <SDL_ttf.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "overlay/spare_fonts.h"

#define PATH_BYTES 1024
#define SLOTS 256 /* glyphs kept per face; a power of two */
#define ELLIPSIS 0x2026
#define SPARES (1 + UM_SPARE_FONTS)

struct glyph {
    uint32_t code; /* 0: free */
    int advance;
    int down;           /* px from the line's top to the image's */
    SDL_Surface *image; /* NULL: nothing to see (a space) */
};

struct face {
    TTF_Font *font;
    TTF_Font *spares[SPARES]; /* for what the font lacks; NULL: not opened yet, or not there */
    unsigned spare_count;     /* how many were tried to be opened */
    unsigned used;
    struct glyph glyph[SLOTS];
};

struct um_glyphs {
    const char *font_dir;
    double scale;
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

static TTF_Font *open_path(const char *path, int size)
{
    TTF_Font *font = TTF_OpenFont(path, size);
    if (font)
        TTF_SetFontHinting(font, TTF_HINTING_LIGHT);
    return font;
}

/* A font of ours. */
static TTF_Font *open_font(const char *font_dir, const char *file, int size)
{
    char *base = !font_dir ? SDL_GetBasePath() : NULL;
    char path[PATH_BYTES];
    int len;

    if (!font_dir)
        len = snprintf(path, sizeof path, "%sfonts/%s", base ? base : "", file);
    else
        len = snprintf(path, sizeof path, "%s/%s", font_dir, file);
    SDL_free(base);
    return len > 0 && (size_t)len < sizeof path ? open_path(path, size) : NULL;
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
    made->font_dir = font_dir;
    made->scale = scale;
    for (int i = 0; i < UM_GLYPHS_FACES; i++) {
        made->face[i].font =
            open_font(font_dir, face_of[i].file, size_px((enum um_glyphs_face)i, scale));
        if (!made->face[i].font) {
            um_glyphs_close(made);
            return UM_ERR_NOT_FOUND;
        }
    }
    *glyphs = made;
    return UM_OK;
}

static bool set_size(TTF_Font *font, int size)
{
    return !font || TTF_SetFontSize(font, size) == 0;
}

enum um_status um_glyphs_set_scale(struct um_glyphs *glyphs, double scale)
{
    glyphs->scale = scale;
    for (int i = 0; i < UM_GLYPHS_FACES; i++) {
        struct face *face = &glyphs->face[i];
        int size = size_px((enum um_glyphs_face)i, scale);
        bool set = set_size(face->font, size);
        forget(face);
        for (unsigned k = 0; k < SPARES; k++)
            if (!set_size(face->spares[k], size)) { /* it is missed as if it were not there */
                TTF_CloseFont(face->spares[k]);
                face->spares[k] = NULL;
            }
        if (!set)
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

/* The spare fonts are the plain one of ours, and then the system's, unless ours come from a folder
 * that was asked for: its pictures are the same on each machine. */
static TTF_Font *open_spare(const struct um_glyphs *glyphs, enum um_glyphs_face face,
                            unsigned number)
{
    int size = size_px(face, glyphs->scale);
    char path[PATH_BYTES];
    if (number == 0)
        return open_font(glyphs->font_dir, face_of[UM_GLYPHS_PLAIN].file, size);
    if (glyphs->font_dir || !um_spare_fonts_path(number - 1, path, sizeof path))
        return NULL;
    return open_path(path, size);
}

/* The first font that has the character; the face's own one if none has. */
static TTF_Font *font_of(struct um_glyphs *glyphs, enum um_glyphs_face face_number, uint32_t code)
{
    struct face *face = &glyphs->face[face_number];
    if (TTF_GlyphIsProvided32(face->font, code))
        return face->font;
    for (unsigned i = 0; i < SPARES; i++) {
        if (i == face->spare_count)
            face->spares[face->spare_count++] = open_spare(glyphs, face_number, i);
        if (face->spares[i] && TTF_GlyphIsProvided32(face->spares[i], code))
            return face->spares[i];
    }
    return face->font;
}

/* Whether a character only says something about its neighbours: how wide they join, or in which
 * form an emoji is meant. */
static bool is_invisible(uint32_t code)
{
    return (code >= 0x200b && code <= 0x200f) || (code >= 0xfe00 && code <= 0xfe0f) ||
           (code >= 0xe0100 && code <= 0xe01ef);
}

static void render(struct um_glyphs *glyphs, enum um_glyphs_face face, struct glyph *glyph,
                   uint32_t code)
{
    const SDL_Color white = {255, 255, 255, 255};

    glyph->code = code;
    if (is_invisible(code))
        return;
    TTF_Font *font = font_of(glyphs, face, code);
    if (TTF_GlyphMetrics32(font, code, NULL, NULL, NULL, NULL, &glyph->advance) != 0)
        glyph->advance = 0;
    glyph->down = um_glyphs_ascent(glyphs, face) - TTF_FontAscent(font);
    /* The glyph's colour is not premultiplied by its alpha. SDL blends such a source over a
     * premultiplied picture so that the result is premultiplied again. */
    glyph->image = code == ' ' ? NULL : TTF_RenderGlyph32_Blended(font, code, white);
    if (glyph->image)
        SDL_SetSurfaceBlendMode(glyph->image, SDL_BLENDMODE_BLEND);
}

static const struct glyph *find(struct um_glyphs *glyphs, enum um_glyphs_face face_number,
                                uint32_t code)
{
    struct face *face = &glyphs->face[face_number];
    uint32_t at = code * UINT32_C(2654435761) >> 24;

    if (face->used >= SLOTS * 3 / 4)
        forget(face);
    while (face->glyph[at % SLOTS].code != 0 && face->glyph[at % SLOTS].code != code)
        at++;
    if (face->glyph[at % SLOTS].code == 0) {
        render(glyphs, face_number, &face->glyph[at % SLOTS], code);
        face->used++;
    }
    return &face->glyph[at % SLOTS];
}

int um_glyphs_width(struct um_glyphs *glyphs, enum um_glyphs_face face, const char *text)
{
    int width = 0;
    uint32_t code;

    while ((code = um_utf8_next(&text)) != 0)
        width += find(glyphs, face, code)->advance;
    return width;
}

static int draw_code(struct um_glyphs *glyphs, enum um_glyphs_face face, SDL_Surface *surface,
                     int x, int y, uint32_t rgb, uint32_t code)
{
    const struct glyph *glyph = find(glyphs, face, code);
    SDL_Rect to = {x, y + glyph->down, 0, 0};

    if (glyph->image) {
        SDL_SetSurfaceColorMod(glyph->image, (Uint8)(rgb >> 16), (Uint8)(rgb >> 8), (Uint8)rgb);
        SDL_BlitSurface(glyph->image, NULL, surface, &to);
    }
    return glyph->advance;
}

int um_glyphs_draw(struct um_glyphs *glyphs, enum um_glyphs_face face, SDL_Surface *surface, int x,
                   int y, int limit_px, uint32_t rgb, const char *text)
{
    int start = x, dots = 0;
    uint32_t code;

    if (limit_px > 0 && um_glyphs_width(glyphs, face, text) > limit_px) {
        dots = find(glyphs, face, ELLIPSIS)->advance;
        if (dots > limit_px)
            return 0;
    }
    while ((code = um_utf8_next(&text)) != 0) {
        if (dots > 0 && x - start + find(glyphs, face, code)->advance > limit_px - dots)
            return x - start + draw_code(glyphs, face, surface, x, y, rgb, ELLIPSIS);
        x += draw_code(glyphs, face, surface, x, y, rgb, code);
    }
    return x - start;
}

void um_glyphs_close(struct um_glyphs *glyphs)
{
    if (!glyphs)
        return;
    for (int i = 0; i < UM_GLYPHS_FACES; i++) {
        struct face *face = &glyphs->face[i];
        forget(face);
        if (face->font)
            TTF_CloseFont(face->font);
        for (unsigned k = 0; k < SPARES; k++)
            if (face->spares[k])
                TTF_CloseFont(face->spares[k]);
    }
    TTF_Quit();
    free(glyphs);
}
