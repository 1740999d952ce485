package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.Spans.Span;
import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.gate.Rate;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What was claimed in the queue with rates.
 *
 * @param gates the queue as a whole, which has an empty name, and each key
 * @param usedUp when the rate of each did not allow another job
 */
public record Rated(Map<String, Gate> gates, Map<String, Spans> usedUp, Map<Long, String> keys) {

    /** What was claimed under one rate, claim by claim, in the order in which the database made them. */
    public record Gate(String key, Rate rate, List<Claim> claims) {

        /** Here every claim counts as if it had been made as late as it ended. */
        Spans usedUp() {
            List<Span> times = new ArrayList<>();
            double each = nanosEach(rate);
            double next = -Spans.EVER;
            for (Claim claim : claims) {
                next = Math.max(next, claim.last()) + claim.jobs() * each;
                times.add(new Span(claim.first(), (long) (next - (rate.burst() - 1) * each)));
            }
            return Spans.of(times);
        }
    }

    /**
     * So many jobs in one transaction.
     *
     * @param first when the first of them moved; the database has decided before that
     * @param last when the last of them did; the next claim under this rate decides after that
     */
    public record Claim(long first, long last, int jobs) {

        private Claim with(Move move) {
            return new Claim(Math.min(first, move.nanos()), Math.max(last, move.nanos()), jobs + 1);
        }
    }

    public static Rated of(History history) {
        Map<Long, String> keys = new HashMap<>();
        history.rows().forEach(row -> keys.put(row.id(), Work.Rated.key(row.uid())));
        Map<String, List<Claim>> claims = new HashMap<>();
        Map<String, String> transactions = new HashMap<>(); // of the last claim of each
        history.moves().stream()
                .filter(move -> claims(move) && keys.containsKey(move.job()))
                .sorted(Comparator.comparingLong(Move::seq))
                .forEach(move -> List.of("", String.valueOf(keys.get(move.job())))
                        .forEach(gate -> {
                            List<Claim> own = claims.computeIfAbsent(gate, none -> new ArrayList<>());
                            if (move.detail().equals(transactions.put(gate, move.detail()))) {
                                own.set(own.size() - 1, own.get(own.size() - 1).with(move));
                            } else {
                                own.add(new Claim(move.nanos(), move.nanos(), 1));
                            }
                        }));
        Map<String, Gate> gates = new HashMap<>();
        claims.forEach((key, own) -> gates.put(
                key, new Gate(key, key.isEmpty() ? Work.Rated.RATE : Work.Rated.RATE_PER_KEY, List.copyOf(own))));
        Map<String, Spans> usedUp = new HashMap<>();
        gates.forEach((key, gate) -> usedUp.put(key, gate.usedUp()));
        return new Rated(gates, usedUp, keys);
    }

    /** Whether this is a claim under rates. */
    public static boolean claims(Move move) {
        return move.queue().equals(Work.Rated.QUEUE) && move.room().equals("running");
    }

    /** When this job could not have been claimed, because of a rate. */
    public Spans heldUp(long job) {
        return usedUp.getOrDefault("", Spans.NONE).or(usedUp.getOrDefault(keys.getOrDefault(job, ""), Spans.NONE));
    }

    /** So long after one job the rate allows the next. */
    public static double nanosEach(Rate rate) {
        return (double) rate.per().toNanos() / rate.jobs();
    }
}
