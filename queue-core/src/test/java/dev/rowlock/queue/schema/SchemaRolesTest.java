package dev.rowlock.queue.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.janitor.DropDonePartitions;
import dev.rowlock.queue.internal.lease.ReleaseStrandedJobs;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Three roles: one owns the tables, one runs jobs, one reads. */
@PostgresTest(freshPerTest = true)
class SchemaRolesTest {

    record Greeting(String to) {}

    private final JdbcClient admin;
    private final TestDatabase database;
    private final String owner;
    private final String runtime;
    private final String reader;

    SchemaRolesTest(TestDatabase database) {
        this.database = database;
        this.admin = JdbcClient.create(database.superuser());
        this.owner = database.name() + "_owner";
        this.runtime = database.name() + "_runtime";
        this.reader = database.name() + "_reader";
    }

    @BeforeEach
    void makeRolesAndTables() {
        for (String role : List.of(owner, runtime, reader)) {
            admin.sql("CREATE ROLE %s LOGIN PASSWORD 'pass'".formatted(role)).update();
        }
        admin.sql("CREATE SCHEMA rowlock AUTHORIZATION " + owner).update();
        new SchemaMigrator(as(owner), "rowlock", SchemaMode.MIGRATE).run();
        String grants = SchemaScript.sql(List.of("rowlock", "--grant", owner, runtime, reader));
        new JdbcTemplate(as(owner)).execute(grants);
        new JdbcTemplate(as(owner)).execute(grants);
    }

    @AfterEach
    void dropRoles() {
        admin.sql("DROP OWNED BY %s, %s, %s CASCADE".formatted(reader, runtime, owner))
                .update();
        admin.sql("DROP ROLE %s, %s, %s".formatted(reader, runtime, owner)).update();
    }

    @ParameterizedTest
    @ValueSource(strings = {"MIGRATE", "VALIDATE", "NONE"})
    void theRuntimeRoleRunsAWholeNode(SchemaMode mode) {
        try (HikariDataSource pool = pool(runtime);
                Rowlock rowlock = node(pool, mode)) {
            rowlock.start();

            long done = rowlock.jobs().enqueue(new Greeting("Ada"));
            long dead = rowlock.jobs().enqueue(new Greeting("nobody"), options -> options.maxRetries(0));
            long waiting = rowlock.jobs().enqueue(new Greeting("later"), options -> options.delay(Duration.ofHours(1)));

            awaitState(rowlock, done, JobState.COMPLETED);
            awaitState(rowlock, dead, JobState.DEAD);
            rowlock.admin().redrive(dead);
            rowlock.admin().cancel(waiting);
            rowlock.admin().pause("other");
            awaitState(rowlock, waiting, JobState.CANCELLED);
        }
        assertThat(admin.sql("SELECT count(*) FROM rowlock.past_node")
                        .query(Long.class)
                        .single())
                .isOne();
    }

    private static Rowlock node(DataSource pool, SchemaMode mode) {
        return Rowlock.builder(pool)
                .schemaOnBuild(mode)
                .listener(Greeting.class, (greeting, job) -> {
                    job.progress(50);
                    if (greeting.to().equals("nobody")) {
                        throw new IllegalStateException("nobody there");
                    }
                })
                .build();
    }

    @Test
    void theRuntimeRoleLooksForClaimsWithoutAnAnswer() {
        ReleaseStrandedJobs release = new ReleaseStrandedJobs(new Database(as(runtime), new Schema("rowlock")));

        assertThat(release.lastToken()).isZero();
    }

    @Test
    void theRuntimeRoleSkipsNumbersThatTheServerMayHaveLost() {
        admin.sql("TRUNCATE rowlock.numbering").update();
        Rowlock rowlock = Rowlock.builder(as(runtime)).schemaElsewhere().build();

        try (rowlock) {
            assertThat(rowlock.jobs().enqueue(new Greeting("Ada"))).isGreaterThan(1_000_000_000);
        }
    }

