package dev.rowlock.queue.benchmark.measure;

import com.sun.management.GarbageCollectionNotificationInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.management.Notification;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;

/**
 * The most heap that was in use right after a garbage collection of this process. No less than what was alive: a
 * collection of young objects leaves garbage among the old ones. Thread-safe.
 */
public final class HeapPeak {

    private final AtomicLong peakBytes = new AtomicLong();
    private final Set<String> pools = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());

    private HeapPeak() {}

    /** Watches all collections from now on. */
    public static HeapPeak watch() {
        HeapPeak peak = new HeapPeak();
        ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(NotificationEmitter.class::isInstance)
                .map(NotificationEmitter.class::cast)
                .forEach(collector ->
                        collector.addNotificationListener((notification, none) -> peak.note(notification), null, null));
        return peak;
    }

    private void note(Notification notification) {
        if (notification.getType().equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION)) {
            note(
                    GarbageCollectionNotificationInfo.from((CompositeData) notification.getUserData())
                            .getGcInfo()
                            .getMemoryUsageAfterGc()
                            .entrySet()
                            .stream()
                            .filter(pool -> pools.contains(pool.getKey()))
                            .map(Map.Entry::getValue)
                            .mapToLong(usage -> usage.getUsed())
                            .sum());
        }
    }

    private void note(long bytes) {
        peakBytes.accumulateAndGet(bytes, Math::max);
    }

    /** In bytes, since the last call. Collects once, so that there is something to tell. */
    public long takeBytes() {
        System.gc();
        note(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        return peakBytes.getAndSet(0);
    }
}
