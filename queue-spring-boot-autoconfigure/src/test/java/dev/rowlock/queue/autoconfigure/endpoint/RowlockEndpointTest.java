package dev.rowlock.queue.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobCount;
import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.operate.Pause;
import dev.rowlock.queue.schedule.Recurring;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.security.Principal;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.jmx.ExposableJmxEndpoint;
import org.springframework.boot.actuate.endpoint.jmx.JmxEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.jmx.JmxOperation;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

@PostgresTest(freshPerTest = true, migrated = true)
class RowlockEndpointTest {

    private static final String EXPOSED = "management.endpoints.jmx.exposure.include=rowlock";
    private static final String UNRESTRICTED = "management.endpoint.rowlock.access=UNRESTRICTED";

    private final ApplicationContextRunner contexts;

    RowlockEndpointTest(TestDatabase database) {
        contexts = new ApplicationContextRunner()
                .withConfiguration(Contexts.ROWLOCK)
                .withConfiguration(AutoConfigurations.of(
                        DataSourceAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        JacksonEndpointAutoConfiguration.class,
                        JmxAutoConfiguration.class,
                        JmxEndpointAutoConfiguration.class))
                .withBean(Mails.class)
                .withPropertyValues(
                        "spring.jmx.enabled=true",
                        "spring.datasource.url=" + database.jdbcUrl(),
                        "spring.datasource.username=" + database.username(),
                        "spring.datasource.password=" + database.password());
    }

    @Test
    void itIsNotThereUntilItIsExposed() {
        contexts.run(context -> assertThat(context).doesNotHaveBean(RowlockEndpoint.class));
    }

    @Test
    void itSaysWhyAJobWaits() {
        contexts.withPropertyValues(EXPOSED).run(context -> {
            context.getBean(JobAdmin.class).by("ann", "maintenance").pause("letters");
            long id = context.getBean(JobTemplate.class).enqueue(new Letter("Ada"), o -> o.queue("letters"));
            RowlockEndpoint endpoint = context.getBean(RowlockEndpoint.class);

            assertThat(json(endpoint.explain("job", id)))
                    .contains("\"kind\":\"PAUSED\"", "by ann (maintenance)")
                    .doesNotContain("Ada");
            assertThat(endpoint.explain("job", id + 1)).isNull();
            assertThat(endpoint.explain("jobs", id)).isNull();
        });
    }

    record Letter(String to) {}

    @Test
    void itShowsWhatThereIs() {
        contexts.withPropertyValues(EXPOSED).run(context -> {
            await().until(() -> json(read(context, "nodes")).contains("\"mails\""));
            // The node stores what the application declares a moment later.
            await().until(() -> json(read(context, null)).contains("\"name\":\"newsletter\""));
            context.getBean(JobAdmin.class).by("ann", "maintenance").pause("letters");

            String all = json(read(context, null));

            assertThat(all)
                    .contains("\"verdict\":{\"status\":\"HEALTHY\",\"reasons\":[]}")
                    .contains("\"node\":{", "\"beats\":true", "\"chores\":[{", "\"name\":\"retention\"")
                    .contains("\"queue\":\"mails\",\"type\":\"Mail\",\"running\":true")
                    .contains("\"name\":\"newsletter\"", "0 0 3 * * *", "\"expired\":false")
                    .contains("\"name\":\"letters\"", "\"who\":\"ann\"", "\"why\":\"maintenance\"");
            assertThat(json(read(context, "queues"))).startsWith("[");
        });
    }

    @Test
    void aSectionThatDoesNotExistIsNotFound() {
        contexts.withPropertyValues(EXPOSED)
                .run(context -> assertThat(read(context, "secrets")).isNull());
    }

    @Test
    void itOnlyShowsUnlessItMayDoMore() {
        contexts.withPropertyValues(EXPOSED)
                .run(context -> assertThat(operations(context))
                        .extracting(JmxOperation::getType)
                        .containsOnly(OperationType.READ));
        contexts.withPropertyValues(EXPOSED, UNRESTRICTED)
                .run(context -> assertThat(operations(context))
                        .extracting(JmxOperation::getType)
                        .contains(OperationType.WRITE));
    }

