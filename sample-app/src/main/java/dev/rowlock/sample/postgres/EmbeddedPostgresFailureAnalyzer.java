package dev.rowlock.sample.postgres;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says what to do about it when the sample's own PostgreSQL cannot be used. */
final class EmbeddedPostgresFailureAnalyzer extends AbstractFailureAnalyzer<EmbeddedPostgresException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, EmbeddedPostgresException cause) {
        return new FailureAnalysis(
                "The sample brings its own PostgreSQL, but " + cause.getMessage(),
                "Mend that, or use a server of yours: --spring.datasource.url=jdbc:postgresql://host/database"
                        + " --spring.datasource.username=… --spring.datasource.password=…",
                cause);
    }
}
