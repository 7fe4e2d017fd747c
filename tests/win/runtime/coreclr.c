/* In place of .NET's runtime: a DLL of its name, which target_works_win32 loads. What the real one
 * keeps of its methods is in the target's own memory here; see mscordaccore.c. */
__declspec(dllexport) extern const int um_stands_for_a_runtime;
const int um_stands_for_a_runtime = 1;
