package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tables of version 1 become those of a release with three versions, by hand. */
@PostgresTest(freshPerTest = true)
class SchemaUpgradeTest {

    private static final List<SchemaScript> RELEASE = List.of(
            SchemaScript.ALL.get(0),
            new SchemaScript(2, "colours", "upgrade/V2__colours.sql"),
            new SchemaScript(3, "red", "upgrade/V3__red.sql"));

    private final DataSource dataSource;
    private final DataSource unpooled; // a script that fails leaves its transaction open
    private final JdbcClient jdbc;

    SchemaUpgradeTest(TestDatabase database) {
        dataSource = database.dataSource();
        unpooled = database.unpooled();
        jdbc = JdbcClient.create(dataSource);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theScriptFromVersion1BringsEverythingBehindIt(boolean byHand) {
        makeVersion1(byHand);

        upgrade(1);

        assertThat(jdbc.sql("SELECT name FROM rowlock.colour")
                        .query(String.class)
                        .list())
                .containsExactly("red");
        assertThat(versions()).containsExactly("1", "2", "3");
        assertThat(checksums())
                .containsExactlyElementsOf(
                        RELEASE.stream().map(SchemaScript::checksum).toList());
        new SchemaMigrator(dataSource, "rowlock", SchemaMode.VALIDATE).run();
    }

    @Test
    void onlyWhatIsMissingIsBrought() {
        makeVersion1(true);
        execute(SchemaScript.upgradeSql("rowlock", 1, RELEASE.subList(0, 2)));

        upgrade(2);

        assertThat(versions()).containsExactly("1", "2", "3");
    }

    @Test
    void tablesOfAnotherVersionStayAsTheyAre() {
        makeVersion1(true);
        upgrade(1);

        assertThatThrownBy(() -> upgrade(1)).rootCause().hasMessageContaining("are of version 3");
        assertThat(versions()).containsExactly("1", "2", "3");
    }

    @Test
    void withoutNewerVersionsThereIsNoScript() {
        int newest = SchemaScript.ALL.size();

        assertThatIllegalArgumentException()
                .isThrownBy(() -> SchemaScript.upgradeSql("rowlock", newest))
                .withMessageContaining("the newest is " + newest);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SchemaScript.sql(List.of("rowlock", "--from", "0")))
                .withMessageContaining("the oldest 1");
    }

    @Test
    void anUnknownOptionIsAnsweredWithTheUsage() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SchemaScript.sql(List.of("rowlock", "--upgrade")))
                .withMessageStartingWith("usage: ");
    }

    private void makeVersion1(boolean byHand) {
        if (byHand) {
            execute(SchemaScript.plainSql("rowlock"));
        } else {
            new SchemaMigrator(dataSource, "rowlock", SchemaMode.MIGRATE).run();
        }
    }

    private void upgrade(int from) {
        execute(SchemaScript.upgradeSql("rowlock", from, RELEASE));
    }

    private void execute(String script) {
        new JdbcTemplate(unpooled).execute(script);
    }

    private List<String> versions() {
        return jdbc.sql("SELECT version FROM rowlock.schema_history WHERE version IS NOT NULL ORDER BY installed_rank")
                .query(String.class)
                .list();
    }

    private List<Integer> checksums() {
        return jdbc.sql("SELECT checksum FROM rowlock.schema_history WHERE version IS NOT NULL ORDER BY installed_rank")
                .query(Integer.class)
                .list();
    }
}
