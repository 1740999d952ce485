package dev.rowlock.queue.internal.claim;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** In which ranks of a queue claims find their jobs. One thread at a time; priorities bound its size. */
final class ActiveRanks {

    /** After so many claims the earlier ones count half. */
    private static final int MEMORY = 64;

    private final Map<Integer, Integer> claims = new TreeMap<>();
    private int sum;

    /** A claim's last job was of this rank. */
    void claimed(int rank) {
        claims.merge(rank, 1, Integer::sum);
        if (++sum >= MEMORY) {
            sum = 0;
            claims.replaceAll((each, count) -> count / 2);
            claims.values().removeIf(count -> count == 0);
            claims.values().forEach(count -> sum += count);
        }
    }

    /** The rank with the most claims, counted half from now on so that others get their turn; null if there was none. */
    @Nullable
    Integer most() {
        Integer most = null;
        int best = -1;
        for (Map.Entry<Integer, Integer> each : claims.entrySet()) {
            if (each.getValue() > best) {
                most = each.getKey();
                best = each.getValue();
            }
        }
        if (most != null) {
            claims.put(most, best / 2);
            sum -= best - best / 2;
        }
        return most;
    }
}
