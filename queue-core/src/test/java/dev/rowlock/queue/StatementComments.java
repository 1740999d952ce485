package dev.rowlock.queue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What the source of a class says about it, its fields and the methods that use them: first sentences only. */
final class StatementComments {

    private static final Pattern METHOD = Pattern.compile("    (?!new |return |throw |@)[\\w<@].*\\b(\\w+)\\(.*");
    private static final Pattern LINK = Pattern.compile("\\{@\\w+ ([^}]*)}");
    private static final Pattern SENTENCE = Pattern.compile("(.*?[.:])( [A-Z].*| *$)");
    private static final Path SOURCES = Path.of("src", "main", "java");

    private final Class<?> owner;
    private final List<String> lines;

    private StatementComments(Class<?> owner, List<String> lines) {
        this.owner = owner;
        this.lines = lines;
    }

    static StatementComments of(Class<?> owner) {
        return new StatementComments(owner, read(SOURCES.resolve(owner.getName().replace('.', '/') + ".java")));
    }

    /** Of a package. */
    static String of(Package aPackage) {
        List<String> lines =
                read(SOURCES.resolve(aPackage.getName().replace('.', '/')).resolve("package-info.java"));
        return new StatementComments(Object.class, lines).above(lines.indexOf("@NullMarked"));
    }

    private static List<String> read(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    String ofClass() {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i)
                    .matches("(public |final |abstract |sealed )*(class|record|enum) " + owner.getSimpleName()
                            + "\\b.*")) {
                return above(i);
            }
        }
        throw new IllegalStateException("no class in " + owner);
    }

    /** Of a field that has a comment of its own, or of the methods that use it, and why it is so; empty: nothing is said. */
    String of(String name) {
        Set<String> said = new LinkedHashSet<>();
        Set<String> reasons = new LinkedHashSet<>();
        String last = name.substring(name.lastIndexOf('.') + 1);
        Pattern use = Pattern.compile("\\b" + name.replaceFirst("\\..*", "") + "\\b|[.]" + last + "\\(\\)");
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (use.matcher(line).find()
                    && !line.contains("import ")
                    && !line.strip().startsWith("*")) {
                boolean field = line.matches("    \\w.*\\b" + name.replaceFirst("\\..*", "") + "\\b( =.*|;)");
                if (field && lines.get(i - 1).strip().endsWith("*/")) {
                    return above(i);
                }
                (field ? reasons : said).add(field ? above(i) : ofMethodAt(i));
            }
        }
        said.addAll(reasons);
        said.remove("");
        return said.stream().limit(2).collect(Collectors.joining(" "));
    }

    /** Whether a field is given to a method as it is, so that it is a whole statement. */
    boolean passesOn(String name) {
        return lines.stream().anyMatch(line -> line.matches(".*[(,] *" + name + "[,)].*"));
    }

    private String ofMethodAt(int line) {
        int i = line;
        while (i > 0 && !METHOD.matcher(lines.get(i)).matches()) {
            i--;
        }
        Matcher method = METHOD.matcher(lines.get(i));
        if (!method.matches()
                || method.group(1).equals(owner.getSimpleName())
                || lines.get(i).contains(" = ")) {
            return "";
        }
        return above(i);
    }

    private String above(int line) {
        int end = line - 1;
        while (end > 0 && lines.get(end).strip().startsWith("@")) {
            end--;
        }
        List<String> comment = new ArrayList<>();
        while (end >= 0 && lines.get(end).strip().matches("(/\\*\\*|\\*|//).*")) {
            comment.add(
                    0,
                    lines.get(end)
                            .strip()
                            .replaceFirst("^(/\\*\\*|\\*/|\\*|//)", "")
                            .replaceFirst("\\*/$", "")
                            .strip());
            end--;
        }
        String text = comment.stream()
                .takeWhile(part -> !part.matches("(@|<p>|<h2>).*"))
                .collect(Collectors.joining(" "));
        Matcher sentence = SENTENCE.matcher(plain(text));
        return sentence.matches() ? sentence.group(1) : plain(text);
    }

    private static String plain(String text) {
        return LINK.matcher(text.strip())
                .replaceAll(link -> Matcher.quoteReplacement(link.group(1).replaceFirst("^[\\w.]*#", "")))
                .replaceAll("</?\\w+>", "");
    }
}
