#include "monitor/options/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "monitor/base/text_wrap.h"
#include "monitor/options/options_table.h"

#define TEXT_COLUMN 26

/* The range and the default, from the table: " (1 to 60000 ms; default 100)". */
static void describe_limits(const struct um_options_table_row *row, char *buf, size_t cap)
{
    const char *space = row->unit ? " " : "";
    const char *unit = row->unit ? row->unit : "";

    buf[0] = '\0';
    if (row->kind == UM_OPTIONS_TABLE_CHOICE) {
        snprintf(buf, cap, " (default %s)", row->choices[0]);
    } else if (row->zero && row->fallback <= 0) {
        snprintf(buf, cap, " (%.10g to %.10g%s%s; default %s)", row->min, row->max, space, unit,
                 row->zero);
    } else if (row->fallback > 0) {
        snprintf(buf, cap, " (%s%s%.10g to %.10g%s%s; default %.10g)", row->zero ? row->zero : "",
                 row->zero ? ", or " : "", row->min, row->max, space, unit, row->fallback);
    }
}

static void print_row(FILE *out, const struct um_options_table_row *row)
{
    char name[64];
    char value[80] = "";
    char limits[96];
    char text[400];

    um_options_table_value_name(row, name, sizeof name);
    if (row->kind == UM_OPTIONS_TABLE_OPEN)
        snprintf(value, sizeof value, "[=%s]", name);
    else if (name[0] != '\0')
        snprintf(value, sizeof value, " %s", name);
    describe_limits(row, limits, sizeof limits);
    snprintf(text, sizeof text, "%s%s", row->help, limits);
    size_t at = (size_t)fprintf(out, "%s --%s%s", row->in_file ? " *" : "  ", row->name, value);
    if (at + 2 > TEXT_COLUMN) {
        fputc('\n', out);
        at = 0;
    }
    fprintf(out, "%*s", (int)(TEXT_COLUMN - at), "");
    um_text_wrap(out, text, TEXT_COLUMN, TEXT_COLUMN);
}

static void print_rows(FILE *out)
{
    for (size_t i = 0; i < UM_OPT_COUNT; i++) {
        if (um_options_table[i].group)
            fprintf(out, "\n%s:\n", um_options_table[i].group);
        print_row(out, &um_options_table[i]);
    }
}

void um_options_help(FILE *out)
{
    fputs("uimon " UM_VERSION " measures how responsive another program's user interface is,\n"
          "and shows it in an overlay on top of that program's window.\n"
          "\n",
          out);
    um_options_usage(out);
    fputs("\n"
          "TARGET is a program's name with or without .exe, a process id, title:TEXT (part\n"
          "of a window's title), or class:NAME (a window's class).\n",
          out);
    print_rows(out);
    fputs("\n"
          "--option=VALUE means the same as --option VALUE. Options marked * can also stand\n"
          "in the configuration file, as lines of key=value or key; # begins a comment. The\n"
          "command line overrides the file: --flag=off switches off what the file switches\n"
          "on.\n"
          "\n"
          "Exit codes:\n"
          "  0  done\n"
          "  1  failed\n"
          "  2  wrong usage, or a mistake in the configuration file or the scenario\n"
          "  3  there is no such target, or it did not appear in time\n"
          "  4  not allowed: the target is elevated, protected or an ARM program\n"
          "  5  a limit given with --fail-over was exceeded\n"
          "  6  nobody can tell from so few runs whether a limit was kept\n"
          "\n"
          "Examples:\n"
          "  uimon --attach devenv\n"
          "  uimon --attach notepad --newest --wait=30\n"
          "  uimon --attach title:invoice --threshold 50 --caption \"before the change\"\n"
          "  uimon --attach devenv --headless --duration 60 --json summary.json\n"
          "  uimon --heartbeat 5 --launch notepad.exe readme.txt\n"
          "  uimon --attach devenv --interactions --record monday.uirec\n"
          "  uimon report monday.uirec --html monday.html\n"
          "  uimon export monday.uirec --format firefox --output monday.json\n"
          "  uimon bench scenarios/notepad-typing.uimon --json before.json\n"
          "  uimon compare before.json after.json --fail-over typing.p90=+5%\n"
          "  uimon history add history.jsonl after.json --label 4f2a91c\n"
          "  uimon history show history.jsonl --html history.html\n"
          "  uimon listen devenv --wait --jsonl hangs.jsonl\n"
          "  uimon listen --all\n"
          "  uimon query devenv input-latency-ms.p99\n",
          out);
}
