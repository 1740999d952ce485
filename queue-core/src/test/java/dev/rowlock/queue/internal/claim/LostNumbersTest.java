package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Look;
import dev.rowlock.queue.internal.claim.ClaimKeyedJobs.Which;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.EmbeddedServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Numbers that a server had given out, and of which the one that takes over, or the same one after a crash, never heard. */
class LostNumbersTest {

    private static EmbeddedServer primary;

    @JobType("send")
    record Send() {}

    private Rooms rooms;

    @BeforeAll
    static void start() {
        primary = EmbeddedServer.start(Map.of("wal_writer_delay", "10s"));
    }

    @AfterAll
    static void stop() {
        primary.close();
    }

    @BeforeEach
    void empty() {
        rooms = Rooms.emptyIn(primary.unpooled("postgres"), new Schema("rowlock"));
    }

    @AfterEach
    void commitAsUsual() {
        rooms.execute("ALTER SYSTEM RESET ALL");
        rooms.sql("SELECT pg_reload_conf()").query().singleValue();
    }

    @Test
    void anOutcomeOfAClaimThatAFailoverLostIsNotTakenForThatOfTheNextClaim() {
        try (EmbeddedServer standby = primary.startStandby("standby")) {
            long node = rooms.node();
            claimUntilTheNextTokenIsWrittenDown(node);
            long job = rooms.ready();
            cutOff(standby);
            Claim lost = rooms.claim(node, 1).get(0).claim();

            Rooms promoted = promote(standby);
            Claim next = promoted.claim(node, 1).get(0).claim();

            assertThat(List.of(lost.jobId(), next.jobId())).containsOnly(job);
            assertThat(next.token()).isGreaterThan(lost.token());
            assertThat(complete(promoted, lost)).isEmpty();
            assertThat(promoted.roomsOf(job)).containsExactly("running");
        }
    }

    @Test
    void idsOfJobsAndNodesThatAFailoverLostAreNotGivenOutAgain() {
        try (EmbeddedServer standby = primary.startStandby("standby")) {
            long firstNode = rooms.node();
            rooms.ready();
            cutOff(standby);
            long[] lostJobs = rooms.ready(100);
            long lostNode = rooms.node();
            while (lostNode < firstNode + 40) {
                lostNode = rooms.node();
            }

            Rooms promoted = promote(standby);
            long nextJob = Rowlock.builder(standby.unpooled("postgres"))
                    .schemaElsewhere()
                    .build()
                    .jobs()
                    .enqueue(new Send());

            assertThat(nextJob).isGreaterThan(lostJobs[99]);
            assertThat(promoted.node()).isGreaterThan(lostNode);
        }
    }

    @Test
    void aCrashThatForgetsCommitsBringsNoTokenTwice() {
        rooms.execute("ALTER SYSTEM SET synchronous_commit = off");
        rooms.sql("SELECT pg_reload_conf()").query().singleValue();
        long node = rooms.node();
        rooms.execute("CHECKPOINT");
        claimUntilTheNextTokenIsWrittenDown(node);
        long job = rooms.ready();
        rooms.execute("CHECKPOINT");
        Claim lost = rooms.claim(node, 1).get(0).claim();

        primary.stopImmediately();
        primary.startAgain();

        assertThat(rooms.roomsOf(job)).containsExactly("ready");
        assertThat(rooms.claim(node, 1).get(0).claim().token()).isGreaterThan(lost.token());
        assertThat(complete(rooms, lost)).isEmpty();
    }

    @Test
    void norDoesOneOfAClaimOfJobsWithKeys() {
        rooms.execute("ALTER SYSTEM SET synchronous_commit = off");
        rooms.sql("SELECT pg_reload_conf()").query().singleValue();
        long node = rooms.node();
        rooms.execute("CHECKPOINT");
        claimUntilTheNextTokenIsWrittenDown(node);
        rooms.ready();
        rooms.execute("UPDATE rowlock.ready SET job_key = 'a'");
        rooms.execute("CHECKPOINT");
        Claim lost = claimKeyed(node);

        primary.stopImmediately();
        primary.startAgain();

        Claim next = claimKeyed(node);
        assertThat(next.jobId()).isEqualTo(lost.jobId());
        assertThat(next.token()).isGreaterThan(lost.token());
    }

    private Claim claimKeyed(long node) {
        return new ClaimKeyedJobs(rooms.database(), Duration.ZERO)
                .run(Rooms.QUEUE, Look.FIRST, 1, 0, Which.ALL, node, null)
                .batch()
                .jobs()
                .get(0)
                .claim();
    }

