package dev.rowlock.queue.chaos.model;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The database and what the nodes believe. A value.
 *
 * @param acceptedFor for each outcome that was accepted, the token under which the handler had run, and the token that
 *     the job was claimed under at that moment
 */
record State(int lastToken, List<Job> jobs, List<Node> nodes, List<Accepted> acceptedFor) {

    static final int NODES = 2;

    enum Room {
        READY,
        RUNNING,
        DONE
    }

    /** {@code token} and {@code node} (its number) are 0 unless the job is running. */
    record Job(Room room, int token, int node) {}

    /** {@code number} changes with each registration; {@code held} is what the process believes to own. */
    record Node(int number, boolean registered, Set<Held> held) {}

    /** A claim in the memory of a process; {@code written}: its outcome went out, the answer has not arrived. */
    record Held(int job, int token, boolean written) implements Comparable<Held> {
        @Override
        public int compareTo(Held other) {
            return Integer.compare(token * 2 + (written ? 1 : 0), other.token * 2 + (other.written ? 1 : 0));
        }
    }

    record Accepted(int job, int handlersToken, int jobsToken) {}

    static State start(int jobs) {
        return new State(
                0,
                Collections.nCopies(jobs, new Job(Room.READY, 0, 0)),
                List.of(new Node(1, true, Set.of()), new Node(2, true, Set.of())),
                List.of());
    }

    /** Running under a number that no registered node has: what rescue takes. */
    boolean orphan(int job) {
        Job j = jobs.get(job);
        return j.room == Room.RUNNING && nodes.stream().noneMatch(n -> n.registered && n.number == j.node);
    }

    /** Owned by this node according to the database, and unknown to its process. */
    boolean stray(int node, int job) {
        Job j = jobs.get(job);
        Node n = nodes.get(node);
        return j.room == Room.RUNNING
                && n.registered
                && j.node == n.number
                && n.held.stream().noneMatch(held -> held.token == j.token);
    }

    /** Changes a copy. */
    static final class Change {

        private int lastToken;
        private final List<Job> jobs;
        private final List<Node> nodes;
        private final List<Accepted> accepted;

        Change(State from) {
            lastToken = from.lastToken;
            jobs = new ArrayList<>(from.jobs);
            nodes = new ArrayList<>(from.nodes);
            accepted = new ArrayList<>(from.acceptedFor);
        }

        State done() {
            return new State(lastToken, List.copyOf(jobs), List.copyOf(nodes), List.copyOf(accepted));
        }

        void claim(int node, int job, boolean answered) {
            lastToken++;
            jobs.set(job, new Job(Room.RUNNING, lastToken, nodes.get(node).number));
            if (answered) {
                hold(node, new Held(job, lastToken, false));
            }
        }

        /** The recorder's statement arrives: it changes the job only under the claim's own token. */
        void write(int node, Held held, boolean fenced) {
            Job job = jobs.get(held.job);
            if (job.room == Room.RUNNING && (!fenced || job.token == held.token)) {
                accepted.add(new Accepted(held.job, held.token, job.token));
                jobs.set(held.job, new Job(Room.DONE, 0, 0));
            }
            drop(node, held);
            hold(node, new Held(held.job, held.token, true));
        }

        void release(int job) {
            jobs.set(job, new Job(Room.READY, 0, 0));
        }

        void expire(int node) {
            Node n = nodes.get(node);
            nodes.set(node, new Node(n.number, false, n.held));
        }

        /** Handlers cannot be made to stop: what was held may still be written, under the old tokens. */
        void register(int node) {
            Node n = nodes.get(node);
            nodes.set(node, new Node(n.number + NODES, true, n.held));
        }

        void drop(int node, Held held) {
            Node n = nodes.get(node);
            Set<Held> left = new TreeSet<>(n.held);
            left.remove(held);
            nodes.set(node, new Node(n.number, n.registered, Collections.unmodifiableSet(left)));
        }

        private void hold(int node, Held held) {
            Node n = nodes.get(node);
            Set<Held> more = new TreeSet<>(n.held);
            more.add(held);
            nodes.set(node, new Node(n.number, n.registered, Collections.unmodifiableSet(more)));
        }
    }
}
