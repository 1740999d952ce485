package dev.rowlock.queue.chaos.cluster;

import dev.rowlock.queue.chaos.history.Audit;
import dev.rowlock.queue.schema.SchemaMigrator;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.test.postgres.DrawnServer;
import dev.rowlock.queue.test.postgres.EmbeddedServer;
import dev.rowlock.queue.test.postgres.ServerClock;
import dev.rowlock.queue.test.postgres.SmallDisk;
import dev.rowlock.queue.test.postgres.TestSeed;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/** One PostgreSQL, safe against crashes, with Rowlock's tables and the audit. */
public final class Database implements AutoCloseable {

    // fsync: the server is killed in the middle of things, and what it said is committed must be there.
    private static final Map<String, String> SETTINGS = settings();

    private static Map<String, String> settings() {
        Map<String, String> settings = new TreeMap<>(DrawnServer.seldom(TestSeed.random("seldom")));
        settings.putAll(Map.of("fsync", "on", "max_connections", "100", "max_prepared_transactions", "2"));
        return Collections.unmodifiableMap(settings);
    }

    private final EmbeddedServer server;
    private final @Nullable SmallDisk disk;
    private final @Nullable ServerClock clock;
    private final Path data;
    private Duration ahead = Duration.ZERO;
    private Duration mostAhead = Duration.ZERO;
    private @Nullable Password password;

    public Database() {
        this(EmbeddedServer.start(SETTINGS), null, null);
        migrate(ofApplication());
    }

    private Database(EmbeddedServer server, @Nullable SmallDisk disk, @Nullable ServerClock clock) {
        this.server = server;
        this.disk = disk;
        this.clock = clock;
        this.data = Path.of(sql().sql("SHOW data_directory").query(String.class).single());
        run("CREATE ROLE app LOGIN");
        run("GRANT CREATE ON DATABASE %s TO app".formatted(server.homeDatabase()));
    }

    /** Without Rowlock's tables and the audit, whoever is to make them. */
    public static Database empty() {
        Database database = new Database(EmbeddedServer.start(SETTINGS), null, null);
        database.run("ALTER ROLE app SUPERUSER");
        return database;
    }

    /**
     * With Rowlock's tables on this disk, and all else elsewhere: the audit must not fail in their place, nor the server
     * as a whole. Closing the database closes the disk.
     */
    public static Database withTablesOn(SmallDisk disk) {
        return onDisk(new Database(EmbeddedServer.start(SETTINGS, disk), disk, null), disk);
    }

    /** The same with a clock that can be set; both as far as the machine allows. */
    public static Database withAll(@Nullable SmallDisk disk, @Nullable ServerClock clock) {
        if (clock == null) {
            return disk == null ? new Database() : withTablesOn(disk);
        }
        if (disk != null) {
            return onDisk(new Database(EmbeddedServer.start(SETTINGS, disk, clock), disk, clock), disk);
        }
        Database database = new Database(EmbeddedServer.start(SETTINGS, clock), null, clock);
        database.migrate(database.ofApplication());
        return database;
    }

    private static Database onDisk(Database database, SmallDisk disk) {
        database.run("CREATE TABLESPACE small LOCATION '%s'".formatted(disk.folder()));
        database.run("GRANT CREATE ON TABLESPACE small TO app");
        PGSimpleDataSource onDisk = database.ofApplication();
        onDisk.setOptions("-c default_tablespace=small");
        database.migrate(onDisk);
        return database;
    }

    /** With the server's log on this disk: without room it panics. Closing the database closes the disk. */
    public static Database withLogOn(SmallDisk disk) {
        Database database = new Database(EmbeddedServer.start(SETTINGS, disk), disk, null);
        Path log = database.data.resolve("pg_wal");
        database.server.stop();
        disk.run("mv", log.toString(), disk.folder().toString());
        disk.run("ln", "-s", disk.folder().resolve("pg_wal").toString(), log.toString());
        database.server.startAgain();
        database.migrate(database.ofApplication());
        return database;
    }

    private void migrate(PGSimpleDataSource source) {
        new SchemaMigrator(source, "rowlock", SchemaMode.MIGRATE).run();
        audit().install();
        // Whoever makes a move writes it down.
        run("GRANT ALL ON ALL TABLES IN SCHEMA public TO app");
        run("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO app");
    }

    /** The role that nodes log in as: no superuser, and owner of Rowlock's tables. */
    private PGSimpleDataSource ofApplication() {
        PGSimpleDataSource source = dataSource("harness");
        source.setUser("app");
        return source;
    }

    private void run(String statement) {
        sql().sql(statement).update();
    }

    /** What the seed has drawn of its server. */
    public static String drawn() {
        return DrawnServer.ofThisJvm() + ", " + SETTINGS;
    }

    public EmbeddedServer server() {
        return server;
    }

    /** What the server said that was grave. */
    public String complaints() {
        try {
            return Files.readString(data.resolveSibling("data.log"));
        } catch (IOException e) {
            throw new UncheckedIOException("cannot read what the server said", e);
        }
    }

    /** What can be made full, if there is such a disk. */
    public Optional<SmallDisk> disk() {
        return Optional.ofNullable(disk);
    }

    public int port() {
        return server.port();
    }

    /** Sets the server's clock forward, or back by a negative step, if it has one that can be set. */
    public void stepClock(Duration step) {
        setClock(ahead.plus(step));
    }

    /** Sets it to the latest that it ever was; false if it is that already. */
    public boolean clockCatchesUp() {
        boolean behind = ahead.compareTo(mostAhead) < 0;
        if (behind) {
            setClock(mostAhead);
        }
        return behind;
    }

    private void setClock(Duration aheadFromNow) {
        if (clock != null) {
            ahead = aheadFromNow;
            mostAhead = ahead.compareTo(mostAhead) > 0 ? ahead : mostAhead;
            clock.set(ahead);
        }
    }

    /** From now on the role {@code app} needs the password that stands in this file. */
    public void requirePassword(Path file) {
        password = new Password(this, data, file);
    }

    /** Only for whoever connects from now on. */
    public void changePassword(String secret) {
        if (password != null) {
            password.change(secret);
        }
    }

    /** New connections past all proxies, under this name. */
    public PGSimpleDataSource dataSource(String applicationName) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(server.jdbcUrl(server.homeDatabase()));
        source.setUser(server.username());
        source.setApplicationName(applicationName);
        source.setConnectTimeout(5);
        source.setSocketTimeout(30);
        return source;
    }

    public JdbcClient sql() {
        return JdbcClient.create(dataSource("harness"));
    }

    public Audit audit() {
        return new Audit(dataSource("harness"));
    }

    @Override
    public void close() {
        server.close();
        disk().ifPresent(SmallDisk::close);
        if (clock != null) {
            clock.close();
        }
    }
}
