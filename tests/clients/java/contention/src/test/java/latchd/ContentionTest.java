package latchd;

import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** The proof itself: it must fail where nothing excludes. */
class ContentionTest {
    @Test
    void withoutALockTheProofFails() {
        assertThrows(AssertionError.class, () -> Contention.prove(8, 1000, (contender, section) -> section.run()));
    }

    @Test
    void withALockItHolds() throws Exception {
        Lock lock = new ReentrantLock();
        Contention.prove(8, 1000, (contender, section) -> {
            lock.lock();
            section.run();
            lock.unlock();
        });
    }
}
