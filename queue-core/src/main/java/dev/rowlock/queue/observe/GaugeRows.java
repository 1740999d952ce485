package dev.rowlock.queue.observe;

import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import java.util.Map;

/**
 * Gauges of one name that come and go with what they tell of. Each stays the same as long as it has a value. If it were removed and added anew with
 * each value, a scrape in that moment could find it twice, which Prometheus refuses.
 */
final class GaugeRows {

    private final MultiGauge gauges;
    private volatile Map<Tags, Double> values = Map.of();

    GaugeRows(MultiGauge gauges) {
        this.gauges = gauges;
    }

    void show(Map<Tags, Double> now) {
        values = now;
        gauges.register(now.keySet().stream().map(this::row).toList(), false);
    }

    private Row<?> row(Tags tags) {
        return Row.of(tags, () -> values.getOrDefault(tags, Double.NaN));
    }
}
