#include "monitor/target/display_x11.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include <xcb/res.h>

#include "base/plain/text.h"
#include "base/server_x11.h"
#include "base/utf8.h"
#include "monitor/target/process_posix.h"

#define PROPERTY_WORDS 16384 /* of four bytes, of one property */
#define WINDOWS_MOST 4096
#define ICONIC 3 /* of WM_STATE */

static void intern(struct um_display *display)
{
    static const char *const names[UM_DISPLAY_ATOM_COUNT] = {
        [UM_DISPLAY_WM_PROTOCOLS] = "WM_PROTOCOLS",
        [UM_DISPLAY_WM_STATE] = "WM_STATE",
        [UM_DISPLAY_NET_WM_PING] = "_NET_WM_PING",
        [UM_DISPLAY_NET_WM_PID] = "_NET_WM_PID",
        [UM_DISPLAY_NET_WM_NAME] = "_NET_WM_NAME",
        [UM_DISPLAY_NET_WM_WINDOW_TYPE] = "_NET_WM_WINDOW_TYPE",
        [UM_DISPLAY_NET_WM_WINDOW_TYPE_NORMAL] = "_NET_WM_WINDOW_TYPE_NORMAL",
        [UM_DISPLAY_NET_WM_WINDOW_TYPE_DIALOG] = "_NET_WM_WINDOW_TYPE_DIALOG",
        [UM_DISPLAY_NET_CLIENT_LIST] = "_NET_CLIENT_LIST",
        [UM_DISPLAY_NET_CLIENT_LIST_STACKING] = "_NET_CLIENT_LIST_STACKING",
        [UM_DISPLAY_NET_ACTIVE_WINDOW] = "_NET_ACTIVE_WINDOW",
        [UM_DISPLAY_UTF8_STRING] = "UTF8_STRING",
    };
    um_server_atoms(display->xcb, names, UM_DISPLAY_ATOM_COUNT, display->atoms);
}

void um_display_close(struct um_display *display)
{
    um_server_close(display->xcb);
    display->xcb = NULL;
}

void um_display_give_up(struct um_display *display)
{
    um_server_give_up(display->xcb);
}

void um_display_drain(struct um_display *display)
{
    xcb_generic_event_t *event;
    while ((event = xcb_poll_for_event(display->xcb)))
        free(event);
}

bool um_display_lives(const struct um_display *display)
{
    return display->xcb && xcb_connection_has_error(display->xcb) == 0;
}

/* A property of this type (XCB_ATOM_ANY: any) and format; NULL: there is none. Owner: free. */
static xcb_get_property_reply_t *property(struct um_display *display, xcb_window_t window,
                                          xcb_atom_t name, xcb_atom_t type, uint8_t format)
{
    xcb_get_property_reply_t *reply = xcb_get_property_reply(
        display->xcb, xcb_get_property(display->xcb, 0, window, name, type, 0, PROPERTY_WORDS),
        NULL);
    if (reply && reply->type != XCB_ATOM_NONE && reply->format == format)
        return reply;
    free(reply);
    return NULL;
}

/* The words of a property of format 32. */
static const uint32_t *words_of(const xcb_get_property_reply_t *reply, size_t *count)
{
    *count = reply ? (size_t)xcb_get_property_value_length(reply) / sizeof(uint32_t) : 0;
    return reply ? xcb_get_property_value(reply) : NULL;
}

/* The first word; 0 if there is none. */
static uint32_t word(struct um_display *display, xcb_window_t window, xcb_atom_t name,
                     xcb_atom_t type)
{
    size_t count;
    xcb_get_property_reply_t *reply = property(display, window, name, type, 32);
    const uint32_t *words = words_of(reply, &count);
    uint32_t first = count > 0 ? words[0] : 0;
    free(reply);
    return first;
}

static bool has_word(struct um_display *display, xcb_window_t window, xcb_atom_t name,
                     xcb_atom_t type, uint32_t wanted)
{
    size_t count;
    bool found = false;
    xcb_get_property_reply_t *reply = property(display, window, name, type, 32);
    const uint32_t *words = words_of(reply, &count);
    for (size_t i = 0; i < count && !found; i++)
        found = words[i] == wanted;
    free(reply);
    return found;
}

