package clients

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/go-redsync/redsync/v4/redis/redigo"
	redsyncrueidis "github.com/go-redsync/redsync/v4/redis/rueidis"
	redigolib "github.com/gomodule/redigo/redis"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidiscompat"
)

// pools are redsync's ways to talk to a server, by name.
var pools = map[string]func(t *testing.T, l *latchd) redsyncredis.Pool{
	"go-redis": func(t *testing.T, l *latchd) redsyncredis.Pool {
		return goredis.NewPool(l.client(t, 3))
	},
	"redigo": func(t *testing.T, l *latchd) redsyncredis.Pool {
		return redigo.NewPool(&redigolib.Pool{
			MaxIdle: 10,
			DialContext: func(ctx context.Context) (redigolib.Conn, error) {
				return redigolib.DialContext(ctx, "tcp", l.addr)
			},
			TestOnBorrow: func(c redigolib.Conn, _ time.Time) error { _, err := c.Do("PING"); return err },
		})
	},
	"rueidis": func(t *testing.T, l *latchd) redsyncredis.Pool {
		c := must(rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{l.addr}}))(t)
		t.Cleanup(c.Close)
		return redsyncrueidis.NewPool(rueidiscompat.NewAdapter(c))
	},
}

func eachPool(t *testing.T, n int, test func(t *testing.T, servers []*latchd, rs *redsync.Redsync)) {
	for name, pool := range pools {
		t.Run(name, func(t *testing.T) {
			servers := make([]*latchd, n)
			all := make([]redsyncredis.Pool, n)
			for i := range n {
				servers[i] = startLatchd(t)
				all[i] = pool(t, servers[i])
			}
			test(t, servers, redsync.New(all...))
		})
	}
}

func quick(rs *redsync.Redsync, name string) *redsync.Mutex {
	return rs.NewMutex(name, redsync.WithTries(20000), redsync.WithRetryDelay(2*time.Millisecond))
}

func TestRedsyncExcludesOnOneServer(t *testing.T) {
	eachPool(t, 1, func(t *testing.T, _ []*latchd, rs *redsync.Redsync) {
		contend(t, 8, 25, func(ctx context.Context, section func()) error {
			m := quick(rs, "counter")
			if err := m.LockContext(ctx); err != nil {
				return err
			}
			section()
			_, err := m.UnlockContext(ctx)
			return err
		})
	})
}

func TestRedsyncExcludesOnFiveServersOfWhichTwoAreDead(t *testing.T) {
	eachPool(t, 5, func(t *testing.T, servers []*latchd, rs *redsync.Redsync) {
		servers[1].stop()
		servers[3].stop()
		contend(t, 4, 5, func(ctx context.Context, section func()) error {
			m := rs.NewMutex("counter", redsync.WithTries(2000), redsync.WithTimeoutFactor(0.05))
			if err := m.LockContext(ctx); err != nil {
				return err
			}
			section()
			_, _ = m.UnlockContext(ctx) // says which servers could not be asked
			return nil
		})
	})
}

func TestRedsyncExtendsAndRefusesStrangers(t *testing.T) {
	eachPool(t, 3, func(t *testing.T, _ []*latchd, rs *redsync.Redsync) {
		ours, theirs := rs.NewMutex("name", redsync.WithExpiry(time.Second)), rs.NewMutex("name")
		if err := ours.TryLock(); err != nil {
			t.Fatal(err)
		}
		var taken *redsync.ErrTaken
		if err := theirs.TryLock(); !errors.As(err, &taken) {
			t.Errorf("got %v", err)
		}
		if ok := must(ours.Extend())(t); !ok {
			t.Error("was not extended")
		}
		if ok, _ := theirs.Unlock(); ok {
			t.Error("a stranger unlocked it")
		}
		if ok := must(ours.Unlock())(t); !ok {
			t.Error("was not unlocked")
		}
		if ok, err := ours.Unlock(); ok || !errors.Is(err, redsync.ErrLockAlreadyExpired) {
			t.Errorf("got %v", err)
		}
	})
}

func TestRedsyncTakesOverWhatWasLeftBehind(t *testing.T) {
	eachPool(t, 1, func(t *testing.T, _ []*latchd, rs *redsync.Redsync) {
		left := rs.NewMutex("name", redsync.WithExpiry(100*time.Millisecond))
		if err := left.Lock(); err != nil {
			t.Fatal(err)
		}
		if err := quick(rs, "name").Lock(); err != nil {
			t.Error(err)
		}
		if ok, _ := left.Extend(); ok {
			t.Error("a lost lock was extended")
		}
	})
}
