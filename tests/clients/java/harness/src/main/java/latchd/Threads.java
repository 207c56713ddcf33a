package latchd;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;

/** To most of these libraries a thread is the owner of a lock, so tests need other threads. */
public final class Threads {
    private Threads() {}

    /** Calls it on a new thread, which does not keep the tests alive. */
    public static <T> Future<T> call(Callable<T> body) {
        FutureTask<T> task = new FutureTask<>(body);
        Thread thread = new Thread(task);
        thread.setDaemon(true);
        thread.start();
        return task;
    }

    /** Waits until something that another party brings about is so. */
    public static void eventually(String what, Callable<Boolean> condition) throws Exception {
        long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (!condition.call()) {
            assertTrue(System.nanoTime() < deadline, () -> "still not after 20 s: " + what);
            Thread.sleep(10);
        }
    }

    /** How many milliseconds it took. */
    public static long millis(Callable<?> body) throws Exception {
        long begun = System.nanoTime();
        body.call();
        return Duration.ofNanos(System.nanoTime() - begun).toMillis();
    }
}
