package dev.rowlock.queue.benchmark.peer;

/**
 * Who works.
 *
 * @param nodes each with its own threads and connections
 * @param workers jobs that each node runs at once; 0: as many as suit the peer
 */
public record Crew(int nodes, int workers) {

    public static Crew of(int workers) {
        return new Crew(1, workers);
    }

    int workersOr(int suitable) {
        return workers == 0 ? suitable : workers;
    }
}
