package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Results of which only a few are answered at a time. */
class LargeResultsTest extends WorkflowNodes {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    /** A job that returns so many bytes, and its number. */
    record Large(int number, int bytes) {}

    record Result(int number, String rest) {}

    /** What of the result its readers are interested in. */
    record Numbered(int number) {}

    /** Reads the results of the step before. */
    record ReadAll() {}

    record ReadOne() {}

    private final CompletableFuture<List<Integer>> all = new CompletableFuture<>();
    private final CompletableFuture<Throwable> refusal = new CompletableFuture<>();

    LargeResultsTest(TestDatabase database) {
        super(database);
        rowlocks.started(Rowlocks.quick(database.dataSource())
                .maxPayload(10_000_000)
                .listener(ListenerDefinition.of("Large", (job, json) -> {
                            Large large = JSON.readValue(json, Large.class);
                            return new Result(large.number(), "x".repeat(large.bytes()));
                        })
                        .keepResult(true))
                .listener(
                        ReadAll.class,
                        (read, job) -> all.complete(workflows.results(job, "large", Numbered.class).stream()
                                .map(Numbered::number)
                                .toList()))
                .listener(
                        ReadOne.class,
                        (read, job) -> refusal.complete(
                                catchThrowable(() -> workflows.result(job, "large", Numbered.class)))));
    }

    private static List<Large> large(int jobs, int bytes) {
        return IntStream.range(0, jobs).mapToObj(i -> new Large(i, bytes)).toList();
    }

    @Test
    void allWhoWaitForLargeResultsGetThem() {
        List<CompletableFuture<Numbered>> waits = large(40, 1_000_000).stream()
                .map(first.jobs()::enqueue)
                .map(id -> first.results().future(id, LONG, Numbered.class))
                .toList();

        assertThat(waits.stream().map(CompletableFuture::join))
                .extracting(Numbered::number)
                .containsExactlyElementsOf(IntStream.range(0, 40).boxed().toList());
    }

    @Test
    void aStepReadsAllLargeResultsOfAnotherInTheirOrder() {
        ended(workflows.start(Workflow.named("all")
                .each("large", large(20, 1_000_000))
                .step("read", new ReadAll(), s -> s.after("large"))));

        assertThat(all).isCompletedWithValue(IntStream.range(0, 20).boxed().toList());
    }

    @Test
    void theFirstOfSeveralLargeResultsIsNotTakenForTheOnlyOne() {
        ended(workflows.start(Workflow.named("one")
                .each("large", large(2, 6_000_000))
                .step("read", new ReadOne(), s -> s.after("large"))));

        assertThat(refusal).isCompleted();
        assertThat(refusal.join()).hasMessageContaining("several completed jobs");
    }
}
