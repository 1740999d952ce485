package dev.rowlock.queue.benchmark.peer;

/**
 * Who works.
 *
 * @param nodes each with its own threads and connections
 * @param workers jobs that each node runs at once; 0: as many as suit the peer
 * @param queues that each node listens to, the one with the jobs among them; more than 1 needs {@link Ability#QUEUES}
 */
public record Crew(int nodes, int workers, int queues) {

    /** One node. */
    public static Crew of(int workers) {
        return of(1, workers);
    }

    /** Nodes that listen to nothing but the queue with the jobs. */
    public static Crew of(int nodes, int workers) {
        return new Crew(nodes, workers, 1);
    }

    /** The same on so many queues. */
    public Crew on(int some) {
        return new Crew(nodes, workers, some);
    }

    /** How many jobs each node runs at once, where so many suit the peer. */
    public int workersOr(int suitable) {
        return workers == 0 ? suitable : workers;
    }
}
