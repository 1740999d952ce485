package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.internal.db.RefusedJobs;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowJob;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.Workflows;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The server refuses some jobs of steps that go on: a trigger of the application's, say. */
@PostgresTest(freshPerTest = true, migrated = true)
class RefusedMovesTest {

    private static final int MANY = 2_500;

    private static final StepKey FRONT = new StepKey(0, -1);

    record Task(String name) {}

    private final TestDatabase test;
    private final Rooms rooms;
    private final Rowlock rowlock;
    private final Workflows workflows;
    private final Progress progress;
    private final FindSteps find;
    private final Logger log = (Logger) LoggerFactory.getLogger(RefusedJobs.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    RefusedMovesTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        rowlock = Rowlock.builder(test.dataSource()).build();
        workflows = rowlock.workflows();
        WakeupBus wakeups = new WakeupBus(Wakeups.NONE);
        find = new FindSteps(rooms.database());
        progress = new Progress(
                rooms.database(),
                wakeups,
                new MoveSteps.Rounds(rooms.database(), wakeups, new RefusedJobs("cannot be moved", Duration.ZERO)));
        rooms.execute("CREATE TABLE refused (id bigint)");
        rooms.execute("""
                CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    IF EXISTS (SELECT FROM refused WHERE id = NEW.id) THEN
                        RAISE EXCEPTION 'not this one';
                    END IF;
                    RETURN NEW;
                END $$
                """);
        rooms.execute("CREATE TRIGGER refuse BEFORE INSERT ON rowlock.ready FOR EACH ROW EXECUTE FUNCTION refuse()");
        rooms.execute("CREATE TRIGGER refuse BEFORE INSERT ON rowlock.done FOR EACH ROW EXECUTE FUNCTION refuse()");
    }

    @BeforeEach
    void listen() {
        lines.start();
        log.addAppender(lines);
    }

    @AfterEach
    void stop() throws Exception {
        log.detachAppender(lines);
        rowlock.close();
    }

    private long started(int rows) {
        return workflows.start(Workflow.named("w")
                .step("first", new Task("first"))
                .each(
                        "rows",
                        IntStream.range(0, rows).mapToObj(i -> new Task("row")).toList(),
                        s -> s.after("first"))
                .step("last", new Task("last"), s -> s.afterEnd("rows")));
    }

    private List<Long> jobs(long workflow, String step) {
        return workflows.jobs(workflow, step, Long.MIN_VALUE, 1_000).stream()
                .map(WorkflowJob::id)
                .toList();
    }

    private void refuse(long job) {
        rooms.execute("INSERT INTO refused VALUES (%d)".formatted(job));
    }

    private void takeAll() {
        rooms.execute("TRUNCATE refused");
    }

    /** All jobs that are ready have been run; returns their ids. */
    private List<Long> run(String state) {
        return rooms.sql("""
                        WITH run AS (DELETE FROM rowlock.ready RETURNING *)
                        INSERT INTO rowlock.done (id, enqueued_at, rank, attempt, crashes, max_retries, queue, type, payload, finished_at, state)
                        SELECT id, enqueued_at, rank, 1, 0, 0, queue, type, payload, now(), '%s' FROM run
                        RETURNING id
                        """.formatted(state)).query(Long.class).list();
    }

    private void ended(List<Long> jobs) {
        progress.ended(jobs);
        finish();
    }

    private void left() {
        progress.left(find.moving(FRONT, 10));
        finish();
    }

    private void finish() {
        boolean more = true;
        while (more) {
            more = progress.round();
        }
    }

    private void firstEnds(String state) {
        ended(run(state));
    }

