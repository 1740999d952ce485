package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.GroupPage;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.search.Page;
import dev.rowlock.queue.search.TimeStep;
import dev.rowlock.queue.test.postgres.EmbeddedServer;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Reports and dashboards may read from a standby, through a pool that is read-only or not, and whatever isolation is its default. */
class JobSearchOnStandbyTest {

    @Test
    void searchesReadFromAStandby() {
        try (EmbeddedServer primary = EmbeddedServer.start()) {
            long id;
            long waiting;
            try (HikariDataSource pool = pool(primary, false)) {
                Rooms rooms = Rooms.in(pool, new Schema("rowlock"));
                id = rooms.complete(rooms.running(), true);
                waiting = rooms.ready();
                rooms.dead();
            }
            try (EmbeddedServer standby = primary.startStandby("standby");
                    HikariDataSource readOnly = pool(standby, true);
                    HikariDataSource usual = pool(standby, false);
                    HikariDataSource serializable = pool(standby, false, "serializable")) {
                for (HikariDataSource pool : List.of(readOnly, usual, serializable)) {
                    readsAll(new JobSearch(new Database(pool, new Schema("rowlock"))), id, waiting);
                }
            }
        }
    }

    private static void readsAll(JobSearch search, long done, long waiting) {
        Instant today = Instant.now().truncatedTo(ChronoUnit.DAYS);
        assertThat(search.find(done)).map(JobDetails::state).contains(JobState.COMPLETED);
        assertThat(search.glance(List.of(done, waiting))).hasSize(2);
        assertThat(search.find(JobFilter.all(), Page.first(10)).jobs()).hasSize(3);
        assertThat(search.count(JobFilter.all(), 10).jobs()).isEqualTo(3);
        assertThat(search.explain(waiting)).isPresent();
        assertThat(search.explain(done)).isPresent();
        assertThat(search.deadByError(JobFilter.all(), GroupPage.first(10)).groups())
                .hasSize(1);
        assertThat(search.failedAttempts(Duration.ofHours(1)).queues()).hasSize(1);
        assertThat(search.ended(JobFilter.where().ended(today, today.plus(Duration.ofDays(1))), TimeStep.HOUR))
                .isNotEmpty();
        assertThat(search.counts()).hasSize(3);
        assertThat(search.depths()).isEmpty();
        assertThat(search.nodes()).isNotEmpty();
    }

    private static HikariDataSource pool(EmbeddedServer server, boolean readOnly) {
        return pool(server, readOnly, "read committed");
    }

    private static HikariDataSource pool(EmbeddedServer server, boolean readOnly, String isolation) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(server.jdbcUrl(server.homeDatabase()));
        config.setUsername(server.username());
        config.setReadOnly(readOnly);
        config.setMaximumPoolSize(2);
        config.addDataSourceProperty("options", "-c default_transaction_isolation=" + isolation.replace(" ", "\\ "));
        return new HikariDataSource(config);
    }
}
