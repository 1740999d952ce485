package dev.rowlock.sample;

import java.nio.file.Path;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.util.unit.DataSize;

/**
 * Settings of the sample.
 *
 * @param maxUpload the largest catalog that is taken
 * @param postgres the database that runs when {@code spring.datasource.url} names none
 */
@ConfigurationProperties("sample")
public record SampleProperties(DataSize maxUpload, Postgres postgres) {

    /**
     * The sample's own database.
     *
     * @param dataDir where it keeps its data between runs; all processes that name the same folder share one server
     * @param port where it listens; a server that is already running keeps its own
     */
    public record Postgres(Path dataDir, int port) {}
}
