package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.store.BeatNode.Heartbeat;
import dev.rowlock.queue.internal.store.BeatNode.Place;
import dev.rowlock.queue.job.Claim;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node whose chores run without it. Tests write what it knows. */
final class TestOwnNode implements OwnNode {

    long id;
    int nodes = 1;
    List<Heartbeat> silent = List.of();

    @Nullable
    Duration nextExpiry;

    List<Claim> overdue = List.of();
    long[] held = {};

    TestOwnNode(long id) {
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
    public List<Claim> overdue(Duration grace) {
        return overdue;
    }

    @Override
    public long[] heldTokens() {
        return held;
    }
}
