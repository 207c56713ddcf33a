package clients

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// eachProtocol runs a test in RESP2 and in RESP3.
func eachProtocol(t *testing.T, test func(t *testing.T, l *latchd, c *redis.Client)) {
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprintf("RESP%d", protocol), func(t *testing.T) {
			l := startLatchd(t)
			test(t, l, l.client(t, protocol))
		})
	}
}

var unlock = redis.NewScript(`
	if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end
	return 0`)

func TestGoRedisSetNXAndScriptExclude(t *testing.T) {
	eachProtocol(t, func(t *testing.T, l *latchd, c *redis.Client) {
		contend(t, 8, 25, func(ctx context.Context, section func()) error {
			token := fmt.Sprint(time.Now().UnixNano())
			for {
				won, err := c.SetNX(ctx, "counter", token, 10*time.Second).Result()
				if err != nil {
					return err
				}
				if won {
					break
				}
				time.Sleep(time.Millisecond)
			}
			section()
			if n, err := unlock.Run(ctx, c, []string{"counter"}, token).Int(); err != nil || n != 1 {
				return fmt.Errorf("unlock: %d %w", n, err)
			}
			return nil
		})
		if n := must(c.DBSize(t.Context()).Result())(t); n != 0 {
			t.Errorf("%d keys were left", n)
		}
	})
}

func TestGoRedisSendsAScriptAgainThatWasForgotten(t *testing.T) {
	eachProtocol(t, func(t *testing.T, l *latchd, c *redis.Client) {
		for range 2 {
			must(unlock.Run(t.Context(), c, []string{"key"}, "x").Int())(t)
			must(c.ScriptFlush(t.Context()).Result())(t)
		}
		if err := c.EvalSha(t.Context(), unlock.Hash(), []string{"key"}).Err(); !redis.HasErrorPrefix(err, "NOSCRIPT") {
			t.Errorf("got %v", err)
		}
		if n := must(redis.NewScript("return 1").RunRO(t.Context(), c, nil).Int())(t); n != 1 {
			t.Errorf("got %d", n)
		}
	})
}

func TestGoRedisComesBackAfterARestart(t *testing.T) {
	eachProtocol(t, func(t *testing.T, l *latchd, c *redis.Client) {
		must(unlock.Run(t.Context(), c, []string{"key"}, "x").Int())(t)
		l.restart()
		eventually(t, "the script runs", func() bool {
			return unlock.Run(t.Context(), c, []string{"key"}, "x").Err() == nil
		})
	})
}

func TestGoRedisPubSub(t *testing.T) {
	eachProtocol(t, func(t *testing.T, l *latchd, c *redis.Client) {
		sub := c.Subscribe(t.Context(), "news")
		defer sub.Close()
		must(sub.Receive(t.Context()))(t)
		if err := sub.PSubscribe(t.Context(), "n*"); err != nil {
			t.Fatal(err)
		}
		must(sub.Receive(t.Context()))(t)
		if err := sub.Ping(t.Context(), "well?"); err != nil {
			t.Fatal(err)
		}
		if n := must(c.Publish(t.Context(), "news", "one").Result())(t); n != 2 {
			t.Errorf("%d heard it", n)
		}
		for i := range 2 {
			if m := must(sub.ReceiveMessage(t.Context()))(t); m.Payload != "one" || (m.Pattern == "n*") != (i == 1) {
				t.Errorf("got %v", m)
			}
		}
	})
}

func TestGoRedisPipelinesAndTransactions(t *testing.T) {
	eachProtocol(t, func(t *testing.T, l *latchd, c *redis.Client) {
		ctx := t.Context()
		cmds := must(c.Pipelined(ctx, func(p redis.Pipeliner) error {
			p.Set(ctx, "a", 1, 0)
			p.Incr(ctx, "a")
			p.HSet(ctx, "h", "x", 1, "y", 2)
			p.HGetAll(ctx, "h")
			return nil
		}))(t)
		if h := cmds[3].(*redis.MapStringStringCmd).Val(); len(h) != 2 || h["y"] != "2" {
			t.Errorf("got %v", h)
		}
		err := c.Watch(ctx, func(tx *redis.Tx) error {
			c.Set(ctx, "a", 9, 0)
			_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error { p.Set(ctx, "a", 0, 0); return nil })
			return err
		}, "a")
		if !errors.Is(err, redis.TxFailedErr) {
			t.Errorf("got %v", err)
		}
		if a := must(c.Get(ctx, "a").Int())(t); a != 9 {
			t.Errorf("got %d", a)
		}
	})
}

func TestGoRedisPasswordAndDatabase(t *testing.T) {
	l := startLatchd(t, "--requirepass", "secret")
	for _, protocol := range []int{2, 3} {
		if err := l.client(t, protocol).Ping(t.Context()).Err(); !redis.HasErrorPrefix(err, "NOAUTH") {
			t.Errorf("got %v", err)
		}
		c := redis.NewClient(&redis.Options{Addr: l.addr, Protocol: protocol, Password: "secret", DB: 9, ClientName: "worker"})
		defer c.Close()
		if name := must(c.ClientGetName(t.Context()).Result())(t); name != "worker" {
			t.Errorf("got %q", name)
		}
	}
}

func TestGoRedisBlockingPop(t *testing.T) {
	eachProtocol(t, func(t *testing.T, l *latchd, c *redis.Client) {
		runTogether(t, 2, func(i int) error {
			if i == 1 {
				return c.RPush(t.Context(), "queue", "job").Err()
			}
			got, err := c.BLPop(t.Context(), 10*time.Second, "queue").Result()
			if err == nil && got[1] != "job" {
				err = fmt.Errorf("got %v", got)
			}
			return err
		})
	})
}
