/* A made-up program, and samples of it, for tests of what is shown of samples. Its functions have
 * 16 addresses each: the key is 16 times the function's place in the list below, and a little. */
#ifndef UM_TESTS_FAKE_PROGRAM_H
#define UM_TESTS_FAKE_PROGRAM_H

#include "monitor/profile/functions.h"
#include "monitor/profile/samples.h"
#include "monitor/profile/view.h"

enum fake_function { FAKE_START = 1, FAKE_MAIN, FAKE_SEND, FAKE_PROC, FAKE_PARSE, FAKE_WAIT };
#define FAKE_FUNCTIONS 6
/* Two more, of C++ and C#; they are in no list of all functions. */
#define FAKE_METHOD 7
#define FAKE_MANAGED 8
#define FAKE_OPTIMIZED 9 /* managed, too; one address in four has only the nearest line */
/* 10 and 11, in a stack ":" and ";", have no name. */
#define FAKE_HOOK 12 /* uimon's own; in a stack "<" */

/* Their labels; 0 is "". */
extern const char *const fake_labels[FAKE_FUNCTIONS + 1];

struct fake_program {
    struct um_samples samples;
    struct um_functions functions;
    struct um_view view;
};

void fake_program_init(struct fake_program *fake);
void fake_program_deinit(struct fake_program *fake);

/* Adds a sample of 10 ms in thread 7. The stack is given from the outermost function on, as digits:
 * "1245"; a "-" in front: its outer end was not read; a "?" before a function: it is a guess. */
void fake_program_add(struct fake_program *fake, uint32_t freeze, const char *stack);

/* The same at a time, and with the time since the sample before; 0: it is the first of an
 * absence. */
void fake_program_add_at(struct fake_program *fake, uint32_t freeze, const char *stack,
                         uint64_t at_ns, uint64_t gap_ns);

/* The node of a tree at a path of labels from the outermost on: "app!main;~app!proc", "~" for what
 * was called through frames that are not shown. NULL if there is none. */
const struct um_calltree_node *fake_program_find(const struct fake_program *fake,
                                                 const struct um_calltree *tree, const char *path);

#endif