/* Takes a list from its end, where the topmost window is. */
static enum um_status reverse(const uint32_t *windows, size_t count, xcb_window_t **list,
                              size_t *count_out)
{
    count = count < WINDOWS_MOST ? count : WINDOWS_MOST;
    *list = calloc(count + 1, sizeof **list);
    if (!*list)
        return UM_ERR_MEMORY;
    for (size_t i = 0; i < count; i++)
        (*list)[i] = windows[count - 1 - i];
    *count_out = count;
    return UM_OK;
}

static enum um_status children_of_root(struct um_display *display, xcb_window_t **list,
                                       size_t *count)
{
    xcb_query_tree_reply_t *tree =
        xcb_query_tree_reply(display->xcb, xcb_query_tree(display->xcb, display->root), NULL);
    if (!tree)
        return UM_ERR_IO;
    enum um_status status = reverse(xcb_query_tree_children(tree),
                                    (size_t)xcb_query_tree_children_length(tree), list, count);
    free(tree);
    return status;
}

enum um_status um_display_windows(struct um_display *display, xcb_window_t **list, size_t *count)
{
    static const enum um_display_atom lists[] = {UM_DISPLAY_NET_CLIENT_LIST_STACKING,
                                                 UM_DISPLAY_NET_CLIENT_LIST};
    xcb_get_property_reply_t *reply = NULL;
    size_t known;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0] && !reply; i++)
        reply = property(display, display->root, display->atoms[lists[i]], XCB_ATOM_WINDOW, 32);
    if (!reply)
        return children_of_root(display, list, count);
    const uint32_t *windows = words_of(reply, &known);
    enum um_status status = reverse(windows, known, list, count);
    free(reply);
    return status;
}

/* What the server knows: for a client of this machine, the process that has connected. */
static uint32_t pid_of_client(struct um_display *display, xcb_window_t window)
{
    xcb_res_client_id_spec_t spec = {window, XCB_RES_CLIENT_ID_MASK_LOCAL_CLIENT_PID};
    xcb_res_query_client_ids_reply_t *reply = xcb_res_query_client_ids_reply(
        display->xcb, xcb_res_query_client_ids(display->xcb, 1, &spec), NULL);
    uint32_t pid = 0;
    if (!reply)
        return 0;
    for (xcb_res_client_id_value_iterator_t at = xcb_res_query_client_ids_ids_iterator(reply);
         at.rem > 0 && pid == 0; xcb_res_client_id_value_next(&at))
        if (at.data->spec.mask & XCB_RES_CLIENT_ID_MASK_LOCAL_CLIENT_PID &&
            xcb_res_client_id_value_value_length(at.data) > 0)
            pid = *xcb_res_client_id_value_value(at.data);
    free(reply);
    return pid;
}

/* Version 1.2 has the ids of clients. They say something if the server calls this process what it
 * calls itself: not over ssh, nor from within a container. */
static bool has_clients(struct um_display *display)
{
    xcb_connection_t *xcb = display->xcb;
    const xcb_query_extension_reply_t *extension = xcb_get_extension_data(xcb, &xcb_res_id);
    if (!extension || !extension->present)
        return false;
    xcb_res_query_version_reply_t *version =
        xcb_res_query_version_reply(xcb, xcb_res_query_version(xcb, 1, 2), NULL);
    bool has = version && (version->server_major > 1 || version->server_minor >= 2);
    free(version);
    return has &&
           pid_of_client(display, xcb_get_setup(xcb)->resource_id_base) == (uint32_t)getpid();
}

enum um_status um_display_open(struct um_display *display)
{
    int number;
    memset(display, 0, sizeof *display);
    const xcb_screen_t *screen = um_server_open(&display->xcb, &number);
    if (!screen)
        return UM_ERR_NOT_FOUND;
    display->root = screen->root;
    display->has_clients = has_clients(display);
    intern(display);
    return UM_OK;
}

