package dev.rowlock.queue.chaos.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;

/** Two nodes, exhaustively: every order in which things can happen, up to a number of claims. */
class OwnershipModelTest {

    /** An outcome that was accepted though the claim under which its handler ran had been taken away. */
    private static final Predicate<State> ZOMBIE_ACCEPTED =
            state -> state.acceptedFor().stream().anyMatch(a -> a.handlersToken() != a.jobsToken());

    /** Two outcomes were accepted for one job, or for one claim. */
    private static final Predicate<State> TWICE = state ->
            state.acceptedFor().stream().map(State.Accepted::job).distinct().count()
                    != state.acceptedFor().size();

    private static final Predicate<State> ALL_DONE =
            state -> state.jobs().stream().allMatch(job -> job.room() == State.Room.DONE);

    /** The search ends here: no more claims are allowed, so what is not done cannot become so. */
    private static Predicate<State> outOfClaims(Model model) {
        return state -> state.lastToken() == model.claims();
    }

    @Test
    void withOneJobEveryOutcomeComesFromItsOwnerAndNoJobIsLost() {
        prove(new Model(true, true, 4, 2), State.start(1));
    }

    @Test
    void withTwoJobsEveryOutcomeComesFromItsOwnerAndNoJobIsLost() {
        prove(new Model(true, true, 3, 1), State.start(2));
    }

    private static void prove(Model model, State start) {
        Search search = new Search(model, start);

        System.out.println("model: " + search.states() + " states");
        assertThat(search.states()).isGreaterThan(1_000);
        assertThat(search.pathTo(ZOMBIE_ACCEPTED)).isEmpty();
        assertThat(search.pathTo(TWICE)).isEmpty();
        assertThat(search.pathToAStateThatNeverReaches(ALL_DONE.or(outOfClaims(model))))
                .isEmpty();
    }

    @Test
    void withoutTheTokenTheModelFindsTheZombie() {
        Search search = new Search(new Model(false, true, 3, 2), State.start(1));

        List<String> counterexample = search.pathTo(ZOMBIE_ACCEPTED);

        assertThat(counterexample)
                .containsExactly(
                        "node 0 claims job 0",
                        "node 0 is declared dead",
                        "job 0 is rescued",
                        "node 1 claims job 0",
                        "node 0 writes down Held[job=0, token=1, written=false]");
    }

    @Test
    void aClaimWithALostAnswerIsStuckOnALivingNodeUnlessStraysAreGivenBack() {
        // A node that lives is not declared dead: without deaths, rescue never comes.
        Search search = new Search(new Model(true, false, 3, 0), State.start(1));

        List<String> path = search.pathToAStateThatNeverReaches(ALL_DONE);

        assertThat(path).containsExactly("node 0 claims job 0, answer lost");
    }
}
