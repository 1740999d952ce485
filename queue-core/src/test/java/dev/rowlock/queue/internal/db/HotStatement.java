package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueuePosition;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.janitor.DuePosition;
import dev.rowlock.queue.internal.janitor.OverdueStatements;
import dev.rowlock.queue.internal.lease.BeatNode;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import dev.rowlock.queue.internal.record.OutcomeStatements;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.job.JobState;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** The statements whose plan must hold whatever the statistics say, and what it must be. */
public enum HotStatement {
    CLAIM(Plan.CLAIM) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new ClaimReadyJobs(database).run(Rooms.QUEUE, QueueRange.ALL, 20, node, null);
        }
    },
    CLAIM_BEHIND_THE_CURSOR(Plan.CLAIM) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            QueuePosition cursor = new QueuePosition(0, 0, 0);
            new ClaimReadyJobs(database).run(Rooms.QUEUE, QueueRange.from(cursor), 20, node, null);
        }
    },
    CLAIM_OF_MANY(Plan.CLAIM_OF_MANY) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            QueuePosition cursor = new QueuePosition(0, 0, 0);
            new ClaimReadyJobs(database).run(Rooms.QUEUE, QueueRange.fromOrFurther(cursor), 200, node, null);
        }
    },
    CLAIM_OF_A_RARE_QUEUE(Plan.CLAIM) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new ClaimReadyJobs(database).run("rare", QueueRange.ALL, 20, node, null);
        }
    },
    FINISH(Plan.OUTCOMES) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new OutcomeStatements(database, true).finish(finished(claims), true);
        }
    },
    FINISH_AND_FORGET(Plan.OUTCOMES) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new OutcomeStatements(database, false).finish(finished(claims), false);
        }
    },
    FINISH_MANY_IN_TRANSACTION(Plan.OUTCOMES) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            inTransaction(
                    database, () -> new OutcomeStatements(database, true).finishInTransaction(many(claims), true));
        }
    },
    FINISH_MANY_IN_TRANSACTION_AND_FORGET(Plan.OUTCOMES) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            inTransaction(
                    database, () -> new OutcomeStatements(database, false).finishInTransaction(many(claims), false));
        }
    },
    DEFER(Plan.OUTCOMES) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new OutcomeStatements(database, true)
                    .defer(claims.stream()
                            .map(claim -> new OutcomeStatements.Deferred(
                                    claim, Due.after(Duration.ofDays(1)), null, "retry", Rooms.error("it failed")))
                            .toList());
        }
    },
    BURY(Plan.OUTCOMES) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new OutcomeStatements(database, true)
                    .bury(claims.stream()
                            .map(claim -> new OutcomeStatements.Buried(claim, Rooms.error("it failed")))
                            .toList());
        }
    },
    RELEASE(Plan.OUTCOMES) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new OutcomeStatements(database, true).release(claims);
        }
    },
    DISPATCH(List.of("Index Scan using waiting_by_due on waiting", "Tid Scan on waiting")) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new DispatchDueJobs(database).run(1_000);
        }
    },
    DISPATCH_BEHIND_THE_LAST_LOOK(List.of("Index Scan using waiting_by_due on waiting", "Tid Scan on waiting")) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new DispatchDueJobs(database).run(new DuePosition(1, 1), 1_000, List.of());
        }
    },
    FIND_OVERDUE(List.of("Index Scan using running_by_deadline on running")) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new OverdueStatements(database).find(Duration.ZERO);
        }
    },
    TAKE_OVERDUE(List.of("Index Scan using running_pkey on running", "Tid Scan on running")) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new OverdueStatements(database)
                    .take(claims.stream().map(OverdueClaim::alone).toList(), 10, Duration.ZERO);
        }
    },
    SAVE_PROGRESS(List.of("Index Scan using running_pkey on running")) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            claims.forEach(claim -> new ClaimStatements(database).progress(claim, 1, null));
        }
    },
    LOAD_PAYLOAD(List.of("Index Scan using running_pkey on running", "Index Scan using payload_pkey on payload")) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            claims.forEach(claim -> new ClaimStatements(database).payload(claim));
        }
    },
    EXTEND(List.of("Index Scan using running_pkey on running")) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            claims.forEach(claim -> new ClaimStatements(database).extend(claim, Duration.ofDays(1)));
        }
    },
    EXTEND_MANY(Plan.OUTCOMES) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new ClaimStatements(database).extendAll(claims, Duration.ofDays(1));
        }
    },
    CANCEL(List.of("Index Scan using ready_pkey on ready")) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            claims.forEach(claim -> new JobStatements(database).cancelIdle(claim.jobId(), null));
        }
    },
    REQUEST_CANCEL(List.of("Index Scan using running_pkey on running")) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            new JobStatements(database).requestCancel(claims.get(0).jobId(), null);
        }
    },
    // The plans within the function are looked at by FindJobAmongManyDaysTest; the pages that it reads are counted
    // here.
    FIND(List.of("Function Scan on jobs_by_id")) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            claims.forEach(claim -> new JobStatements(database).find(claim.jobId(), row -> row.getString("state")));
        }
    },
    BEAT(List.of("running_cancelled")) {
        @Override
        void run(Database database, long node, List<Claim> claims) {
            database.alone(connection -> new BeatNode(database.schema()).run(connection, node));
        }
    };

    /** With the line below it. */
    private static final Pattern INDEX_SCAN = Pattern.compile("Index (Only )?Scan (Backward )?using .*\\n.*");

    private final List<String> plan;

    HotStatement(List<String> plan) {
        this.plan = plan;
    }

    /** Whether its plan is kept by the server, and pinned so that it may be; the others are planned each time. */
    boolean pinned() {
        return switch (this) {
            case CLAIM,
                    CLAIM_BEHIND_THE_CURSOR,
                    CLAIM_OF_MANY,
                    CLAIM_OF_A_RARE_QUEUE,
                    FINISH,
                    FINISH_AND_FORGET,
                    FINISH_MANY_IN_TRANSACTION,
                    FINISH_MANY_IN_TRANSACTION_AND_FORGET,
                    EXTEND_MANY,
                    DEFER,
                    BURY,
                    RELEASE,
                    DISPATCH,
                    DISPATCH_BEHIND_THE_LAST_LOOK,
                    FIND_OVERDUE,
                    TAKE_OVERDUE -> true;
            case SAVE_PROGRESS, LOAD_PAYLOAD, EXTEND, CANCEL, REQUEST_CANCEL, FIND, BEAT -> false;
        };
    }

    /** Runs it once. {@code claims} may be used up. */
    abstract void run(Database database, long node, List<Claim> claims);

    void assertPlan(String actual) {
        assertThat(actual)
                .as("plan of %s", this)
                .contains(plan)
                .doesNotContain("Merge Join", "JIT:")
                .doesNotContain(
                        "Seq Scan on ready", "Seq Scan on running", "Seq Scan on waiting", "Seq Scan on payload");
        // An index that is read without a condition is read whole.
        assertThat(INDEX_SCAN.matcher(actual).results().map(MatchResult::group))
                .as("index scans in %s", actual)
                .allSatisfy(scan -> assertThat(scan).contains("Index Cond"));
        if (!plan.contains("Hash Join")) {
            assertThat(actual).doesNotContain("Hash Join");
        }
        if (this != BEAT) {
            // A heartbeat sorts the few jobs that are to be cancelled, the dispatcher those that it has taken, and a
            // claim looks
            // for the last of its jobs.
            assertThat(actual)
                    .doesNotContain("Bitmap Heap Scan")
                    .doesNotContainPattern("Sort Key: (?!due(_1)?\\.|claimed)");
        }
    }

    private static List<OutcomeStatements.Finished> finished(List<Claim> claims) {
        return claims.stream()
                .map(claim -> new OutcomeStatements.Finished(claim, JobState.COMPLETED, null))
                .toList();
    }

    private static List<OutcomeStatements.Finished> many(List<Claim> claims) {
        return claims.stream()
                .map(claim -> new OutcomeStatements.Finished(claim, JobState.COMPLETED, null))
                .toList();
    }

    private static void inTransaction(Database database, Runnable work) {
        new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()))
                .executeWithoutResult(status -> work.run());
    }

    /** What several of them have in common. */
    private static final class Plan {

        static final List<String> CLAIM = List.of(
                "Index Scan using ready_in_order on ready",
                "Tid Scan on ready",
                "Index Scan using payload_pkey on payload");
        static final List<String> CLAIM_OF_MANY = Stream.concat(
                        Stream.of("Index Scan Backward using reached_last on reached"), CLAIM.stream())
                .toList();
        static final List<String> OUTCOMES = List.of("Hash Join", "Index Scan using running_pkey on running");
    }
}
