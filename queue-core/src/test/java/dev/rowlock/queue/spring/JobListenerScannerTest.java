package dev.rowlock.queue.spring;

import static dev.rowlock.queue.spring.Scan.assertInvalid;
import static dev.rowlock.queue.spring.Scan.call;
import static dev.rowlock.queue.spring.Scan.context;
import static dev.rowlock.queue.spring.Scan.listeners;
import static dev.rowlock.queue.spring.Scan.only;
import static dev.rowlock.queue.spring.Scan.run;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spi.PayloadException;
import dev.rowlock.queue.spring.Scan.Envelope;
import dev.rowlock.queue.spring.Scan.Order;
import dev.rowlock.queue.spring.Scan.OrderListener;
import dev.rowlock.queue.spring.Scan.Parcel;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.annotation.AliasFor;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.Isolation;
import org.springframework.transaction.support.SimpleTransactionStatus;

/** What a listener may look like. */
class JobListenerScannerTest {

    @Test
    void aListenerGetsThePayloadAndItsResultIsReturned() throws Throwable {
        ListenerDefinition listener = only(OrderListener.class);

        assertThat(listener.name()).isEqualTo("OrderListener.handle(Order)");
        assertThat(listener.type()).isEqualTo("Order");
        assertThat(listener.queue()).isEqualTo("default");
        assertThat(listener.concurrency()).isNull();
        assertThat(listener.timeout()).isNull();
        assertThat(listener.retry()).isEqualTo(RetryPolicy.DEFAULT);
        assertThat(listener.transactional()).isFalse();
        assertThat(call(listener, "{\"number\": \"A\", \"amount\": 3}")).isEqualTo("Ax3");
    }

    static class ContextListener {
        @JobListener
        String handle(JobContext context, Parcel parcel) {
            return parcel.number() + context.id();
        }
    }

    @Test
    void aListenerMayAskForTheContextInAnyOrder() throws Throwable {
        ListenerDefinition listener = only(ContextListener.class);

        assertThat(call(listener, "{\"number\": \"P\"}")).isEqualTo("P42");
    }

    @Test
    void typeAndQueueComeFromThePayloadsAnnotation() {
        ListenerDefinition listener = only(ContextListener.class);

        assertThat(listener.type()).isEqualTo("ship-it");
        assertThat(listener.queue()).isEqualTo("shipping");
    }

    static class ConfiguredListener {
        @JobListener(
                queue = "${shop.queue}",
                concurrency = "#{2 * 4}",
                timeout = "${shop.timeout:PT1H}",
                maxRetries = "3",
                initialInterval = "250ms",
                multiplier = "${shop.multiplier}",
                maxInterval = "2m",
                noRetryFor = {IOException.class},
                transactional = true)
        void handle(Parcel parcel) {}
    }

    @Test
    void attributesMayHoldPlaceholdersAndExpressions() {
        ListenerDefinition listener = run(
                        Map.of("shop.queue", "fast", "shop.multiplier", "1.5"), ConfiguredListener.class)
                .get(0);

        assertThat(listener.queue()).isEqualTo("fast");
        assertThat(listener.concurrency()).isEqualTo(8);
        assertThat(listener.timeout()).isEqualTo(Duration.ofHours(1));
        assertThat(listener.retry())
                .isEqualTo(RetryPolicy.exponential(Duration.ofMillis(250), 1.5, Duration.ofMinutes(2))
                        .maxRetries(3));
        assertThat(listener.noRetryFor()).containsExactly(IOException.class);
        assertThat(listener.transactional()).isTrue();
    }

    static class PatientListener {
        @JobListener(retryIntervals = "10s, ${shop.then}, PT10M", giveUpAfter = "1d", jitter = "0.1")
        void handle(Parcel parcel) {}
    }

    @Test
    void retriesMayBeAListOfIntervalsAndEndAtATime() {
        ListenerDefinition listener =
                run(Map.of("shop.then", "1m"), PatientListener.class).get(0);

        assertThat(listener.retry())
                .isEqualTo(RetryPolicy.intervals(Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofMinutes(10))
                        .giveUpAfter(Duration.ofDays(1))
                        .jitter(0.1));
    }

    static class StrategicListener {
        @JobListener(retryStrategy = "carrierRetries")
        void handle(Parcel parcel) {}
    }

    @Test
    void aBeanMayDecideWhenJobsRunAgain() {
        RetryPolicy policy = RetryPolicy.DEFAULT.giveUpOn(IOException.class);
        try (AnnotationConfigApplicationContext context = context(Map.of(), StrategicListener.class)) {
            context.registerBean("carrierRetries", RetryPolicy.class, () -> policy);
            context.refresh();

            assertThat(listeners(context).get(0).retry()).isSameAs(policy);
        }
    }

