/* How a test talks to tests/win/probe_win32.c, once it was started with "talk": a line for each
 * question, whose words tabs keep apart. The answer is what the probe prints, then this, the exit
 * code (-1: no such question), and a line feed. */
#ifndef UM_TESTS_PROBER_H
#define UM_TESTS_PROBER_H

#define PROBE_END '\x04'

#endif
