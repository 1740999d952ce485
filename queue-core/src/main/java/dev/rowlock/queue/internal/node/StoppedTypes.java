package dev.rowlock.queue.internal.node;

import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The types whose jobs this node does not claim: their listeners are stopped here, or the type is paused. Thread-safe. */
final class StoppedTypes {

    private final BiConsumer<Set<String>, Set<String>> leave;
    private Set<String> off = Set.of(); // guarded by this, as below
    private Set<String> paused = Set.of();
    private Set<String> left = Set.of(); // what was told, as below
    private Set<String> told = Set.of();

    /** @param leave told whenever they change: all of them, and those that are paused */
    StoppedTypes(BiConsumer<Set<String>, Set<String>> leave) {
        this.leave = leave;
    }

    /** The types whose listeners are stopped in this process. */
    synchronized void turnedOff(Set<String> types) {
        off = types;
        tell();
    }

    /** The types that are paused on all nodes. */
    synchronized void paused(Set<String> types) {
        paused = types;
        tell();
    }

    private void tell() {
        Set<String> all = Stream.concat(off.stream(), paused.stream()).collect(Collectors.toUnmodifiableSet());
        if (!all.equals(left) || !paused.equals(told)) {
            left = all;
            told = paused;
            leave.accept(all, paused);
        }
    }
}