    @Test
    void aServerThatWasStoppedInGoodOrderGoesOnCounting() {
        long node = rooms.node();
        rooms.ready(2);
        long before = rooms.claim(node, 1).get(0).claim().token();

        primary.stop();
        primary.startAgain();

        assertThat(rooms.claim(node, 1).get(0).claim().token()).isEqualTo(before + 1);
    }

    @Test
    void twoNodesThatConnectAtTheSameTimeSkipNumbersOnce() {
        long node = rooms.node();
        rooms.ready(2);
        primary.stopImmediately();
        primary.startAgain();

        long first = rooms.claim(node, 1).get(0).claim().token();
        Rooms other = new Rooms(new Database(primary.unpooled("postgres"), new Schema("rowlock")));

        assertThat(other.claim(node, 1).get(0).claim().token()).isEqualTo(first + 1);
    }

    @Test
    void aStandbySaysThatItTakesNothing() {
        try (EmbeddedServer standby = primary.startStandby("standby")) {
            cutOff(standby);
            Rooms behind = new Rooms(new Database(standby.unpooled("postgres"), new Schema("rowlock")));

            assertThatThrownBy(() -> behind.claim(1, 1))
                    .isInstanceOf(DataAccessException.class)
                    .rootCause()
                    .isInstanceOfSatisfying(
                            SQLException.class, e -> assertThat(e.getSQLState()).isEqualTo("25006"));
        }
    }

    @Test
    void whoHasSeenTheNewPrimaryUsesTheOldOneNoMore() {
        try (EmbeddedServer standby = primary.startStandby("standby")) {
            long node = rooms.node();
            rooms.ready(3);
            Claim kept = rooms.claim(node, 1).get(0).claim();
            cutOff(standby);
            DelegatingDataSource balanced = new DelegatingDataSource(primary.unpooled("postgres"));
            Rooms everywhere = new Rooms(new Database(balanced, new Schema("rowlock")));
            JobTemplate jobs =
                    Rowlock.builder(balanced).schemaElsewhere().build().jobs();
            everywhere.claim(node, 1);

            standby.promote();
            balanced.setTargetDataSource(standby.unpooled("postgres"));
            everywhere.claim(node, 1);
            jobs.enqueue(new Send());
            balanced.setTargetDataSource(primary.unpooled("postgres"));

            assertThatThrownBy(() -> everywhere.claim(node, 1))
                    .isInstanceOf(DataAccessException.class)
                    .hasMessageContaining("old primary: it is on timeline 1, and this process has seen timeline 2");
            assertThatThrownBy(() -> jobs.enqueue(new Send())).hasMessageContaining("old primary");
            assertThatThrownBy(() -> complete(everywhere, kept)).hasMessageContaining("old primary");
            assertThat(rooms.roomsOf(kept.jobId())).containsExactly("running");
            assertThat(rooms.count("ready")).isEqualTo(1);
        }
    }

    /** Sequences are written to the log 32 numbers ahead; one that is not known there begins where those end. */
    private void claimUntilTheNextTokenIsWrittenDown(long node) {
        rooms.ready();
        complete(rooms, rooms.claim(node, 1).get(0).claim());
        rooms.number(
                "SELECT count(nextval('rowlock.claim_token')) FROM generate_series(1, (SELECT log_cnt FROM rowlock.claim_token))");
        assertThat(rooms.number("SELECT log_cnt FROM rowlock.claim_token")).isZero();
    }

    /** From here on the standby hears nothing. What the primary had said before, it has done. */
    private void cutOff(EmbeddedServer standby) {
        String said = JdbcClient.create(primary.unpooled("postgres"))
                .sql("SELECT pg_current_wal_lsn()::text")
                .query(String.class)
                .single();
        JdbcClient behind = JdbcClient.create(standby.unpooled("postgres"));
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> behind.sql("SELECT pg_last_wal_replay_lsn() >= ?::pg_lsn")
                        .param(said)
                        .query(Boolean.class)
                        .single());
        behind.sql("ALTER SYSTEM SET primary_conninfo = ''").update();
        behind.sql("SELECT pg_reload_conf()").query().singleValue();
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> behind.sql("SELECT count(*) = 0 FROM pg_stat_wal_receiver")
                        .query(Boolean.class)
                        .single());
    }

    private static Rooms promote(EmbeddedServer standby) {
        standby.promote();
        return new Rooms(new Database(standby.unpooled("postgres"), new Schema("rowlock")));
    }

    private static Set<Long> complete(Rooms where, Claim claim) {
        return new OutcomeStatements(where.database(), true)
                .finish(List.of(new OutcomeStatements.Finished(claim, JobState.COMPLETED, null)), true);
    }
}
