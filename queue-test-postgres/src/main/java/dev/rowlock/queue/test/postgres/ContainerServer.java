package dev.rowlock.queue.test.postgres;

import java.util.Map;
import java.util.regex.Pattern;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;
import org.testcontainers.utility.DockerImageName;

/** A server in a container. Testcontainers removes it when the JVM ends. */
final class ContainerServer implements PostgresServer {

    /** Images of 15 and later. Of others nobody knows; theirs are mostly those of their language too. */
    private static final Pattern KNOWS_ICU = Pattern.compile("postgres:(1[5-9]|[2-9]\\d)\\b.*");

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
        PostgreSQLContainer container =
                new PostgreSQLContainer(DockerImageName.parse(image).asCompatibleSubstituteFor("postgres"));
        DrawnServer drawn = DrawnServer.ofThisJvm();
        if (KNOWS_ICU.matcher(image).matches()) {
            container.withEnv("POSTGRES_INITDB_ARGS", String.join(" ", drawn.initdb(DrawnServer.FIRST_WITH_ICU)));
        }
        return container.withCommand(ServerSettings.asCommand(ServerSettings.with(drawn, Map.of())));
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
