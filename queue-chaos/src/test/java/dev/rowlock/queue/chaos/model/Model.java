package dev.rowlock.queue.chaos.model;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * All that can happen next in a state. What takes time is two steps (an answer and its arrival, an outcome and its
 * write), and between them anything else may happen: that is how late messages, frozen processes and lost answers are
 * modelled. Time does not exist: a lease may run out at any moment, because a process may stand still at any moment.
 *
 * @param fenced whether an outcome names the claim's token; without it the model must find the lost fence
 * @param strays whether a node gives back what it owns and does not know of
 * @param claims how many claims there may be in all: it bounds the search
 * @param deaths how often each node may be declared dead: so does this
 */
record Model(boolean fenced, boolean strays, int claims, int deaths) {

    /** A step and where it leads. */
    record Step(String name, State to) {}

    List<Step> steps(State state) {
        List<Step> steps = new ArrayList<>();
        for (int node = 0; node < State.NODES; node++) {
            node(state, node, steps);
        }
        for (int job = 0; job < state.jobs().size(); job++) {
            rescue(state, job, steps);
        }
        return steps;
    }

    private void node(State state, int node, List<Step> steps) {
        State.Node n = state.nodes().get(node);
        if (!n.registered()) {
            // It notices: handlers are interrupted, what they say is dropped or refused, and it registers anew.
            step(steps, "node %d registers".formatted(node), state, next -> next.register(node));
        } else if (n.number() <= State.NODES * deaths) {
            step(steps, "node %d is declared dead".formatted(node), state, next -> next.expire(node));
        }
        for (int job = 0; job < state.jobs().size(); job++) {
            claim(state, node, job, steps);
        }
        for (State.Held held : n.held()) {
            if (!held.written()) {
                step(
                        steps,
                        "node %d writes down %s".formatted(node, held),
                        state,
                        next -> next.write(node, held, fenced));
            } else {
                step(steps, "node %d hears of %s".formatted(node, held), state, next -> next.drop(node, held));
            }
            // The process forgets: it crashed and came back, or gave up.
            step(steps, "node %d forgets %s".formatted(node, held), state, next -> next.drop(node, held));
        }
    }

    private void claim(State state, int node, int job, List<Step> steps) {
        State.Job j = state.jobs().get(job);
        // Its number is what the claim names: a node that was declared dead and does not know it claims nothing.
        if (j.room() == State.Room.READY && state.nodes().get(node).registered() && state.lastToken() < claims) {
            step(steps, "node %d claims job %d".formatted(node, job), state, next -> next.claim(node, job, true));
            step(
                    steps,
                    "node %d claims job %d, answer lost".formatted(node, job),
                    state,
                    next -> next.claim(node, job, false));
        }
        if (strays && state.stray(node, job)) {
            step(steps, "node %d gives back job %d".formatted(node, job), state, next -> next.release(job));
        }
    }

    private void rescue(State state, int job, List<Step> steps) {
        if (state.orphan(job)) {
            step(steps, "job %d is rescued".formatted(job), state, next -> next.release(job));
        }
    }

    private static void step(List<Step> steps, String name, State from, Consumer<State.Change> change) {
        State.Change next = new State.Change(from);
        change.accept(next);
        steps.add(new Step(name, next.done()));
    }
}
