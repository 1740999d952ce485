package dev.rowlock.queue.internal.chore;

import dev.rowlock.queue.internal.lease.BeatNode.Heartbeat;
import dev.rowlock.queue.internal.lease.BeatNode.Place;
import dev.rowlock.queue.internal.lease.OverdueClaim;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node whose chores run without it. Tests write what it knows. */
public final class TestOwnNode implements OwnNode {

    public long id;
    public int nodes = 1;
    public List<Heartbeat> silent = List.of();

    @Nullable
    public Duration nextExpiry;

    public List<OverdueClaim> overdue = List.of();
    public long[] held = {};

    public TestOwnNode(long id) {
        this.id = id;
    }

    @Override
    public long nodeId() {
        return id;
    }

    @Override
    public Place place() {
        return new Place(nodes, 0);
    }

    @Override
    public List<Heartbeat> silentNodes() {
        return silent;
    }

    @Override
    public @Nullable Duration nextExpiry() {
        return nextExpiry;
    }

    @Override
    public boolean hearing() {
        return true;
    }

    @Override
    public List<OverdueClaim> overdue(Duration grace) {
        return overdue;
    }

    @Override
    public long[] heldTokens() {
        return held;
    }
}
