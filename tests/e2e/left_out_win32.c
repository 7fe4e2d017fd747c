/* The end-to-end tests that cannot run as a Windows program. */
#include <stddef.h>

#include "tests/runner/runner.h"

const struct runner_left_out runner_left_out[] = {
    {"cli/says_when_results_cannot_be_written_to_their_end", "needs /dev/full", false},
    {"cli/a_status_line_is_updated_in_place_on_a_terminal", "needs a pseudoterminal", false},
    {"overlay_picture/hides_under_another_program",
     "clicks a title bar, which is the X server's there", true},
    {"managed/lines_are_on_the_page_in_links_to_the_editor_and_in_comparisons",
     "looks at the page with Debian's Chromium", false},
    {"bench/a_shortcut_is_the_same_key_with_a_greek_layout", "sets the layout of the X server",
     false},
    {"cli/finds_its_files_when_it_is_started_by_a_link", "makes a symbolic link", true},
    {"interactions/keys_that_the_system_delivers_after_a_freeze_leave_it_open_whether_it_was_felt",
     "keys of SendInput arrive when they are sent, which is asked beside it", false},
    {NULL, NULL, false}};
