package dev.rowlock.queue.test.postgres;

import java.util.Map;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/** A server in a container. Testcontainers removes it when the JVM ends. */
final class ContainerServer implements PostgresServer {

    private final PostgreSQLContainer container;

    private ContainerServer(PostgreSQLContainer container) {
        this.container = container;
    }

    static boolean engineAnswers() {
        return DockerClientFactory.instance().isDockerAvailable();
    }

    static ContainerServer start(String image) {
        PostgreSQLContainer container = container(image);
        try {
            container.start();
        } catch (RuntimeException e) {
            throw new IllegalStateException(
                    "cannot start a container of image '%s'; is a Docker engine running, and does it have the image? -D%s=embedded needs neither"
                            .formatted(image, Selection.SERVER),
                    e);
        }
        return new ContainerServer(container);
    }

    /** A container that is not started yet, with our settings. */
    static PostgreSQLContainer container(String image) {
        // Private builds of PostgreSQL go by other names, so any image is taken for one.
        return new PostgreSQLContainer(DockerImageName.parse(image).asCompatibleSubstituteFor("postgres"))
                .withCommand(ServerSettings.asCommand(ServerSettings.with(Map.of())));
    }

    @Override
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://%s:%d/%s"
                .formatted(container.getHost(), container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT), database);
    }

    @Override
    public String username() {
        return container.getUsername();
    }

    @Override
    public String password() {
        return container.getPassword();
    }

    @Override
    public String homeDatabase() {
        return "postgres";
    }

    @Override
    public void close() {
        container.stop();
    }
}
