package dev.rowlock.queue;

import dev.rowlock.queue.StatementTexts.Text;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.NativeQuery;
import org.postgresql.core.Parser;
import org.springframework.jdbc.core.namedparam.MapSqlParameterSource;
import org.springframework.jdbc.core.namedparam.NamedParameterUtils;
import org.springframework.jdbc.core.namedparam.ParsedSql;

/** Writes statements so that psql runs them: each in a transaction that is rolled back, with samples for its parameters. */
final class StatementFile {

    /** For parameters that are texts: the first of them that the server accepts. */
    private static final List<String> TEXTS = List.of("mail", "{}", "1000", "(0,1)");

    /** Of parameters for which only certain values are allowed, by the end of their statement's name. */
    private static final Map<String, String> SAMPLES = Map.ofEntries(
            Map.entry("PAUSE kind", "'queue'"),
            Map.entry("BulkActionStatements.CREATE kind", "'redrive'"),
            Map.entry("CreateWorkflow.CREATE states", "ARRAY['waiting']"),
            Map.entry("CreateWorkflow.CREATE runs_after", "ARRAY['success']"),
            Map.entry("limits", "'[{\"queue\": \"mail\", \"max_running\": 2, \"in_order\": \"hold\"}]'"),
            Map.entry("cron", "NULL"),
            Map.entry("zone", "NULL"),
            Map.entry("every_millis", "60000"),
            Map.entry("missed", "'run_once'"),
            Map.entry("missed_window_millis", "0"),
            Map.entry("overlap", "'allow'"),
            Map.entry("IndexDonePartitions.INDEX partition", "'done_20200101'"));

    /** What a statement needs that a fresh schema has not. */
    private static final Map<String, String> GIVEN = Map.of(
            "IndexDonePartitions.INDEX",
            "CREATE TABLE rowlock.done_20200101 PARTITION OF rowlock.done"
                    + " FOR VALUES FROM ('2020-01-01 00:00:00+00') TO ('2020-01-02 00:00:00+00');\n");

    /** Where the driver says more of the first parameters than the text does. */
    private static final Map<String, String> TYPES =
            Map.of("DispatchDueJobs.due", "timestamptz, bigint", "DispatchDueJobs.names", "timestamptz, bigint");

    private static final Pattern NUMBER = Pattern.compile("\\$(\\d+)");

    private static final String SYNTAX_ERROR = "42601";
    private static final String UNDEFINED_TABLE = "42P01";

    private final Connection connection;
    private final Map<String, List<String>> functions;
    private final Map<String, String> before = new LinkedHashMap<>();
    private final Set<String> unnamed = new TreeSet<>();

    StatementFile(Connection connection) throws SQLException {
        this.connection = connection;
        this.functions = functions(connection);
    }

    /** The parameters that neither the statement nor a comment behind them names. */
    Set<String> unnamed() {
        return unnamed;
    }