/* Bytes that are not UTF-8 are shown as replacements; a Latin-1 title of old programs has them. */
static bool text(struct um_display *display, xcb_window_t window, xcb_atom_t name, xcb_atom_t type,
                 size_t skip, char *buf, size_t cap_bytes)
{
    xcb_get_property_reply_t *reply = property(display, window, name, type, 8);
    if (!reply)
        return false;
    size_t len = (size_t)xcb_get_property_value_length(reply);
    char *copy = calloc(len + 1, 1);
    if (copy)
        memcpy(copy, xcb_get_property_value(reply), len);
    const char *wanted = copy;
    for (; copy && skip > 0 && wanted < copy + len; skip--)
        wanted += strlen(wanted) + 1; /* the next of several */
    bool found = copy && wanted < copy + len;
    if (found)
        (void)um_utf8_fit(wanted, cap_bytes, buf, cap_bytes);
    free(copy);
    free(reply);
    return found;
}

/* Whether a client's name of its machine can be this one's: in other letters, with a domain or
 * without. */
static bool may_be_own_name(const char *name)
{
    char own[256] = "";
    size_t len = strcspn(name, ".");
    if (len == 0 || (len == 9 && strncasecmp(name, "localhost", len) == 0) ||
        gethostname(own, sizeof own - 1) != 0)
        return true;
    size_t own_len = strcspn(own, ".");
    if (name[len] != '\0' && own[own_len] != '\0')
        return strcasecmp(name, own) == 0;
    return len == own_len && strncasecmp(name, own, len) == 0;
}

/* Whether a process has a namespace of its own ("uts": the machine's name, "pid": numbers of
 * processes), as in a container. */
static bool has_own(uint32_t pid, const char *space)
{
    struct stat own, other;
    char path[64], own_path[64];
    snprintf(path, sizeof path, "/proc/%" PRIu32 "/ns/%s", pid, space);
    snprintf(own_path, sizeof own_path, "/proc/self/ns/%s", space);
    return stat(own_path, &own) == 0 && stat(path, &other) == 0 &&
           (own.st_ino != other.st_ino || own.st_dev != other.st_dev);
}

static bool is_ssh(uint32_t pid)
{
    struct um_target_info process = {.pid = pid};
    return um_process_describe(&process) && strcmp(process.name, "ssh") == 0;
}

/* Whether a process that the server knows passes on what a program of another machine sends it.
 * `said`: the process that the window names. */
static bool is_forwarder(uint32_t pid, uint32_t said)
{
    return said != 0 && said != pid && !has_own(pid, "uts") && !has_own(pid, "pid");
}

/* A client in a container says another number than the one that it has here, so the server is asked
 * first. It knows the processes of this machine alone. What the client calls the machine decides
 * only where that is in doubt: names are spelled in more than one way. */
void um_display_client(struct um_display *display, xcb_window_t window,
                       struct um_display_client *client)
{
    uint32_t known = display->has_clients ? pid_of_client(display, window) : 0;
    uint32_t said = word(display, window, display->atoms[UM_DISPLAY_NET_WM_PID], XCB_ATOM_CARDINAL);
    *client = (struct um_display_client){0};
    (void)text(display, window, XCB_ATOM_WM_CLIENT_MACHINE, XCB_ATOM_ANY, 0, client->machine,
               sizeof client->machine);
    bool says_nothing = known == 0 || is_ssh(known);
    client->is_remote =
        !may_be_own_name(client->machine) && (says_nothing || is_forwarder(known, said));
    client->pid = client->is_remote || says_nothing ? said : known;
    client->forwarder = client->is_remote ? known : 0;
}

uint32_t um_display_pid(struct um_display *display, xcb_window_t window)
{
    struct um_display_client client;
    um_display_client(display, window, &client);
    return client.is_remote ? 0 : client.pid;
}

