package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.dashboard.api.call.Call;
import dev.rowlock.queue.dashboard.api.call.Problem;
import dev.rowlock.queue.dashboard.api.view.Figures;
import dev.rowlock.queue.dashboard.api.view.JobViews;
import dev.rowlock.queue.dashboard.api.view.Redaction;
import dev.rowlock.queue.search.FoundJobs;
import dev.rowlock.queue.search.NodeLoad;
import dev.rowlock.queue.search.NodeSummary;
import dev.rowlock.queue.search.Page;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Nodes: whether they are alive, how many places they have, and what they run. */
final class NodesApi {

    private static final int PAGE = 50;
    private static final int MAX_PAGE = 200;
    private static final Set<String> ONE = Set.of("before", "size");

    /** An open page reads itself again each 5 seconds. */
    private static final Duration KEPT = Duration.ofSeconds(2);

    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final JobSearch search;
    private final Redaction redaction;
    private final Briefly<String, State> states = new Briefly<>(PATIENCE, (state, took) -> KEPT);
    private final Briefly<Long, FoundJobs> firstPages = new Briefly<>(PATIENCE, (jobs, took) -> KEPT);

    /** What both answers are made of, so that their figures agree. */
    private record State(List<NodeSummary> nodes, List<NodeLoad> loads) {}

    NodesApi(JobSearch search, Redaction redaction) {
        this.search = search;
        this.redaction = redaction;
    }

    /**
     * Places of a queue, or of all queues of a node together.
     *
     * @param slots how many jobs run at once; null: the node does not say
     * @param used of these, those with a job
     * @param ahead how many jobs the node has claimed besides, for the places that become free
     */
    record Places(@Nullable Long slots, long used, long ahead) {

        static Places of(@Nullable Integer slots, long claimed) {
            return slots == null
                    ? new Places(null, claimed, 0)
                    : new Places((long) slots, Math.min(slots, claimed), Math.max(0, claimed - slots));
        }

        static Places sum(Collection<Places> all) {
            Long slots = 0L;
            for (Places places : all) {
                slots = slots == null || places.slots() == null ? null : (Long) (slots + places.slots());
            }
            return new Places(
                    slots,
                    all.stream().mapToLong(Places::used).sum(),
                    all.stream().mapToLong(Places::ahead).sum());
        }
    }

    /** A node in the list of all. */
    record Line(Figures.Node node, Places places) {}

    /** @param oldest since when the node has the oldest of its jobs; null: it has none */
    record Queue(String queue, Places places, @Nullable Instant oldest) {}

    /**
     * A node with what it has claimed.
     *
     * @param next the smallest id of the page; null: there are no more jobs
     */
    record Node(
            String id,
            String name,
            List<Queue> queues,
            List<JobViews.Line> jobs,
            @Nullable String next) {}

    List<Line> list(Call call) {
        State state = state();
        Map<Long, List<NodeLoad>> loads = state.loads().stream().collect(Collectors.groupingBy(NodeLoad::nodeId));
        List<NodeSummary> nodes = state.nodes();
        List<Figures.Node> figures = Figures.nodes(nodes);
        return nodes.stream()
                .map(node -> new Line(
                        figures.get(nodes.indexOf(node)),
                        Places.sum(queues(node, loads.getOrDefault(node.id(), List.of())).stream()
                                .map(Queue::places)
                                .toList())))
                .toList();
    }

    Node one(Call call) {
        call.knowing(ONE);
        Page first = Page.first(call.number("size", PAGE, MAX_PAGE));
        Long before = call.id("before");
        State state = state();
        NodeSummary node = state.nodes().stream()
                .filter(one -> one.id() == call.id())
                .findAny()
                .orElseThrow(() -> Problem.missing("node " + call.id()));
        FoundJobs found = before == null && first.size() == PAGE
                ? firstPages.get(node.id(), () -> search.claimedBy(node.id(), first))
                : search.claimedBy(node.id(), before == null ? first : first.before(before));
        Page next = found.next();
        return new Node(
                Long.toString(node.id()),
                node.name(),
                queues(
                        node,
                        state.loads().stream()
                                .filter(load -> load.nodeId() == node.id())
                                .toList()),
                found.jobs().stream()
                        .map(job -> JobViews.Line.of(job, redaction))
                        .toList(),
                next == null ? null : Long.toString(next.before()));
    }

    private State state() {
        return states.get("", () -> new State(search.nodes(), search.loads()));
    }

    private static List<Queue> queues(NodeSummary node, List<NodeLoad> loads) {
        Map<String, NodeLoad> claimed = loads.stream().collect(Collectors.toMap(NodeLoad::queue, Function.identity()));
        return node.queues().stream()
                .sorted()
                .map(queue -> queue(queue, node.slots().get(queue), claimed.get(queue)))
                .toList();
    }

    private static Queue queue(String name, @Nullable Integer slots, @Nullable NodeLoad load) {
        return new Queue(
                name, Places.of(slots, load == null ? 0 : load.jobs()), load == null ? null : load.oldestClaim());
    }
}
