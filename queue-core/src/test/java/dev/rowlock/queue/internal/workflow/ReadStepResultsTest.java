package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.workflow.StepResults.Found;
import dev.rowlock.queue.internal.workflow.StepResults.Result;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

@PostgresTest(migrated = true)
class ReadStepResultsTest {

    private final Rooms rooms;
    private final StepResults read;
    private final List<Long> jobs;
    private final long reader;

    ReadStepResultsTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        read = new StepResults(rooms.database(), new JacksonPayloadCodec(JsonMapper.shared()));
        List<ClaimedJob> completed = Stream.generate(rooms::running).limit(20).toList();
        completed.forEach(job -> rooms.complete(job, true));
        jobs = completed.stream().map(ClaimedJob::id).sorted().toList();
        reader = rooms.running().id();
        rooms.execute("INSERT INTO rowlock.workflow (id, name) VALUES (1, 'w')");
        rooms.execute("""
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)
                VALUES (1, 0, 'first', 'released', false), (1, 1, 'last', 'released', false)
                """);
        rooms.execute("INSERT INTO rowlock.workflow_edge VALUES (1, 0, 1, 'success')");
        rooms.execute(
                "INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no, state) SELECT id, 1, 0, 2 FROM rowlock.done");
        rooms.execute(
                "INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no) VALUES (%d, 1, 1)".formatted(reader));
    }

    private Found found(long behind, int limit) {
        return read.results(reader, "first", behind, limit);
    }

    @Test
    void smallResultsAreAnsweredALimitedNumberAtATime() {
        assertThat(found(0, 21).all()).isTrue();
        assertThat(found(0, 20).all()).isFalse();
        assertThat(found(0, 20).results()).extracting(Result::job).isEqualTo(jobs);
        assertThat(found(jobs.get(19), 20)).satisfies(rest -> {
            assertThat(rest.results()).isEmpty();
            assertThat(rest.all()).isTrue();
        });
    }

    @Test
    void aFewLargeResultsAreAnsweredAtATime() {
        rooms.execute("UPDATE rowlock.done SET result = to_json(repeat('x', 1000000))");
        List<Long> answered = new ArrayList<>();

        while (answered.size() < jobs.size()) {
            Found found = found(answered.isEmpty() ? 0 : answered.get(answered.size() - 1), 100);
            found.results().forEach(result -> answered.add(result.job()));

            assertThat(found.results()).hasSizeBetween(1, 5);
            assertThat(found.all()).isEqualTo(answered.size() == jobs.size());
        }
        assertThat(answered).isEqualTo(jobs);
    }
}
