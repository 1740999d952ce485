package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Tables of one version become those of a later release, by hand. */
@PostgresTest(freshPerTest = true)
class SchemaUpgradeTest {

    private static final int NEWEST =
            SchemaScript.ALL.get(SchemaScript.ALL.size() - 1).version();

    /** A release with two more scripts than this one. */
    private static final List<SchemaScript> RELEASE = Stream.concat(
                    SchemaScript.ALL.stream(),
                    Stream.of(
                            new SchemaScript(NEWEST + 1, "colours", List.of("upgrade/colours.sql")),
                            new SchemaScript(NEWEST + 2, "red", List.of("upgrade/red.sql"))))
            .toList();

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
    void theScriptFromAVersionBringsAllLaterVersions(boolean byHand) {
        makeThisVersion(byHand);

        upgrade(NEWEST);

        assertThat(jdbc.sql("SELECT name FROM rowlock.colour")
                        .query(String.class)
                        .list())
                .containsExactly("red");
        assertThat(versions()).containsExactlyElementsOf(versionsUpTo(NEWEST + 2));
        assertThat(checksums())
                .containsExactlyElementsOf(
                        RELEASE.stream().map(SchemaScript::checksum).toList());
        new SchemaMigrator(dataSource, "rowlock", SchemaMode.VALIDATE).run();
    }

    @Test
    void onlyMissingVersionsAreBrought() {
        makeThisVersion(true);
        execute(SchemaScript.upgradeSql("rowlock", NEWEST, RELEASE.subList(0, RELEASE.size() - 1)));

        upgrade(NEWEST + 1);

        assertThat(versions()).containsExactlyElementsOf(versionsUpTo(NEWEST + 2));
    }

    @Test
    void tablesOfAnotherVersionStayAsTheyAre() {
        makeThisVersion(true);
        upgrade(NEWEST);

        assertThatThrownBy(() -> upgrade(NEWEST)).rootCause().hasMessageContaining("are of version " + (NEWEST + 2));
        assertThat(versions()).containsExactlyElementsOf(versionsUpTo(NEWEST + 2));
    }

    @Test
    void withoutNewerVersionsThereIsNoScript() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SchemaScript.upgradeSql("rowlock", NEWEST))
                .withMessageContaining("the newest is " + NEWEST);
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

    private void makeThisVersion(boolean byHand) {
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

    private static List<String> versionsUpTo(int last) {
        return RELEASE.stream()
                .map(SchemaScript::version)
                .filter(version -> version <= last)
                .map(String::valueOf)
                .toList();
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
