#include "demo/draw_x11.h"

#include <stdio.h>

#include <SDL_ttf.h>

static TTF_Font *fonts[UM_DEMO_DRAW_FONTS];

static TTF_Font *open_font(const char *folder, const char *file, int size_px)
{
    char path[1024];
    int len = snprintf(path, sizeof path, "%s%s", folder, file);
    return len > 0 && (size_t)len < sizeof path ? TTF_OpenFont(path, size_px) : NULL;
}

bool um_demo_draw_begin(float scale)
{
    static const struct {
        const char *file;
        float size_px;
    } faces[UM_DEMO_DRAW_FONTS] = {
        [UM_DEMO_DRAW_TITLE] = {"DejaVuSans-Bold.ttf", 18},
        [UM_DEMO_DRAW_BOLD] = {"DejaVuSans-Bold.ttf", 12},
        [UM_DEMO_DRAW_BODY] = {"DejaVuSans.ttf", 12},
    };
    char beside[1024];
    char *base = SDL_GetBasePath();
    bool all = TTF_Init() == 0;
    snprintf(beside, sizeof beside, "%sfonts/", base ? base : "");
    SDL_free(base);
    for (int i = 0; i < UM_DEMO_DRAW_FONTS && all; i++) {
        int size_px = (int)(faces[i].size_px * scale + 0.5F);
        fonts[i] = open_font(beside, faces[i].file, size_px);
        if (!fonts[i])
            fonts[i] = open_font("/usr/share/fonts/truetype/dejavu/", faces[i].file, size_px);
        all = fonts[i] != NULL;
    }
    return all;
}

void um_demo_draw_end(void)
{
    for (int i = 0; i < UM_DEMO_DRAW_FONTS; i++) {
        if (fonts[i])
            TTF_CloseFont(fonts[i]);
        fonts[i] = NULL;
    }
    if (TTF_WasInit())
        TTF_Quit();
}

static SDL_Color color_of(uint32_t rgb)
{
    return (SDL_Color){(Uint8)(rgb >> 16), (Uint8)(rgb >> 8), (Uint8)rgb, 255};
}

void um_demo_draw_box(SDL_Surface *on, const SDL_Rect *box, uint32_t rgb)
{
    SDL_Color color = color_of(rgb);
    SDL_FillRect(on, box, SDL_MapRGB(on->format, color.r, color.g, color.b));
}

void um_demo_draw_card(SDL_Surface *on, const SDL_Rect *box, uint32_t rgb, uint32_t line_rgb)
{
    SDL_Rect inner = {box->x + 1, box->y + 1, box->w - 2, box->h - 2};
    um_demo_draw_box(on, box, line_rgb);
    um_demo_draw_box(on, &inner, rgb);
}

void um_demo_draw_text(SDL_Surface *on, const SDL_Rect *box, enum um_demo_draw_font font,
                       enum um_demo_draw_align align, uint32_t rgb, const char *text)
{
    SDL_Surface *drawn =
        fonts[font] && *text ? TTF_RenderUTF8_Blended(fonts[font], text, color_of(rgb)) : NULL;
    if (!drawn)
        return;
    int space = box->w > drawn->w ? box->w - drawn->w : 0;
    SDL_Rect from = {0, 0, drawn->w < box->w ? drawn->w : box->w, drawn->h};
    SDL_Rect to = {box->x + (align == UM_DEMO_DRAW_RIGHT    ? space
                             : align == UM_DEMO_DRAW_MIDDLE ? space / 2
                                                            : 0),
                   box->y + (box->h - drawn->h) / 2, 0, 0};
    SDL_BlitSurface(drawn, &from, on, &to);
    SDL_FreeSurface(drawn);
}

void um_demo_draw_lines(SDL_Surface *on, const SDL_Rect *box, uint32_t rgb, const char *text)
{
    TTF_Font *font = fonts[UM_DEMO_DRAW_BODY];
    SDL_Surface *drawn =
        font && *text && box->w > 0
            ? TTF_RenderUTF8_Blended_Wrapped(font, text, color_of(rgb), (Uint32)box->w)
            : NULL;
    if (!drawn)
        return;
    int above = drawn->h > box->h ? drawn->h - box->h : 0;
    SDL_Rect from = {0, above, drawn->w, drawn->h - above}, to = {box->x, box->y, 0, 0};
    SDL_BlitSurface(drawn, &from, on, &to);
    SDL_FreeSurface(drawn);
}
