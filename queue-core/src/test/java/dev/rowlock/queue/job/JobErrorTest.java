package dev.rowlock.queue.job;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import org.junit.jupiter.api.Test;

class JobErrorTest {

    @Test
    void anExceptionIsKeptWithItsClassMessageAndTrace() {
        JobError error = JobError.of(new IllegalStateException("it failed", new RuntimeException("because")));

        assertThat(error.type()).isEqualTo("java.lang.IllegalStateException");
        assertThat(error.message()).isEqualTo("it failed");
        assertThat(error.trace()).contains("JobErrorTest", "Caused by: java.lang.RuntimeException: because");
    }

    @Test
    void theRootCauseOfADeepTraceIsKept() {
        Exception outer = new Exception("outer", new Exception("root"));
        StackTraceElement frame =
                new StackTraceElement("dev.shop.orders.OrderService", "place", "OrderService.java", 7);
        outer.setStackTrace(Collections.nCopies(500, frame).toArray(StackTraceElement[]::new));

        JobError error = JobError.of(outer);

        assertThat(error.trace())
                .startsWith("java.lang.Exception: outer")
                .contains("Caused by: java.lang.Exception: root\n\tat dev.rowlock.queue.job.JobErrorTest.")
                .hasSizeLessThanOrEqualTo(JobError.MAX_TRACE);
    }

    @Test
    void anExceptionWithoutMessageHasAnEmptyOne() {
        assertThat(JobError.of(new IllegalStateException()).message()).isEmpty();
    }

    @Test
    void charactersThatPostgresCannotStoreAreReplaced() {
        JobError error = new JobError("t", "a\u0000b\ud83dc\ude00", "\ud83d\ude00");

        assertThat(error.message()).isEqualTo("a\ufffdb\ufffdc\ufffd");
        assertThat(error.trace()).isEqualTo("\ud83d\ude00");
    }

    @Test
    void longTextsAreCutAtTheirLimitsAndNeverInsideACharacter() {
        JobError error = new JobError("x".repeat(1_000), "\ud83d\ude00".repeat(5_000), "é".repeat(50_000));

        assertThat(error.type()).hasSizeLessThan(1_000);
        assertThat(error.message()).hasSize(JobError.MAX_MESSAGE).endsWith("\ud83d\ude00");
        assertThat(error.trace()).hasSizeBetween(JobError.MAX_TRACE - 1, JobError.MAX_TRACE);
        assertThat(new JobError("", "x" + "\ud83d\ude00".repeat(5_000), "").message())
                .hasSize(JobError.MAX_MESSAGE - 1)
                .endsWith("\ud83d\ude00");
    }

    @Test
    void whatAnExceptionPrintsBeforeItThrowsIsKept() {
        JobError error = JobError.of(new RuntimeException("outer") {
            @Override
            public void printStackTrace(java.io.PrintWriter writer) {
                writer.println("the beginning");
                throw new IllegalStateException();
            }
        });

        assertThat(error.trace()).startsWith("the beginning");
    }

    @Test
    void anExceptionThatCannotBePrintedShowsItsFrames() {
        JobError error = JobError.of(new RuntimeException("outer") {
            @Override
            public String toString() {
                throw new IllegalStateException();
            }
        });

        assertThat(error.trace()).contains("\tat dev.rowlock.queue.job.JobErrorTest.");
    }

    @Test
    void aTraceWithoutEndIsCut() {
        JobError error = JobError.of(new RuntimeException("outer") {
            @Override
            public void printStackTrace(java.io.PrintWriter writer) {
                while (true) {
                    writer.println("again");
                }
            }
        });

        assertThat(error.trace()).startsWith("again").hasSizeLessThanOrEqualTo(JobError.MAX_TRACE);
    }

    @Test
    void causesThatGoRoundInCirclesEnd() {
        RuntimeException first = new RuntimeException("first");
        first.initCause(new RuntimeException("second", first));

        assertThat(JobError.of(first).trace()).contains("first", "second");
    }

    @Test
    void anExceptionWhoseMessageThrowsIsKeptAllTheSame() {
        RuntimeException hostile = new RuntimeException() {
            @Override
            public String getMessage() {
                throw new UnsupportedOperationException("no message for you");
            }
        };

        JobError error = JobError.of(hostile);

        assertThat(error.message()).contains("UnsupportedOperationException");
        assertThat(error.trace()).contains("\tat dev.rowlock.queue.job.JobErrorTest.");
    }

    @Test
    void anExceptionWhoseMessageNeverEndsIsKeptAllTheSame() {
        RuntimeException endless = new RuntimeException() {
            @Override
            @SuppressWarnings("InfiniteRecursion") // on purpose
            public String getMessage() {
                return getMessage() + "!";
            }
        };

        assertThat(JobError.of(endless).message()).contains("StackOverflowError");
    }

    @Test
    void anExceptionThatCausesItselfIsKept() {
        RuntimeException first = new RuntimeException("first");
        RuntimeException second = new RuntimeException("second", first);
        first.initCause(second);

        assertThat(JobError.of(first).trace()).contains("first", "second");
    }
}