    @Test
    void itPausesAndResumesInTheNameOfItsCaller() {
        contexts.withPropertyValues(EXPOSED, UNRESTRICTED).run(context -> {
            JobAdmin admin = context.getBean(JobAdmin.class);

            Object paused = change(context, "pause", Map.of("queue", "mails", "why", "bounces"));
            change(context, "pause", Map.of("type", "Mail"));
            change(context, "pause", Map.of("everything", "true"));

            assertThat(json(paused)).isEqualTo("{\"changed\":true}");
            assertThat(admin.pauses())
                    .extracting(Pause::kind)
                    .containsExactlyInAnyOrder(Pause.Kind.QUEUE, Pause.Kind.TYPE, Pause.Kind.EVERYTHING);
            assertThat(admin.audit(null, 10)).extracting(AuditEntry::who).containsOnly("ann");
            assertThat(admin.audit(null, 10)).extracting(AuditEntry::why).contains("bounces");

            change(context, "resume", Map.of("everything", "true"));
            change(context, "resume", Map.of("type", "Mail"));
            change(context, "resume", Map.of("queue", "mails"));

            assertThat(admin.pauses()).isEmpty();
        });
    }

    @Test
    void itRedrivesOneDeadJobAndThoseOfAQueue() {
        contexts.withPropertyValues(EXPOSED, UNRESTRICTED).run(context -> {
            long id = context.getBean(JobTemplate.class).enqueue(new Mail("nobody"));
            Mails mails = context.getBean(Mails.class);
            await().until(
                            () -> json(change(context, "redrive", Map.of("job", Long.toString(id)))),
                            "{\"changed\":true}"::equals);
            await().until(() -> mails.sent == 2);
            await().until(() -> dead(context) == 1);

            String redriven = json(change(context, "redrive", Map.of("queue", "mails", "type", "Mail")));

            assertThat(redriven).contains("\"kind\":\"REDRIVE\"", "\"counted\":1", "\"who\":\"ann\"");
            await().until(() -> mails.sent == 3);
        });
    }

    @Test
    void aCallThatDoesNotSayWhatToChangeIsABadRequest() {
        contexts.withPropertyValues(EXPOSED, UNRESTRICTED).run(context -> {
            assertThatThrownBy(() -> change(context, "pause", Map.of()))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessage("pause needs exactly one of queue, type and everything=true");
            assertThatThrownBy(() -> change(context, "resume", Map.of("queue", "mails", "type", "Mail")))
                    .isInstanceOf(InvalidEndpointRequestException.class);
            assertThatThrownBy(() -> change(context, "redrive", Map.of("everything", "true")))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessageStartingWith("redrive needs either job");
            assertThatThrownBy(() -> change(context, "pause", Map.of("queue", "mails", "why", "x".repeat(1_001))))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessageContaining("up to 1000 are allowed");
            assertThat(change(context, "explode", Map.of("queue", "mails"))).isNull();
            assertThat(context.getBean(JobAdmin.class).pauses()).isEmpty();
        });
    }

    private static long dead(AssertableApplicationContext context) {
        return context.getBean(JobSearch.class).counts().stream()
                .filter(count -> count.state() == JobState.DEAD)
                .mapToLong(JobCount::jobs)
                .sum();
    }

    private static @Nullable Object read(AssertableApplicationContext context, @Nullable String section) {
        return operations(context)
                .filter(operation -> operation.getType() == OperationType.READ)
                .filter(operation -> operation.getParameters().isEmpty() == (section == null))
                .findFirst()
                .orElseThrow()
                .invoke(new InvocationContext(
                        SecurityContext.NONE, section == null ? Map.of() : Map.of("section", section)));
    }

    private static @Nullable Object change(
            AssertableApplicationContext context, String action, Map<String, String> body) {
        Map<String, Object> arguments = new HashMap<>(body);
        arguments.put("action", action);
        return operations(context)
                .filter(operation -> operation.getType() == OperationType.WRITE)
                .findFirst()
                .orElseThrow()
                .invoke(new InvocationContext(new Ann(), arguments));
    }

    private static Stream<JmxOperation> operations(AssertableApplicationContext context) {
        Optional<ExposableJmxEndpoint> endpoint = context.getBean(JmxEndpointsSupplier.class).getEndpoints().stream()
                .filter(known -> known.getEndpointId().toString().equals("rowlock"))
                .findAny();
        return endpoint.orElseThrow().getOperations().stream();
    }

    /** As actuator writes it. */
    private static String json(@Nullable Object answer) {
        return JsonMapper.builder()
                .enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS)
                .build()
                .writeValueAsString(answer);
    }

    record Mail(String to) {}

    record Newsletter() {}

    static final class Mails {

        private volatile int sent;

        @JobListener(queue = "mails")
        void send(Mail mail) {
            sent++;
            throw new DoNotRetryException("there is no " + mail.to());
        }

        @Recurring(name = "newsletter", cron = "0 0 3 * * *")
        @JobListener(queue = "mails")
        void send(Newsletter newsletter) {}
    }

    private static final class Ann implements SecurityContext {

        @Override
        public Principal getPrincipal() {
            return () -> "ann";
        }

        @Override
        public boolean isUserInRole(String role) {
            return true;
        }
    }
}
