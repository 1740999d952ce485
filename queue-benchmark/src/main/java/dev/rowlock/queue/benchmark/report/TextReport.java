package dev.rowlock.queue.benchmark.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/** A summary as a table for people and one line for scripts. */
public final class TextReport {

    private TextReport() {}

    /** One row per peer, medians with their ranges; also valid Markdown. */
    public static String table(Summary summary) {
        List<String> names = summary.figures();
        List<List<String>> rows = new ArrayList<>();
        List<String> header = new ArrayList<>(List.of("peer"));
        header.addAll(names);
        rows.add(header);
        for (String peer : summary.peers()) {
            Map<String, String> cells = new LinkedHashMap<>();
            summary.each(peer, (name, spread) -> cells.put(name, cell(spread)));
            List<String> row = new ArrayList<>(List.of(peer));
            names.forEach(name -> row.add(cells.getOrDefault(name, "")));
            rows.add(row);
        }
        return layOut(rows);
    }

    private static String cell(Summary.Spread spread) {
        String median = Summary.number(spread.median());
        return spread.least() == spread.most()
                ? median
                : "%s (%s–%s)".formatted(median, Summary.number(spread.least()), Summary.number(spread.most()));
    }

    private static String layOut(List<List<String>> rows) {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        rows.forEach(row -> {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        });
        StringBuilder table = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            table.append(line(rows.get(r), widths)).append('\n');
            if (r == 0) {
                table.append(rule(widths)).append('\n');
            }
        }
        return table.toString();
    }

    private static String line(List<String> row, int[] widths) {
        StringJoiner line = new StringJoiner(" | ", "| ", " |");
        for (int i = 0; i < widths.length; i++) {
            String format = i == 0 ? "%-" + widths[i] + "s" : "%" + widths[i] + "s";
            line.add(String.format(format, row.get(i)));
        }
        return line.toString();
    }

    private static String rule(int[] widths) {
        StringJoiner line = new StringJoiner(" | ", "| ", " |");
        for (int i = 0; i < widths.length; i++) {
            line.add("-".repeat(Math.max(2, widths[i] - 1)) + (i == 0 ? "-" : ":"));
        }
        return line.toString();
    }

    /** All medians in one line: {@code peer.figure=value}, with {@code -} written {@code _} in peer names. */
    public static String figures(Summary summary) {
        StringJoiner line = new StringJoiner(" ");
        for (String peer : summary.peers()) {
            String key = peer.replace('-', '_');
            summary.each(peer, (name, spread) -> line.add("%s.%s=%s".formatted(key, name, plain(spread.median()))));
        }
        return line.toString();
    }

    private static String plain(double value) {
        String format = Math.abs(value) >= 1000 ? "%.0f" : "%.3f";
        return String.format(Locale.ROOT, format, value);
    }
}
