package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.access.AccessLevel;
import dev.rowlock.queue.dashboard.api.Brand;
import dev.rowlock.queue.dashboard.api.Operation;
import dev.rowlock.queue.dashboard.api.Operation.Method;
import dev.rowlock.queue.dashboard.api.Operations;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;

/** Who may do what. */
@DashboardTest
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
