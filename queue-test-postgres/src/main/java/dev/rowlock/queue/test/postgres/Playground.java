package dev.rowlock.queue.test.postgres;

/** A server to play with, for {@code make db}. Lasts until Ctrl-C; its data go with it. */
final class Playground {

    private Playground() {}

    public static void main(String[] arguments) throws InterruptedException {
        EmbeddedServer server = EmbeddedServer.start();
        System.out.printf(
                """

                PostgreSQL %d is yours until Ctrl-C. Then its data are gone.

                  %s?user=%s
                  psql -h 127.0.0.1 -p %d -U %s %s

                """,
                server.version(),
                server.jdbcUrl(server.homeDatabase()),
                server.username(),
                server.port(),
                server.username(),
                server.homeDatabase());
        // The server's own shutdown hook stops it; until then there is nothing to do.
        Thread.currentThread().join();
    }
}