    private static Map<String, List<String>> functions(Connection connection) throws SQLException {
        Map<String, List<String>> parameters = new HashMap<>();
        parameters.put("pg_notify", List.of("channel", "message"));
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT proname, proargnames FROM pg_proc WHERE pronamespace = 'rowlock'::regnamespace AND proargnames IS NOT NULL")) {
            while (rows.next()) {
                parameters.put(
                        rows.getString(1), List.of((String[]) rows.getArray(2).getArray()));
            }
        }
        return parameters;
    }

    /** Goes in front of others, which then name it only. */
    String first(String name, String sql) {
        String plain = sql.strip().replaceFirst(";$", "");
        before.put(plain, name);
        return "PREPARE \"%s\" AS\n%s;\n".formatted(name, plain);
    }

    /** The statement as text for psql, which has been run here; null: the server says that it is a part of others. */
    @Nullable
    String entry(Text text) throws SQLException {
        SQLException refusal = null;
        for (String sample : TEXTS) {
            try {
                String entry = entry(text, sample);
                run(entry);
                return entry;
            } catch (SQLException e) {
                run("ROLLBACK");
                if (List.of(SYNTAX_ERROR, UNDEFINED_TABLE).contains(String.valueOf(e.getSQLState()))) {
                    return null;
                }
                refusal = refusal == null ? e : refusal;
            } finally {
                run("DEALLOCATE ALL");
                for (Map.Entry<String, String> each : before.entrySet()) {
                    run(first(each.getValue(), each.getKey()));
                }
            }
        }
        throw new SQLException(
                text.name() + ": " + Objects.requireNonNull(refusal).getMessage(), refusal);
    }

    private void run(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(sql);
        }
    }

    private String entry(Text text, String sample) throws SQLException {
        Named named = Named.of(text.sql());
        List<NativeQuery> queries = Parser.parseJdbcSql(named.sql, true, true, true, false, false);
        StringBuilder entry = new StringBuilder("BEGIN;\n").append(GIVEN.getOrDefault(text.name(), ""));
        for (int i = 0; i < queries.size(); i++) {
            String sql = named.numbered(queries.get(i).nativeSql.strip());
            String first = before.get(sql);
            if (first != null) {
                entry.append("EXECUTE \"%s\";\n".formatted(first));
            } else if (queries.get(i).bindPositions.length == 0) {
                entry.append(sql).append(";\n");
            } else {
                String name = text.name() + (i == queries.size() - 1 ? "" : " " + (i + 1));
                String types = TYPES.containsKey(text.name()) ? " (" + TYPES.get(text.name()) + ")" : "";
                entry.append("PREPARE \"%s\"%s AS\n%s;\n".formatted(name, types, sql));
                entry.append("EXECUTE \"%s\" (%s);\n"
                        .formatted(name, samples(text, sql, types(types + " AS " + sql), named.names(), sample)));
            }
        }
        return entry.append("ROLLBACK;\n").toString();
    }

    /** What the server takes the parameters for. */
    private List<String> types(String sql) throws SQLException {
        run("PREPARE looked_at" + sql);
        try (Statement statement = connection.createStatement();
                ResultSet types = statement.executeQuery(
                        "SELECT parameter_types::text[] FROM pg_prepared_statements WHERE name = 'looked_at'")) {
            types.next();
            return List.of((String[]) types.getArray(1).getArray());
        } finally {
            run("DEALLOCATE looked_at");
        }
    }

    private String samples(Text text, String sql, List<String> types, List<String> names, String sample) {
        Map<Integer, String> found = ParameterNames.of(sql, functions);
        return IntStream.range(0, types.size())
                .mapToObj(i -> {
                    String name = names.isEmpty() ? found.get(i + 1) : names.get(i);
                    if (name == null) {
                        unnamed.add("%s $%d".formatted(text.name(), i + 1));
                    }
                    String full = text.name() + " " + (names.isEmpty() ? "$" + (i + 1) : name);
                    String value = SAMPLES.entrySet().stream()
                            .filter(each ->
                                    full.equals(each.getKey()) || full.matches(".*[ .]" + Pattern.quote(each.getKey())))
                            .map(Map.Entry::getValue)
                            .findFirst()
                            .orElseGet(() -> value(types.get(i), sample));
                    return value + " /* " + name + " */";
                })
                .collect(Collectors.joining(", "));
    }

    private static String value(String type, String text) {
        if (type.endsWith("[]")) {
            return "ARRAY[%s]::%s".formatted(value(type.substring(0, type.length() - 2), text), type);
        }
        return switch (type) {
            case "bigint", "integer", "smallint", "numeric", "double precision" -> "1";
            case "boolean" -> "true";
            case "text", "name" -> "'" + text + "'";
            case "interval" -> "'1 minute'";
            case "timestamp with time zone" -> "statement_timestamp()";
            case "json", "jsonb" -> "'{}'";
            default -> throw new IllegalArgumentException("no sample of " + type);
        };
    }

    /**
     * A text whose parameters are question marks.
     *
     * @param each the name of each of them, in their order; empty: they have none
     */
    private record Named(String sql, List<String> each) {

        static Named of(String text) {
            ParsedSql parsed = NamedParameterUtils.parseSqlStatement(text);
            MapSqlParameterSource itself = new MapSqlParameterSource() {
                @Override
                public boolean hasValue(String name) {
                    return true;
                }

                @Override
                public Object getValue(String name) {
                    return name;
                }
            };
            List<String> names = Arrays.stream(NamedParameterUtils.buildValueArray(parsed, itself, null))
                    .filter(Objects::nonNull)
                    .map(String::valueOf)
                    .toList();
            return names.isEmpty()
                    ? new Named(text, names)
                    : new Named(NamedParameterUtils.substituteNamedParameters(parsed, null), names);
        }

        List<String> names() {
            return each.stream().distinct().toList();
        }

        /** The same parameter has the same number, wherever it stands. */
        String numbered(String sql) {
            List<String> names = names();
            return names.isEmpty()
                    ? sql
                    : NUMBER.matcher(sql)
                            .replaceAll(number ->
                                    "\\$" + (names.indexOf(each.get(Integer.parseInt(number.group(1)) - 1)) + 1));
        }
    }
}