    private List<String> named() {
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @Test
    void theOthersOfASmallStepRun() {
        long id = started(5);
        long refused = jobs(id, "rows").get(2);
        refuse(refused);

        firstEnds("completed");

        assertThat(rooms.count("ready")).isEqualTo(4);
        assertThat(rooms.roomsOf(refused)).containsExactly("waiting");
        assertThat(named()).singleElement().asString().contains("[" + refused + "]");
    }

    @Test
    void theOthersOfALargeStepRun() {
        long id = started(MANY);
        jobs(id, "rows").subList(3, 6).forEach(this::refuse);

        firstEnds("completed");

        assertThat(rooms.count("ready")).isEqualTo(MANY - 3);
    }

    @Test
    void theOthersOfASkippedStepAreCancelled() {
        long id = started(30);
        long refused = jobs(id, "rows").get(29);
        refuse(refused);

        firstEnds("cancelled");

        assertThat(rooms.count("done WHERE state = 'cancelled'")).isEqualTo(1 + 29);
        assertThat(rooms.roomsOf(refused)).containsExactly("waiting");
    }

    @Test
    void otherStepsOfTheSameMomentRun() {
        long one = started(3);
        refuse(jobs(one, "rows").get(0));
        IntStream.range(0, 20).forEach(i -> started(3));

        firstEnds("completed");

        assertThat(rooms.count("ready")).isEqualTo(21 * 3 - 1);
        assertThat(rooms.count("workflow_step WHERE state = 'releasing'")).isEqualTo(1);
    }

    @Test
    void theStepHasNotEndedAsLongAsOneIsRefused() {
        long id = started(30);
        refuse(jobs(id, "rows").get(7));
        firstEnds("completed");

        ended(run("completed"));
        left();

        assertThat(rooms.count("ready")).isZero();
        assertThat(rooms.roomsOf(jobs(id, "last").get(0))).containsExactly("waiting");
        assertThat(workflows.find(id).orElseThrow().summary().state()).isEqualTo(WorkflowState.RUNNING);
    }

    @Test
    void aRefusedJobRunsOnceTheServerTakesIt() {
        long id = started(30);
        refuse(jobs(id, "rows").get(7));
        firstEnds("completed");
        ended(run("completed"));
        takeAll();

        left();
        ended(run("completed"));
        ended(run("completed")); // of the last step

        assertThat(workflows.find(id).orElseThrow().summary().state()).isEqualTo(WorkflowState.COMPLETED);
        assertThat(rooms.count("done")).isEqualTo(1 + 30 + 1);
    }

    @Test
    void aRefusedJobOfASkippedStepComesBackWithTheOthers() {
        long id = started(30);
        long first = jobs(id, "first").get(0);
        firstEnds("cancelled");
        refuse(jobs(id, "rows").get(7));
        rooms.execute("UPDATE rowlock.done SET state = 'completed' WHERE id = " + first);

        ended(List.of(first));
        assertThat(rooms.count("ready")).as("with the last step").isEqualTo(29 + 1);
        takeAll();
        left();

        assertThat(rooms.count("ready")).isEqualTo(30 + 1);
        assertThat(rooms.count("workflow_step WHERE state = 'released'")).isEqualTo(3);
    }

    @Test
    void aRefusedJobThatSomebodyCancelsHoldsUpItsStepNoMore() {
        long id = started(30);
        long refused = jobs(id, "rows").get(7);
        refuse(refused);
        firstEnds("completed");
        ended(run("completed"));
        takeAll(); // of which nobody has heard
        rowlock.admin().cancel(refused);

        ended(List.of(refused));
        left();

        assertThat(rooms.count("ready")).as("the last step").isEqualTo(1);
    }

    @Test
    void aRefusedJobThatSomebodyKeepsLockedHoldsUpNoOtherStep() throws Exception {
        long one = started(3);
        long refused = jobs(one, "rows").get(0);
        refuse(refused);
        firstEnds("completed");
        long other = started(30);
        rooms.execute(
                "UPDATE rowlock.workflow_step SET state = 'releasing' WHERE name = 'rows' AND workflow_id = " + other);

        try (Connection somebody = test.dataSource().getConnection()) {
            somebody.setAutoCommit(false);
            somebody.createStatement().execute("SELECT FROM rowlock.waiting WHERE id = " + refused + " FOR UPDATE");
            left();
            somebody.rollback();
        }

        assertThat(rooms.count("waiting"))
                .as("the refused one, and the last steps")
                .isEqualTo(1 + 2);
    }
}
