package dev.rowlock.queue.schema;

import dev.rowlock.queue.internal.db.Schema;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * One migration: files of this package's resource folder, one after the other.
 *
 * <p>{@link #plainSql} returns all of them as one text for a database administrator, {@link #upgradeSql} those behind a
 * version, {@link #grantSql} the rights of three roles. From a shell, hence this class needs nothing but the JDK:
 * <pre>
 * java -cp rowlock-core.jar dev.rowlock.queue.schema.SchemaScript rowlock
 * java -cp rowlock-core.jar dev.rowlock.queue.schema.SchemaScript rowlock --from 1
 * java -cp rowlock-core.jar dev.rowlock.queue.schema.SchemaScript rowlock --grant owner runtime reader
 * java -cp rowlock-core.jar dev.rowlock.queue.schema.SchemaScript rowlock --grant-functions role
 * </pre>
 *
 * @param version counts from 1
 * @param description what it brings
 * @param files of its text, in this order
 */
public record SchemaScript(int version, String description, List<String> files) {

    /** The folder of the scripts on the classpath. */
    public static final String FOLDER = "dev/rowlock/queue/schema";

    /** All scripts, oldest first. */
    static final List<SchemaScript> ALL = List.of(new SchemaScript(
            1,
            "tables",
            List.of(
                    "v1/json.sql",
                    "v1/rooms.sql",
                    "v1/nodes.sql",
                    "v1/done.sql",
                    "v1/features.sql",
                    "v1/claim.sql",
                    "v1/complete.sql",
                    "v1/views.sql",
                    "v1/calls.sql",
                    "v1/comments.sql")));

    private static final String HEAD = """
            -- The tables of Rowlock. Run this as the role that is to own them: the application's own, or another one, which
            -- then grants the application's role what it needs (--grant).
            -- Afterwards rowlock.schema.mode may be migrate, validate or none.
            BEGIN;
            SET LOCAL client_encoding = 'UTF8';

            -- A role without CREATE on the database may not even say IF NOT EXISTS, also where somebody made it for the role.
            DO $$ BEGIN
                IF to_regnamespace('${schema}') IS NULL THEN
                    CREATE SCHEMA ${schema};
                END IF;
            END $$;

            -- The history of migrations, as Flyway keeps it, so that later releases find their place in it.
            CREATE TABLE ${schema}.schema_history (
                installed_rank int           NOT NULL CONSTRAINT schema_history_pk PRIMARY KEY,
                version        varchar(50),
                description    varchar(200)  NOT NULL,
                type           varchar(20)   NOT NULL,
                script         varchar(1000) NOT NULL,
                checksum       int,
                installed_by   varchar(100)  NOT NULL,
                installed_on   timestamp     NOT NULL DEFAULT now(),
                execution_time int           NOT NULL,
                success        boolean       NOT NULL
            );
            CREATE INDEX schema_history_s_idx ON ${schema}.schema_history (success);

            """;

    private static final String UPGRADE_HEAD = """
            -- Upgrades the tables of Rowlock from version %1$d. Run this as the role that owns them.
            BEGIN;
            SET LOCAL client_encoding = 'UTF8';

            -- Two upgrades at once, or one from another version, would leave a mixture.
            LOCK TABLE ${schema}.schema_history IN EXCLUSIVE MODE;
            DO $$
            DECLARE
                found int := (SELECT max(version::int) FROM ${schema}.schema_history WHERE success);
            BEGIN
                IF found IS DISTINCT FROM %1$d THEN
                    RAISE EXCEPTION 'the tables of Rowlock are of version %%, and this script upgrades those of version %1$d', found;
                END IF;
            END $$;

            """;

    private static final String RECORD = """

            INSERT INTO ${schema}.schema_history
                   (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
            SELECT coalesce(max(installed_rank), 0) + 1, '%d', '%s', 'SQL', '%s', %d, current_user, 0, true
              FROM ${schema}.schema_history;

            """;

    private static final String TAIL = "COMMIT;\n";

    private static final String GRANTS = "roles/grants.sql";
    private static final String FUNCTION_GRANTS = "roles/functions.sql";

    private static final String USAGE =
            "usage: SchemaScript [schema [--from version | --grant owner runtime reader | --grant-functions role]]";

    public SchemaScript {
        files = List.copyOf(files);
    }

    /** Prints one of the texts; {@code rowlock} is the schema unless the first argument names another. */
    public static void main(String[] arguments) {
        new PrintStream(System.out, true, StandardCharsets.UTF_8).print(sql(List.of(arguments)));
    }

    /** @throws IllegalArgumentException if the arguments ask for nothing that there is */
    static String sql(List<String> arguments) {
        String schema = arguments.isEmpty() ? "rowlock" : arguments.get(0);
        String option = arguments.size() < 2 ? "" : arguments.get(1);
        if (arguments.size() < 2) {
            return plainSql(schema);
        } else if (option.equals("--from") && arguments.size() == 3) {
            return upgradeSql(schema, Integer.parseInt(arguments.get(2)));
        } else if (option.equals("--grant") && arguments.size() == 5) {
            return grantSql(schema, arguments.get(2), arguments.get(3), arguments.get(4));
        }
        if (option.equals("--grant-functions") && arguments.size() == 3) {
            return grantFunctionsSql(schema, arguments.get(2));
        }
        throw new IllegalArgumentException(USAGE);
    }

    /**
     * Everything that an empty database needs, as one transaction for psql: schema, history and all scripts.
     *
     * @throws IllegalArgumentException if that is no name for a schema
     */
    public static String plainSql(String schema) {
        return plainSql(schema, ALL);
    }

    static String plainSql(String schema, List<SchemaScript> scripts) {
        return inSchema(schema, HEAD, scripts);
    }

    /**
     * Everything that tables of this version need to become those of this release, as one transaction for psql. It
     * changes nothing in tables of another version.
     *
     * @throws IllegalArgumentException if that is no name for a schema, or there is nothing behind this version
     */
    public static String upgradeSql(String schema, int from) {
        return upgradeSql(schema, from, ALL);
    }

    static String upgradeSql(String schema, int from, List<SchemaScript> all) {
        int newest = all.get(all.size() - 1).version;
        if (from < 1 || from >= newest) {
            throw new IllegalArgumentException(
                    "there is nothing to upgrade from version %d: the newest is %d, the oldest 1"
                            .formatted(from, newest));
        }
        return inSchema(
                schema,
                UPGRADE_HEAD.formatted(from),
                all.stream().filter(script -> script.version > from).toList());
    }

    /**
     * What the owner of the tables grants: to {@code runtime} what nodes and enqueuing applications need, to
     * {@code reader} the views {@code job} and {@code failure}. It may be run again.
     */
    public static String grantSql(String schema, String owner, String runtime, String reader) {
        return read(GRANTS)
                .replace("${schema}", placeholder(new Schema(schema)))
                .replace("${owner}", quoted(owner))
                .replace("${runtime}", quoted(runtime))
                .replace("${reader}", quoted(reader));
    }

    /**
     * What the owner of the tables grants to a role that only calls the functions for SQL: {@code enqueue}, {@code enqueue_with_key},
     * {@code enqueue_unique}, {@code enqueue_unique_with_key}, {@code cancel} and {@code job_state}. It may be run again.
     */
    public static String grantFunctionsSql(String schema, String role) {
        return read(FUNCTION_GRANTS)
                .replace("${schema}", placeholder(new Schema(schema)))
                .replace("${role}", quoted(role));
    }

    private static String inSchema(String schema, String head, List<SchemaScript> scripts) {
        return scripts.stream()
                .map(script -> script.text()
                        + RECORD.formatted(script.version, script.description, script.name(), script.checksum()))
                .collect(Collectors.joining("\n", head, TAIL))
                .replace("${schema}", placeholder(new Schema(schema)));
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** What stands for the schema in the scripts: quoted, because a keyword is a valid name. */
    static String placeholder(Schema schema) {
        return '"' + schema.name() + '"';
    }

    /** The version of the tables of this release. */
    public static int newestVersion() {
        return ALL.get(ALL.size() - 1).version;
    }

    /** Under this name Flyway and the history know it. */
    public String name() {
        return "V%d__%s.sql".formatted(version, description.replace(' ', '_'));
    }

    /** The script as it lies in the jar, with its placeholder. */
    String text() {
        return files.stream().map(SchemaScript::read).collect(Collectors.joining("\n"));
    }

    private static String read(String file) {
        String path = '/' + FOLDER + '/' + file;
        try (InputStream bytes = SchemaScript.class.getResourceAsStream(path)) {
            if (bytes == null) {
                throw new IllegalStateException("script %s is missing from the classpath".formatted(path));
            }
            return new String(bytes.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("script " + path, e);
        }
    }

    /** Flyway's checksum: CRC-32 over the lines without their ends. */
    int checksum() {
        CRC32 crc = new CRC32();
        new BufferedReader(new StringReader(text()))
                .lines()
                .forEach(line -> crc.update(line.getBytes(StandardCharsets.UTF_8)));
        return (int) crc.getValue();
    }
}
