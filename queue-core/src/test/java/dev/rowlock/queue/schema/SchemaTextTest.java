package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Text means the same in every database, however that orders text and whatever a backslash is to it. */
@Representative
@PostgresTest(freshPerTest = true)
class SchemaTextTest {

    /** A comment, or a text in quotes with what stands before it. */
    private static final Pattern TEXT = Pattern.compile("--[^\n]*|[Ee]?'(?:[^']|'')*'");

    private final TestDatabase database;

    SchemaTextTest(TestDatabase database) {
        this.database = database;
    }

    @Test
    void columnsAndIndexesOrderTextByItsBytes() {
        migrate("on");

        assertThat(sql("on").sql("""
                        SELECT c.relname || '.' || a.attname
                          FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
                         WHERE c.relnamespace = 'rowlock'::regnamespace AND c.relkind IN ('r', 'p', 'i', 'I') AND a.attnum > 0
                           AND c.relname NOT LIKE 'schema\\_history%'
                           AND a.attcollation NOT IN (0, '"C"'::regcollation)
                        """).query(String.class).list()).isEmpty();
    }

    @Test
    void noScriptHasATextThatABackslashMayChange() {
        List<String> texts = SchemaScript.ALL.stream()
                .flatMap(script -> TEXT.matcher(script.text()).results())
                .map(MatchResult::group)
                .toList();

        assertThat(texts)
                .hasSizeGreaterThan(100)
                .filteredOn(text -> text.startsWith("'"))
                .noneMatch(text -> text.contains("\\"));
    }

    @Test
    void functionsAnswerTheSameWhereABackslashIsAnEscape() {
        migrate("off");

        List<String> calls = List.of(
                "rowlock.storable(E'{\"a\": \"\\\\u0000\", \"b\": \"\\\\ud83d\", \"c\": \"\\\\\\\\u0000\", \"d\": \"\\\\ud83d\\\\ude00\"}')",
                "rowlock.header(E'{\"a\": \"1\\\\u0000\"}', 'a')",
                "rowlock.without_values('Order 4711 of «Müller» and \"x\" failed at 3f2504e0-4f89-11d3-9a0c-0305e82c3301, c:' || chr(92) || 'temp')",
                "rowlock.error_fingerprint(jsonb_build_object('type', 'x', 'message', 'no ' || chr(92), 'trace', E'x: y\\n\\tat a.B.c(B.java:1)\\n'))",
                "rowlock.thrown_by(jsonb_build_object('trace', E'x: y\\n\\tat a.B.c(B.java:1)\\n'))",
                "count(*)::text || ' days' FROM rowlock.done_partition WHERE from_at IS NOT NULL");
        assertThat(answers("off", calls))
                .isEqualTo(answers("on", calls))
                .contains("8 days", "a.B.c", "1\ufffd", "Order # of '?' and '?' failed at #, c:\\temp")
                .contains("{\"a\": \"\\ufffd\", \"b\": \"\\ufffd\", \"c\": \"\\\\u0000\", \"d\": \"\\ud83d\\ude00\"}");
    }

    private List<String> answers(String strings, List<String> calls) {
        return calls.stream()
                .flatMap(call -> Stream.ofNullable(
                        sql(strings).sql("SELECT " + call).query(String.class).single()))
                .toList();
    }

    private void migrate(String strings) {
        new SchemaMigrator(source(strings), "rowlock", SchemaMode.MIGRATE).run();
    }

    private JdbcClient sql(String strings) {
        return JdbcClient.create(source(strings));
    }

    private PGSimpleDataSource source(String strings) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(database.jdbcUrl());
        source.setUser(database.username());
        source.setPassword(database.password());
        source.setOptions("-c standard_conforming_strings=" + strings);
        return source;
    }
}
