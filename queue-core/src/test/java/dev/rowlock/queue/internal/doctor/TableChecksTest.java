package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Examined.check;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.schema.SchemaScript;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Plants what goes wrong with Rowlock's tables, and reads what the doctor says. */
@PostgresTest(freshPerTest = true, migrated = true)
@Representative
class TableChecksTest {

    private static final Check RETENTION = check("retention-stuck");

    private final Rooms rooms;

    TableChecksTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
    }

    private Finding only(Check check) {
        return Examined.only(rooms.database(), check);
    }

    private void isSilent(Check check) {
        Examined.isSilent(rooms.database(), check);
    }

    @Test
    void tablesThatAnOlderReleaseHasMadeAreNamedWithTheScriptsThatTheyLack() {
        isSilent(check("schema-version"));
        rooms.sql("DELETE FROM rowlock.schema_history WHERE version = ?")
                .param(Integer.toString(SchemaScript.newestVersion()))
                .update();

        Finding finding = only(check("schema-version"));

        assertThat(finding.status()).isEqualTo(Status.FAIL);
        assertThat(finding.cause())
                .isEqualTo("The tables lack scripts that this release needs: version %d."
                        .formatted(SchemaScript.newestVersion()));
    }

    @Test
    void tablesOfANewerReleaseAreGoodToKnow() {
        rooms.execute(
                "INSERT INTO rowlock.schema_history SELECT 99, '99', 'later', type, 'V99__later.sql', 1, installed_by, now(), 0, true FROM rowlock.schema_history WHERE version = '1'");

        Finding finding = only(check("schema-version"));

        assertThat(finding.status()).isEqualTo(Status.INFO);
        assertThat(finding.cause()).startsWith("The tables are of version 99, and this release knows version");
    }

    @Test
    void aDayWithoutPartitionIsNamedIfANodeShouldHaveMadeIt() {
        isSilent(check("missing-partition"));
        rooms.dropDonePartitions();
        rooms.node();
        isSilent(check("missing-partition"));

        rooms.execute("UPDATE rowlock.node SET started_at = now() - interval '2 minutes'");

        Finding finding = only(check("missing-partition"));
        assertThat(finding.status()).isEqualTo(Status.FAIL);
        assertThat(finding.evidence().rows()).hasSize(4);
        rooms.sql(sqlOf(finding)).query().listOfRows();
        isSilent(check("missing-partition"));
    }

    @Test
    void aSequenceThatWouldGiveOutNumbersAgainIsNamed() {
        rooms.ready(3);
        isSilent(check("sequence-behind"));
        rooms.number("SELECT setval('rowlock.job_id', 1)");

        Finding finding = only(check("sequence-behind"));

        assertThat(finding.status()).isEqualTo(Status.FAIL);
        assertThat(finding.cause()).startsWith("Sequence job_id stands at 1 and has given out ");
        rooms.sql(sqlOf(finding)).query().listOfRows();
        isSilent(check("sequence-behind"));
    }

    @Test
    void morePartitionsThanThereShouldBeAreCounted() {
        isSilent(check("many-partitions", Map.of("most", 8)));
        rooms.execute(
                "CREATE TABLE rowlock.done_archive PARTITION OF rowlock.done FOR VALUES FROM ('2020-01-01Z') TO ('2020-01-02Z')");

        assertThat(only(check("many-partitions", Map.of("most", 8))).cause())
                .startsWith("Table done has 9 partitions.");
    }

    @Test
    void aTableThatTakesTheNameOfAPartitionToComeIsNamed() {
        String tomorrow = rooms.sql("SELECT to_char((now() AT TIME ZONE 'UTC')::date + 1, 'YYYYMMDD')")
                .query(String.class)
                .single();
        rooms.execute("ALTER TABLE rowlock.done DETACH PARTITION rowlock.done_" + tomorrow);

        Finding finding = only(check("missing-partition"));

        assertThat(finding.status()).isEqualTo(Status.WARN);
        assertThat(finding.cause()).contains("done_" + tomorrow + " is not a partition of done");
    }

    @Test
    void aPartitionThatShouldBeGoneIsNamedIfANodeShouldHaveDroppedIt() {
        rooms.execute(
                "CREATE TABLE rowlock.done_20200101 PARTITION OF rowlock.done FOR VALUES FROM ('2020-01-01Z') TO ('2020-01-02Z')");
        rooms.execute("INSERT INTO rowlock.retention VALUES (604800000, 9223372036854775807, 1, now())");
        rooms.node();
        isSilent(RETENTION);

        rooms.execute("UPDATE rowlock.node SET started_at = now() - interval '2 hours'");

        assertThat(only(RETENTION).cause())
                .isEqualTo("Partition done_20200101 is older than all nodes want, and is still there.");
        rooms.execute("INSERT INTO rowlock.retention VALUES (9223372036854775807, 9223372036854775807, 1, now())");
        isSilent(RETENTION);
    }

    @Test
    void deadJobsThatShouldBeGoneAreNamed() {
        rooms.dead();
        rooms.execute("UPDATE rowlock.node SET started_at = now() - interval '2 hours'");
        rooms.execute("INSERT INTO rowlock.retention VALUES (0, 604800000, 1, now())");
        rooms.execute("UPDATE rowlock.dead SET died_at = now() - interval '7 days 23 hours'");
        isSilent(RETENTION);

        rooms.execute("UPDATE rowlock.dead SET died_at = now() - interval '8 days 1 hour'");

        assertThat(only(RETENTION).cause()).startsWith("Dead jobs are older than all nodes want");
        rooms.execute("INSERT INTO rowlock.retention VALUES (0, 9223372036854775807, 1, now())");
        isSilent(RETENTION);
    }

    private static String sqlOf(Finding finding) {
        return String.valueOf(finding.remedy() == null ? null : finding.remedy().sql());
    }
}
