// points OUT FILE...: what System.Reflection.Metadata reads in portable PDBs and assemblies, as the
// truth for names/ppdb.h and names/assembly.h.
using System;
using System.IO;
using System.Linq;
using System.Reflection.Metadata;
using System.Reflection.Metadata.Ecma335;
using System.Reflection.PortableExecutable;

static class Points
{
    static StreamWriter output;

    static string Hex(byte[] bytes)
    {
        return string.Concat(bytes.Select(b => b.ToString("x2")));
    }

    // The checksum of a document, as base/checksum.h writes it, after a blank.
    static string Checksum(MetadataReader pdb, Document document)
    {
        if (document.HashAlgorithm.IsNil || document.Hash.IsNil)
            return "";
        string algorithm = pdb.GetGuid(document.HashAlgorithm).ToString();
        string name = algorithm == "8829d00f-11b8-4213-878b-770e8597ac16" ? "sha256"
                      : algorithm == "ff1816ec-aa5e-4d10-87f7-6f4963833460" ? "sha1" : algorithm;
        return $" {name}:{Hex(pdb.GetBlobBytes(document.Hash))}";
    }

    static void Print(MetadataReader pdb)
    {
        output.Write($"id {Hex(pdb.DebugMetadataHeader.Id.ToArray())}\n");
        foreach (var document in pdb.Documents)
            output.Write($"document {MetadataTokens.GetRowNumber(document)} " +
                         pdb.GetString(pdb.GetDocument(document).Name) +
                         $"{Checksum(pdb, pdb.GetDocument(document))}\n");
        foreach (var method in pdb.MethodDebugInformation)
            foreach (var point in pdb.GetMethodDebugInformation(method).GetSequencePoints())
                output.Write($"point {MetadataTokens.GetRowNumber(method)} {point.Offset} " +
                             $"{MetadataTokens.GetRowNumber(point.Document)} " +
                             (point.IsHidden ? "hidden\n"
                                             : $"{point.StartLine} {point.StartColumn} " +
                                               $"{point.EndLine} {point.EndColumn}\n"));
    }

    static void Print(PEReader assembly)
    {
        foreach (var entry in assembly.ReadDebugDirectory())
            if (entry.Type == DebugDirectoryEntryType.CodeView) {
                var view = assembly.ReadCodeViewDebugDirectoryData(entry);
                output.Write($"codeview {Hex(view.Guid.ToByteArray())} {entry.Stamp:x8} " +
                             $"{(entry.IsPortableCodeView ? "portable" : "windows")} {view.Path}\n");
            } else if (entry.Type == DebugDirectoryEntryType.EmbeddedPortablePdb) {
                output.Write("embedded\n");
                Print(assembly.ReadEmbeddedPortablePdbDebugDirectoryData(entry).GetMetadataReader());
            }
    }

    static void Main(string[] args)
    {
        using (output = new StreamWriter(args[0]))
            foreach (string path in args.Skip(1)) {
                output.Write($"file {Path.GetFileName(path)}\n");
                if (path.EndsWith(".pdb"))
                    Print(MetadataReaderProvider.FromPortablePdbStream(File.OpenRead(path)).GetMetadataReader());
                else
                    Print(new PEReader(File.OpenRead(path)));
            }
    }
}
