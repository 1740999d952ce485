package dev.rowlock.queue;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the numbered parameters of a statement are called: as a comment behind them says, or else as the statement itself does, by the column that
 * they are compared with, come to, or are listed as.
 */
final class ParameterNames {

    private static final Pattern SAID = Pattern.compile("\\$(\\d+)(?:::[\\w\\[\\]]+)*\\)? ?/\\* (\\w+) \\*/");
    private static final Pattern ALIAS = Pattern.compile("\\$(\\d+)\\)?(?:::[\\w\\[\\]]+)*\\)* AS (\\w+)\\b(?! \\()");
    private static final Pattern COMPARED = Pattern.compile(
            "(?:FROM rowlock\\.(\\w+) WHERE )?(?:\\w+\\.)?(\\w+)(?:::\\w+)? (=|<|>|<=|>=|<>) (?:ANY |ALL )?\\(?(?:coalesce\\()?\\$(\\d+)");

    private static final Map<String, String> SAYS =
            Map.of("=", "", "<", "before ", ">", "behind ", "<=", "up to ", ">=", "from ", "<>", "not ");

    private static final Pattern SET = Pattern.compile("(\\w+) = [\\w.()]* ?[+-] \\$(\\d+) \\* interval '1 ms'");
    private static final Pattern INTERVAL = Pattern.compile("\\$(\\d+) \\* interval '1 (ms|s)'");
    private static final Pattern HEADER = Pattern.compile("header\\(headers, \\$(\\d+)\\) = \\$(\\d+)");
    private static final Pattern LIMIT = Pattern.compile("(LIMIT|OFFSET) \\$(\\d+)");
    private static final Pattern LOCK = Pattern.compile("hashtextextended\\(\\$(\\d+)");
    private static final Pattern SETTING = Pattern.compile("set_config\\('(\\w+)', \\$(\\d+)");

    private static final Pattern INSERT =
            Pattern.compile("INSERT INTO [\\w.]+ (?:AS \\w+ )?(\\([^)]*\\))\\s+(?:SELECT|VALUES) ");
    private static final Pattern LIST = Pattern.compile("unnest\\(|\\(SELECT ");
    private static final Pattern LISTED_AS = Pattern.compile("^(?: WITH ORDINALITY)?\\s+AS \\w+ (\\([^)]*\\))");
    private static final Pattern ROW = Pattern.compile("(\\([\\w., *()]+\\)) (=|<|>|<=|>=) (?=\\()");
    private static final Pattern CALL = Pattern.compile("\\b(\\w+)\\((?=\\$)");
    private static final Pattern NUMBER = Pattern.compile("\\$(\\d+)");

    private final Map<Integer, String> names = new TreeMap<>();

    /** @param functions the names of their parameters */
    static Map<Integer, String> of(String sql, Map<String, List<String>> functions) {
        ParameterNames found = new ParameterNames();
        found.all(SAID, sql, 1, 2);
        LIST.matcher(sql).results().forEach(list -> {
            int end = end(sql, list.end());
            Matcher as = LISTED_AS.matcher(sql.substring(Math.min(end + 1, sql.length())));
            if (as.find()) {
                found.pairs(parts(as.group(1)), split(sql.substring(list.end(), end)));
            }
        });
        found.all(ALIAS, sql, 1, 2);
        INSERT.matcher(sql).results().forEach(insert -> {
            String values = sql.substring(insert.end(), end(sql, insert.end()));
            found.pairs(parts(insert.group(1)), values.startsWith("(") ? parts(values) : split(values));
        });
        ROW.matcher(sql).results().forEach(row -> {
            String values = sql.substring(row.end() + 1, end(sql, row.end() + 1));
            List<String> places = parts(row.group(1)).stream()
                    .map(place -> SAYS.get(row.group(2)) + place.replaceFirst("^\\w+\\.", ""))
                    .toList();
            found.pairs(places, split(values));
        });
        CALL.matcher(sql)
                .results()
                .filter(call -> functions.containsKey(call.group(1)))
                .forEach(call -> found.pairs(
                        functions.get(call.group(1)), split(sql.substring(call.end(), end(sql, call.end())))));
        HEADER.matcher(sql).results().forEach(header -> {
            found.put(header.group(1), "header_name");
            found.put(header.group(2), "header_value");
        });
        COMPARED.matcher(sql)
                .results()
                .forEach(each -> found.put(
                        each.group(4),
                        SAYS.get(each.group(3)) + (each.group(1) == null ? "" : each.group(1) + " ") + each.group(2)));
        found.all(SET, sql, 2, 1);
        found.all(SETTING, sql, 2, 1);
        INTERVAL.matcher(sql)
                .results()
                .forEach(time -> found.put(time.group(1), time.group(2).equals("s") ? "seconds" : "millis"));
        LIMIT.matcher(sql)
                .results()
                .forEach(limit -> found.put(limit.group(2), limit.group(1).toLowerCase(Locale.ROOT)));
        LOCK.matcher(sql).results().forEach(lock -> found.put(lock.group(1), "lock_name"));
        return found.names;
    }

    private void all(Pattern pattern, String sql, int number, int name) {
        pattern.matcher(sql).results().forEach(each -> put(each.group(number), each.group(name)));
    }

    private void put(String number, String name) {
        names.putIfAbsent(Integer.valueOf(number), name);
    }

    /** Where an expression has one parameter, that has the name of its place. */
    private void pairs(List<String> places, List<String> expressions) {
        for (int i = 0; i < Math.min(places.size(), expressions.size()); i++) {
            List<String> numbers = NUMBER.matcher(expressions.get(i))
                    .results()
                    .map(number -> number.group(1))
                    .distinct()
                    .toList();
            String name = places.get(i).replaceFirst("^\\w+\\.", "");
            if (numbers.size() == 1 && name.matches("[\\w ]+")) {
                put(numbers.get(0), name);
            }
        }
    }

    private static List<String> parts(String list) {
        return split(list.substring(1, list.length() - 1));
    }

    /** The parts between the commas that are in no parentheses. */
    private static List<String> split(String list) {
        List<String> parts = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i < list.length(); i++) {
            char c = list.charAt(i);
            depth += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
            if (c == ',' && depth == 0) {
                parts.add(list.substring(from, i).strip());
                from = i + 1;
            }
        }
        parts.add(list.substring(from).strip());
        return parts;
    }

    /** Where the parenthesis closes that was opened before, or the text ends. */
    private static int end(String sql, int from) {
        int depth = 1;
        for (int i = from; i < sql.length(); i++) {
            char c = sql.charAt(i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        return sql.length();
    }
}
