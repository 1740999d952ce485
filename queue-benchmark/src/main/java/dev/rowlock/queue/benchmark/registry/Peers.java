package dev.rowlock.queue.benchmark.registry;

import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.jvm.DbScheduler;
import dev.rowlock.queue.benchmark.peer.jvm.JobRunr;
import dev.rowlock.queue.benchmark.peer.jvm.QuartzPeer;
import dev.rowlock.queue.benchmark.peer.nodejs.GraphileWorker;
import dev.rowlock.queue.benchmark.peer.nodejs.PgBoss;
import dev.rowlock.queue.benchmark.peer.rowlock.Rowlock;
import dev.rowlock.queue.benchmark.peer.sql.Floor;
import dev.rowlock.queue.benchmark.peer.sql.Seed;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All peers by name. */
public final class Peers {

    private static final Map<String, Peer> ALL = byName(
            Rowlock.DEFAULT,
            Rowlock.NO_RETENTION,
            Floor.NO_RETENTION,
            Floor.RETENTION,
            new DbScheduler(),
            new JobRunr(),
            new QuartzPeer(),
            new GraphileWorker(),
            new PgBoss(),
            Seed.SKIP,
            Seed.NO_SKIP);

    private Peers() {}

    public static List<Peer> all() {
        return List.copyOf(ALL.values());
    }

    /** The peer of this name, or an {@link IllegalArgumentException} that names all of them. */
    public static Peer named(String name) {
        Peer peer = ALL.get(name);
        if (peer == null) {
            throw new IllegalArgumentException("peer '%s' is none of %s".formatted(name, ALL.keySet()));
        }
        return peer;
    }

    public static List<Peer> named(List<String> names) {
        List<Peer> peers = new ArrayList<>();
        names.forEach(name -> peers.add(named(name)));
        return peers;
    }

    private static Map<String, Peer> byName(Peer... peers) {
        Map<String, Peer> all = new LinkedHashMap<>();
        for (Peer peer : peers) {
            all.put(peer.name(), peer);
        }
        return all;
    }
}
