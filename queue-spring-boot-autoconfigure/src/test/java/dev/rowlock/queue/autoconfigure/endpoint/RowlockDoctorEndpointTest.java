package dev.rowlock.queue.autoconfigure.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.doctor.Finding.Status;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.Collection;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jmx.JmxEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.jmx.JmxEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.jmx.JmxOperation;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.jmx.JmxAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.core.simple.JdbcClient;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The sample's tests call it over HTTP. */
@PostgresTest(freshPerTest = true, superuser = true) // without rights to statistics some checks are skipped
class RowlockDoctorEndpointTest {

    private static final String EXPOSED = "management.endpoints.jmx.exposure.include=rowlockdoctor";

    private final ApplicationContextRunner contexts;

    RowlockDoctorEndpointTest(TestDatabase database) {
        contexts = Contexts.on(database)
                .withConfiguration(AutoConfigurations.of(
                        EndpointAutoConfiguration.class,
                        JacksonEndpointAutoConfiguration.class,
                        JmxAutoConfiguration.class,
                        JmxEndpointAutoConfiguration.class))
                .withPropertyValues("spring.jmx.enabled=true");
    }

    @Test
    void itIsNotThereUntilItIsExposed() {
        contexts.run(context -> assertThat(context).doesNotHaveBean(RowlockDoctorEndpoint.class));
        contexts.withPropertyValues("management.endpoints.jmx.exposure.include=rowlock")
                .run(context -> assertThat(context).doesNotHaveBean(RowlockDoctorEndpoint.class));
        contexts.withPropertyValues(EXPOSED, "management.endpoint.rowlockdoctor.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(RowlockDoctorEndpoint.class));
    }

    @Test
    void itOnlyReads() {
        contexts.withPropertyValues(EXPOSED, "management.endpoint.rowlockdoctor.access=UNRESTRICTED")
                .run(context -> assertThat(operations(context))
                        .singleElement()
                        .extracting(JmxOperation::getType)
                        .isEqualTo(OperationType.READ));
    }

    @Test
    void itShowsEachFindingWithEvidenceAndRemedyAndTheWorst() {
        contexts.withPropertyValues(EXPOSED).run(context -> {
            JsonNode healthy = examine(context);
            assertThat(healthy.get("worst").asString()).isEqualTo("OK");
            assertThat(healthy.get("findings"))
                    .hasSameSizeAs(context.getBean(Rowlock.class).doctor().examine());

            context.getBean(JobAdmin.class).by("ann", "maintenance").pause("letters");
            context.getBean(JdbcClient.class)
                    .sql("UPDATE rowlock.pause SET paused_at = now() - interval '2 days'")
                    .update();
            JsonNode paused = examine(context);

            assertThat(paused.get("worst").asString()).isEqualTo(Status.WARN.name());
            JsonNode finding = paused.get("findings")
                    .valueStream()
                    .filter(one -> one.get("code").asString().equals("old-pause"))
                    .findAny()
                    .orElseThrow();
            assertThat(finding.get("cause").asString()).contains("The queue 'letters' has been paused", "by ann");
            assertThat(finding.get("evidence").get(0).asString()).contains("who=ann");
            assertThat(finding.get("evidenceSql").asString()).contains("pause");
            assertThat(finding.get("remedy").asString()).startsWith("Resume it");
            assertThat(finding.get("destructive").asBoolean()).isFalse();
        });
    }

    @Test
    void theSectionsOfTheOtherEndpointDoNotExamine() {
        assertThat(Section.values()).extracting(Section::title).doesNotContain("doctor");
    }

    private static JsonNode examine(AssertableApplicationContext context) {
        Object answer =
                operations(context).iterator().next().invoke(new InvocationContext(SecurityContext.NONE, Map.of()));
        return JsonMapper.shared().valueToTree(answer);
    }

    private static Collection<JmxOperation> operations(AssertableApplicationContext context) {
        return context.getBean(JmxEndpointsSupplier.class).getEndpoints().stream()
                .filter(known -> known.getEndpointId().toString().equals("rowlockdoctor"))
                .findAny()
                .orElseThrow()
                .getOperations();
    }
}
