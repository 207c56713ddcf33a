package example

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

const lease = 30 * time.Second

func take(t *testing.T, client *redis.Client, owner string) bool {
	t.Helper()
	taken, err := client.SetNX(context.Background(), "job", owner, lease).Result()
	if err != nil {
		t.Fatal(err)
	}
	return taken
}

func TestALeaseEndsWithoutWaiting(t *testing.T) {
	latchd := startLatchd(t)
	alice, bob := latchd.client(redis.Options{}), latchd.client(redis.Options{})
	if !take(t, alice, "alice") || take(t, bob, "bob") {
		t.Fatal("alice has the lock, and bob has not")
	}

	latchd.advance(lease + time.Millisecond)

	if !take(t, bob, "bob") {
		t.Fatal("thirty seconds later the lock is free")
	}
}

func TestAnAnswerIsLost(t *testing.T) {
	latchd := startLatchd(t)
	client := latchd.client(redis.Options{ReadTimeout: 100 * time.Millisecond})
	latchd.fault("SET", "TIMES", 1, "DROP-REPLY")

	// go-redis tries again on its own, and finds the lock held, by itself: it says no to its owner.
	if take(t, client, "carol") {
		t.Fatal("the second attempt cannot have succeeded")
	}
	if owner := client.Get(context.Background(), "job").Val(); owner != "carol" {
		t.Fatalf("the first did, but the lock is held by %q", owner)
	}
}