    abstract static class EnvelopeListener<T> {
        @Nullable
        T last;

        @JobListener
        public void handle(Envelope<T> envelope) {
            last = envelope.content();
        }
    }

    static class OrderEnvelopeListener extends EnvelopeListener<Order> {}

    @Test
    void thePayloadsTypeArgumentsAreResolvedAgainstTheBean() throws Throwable {
        try (AnnotationConfigApplicationContext context = context(Map.of(), OrderEnvelopeListener.class)) {
            context.refresh();
            ListenerDefinition listener = listeners(context).get(0);

            assertThat(call(listener, "{\"content\": {\"number\": \"A\", \"amount\": 1}}"))
                    .isNull();

            assertThat(context.getBean(OrderEnvelopeListener.class).last).isEqualTo(new Order("A", 1));
        }
    }

    static class FailingListener {
        @JobListener
        void handle(Order order) throws IOException {
            throw new IOException("no paper");
        }
    }

    @Test
    void anExceptionOfTheListenerComesOutAsItIs() {
        ListenerDefinition listener = only(FailingListener.class);

        assertThatThrownBy(() -> call(listener, "{\"number\": \"A\", \"amount\": 1}"))
                .isExactlyInstanceOf(IOException.class)
                .hasMessage("no paper");
    }

    @Test
    void aPayloadThatCannotBeReadFailsTheAttempt() {
        ListenerDefinition listener = only(OrderListener.class);

        assertThatThrownBy(() -> call(listener, "[1]")).isInstanceOf(PayloadException.class);
    }

    @JobListener(queue = "mail", timeout = "1m", maxRetries = "2")
    @Target(ElementType.METHOD)
    @Retention(RetentionPolicy.RUNTIME)
    @interface MailListener {

        @AliasFor(annotation = JobListener.class, attribute = "concurrency")
        String atOnce() default "3";

        @AliasFor(annotation = JobListener.class)
        String timeout() default "30s";
    }

    static class ComposedListener {
        @MailListener(timeout = "${shop.timeout}")
        void handle(Order order) {}
    }

    @Test
    void aCustomAnnotationMayCarryTheListenersAttributes() {
        ListenerDefinition listener =
                run(Map.of("shop.timeout", "5s"), ComposedListener.class).get(0);

        assertThat(listener.queue()).isEqualTo("mail");
        assertThat(listener.concurrency()).isEqualTo(3);
        assertThat(listener.timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(listener.retry().fallback().maxRetries()).isEqualTo(2);
    }

    static class OwnTransactionsListener {
        @JobListener(transactional = true, transactionManager = "${shop.manager}", isolation = Isolation.SERIALIZABLE)
        void handle(Order order) {}
    }

    @Test
    void aListenerMayNameItsTransactionManagerAndItsIsolation() {
        try (AnnotationConfigApplicationContext context =
                context(Map.of("shop.manager", "second"), OwnTransactionsListener.class)) {
            SeenTransactions second = new SeenTransactions();
            context.registerBean("first", PlatformTransactionManager.class, () -> new SeenTransactions());
            context.registerBean("second", PlatformTransactionManager.class, () -> second);
            context.refresh();

            ListenerDefinition listener = listeners(context).get(0);
            requireNonNull(listener.transactions()).run(() -> second.seen.add("work"));

            assertThat(second.seen)
                    .containsExactly("begin " + TransactionDefinition.ISOLATION_SERIALIZABLE, "work", "commit");
        }
    }

    /** Writes down what is asked of it. */
    static final class SeenTransactions implements PlatformTransactionManager {

        private final List<String> seen = new ArrayList<>();

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            seen.add("begin " + requireNonNull(definition).getIsolationLevel());
            return new SimpleTransactionStatus();
        }

        @Override
        public void commit(TransactionStatus status) {
            seen.add("commit");
        }

        @Override
        public void rollback(TransactionStatus status) {
            seen.add("rollback");
        }
    }

    static class UnknownManagerListener {
        @JobListener(transactional = true, transactionManager = "nobody")
        void handle(Order order) {}
    }

    static class IsolationWithoutTransactionListener {
        @JobListener(isolation = Isolation.SERIALIZABLE)
        void handle(Order order) {}
    }

    @Test
    void impossibleTransactionSettingsStopTheStart() {
        assertInvalid(UnknownManagerListener.class, "there is no transaction manager 'nobody'");
        assertInvalid(IsolationWithoutTransactionListener.class, "only with transactional = true");
    }
}
