package dev.rowlock.queue.dashboard.api.view;

import dev.rowlock.queue.gate.Rate;
import java.util.LinkedHashMap;
import java.util.Map;

/** Rates as people write them: {@code 100/min burst 20} and not {@code 100/60000ms burst 20}. {@link Rate#valueOf} reads them. */
public final class RateText {

    private static final Map<String, Long> UNITS = units();

    private RateText() {}

    private static Map<String, Long> units() {
        Map<String, Long> units = new LinkedHashMap<>();
        units.put("d", 86_400_000L);
        units.put("h", 3_600_000L);
        units.put("min", 60_000L);
        units.put("s", 1_000L);
        units.put("ms", 1L);
        return units;
    }

    public static String of(Rate rate) {
        long millis = rate.per().toMillis();
        Map.Entry<String, Long> unit = UNITS.entrySet().stream()
                .filter(candidate -> millis % candidate.getValue() == 0)
                .findFirst()
                .orElseThrow();
        long times = millis / unit.getValue();
        boolean usual = Rate.of(rate.jobs(), rate.per()).equals(rate);
        return rate.jobs() + "/" + (times == 1 ? "" : times) + unit.getKey() + (usual ? "" : " burst " + rate.burst());
    }
}