/* A panel, a desktop, a splash screen or a palette is no main window. */
static bool is_tool(struct um_display *display, xcb_window_t window)
{
    xcb_atom_t type =
        word(display, window, display->atoms[UM_DISPLAY_NET_WM_WINDOW_TYPE], XCB_ATOM_ATOM);
    return type != XCB_ATOM_NONE && type != display->atoms[UM_DISPLAY_NET_WM_WINDOW_TYPE_NORMAL] &&
           type != display->atoms[UM_DISPLAY_NET_WM_WINDOW_TYPE_DIALOG];
}

static bool is_iconified(struct um_display *display, xcb_window_t window)
{
    xcb_atom_t state = display->atoms[UM_DISPLAY_WM_STATE];
    return word(display, window, state, state) == ICONIC;
}

bool um_display_describe(struct um_display *display, xcb_window_t window,
                         struct um_target_window *out)
{
    xcb_get_window_attributes_cookie_t asked = xcb_get_window_attributes(display->xcb, window);
    xcb_get_geometry_cookie_t asked_size = xcb_get_geometry(display->xcb, window);
    xcb_get_window_attributes_reply_t *attributes =
        xcb_get_window_attributes_reply(display->xcb, asked, NULL);
    xcb_get_geometry_reply_t *size = xcb_get_geometry_reply(display->xcb, asked_size, NULL);
    bool known = attributes && size;
    *out = (struct um_target_window){.hwnd = window};
    if (known) {
        xcb_window_t owner = word(display, window, XCB_ATOM_WM_TRANSIENT_FOR, XCB_ATOM_WINDOW);
        out->pid = out->tid = um_display_pid(display, window);
        out->area_px = (uint64_t)size->width * size->height;
        out->visible =
            attributes->_class == XCB_WINDOW_CLASS_INPUT_OUTPUT && !attributes->override_redirect &&
            (attributes->map_state == XCB_MAP_STATE_VIEWABLE || is_iconified(display, window));
        out->owned = owner != XCB_WINDOW_NONE && owner != display->root;
        out->tool = is_tool(display, window);
    }
    free(attributes);
    free(size);
    return known;
}

void um_display_title(struct um_display *display, xcb_window_t window, char *buf, size_t cap_bytes)
{
    um_text_set(buf, cap_bytes, "");
    if (!text(display, window, display->atoms[UM_DISPLAY_NET_WM_NAME],
              display->atoms[UM_DISPLAY_UTF8_STRING], 0, buf, cap_bytes))
        (void)text(display, window, XCB_ATOM_WM_NAME, XCB_ATOM_ANY, 0, buf, cap_bytes);
}

/* WM_CLASS has the instance's name first, then the class. */
void um_display_class(struct um_display *display, xcb_window_t window, char *buf, size_t cap_bytes)
{
    um_text_set(buf, cap_bytes, "");
    (void)text(display, window, XCB_ATOM_WM_CLASS, XCB_ATOM_ANY, 1, buf, cap_bytes);
}

bool um_display_exists(struct um_display *display, xcb_window_t window)
{
    xcb_get_window_attributes_reply_t *reply = xcb_get_window_attributes_reply(
        display->xcb, xcb_get_window_attributes(display->xcb, window), NULL);
    free(reply);
    return reply != NULL;
}

bool um_display_is_shown(struct um_display *display, xcb_window_t window)
{
    xcb_get_window_attributes_reply_t *reply = xcb_get_window_attributes_reply(
        display->xcb, xcb_get_window_attributes(display->xcb, window), NULL);
    bool known = reply != NULL;
    bool viewable = known && reply->map_state == XCB_MAP_STATE_VIEWABLE;
    free(reply);
    return viewable || (known && is_iconified(display, window));
}

bool um_display_answers_ping(struct um_display *display, xcb_window_t window)
{
    return has_word(display, window, display->atoms[UM_DISPLAY_WM_PROTOCOLS], XCB_ATOM_ATOM,
                    display->atoms[UM_DISPLAY_NET_WM_PING]);
}

xcb_window_t um_display_active(struct um_display *display)
{
    return word(display, display->root, display->atoms[UM_DISPLAY_NET_ACTIVE_WINDOW],
                XCB_ATOM_WINDOW);
}