    @Test
    void theRuntimeRoleMakesAndDropsPartitionsOfDoneAndMayNotDropAnythingElse() {
        Database tables = new Database(as(runtime), new Schema("rowlock"));
        new EnsureDonePartitions(tables).run(9);
        admin.sql("CREATE TABLE rowlock.done_20200101 (LIKE rowlock.done INCLUDING CONSTRAINTS)")
                .update();
        admin.sql("ALTER TABLE rowlock.done_20200101 OWNER TO " + owner).update();
        admin.sql("GRANT SELECT, UPDATE ON rowlock.done_20200101 TO " + runtime).update();
        admin.sql(
                        "ALTER TABLE rowlock.done ATTACH PARTITION rowlock.done_20200101 FOR VALUES FROM ('2020-01-01 00:00Z') TO ('2020-01-02 00:00Z')")
                .update();

        assertThat(new DropDonePartitions(tables).run(Duration.ofDays(1))).containsExactly("done_20200101");
        assertThat(owners()).containsOnly(owner);
        JdbcClient sql = JdbcClient.create(as(runtime));
        for (String other : List.of("ready", "done", "done_20200101; DROP TABLE rowlock.ready")) {
            assertThatThrownBy(() -> sql.sql("SELECT rowlock.drop_done_partition(?)")
                            .param(other)
                            .query()
                            .listOfRows())
                    .rootCause()
                    .hasMessageContaining("is not the name of a partition");
        }
        assertThatThrownBy(() -> sql.sql("DROP TABLE rowlock.ready").update())
                .rootCause()
                .hasMessageContaining("must be owner");
        assertThatThrownBy(() -> sql.sql("DELETE FROM rowlock.schema_history").update())
                .rootCause()
                .hasMessageContaining("permission denied");
    }

    @Test
    void theReaderReadsTheViewsAndNothingElse() {
        JdbcClient sql = JdbcClient.create(as(reader));

        assertThat(sql.sql("SELECT * FROM rowlock.job").query().listOfRows()).isEmpty();
        assertThat(sql.sql("SELECT * FROM rowlock.failure").query().listOfRows())
                .isEmpty();

        for (String refused : List.of(
                "SELECT * FROM rowlock.ready",
                "SELECT * FROM rowlock.job_details",
                "SELECT rowlock.ensure_done_partitions(1)",
                "SELECT nextval('rowlock.job_id')")) {
            assertThatThrownBy(() -> sql.sql(refused).query().listOfRows())
                    .rootCause()
                    .hasMessageContaining("permission denied");
        }
    }

    @Test
    void theRuntimeRoleMayUseTheTablesOfAnUpgrade() {
        int newest = SchemaScript.ALL.get(SchemaScript.ALL.size() - 1).version();
        List<SchemaScript> next = new ArrayList<>(SchemaScript.ALL);
        next.add(new SchemaScript(newest + 1, "colours", List.of("upgrade/colours.sql")));

        new JdbcTemplate(as(owner)).execute(SchemaScript.upgradeSql("rowlock", newest, next));

        assertThat(JdbcClient.create(as(runtime))
                        .sql("INSERT INTO rowlock.colour VALUES ('blue')")
                        .update())
                .isOne();
    }

    private DataSource as(String role) {
        return new DriverManagerDataSource(database.jdbcUrl(), role, "pass");
    }

    /** For a whole node, which asks the database often. */
    private HikariDataSource pool(String role) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(as(role));
        config.setMinimumIdle(0);
        return new HikariDataSource(config);
    }

    private List<String> owners() {
        return admin.sql("SELECT DISTINCT tableowner::text FROM pg_tables WHERE schemaname = 'rowlock'")
                .query(String.class)
                .list();
    }

    private static void awaitState(Rowlock rowlock, long id, JobState state) {
        await().until(() -> rowlock.search().find(id).orElseThrow().state() == state);
    }
}
