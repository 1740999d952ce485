package dev.rowlock.queue.chaos.model;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Every state that can be reached, breadth first, so that a counterexample is the shortest there is. */
final class Search {

    private final Map<State, Arrival> reached = new LinkedHashMap<>(); // in the order of reaching them
    private final Map<State, List<State>> before = new HashMap<>();

    /** How a state was first reached; null at the start. */
    private record Arrival(@Nullable State from, String step) {}

    Search(Model model, State start) {
        Deque<State> open = new ArrayDeque<>(List.of(start));
        reached.put(start, new Arrival(null, "start"));
        while (!open.isEmpty()) {
            State state = open.poll();
            for (Model.Step step : model.steps(state)) {
                before.computeIfAbsent(step.to(), s -> new ArrayList<>()).add(state);
                if (reached.putIfAbsent(step.to(), new Arrival(state, step.name())) == null) {
                    open.add(step.to());
                }
            }
        }
    }

    int states() {
        return reached.size();
    }

    /** The steps to the first state found of this kind; empty if there is none. */
    List<String> pathTo(Predicate<State> kind) {
        return reached.keySet().stream()
                .filter(kind)
                .map(this::path)
                .min(java.util.Comparator.comparingInt(List::size))
                .orElse(List.of());
    }

    /** The steps to a state from which no state of this kind can be reached any more; empty if there is none. */
    List<String> pathToAStateThatNeverReaches(Predicate<State> kind) {
        Set<State> can = new HashSet<>(reached.keySet().stream().filter(kind).toList());
        Deque<State> open = new ArrayDeque<>(can);
        while (!open.isEmpty()) {
            for (State earlier : before.getOrDefault(open.poll(), List.of())) {
                if (can.add(earlier)) {
                    open.add(earlier);
                }
            }
        }
        return pathTo(state -> !can.contains(state));
    }

    private List<String> path(State state) {
        List<String> path = new ArrayList<>();
        for (Arrival at = reached.get(state); at != null && at.from() != null; at = reached.get(at.from())) {
            path.add(at.step());
        }
        Collections.reverse(path);
        return path;
    }
}
