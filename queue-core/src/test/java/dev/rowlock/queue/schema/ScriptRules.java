package dev.rowlock.queue.schema;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a migration must not do, because nodes of the release before work on the same tables meanwhile and afterwards.
 * Tables that the script itself makes are its own.
 *
 * <p>A pure function of texts. It reads SQL by patterns, so it allows what it knows and refuses all else: a script that needs
 * something new brings a rule for it.
 */
final class ScriptRules {

    /** Claims that come behind the migration wait so long at most, and so do those behind them. */
    static final int LONGEST_LOCK_WAIT_MILLIS = 50;

    private static final Pattern LOCK_TIMEOUT = Pattern.compile("SET LOCAL lock_timeout = '(\\d+)ms'");

    private static final Pattern CONTRACT = Pattern.compile("-- contract: unused since version (\\d+)\\b");

    private static final String NAME = "\\$\\{schema}\\.\"?(\\w+)\"?";

    private static final Pattern MAKES_TABLE = find("CREATE (?:UNLOGGED )?TABLE (?:IF NOT EXISTS )?" + NAME);

    private static final Pattern ALTERS_TABLE = find(
            "(ALTER|DROP|LOCK|TRUNCATE|CLUSTER|REINDEX|VACUUM)(?: FULL)?(?: TABLE)?(?: IF EXISTS)?(?: ONLY)? " + NAME);

    private static final Pattern CHANGES_ROWS = find("(?:UPDATE|DELETE FROM|MERGE INTO)(?: ONLY)? " + NAME);

    private static final Pattern MAKES_INDEX =
            find("CREATE (?:UNIQUE )?INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?(?:\\w+ )?ON (?:ONLY )?" + NAME);

    private static final Pattern MAKES_TRIGGER = find("CREATE (?:OR REPLACE )?(?:CONSTRAINT )?TRIGGER .* ON " + NAME);

    private static final Pattern REFERS = find("REFERENCES " + NAME);

    private static final Pattern DROPS_OTHER =
            find("DROP (?:INDEX|VIEW|FUNCTION|SEQUENCE|TRIGGER|TYPE|SCHEMA|MATERIALIZED VIEW)\\b");

    /** Each is done in a moment, and rows of the release before still fit. */
    private static final List<Pattern> ALLOWED = List.of(
            // A default that is no constant, or is stored, writes the whole table anew.
            action(
                    "ADD (?:COLUMN )?(?:IF NOT EXISTS )?\\w+ (?:text|jsonb?|smallint|int|bigint|double precision|boolean|timestamptz|uuid|bytea)(?:\\[\\])?(?: COLLATE \"C\")?"
                            + "(?: NULL)?(?: (?:NOT NULL )?DEFAULT (?:-?\\d+|true|false|'[^']*')(?: NOT NULL)?)?"),
            // Rows that are there are checked in a later script.
            action("ADD (?:CONSTRAINT \\w+ )?CHECK .* NOT VALID"),
            action("ALTER (?:COLUMN )?\\w+ (?:SET|DROP) DEFAULT.*"),
            action("ALTER (?:COLUMN )?\\w+ DROP NOT NULL"),
            action("ALTER (?:COLUMN )?\\w+ SET (?:STATISTICS|COMPRESSION|STORAGE) \\w+"),
            action("SET \\(.*\\)"),
            action("RESET \\(.*\\)"));

    private static final Pattern VALIDATES = action("VALIDATE CONSTRAINT \\w+");

    private static final Pattern DROPS = action("DROP .*");

    private ScriptRules() {}

    /** What is wrong with a script of this version; nothing: it may land. */
    static List<String> broken(int version, String script) {
        List<String> statements = statements(script);
        Set<String> own = new TreeSet<>();
        statements.forEach(
                each -> MAKES_TABLE.matcher(each).results().map(m -> m.group(1)).forEach(own::add));
        boolean contracts =
                CONTRACT.matcher(script).results().anyMatch(found -> Integer.parseInt(found.group(1)) < version);
        List<String> broken = new ArrayList<>();
        requireLockTimeout(statements, broken);
        Set<String> locked = new LinkedHashSet<>();
        for (String statement : statements) {
            check(statement, own, contracts, locked, broken);
        }
        if (locked.size() > 1) {
            broken.add("alters several tables, and waits for one while claims wait for another: " + locked);
        }
        if (statements.size() > 2 && statements.stream().anyMatch(each -> each.contains("VALIDATE CONSTRAINT"))) {
            broken.add("VALIDATE CONSTRAINT reads the whole table, so it needs a script that does nothing else");
        }
        return broken;
    }

