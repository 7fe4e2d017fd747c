"""Writes the methods of long.cs: 24 that call ten others each, all of which count themselves"""
ROWS, LEAVES = 24, 10
print("using System;\nstatic class Many\n{")
print(f"    internal const int Count = {ROWS * (LEAVES + 1)};")
print("    internal static readonly Action<long[], int>[] Rows = {", ", ".join(f"Row{row}" for row in range(ROWS)), "};")
print(f'    internal static string Name(int i) => "Many." + (i < {ROWS} ? "Row" + i : "Leaf" + (i - {ROWS}));')
for row in range(ROWS):
    leaves = range(row * LEAVES, (row + 1) * LEAVES)
    for leaf in leaves:
        print(f"    static void Leaf{leaf}(long[] calls) {{ calls[{ROWS + leaf}]++; }}")
    print(f"    static void Row{row}(long[] calls, int rounds)\n    {{\n        calls[{row}]++;")
    print("        for (int i = 0; i < rounds; i++) {")
    for leaf in leaves:
        print(f"            Leaf{leaf}(calls);")
    print("        }\n    }")
print("}")
