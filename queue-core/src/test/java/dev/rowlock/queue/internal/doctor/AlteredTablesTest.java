package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Examined.check;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * What the doctor says of tables that somebody has changed. Its list is written anew by
 * {@code mvn -pl queue-core -am test -Dtest=AlteredTablesTest -Drowlock.test.docs.write=true -Dsurefire.failIfNoSpecifiedTests=false}.
 */
@PostgresTest(freshPerTest = true, migrated = true)
@Representative
class AlteredTablesTest {

    private static final Path LIST = Path.of("src/main/resources/dev/rowlock/queue/schema/objects.txt");

    private final TestDatabase test;
    private final Rooms rooms;

    AlteredTablesTest(TestDatabase database) {
        test = database;
        rooms = Rooms.emptyIn(database);
    }

    @Test
    void theListIsWhatTheScriptsMake() throws IOException {
        List<String> made = rooms.sql(TableChecks.PRESENT + "SELECT object FROM present ORDER BY object COLLATE \"C\"")
                .param("schema", "rowlock")
                .query(String.class)
                .list();
        if (Boolean.getBoolean("rowlock.test.docs.write")) {
            Files.write(LIST, made);
        }

        assertThat(Files.readAllLines(LIST)).isEqualTo(made);
    }

    @Test
    void tablesAsTheScriptsMakeThemAreHealthyInAnySchema() {
        assertThat(examine(rooms).status()).isEqualTo(Status.OK);

        assertThat(examine(Rooms.in(test.dataSource(), new Schema("elsewhere"))).status())
                .isEqualTo(Status.OK);
    }

    @Test
    void tablesAreHealthyWhereTheServerQuotesAllNames() {
        PGSimpleDataSource quoting = new PGSimpleDataSource();
        quoting.setUrl(test.jdbcUrl());
        quoting.setUser(test.username());
        quoting.setPassword(test.password());
        quoting.setOptions("-c quote_all_identifiers=on");

        assertThat(examine(Rooms.in(quoting, new Schema("rowlock"))).status()).isEqualTo(Status.OK);
        assertThat(examine(Rooms.in(quoting, new Schema("elsewhere"))).status()).isEqualTo(Status.OK);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DROP INDEX rowlock.ready_in_order | index ready_in_order of ready USING btree (queue, rank, ready_at, id)",
                "ALTER TABLE rowlock.node ALTER name DROP NOT NULL | column node.name text not null",
                "ALTER TABLE rowlock.dead DROP COLUMN headers CASCADE | column dead.headers json",
                "ALTER TABLE rowlock.bulk_action DROP CONSTRAINT bulk_action_stretch_check | check bulk_action_stretch_check of bulk_action",
                "DROP FUNCTION rowlock.skip_lost_numbers() | function skip_lost_numbers()",
                "ALTER TABLE rowlock.numbering SET LOGGED | unlogged table numbering"
            })
    void whatSomebodyHasChangedIsNamed(String change, String named) {
        rooms.execute(change);

        Finding finding = examine(rooms);

        assertThat(finding.status()).isEqualTo(Status.FAIL);
        assertThat(finding.evidence().rows()).anySatisfy(row -> assertThat(row).contains("missing=" + named));
    }

    @Test
    void tablesOfAnotherReleaseAreNotCompared() {
        rooms.execute("DROP INDEX rowlock.ready_in_order");
        rooms.execute(
                "INSERT INTO rowlock.schema_history SELECT 99, '99', 'later', type, 'V99__later.sql', 1, installed_by, now(), 0, true FROM rowlock.schema_history WHERE version = '1'");

        assertThat(examine(rooms).status()).isEqualTo(Status.OK);
    }

    private static Finding examine(Rooms rooms) {
        return Examined.only(rooms.database(), check("altered-tables"));
    }
}