    private static void requireLockTimeout(List<String> statements, List<String> broken) {
        Matcher first = LOCK_TIMEOUT.matcher(statements.isEmpty() ? "" : statements.get(0));
        if (!first.matches() || Integer.parseInt(first.group(1)) > LONGEST_LOCK_WAIT_MILLIS) {
            broken.add("its first statement is not SET LOCAL lock_timeout = '%dms' or less"
                    .formatted(LONGEST_LOCK_WAIT_MILLIS));
        }
        if (statements.stream().skip(1).anyMatch(each -> each.contains("lock_timeout"))) {
            broken.add("changes lock_timeout once more");
        }
    }

    private static void check(
            String statement, Set<String> own, boolean contracts, Set<String> locked, List<String> broken) {
        others(MAKES_INDEX, 1, statement, own)
                .forEach(table -> broken.add("an index of %s keeps everybody from writing while it is made: %s"
                        .formatted(table, statement)));
        others(CHANGES_ROWS, 1, statement, own)
                .forEach(table ->
                        broken.add("changes all rows of %s in one transaction: %s".formatted(table, statement)));
        others(REFERS, 1, statement, own)
                .forEach(table -> broken.add("a foreign key locks %s: %s".formatted(table, statement)));
        locked.addAll(others(MAKES_TRIGGER, 1, statement, own));
        if (DROPS_OTHER.matcher(statement).find() && !contracts) {
            broken.add("drops what the release before may use; see contract: " + statement);
        }
        for (String table : others(ALTERS_TABLE, 2, statement, own)) {
            locked.add(table);
            if (statement.startsWith("DROP TABLE")) {
                if (!contracts) {
                    broken.add("drops what the release before may use; see contract: " + statement);
                }
            } else if (!statement.startsWith("ALTER TABLE")) {
                broken.add("stops everybody who uses %s: %s".formatted(table, statement));
            } else {
                actions(statement).forEach(action -> check(action, table, contracts, broken));
            }
        }
    }

    private static void check(String action, String table, boolean contracts, List<String> broken) {
        if (ALLOWED.stream().anyMatch(each -> each.matcher(action).matches())
                || VALIDATES.matcher(action).matches()
                || contracts && DROPS.matcher(action).matches()) {
            return;
        }
        broken.add("is not known to be done in a moment and to keep the release before working: ALTER TABLE %s %s"
                .formatted(table, action));
    }

    private static List<String> others(Pattern pattern, int group, String statement, Set<String> own) {
        return pattern.matcher(statement)
                .results()
                .map((MatchResult found) -> found.group(group))
                .filter(table -> !own.contains(table))
                .toList();
    }

    /** What stands between the commas of an ALTER TABLE that lie in no parentheses. */
    private static List<String> actions(String statement) {
        String all = statement.replaceFirst("(?i)^ALTER TABLE (?:IF EXISTS )?(?:ONLY )?" + NAME + " ", "");
        List<String> actions = new ArrayList<>();
        int depth = 0;
        int from = 0;
        for (int i = 0; i < all.length(); i++) {
            char c = all.charAt(i);
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            if (c == ',' && depth == 0) {
                actions.add(all.substring(from, i).trim());
                from = i + 1;
            }
        }
        actions.add(all.substring(from).trim());
        return actions;
    }

    /** Without comments, in single spaces. What a DO block does are statements of the script; bodies of functions are not. */
    static List<String> statements(String script) {
        String text = script.replaceAll("--[^\n]*", " ").replaceAll("(?s)/\\*.*?\\*/", " ");
        text = Pattern.compile("\\bDO\\s+\\$\\$(.*?)\\$\\$", Pattern.DOTALL | Pattern.CASE_INSENSITIVE)
                .matcher(text)
                .replaceAll(block -> Matcher.quoteReplacement(
                        block.group(1).replaceAll("(?i)\\b(BEGIN|EXCEPTION|DECLARE|THEN|ELSE|LOOP)\\b", ";")));
        text = Pattern.compile("\\$\\$.*?\\$\\$", Pattern.DOTALL).matcher(text).replaceAll("''");
        List<String> statements = new ArrayList<>();
        for (String each : text.split(";")) {
            String statement = each.replaceAll("\\s+", " ").trim();
            if (!statement.isEmpty()) {
                statements.add(statement);
            }
        }
        return statements;
    }

    private static Pattern find(String words) {
        return Pattern.compile("\\b" + words, Pattern.CASE_INSENSITIVE);
    }

    private static Pattern action(String words) {
        return Pattern.compile(words, Pattern.CASE_INSENSITIVE);
    }
}
