package latchd;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Proof that a lock excludes: a counter that nothing else protects, and a count of the times that somebody was
 * already inside.
 */
public final class Contention {
    /** What one contender does in one round: takes the lock, runs the section, gives the lock back. */
    @FunctionalInterface
    public interface Round {
        void play(int contender, Runnable section) throws Exception;
    }

    private final AtomicInteger inside = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private int counter;

    private Contention() {}

    /** Has all contenders play their rounds at once, and asserts that their sections never overlapped. */
    public static void prove(int contenders, int rounds, Round round) throws Exception {
        Contention contention = new Contention();
        CyclicBarrier start = new CyclicBarrier(contenders);
        List<Future<?>> players = new ArrayList<>();
        for (int i = 0; i < contenders; i++) {
            int contender = i;
            players.add(Threads.call(() -> {
                start.await();
                for (int n = 0; n < rounds; n++) {
                    round.play(contender, contention::section);
                }
                return null;
            }));
        }
        for (Future<?> player : players) {
            player.get();
        }
        assertEquals(0, contention.overlaps.get(), "overlapping critical sections");
        assertEquals(contenders * rounds, contention.counter, "updates that were not lost");
    }

    private void section() {
        if (inside.getAndIncrement() > 0) {
            overlaps.incrementAndGet();
        }
        int seen = counter;
        Thread.yield(); // an invitation to whoever should not be here
        counter = seen + 1;
        inside.decrementAndGet();
    }
}
