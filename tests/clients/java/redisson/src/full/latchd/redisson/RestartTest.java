package latchd.redisson;

import static java.util.concurrent.TimeUnit.SECONDS;
import static latchd.Threads.call;
import static latchd.Threads.eventually;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.redisson.api.RLock;

/** A restarted latchd knows no lock, no subscriber and no script; clients find their way back by themselves. */
class RestartTest extends RedissonTest {
    @Test
    void everyKindOfLockWorksAgain() throws Exception {
        for (RLock lock : locks()) {
            lock.lock();
            lock.unlock();
        }
        latchd.restart();
        for (RLock lock : locks()) {
            eventually(lock + " is taken", () -> Clients.tryAgain(lock));
            lock.unlock();
        }
    }

    @Test
    void aWaiterIsServedByTheServerThatCameBack() throws Exception {
        ours.getLock(name).lock(4, SECONDS);
        Future<Boolean> waiter = call(() -> theirs.getLock(name).tryLock(30, 10, SECONDS));
        eventually("someone waits", () -> latchd.ask("PUBSUB CHANNELS *" + name + "*").equals("*1"));
        Thread.sleep(300); // until the waiter knows that, too

        latchd.restart();
        assertTrue(waiter.get(20, SECONDS));
        assertTrue(theirs.getLock(name).isLocked());
    }

    private RLock[] locks() {
        return new RLock[] {ours.getLock(name), ours.getFairLock(name + "/fair"), ours.getSpinLock(name + "/spin"),
            ours.getReadWriteLock(name + "/rw").readLock()};
    }
}
