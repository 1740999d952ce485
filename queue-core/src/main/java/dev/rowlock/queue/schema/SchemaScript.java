package dev.rowlock.queue.schema;

import dev.rowlock.queue.internal.store.Schema;
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
 * One migration, a file of this package's resource folder.
 *
 * <p>{@link #plainSql} returns all of them as one text for a database administrator; from a shell:
 * {@code java -cp queue-core.jar dev.rowlock.queue.schema.SchemaScript rowlock}. Hence this class needs
 * nothing but the JDK.
 *
 * @param version counts from 1
 * @param description what it brings, as Flyway derives it from the file name
 * @param file the file name
 */
public record SchemaScript(int version, String description, String file) {

    /** The folder of the scripts on the classpath. */
    public static final String FOLDER = "dev/rowlock/queue/schema";

    /** All scripts, oldest first. */
    static final List<SchemaScript> ALL = List.of(new SchemaScript(1, "rooms", "V1__rooms.sql"));

    private static final String HEAD = """
            -- The tables of Rowlock. Run this as the role that the application connects with: its nodes make and
            -- drop the daily partitions of ${schema}.done, so they must own it.
            -- Afterwards rowlock.schema.mode may be migrate, validate or none.
            BEGIN;

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

    private static final String RECORD = """

            INSERT INTO ${schema}.schema_history
                   (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success)
            VALUES (%1$d, '%1$d', '%2$s', 'SQL', '%3$s', %4$d, current_user, 0, true);

            """;

    private static final String TAIL = "COMMIT;\n";

    /** Prints {@link #plainSql} for the schema named by the first argument, {@code rowlock} without one. */
    public static void main(String[] arguments) {
        String sql = plainSql(arguments.length == 0 ? "rowlock" : arguments[0]);
        new PrintStream(System.out, true, StandardCharsets.UTF_8).print(sql);
    }

    /**
     * Everything that an empty database needs, as one transaction for psql: schema, history and all scripts.
     *
     * @throws IllegalArgumentException if that is no name for a schema
     */
    public static String plainSql(String schema) {
        return ALL.stream()
                .map(script -> script.text()
                        + RECORD.formatted(script.version, script.description, script.file, script.checksum()))
                .collect(Collectors.joining("\n", HEAD, TAIL))
                .replace("${schema}", placeholder(new Schema(schema)));
    }

    /** What stands for the schema in the scripts: quoted, because a keyword is a valid name. */
    static String placeholder(Schema schema) {
        return '"' + schema.name() + '"';
    }

    /** The script as it lies in the jar, with its placeholder. */
    String text() {
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
