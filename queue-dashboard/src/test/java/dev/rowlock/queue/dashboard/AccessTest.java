package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.access.AccessLevel;
import dev.rowlock.queue.dashboard.access.DashboardUser;
import dev.rowlock.queue.dashboard.api.Brand;
import dev.rowlock.queue.dashboard.api.Operation;
import dev.rowlock.queue.dashboard.api.Operation.Method;
import dev.rowlock.queue.dashboard.api.Operations;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Who may do what. */
@DashboardTest
@ExtendWith(OutputCaptureExtension.class)
class AccessTest {

    private final Http http;
    private final List<Operation> operations;

    AccessTest(@LocalServerPort int port, @Autowired Rowlock rowlock) {
        this.http = new Http("http://localhost:%d/rowlock".formatted(port));
        this.operations = new Operations(rowlock, new Brand("Rowlock", null, null), null, null).all();
    }

    @Test
    void everyOperationIsRefusedBelowItsLevelAndAnswersFromItOn() {
        assertThat(operations).hasSizeGreaterThan(40);
        for (Operation operation : operations) {
            for (AccessLevel level : AccessLevel.values()) {
                int status = status(operation, level);
                String what = "%s %s as %s".formatted(operation.method(), operation.path(), level);
                if (level.reaches(operation.level())) {
                    assertThat(status).as(what).isNotIn(401, 403, 405, 500);
                } else {
                    assertThat(status).as(what).isEqualTo(403);
                }
            }
        }
    }

    private int status(Operation operation, AccessLevel level) {
        String path = operation.path().replace("{id}", "4711");
        return operation.method() == Method.GET
                ? http.get("/api/" + path, level.name()).statusCode()
                : http.post(path, level.name(), "{}").statusCode();
    }

    /** So that a new operation that changes something is not opened to all by mistake. */
    @Test
    void whatChangesSomethingNeedsAnOperatorAtLeast() {
        assertThat(operations)
                .filteredOn(operation -> operation.method() == Method.POST)
                .allSatisfy(operation -> assertThat(operation.level()).isGreaterThanOrEqualTo(AccessLevel.OPERATOR));
    }

    @Test
    void whoHasNoLevelSeesNeitherPageNorScriptNorFigures() {
        for (String path : List.of("", "/", "/js/main.js", "/dashboard.css", "/api/me", "/api/live", "/nothing")) {
            assertThat(http.get(path, "none").statusCode()).as(path).isEqualTo(403);
        }
    }

    @Test
    void anAccessBeanThatFailsLetsNobodyIn() {
        assertThat(http.get("/", "broken").statusCode()).isEqualTo(403);
        assertThat(http.get("/", "no-such-level").statusCode()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(strings = {"broken", "no-such-level", "endless"})
    void anAccessBeanThatFailsForEachRequestFillsNoLog(String level, CapturedOutput log) {
        for (int i = 0; i < 20; i++) {
            assertThat(http.get("/", level).statusCode()).isEqualTo(403);
        }

        assertThat(log.getAll().split("DashboardAccess of the application failed", -1).length - 1)
                .isLessThanOrEqualTo(1);
        assertThat(log.getAll()).doesNotContain("Servlet.service()");
    }

    /** Distinguished names of certificates are long. */
    @Test
    void anAdminWithALongNameGetsInAndStandsInTheAudit() {
        String name = "CN=" + "x".repeat(300) + ",OU=Operations,O=Example";
        HttpResponse<String> paused = http.post(
                "queues/pause",
                "admin",
                "{\"name\": \"by-certificate\"}",
                request -> request.header(PlainApplication.NAME, name));

        assertThat(paused.statusCode()).isEqualTo(200);
        assertThat(http.json("audit?subject=by-certificate", "admin").toString())
                .contains(name);
        http.post("queues/resume", "admin", "{\"name\": \"by-certificate\"}");
    }

    @Test
    void aUserWithoutALevelIsNone() {
        assertThatThrownBy(() -> new DashboardUser("ann", none()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no level");
    }

    @SuppressWarnings("NullAway") // as an application without such checks
    private static AccessLevel none() {
        return null;
    }

    @Test
    void thePageIsToldWhoLooksAndWhatHeMaySee() {
        assertThat(Arrays.asList(
                        http.json("me", "read_only").get("payloads").asBoolean(),
                        http.json("me", "operator").get("payloads").asBoolean(),
                        http.json("me", "admin").get("payloads").asBoolean()))
                .containsExactly(false, true, true);
        assertThat(http.json("me", "admin").get("name").asString()).isEqualTo("ann");
    }
}
