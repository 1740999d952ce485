package dev.rowlock.sample.imports;

/** Names of uploaded files. They come from strangers and are only ever shown. */
final class FileNames {

    private static final int MAX = 100;

    private FileNames() {}

    /** Without folders and control characters, and not longer than a line. */
    static String shown(String name) {
        String last = name.substring(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
        String clean = last.replaceAll("\\p{Cntrl}", " ").strip();
        if (clean.isEmpty()) {
            return "catalog.csv";
        }
        return clean.codePointCount(0, clean.length()) <= MAX
                ? clean
                : clean.substring(0, clean.offsetByCodePoints(0, MAX)) + "…";
    }
}
