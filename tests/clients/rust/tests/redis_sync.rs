//! redis-rs, blocking: one connection per thread.

use latchd_clients::{Latchd, Section};
use redis::{
    Client, Commands, Connection, ConnectionLike, ErrorKind, ExistenceCheck, RedisResult, Script,
    SetExpiry, SetOptions, Value,
};
use std::thread;
use std::time::Duration;

const COMPARE_AND_DELETE: &str =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

fn connect(latchd: &Latchd, query: &str) -> Connection {
    Client::open(latchd.url() + query)
        .unwrap()
        .get_connection()
        .unwrap()
}

fn try_lock(con: &mut Connection, token: &[u8], lease_ms: u64) -> RedisResult<bool> {
    let options = SetOptions::default()
        .conditional_set(ExistenceCheck::NX)
        .with_expiration(SetExpiry::PX(lease_ms));
    let reply: Value = con.set_options("lock", token, options)?;
    Ok(reply == Value::Okay)
}

fn unlock(con: &mut Connection, token: &[u8]) -> RedisResult<u32> {
    Script::new(COMPARE_AND_DELETE)
        .key("lock")
        .arg(token)
        .invoke(con)
}

fn lock_and_count(latchd: &Latchd, query: &str) {
    let section = Section::default();
    thread::scope(|scope| {
        for worker in 0..8u8 {
            let (section, mut con) = (&section, connect(latchd, query));
            scope.spawn(move || {
                for round in 0..10u8 {
                    let token = [worker, 0, 255, round]; // any bytes will do
                    while !try_lock(&mut con, &token, 5000).unwrap() {
                        thread::sleep(Duration::from_millis(1));
                    }
                    let inside = section.enter();
                    thread::sleep(Duration::from_millis(1));
                    drop(inside);
                    assert_eq!(unlock(&mut con, &token).unwrap(), 1);
                }
            });
        }
    });
    section.assert_exclusive(80);
}

#[test]
fn set_nx_px_and_a_script_exclude_in_resp2() {
    lock_and_count(&Latchd::start(), "?protocol=resp2");
}

#[test]
fn set_nx_px_and_a_script_exclude_in_resp3() {
    lock_and_count(&Latchd::start(), "?protocol=resp3");
}

#[test]
fn a_stranger_cannot_unlock_and_a_lease_ends() {
    let latchd = Latchd::start();
    let mut con = connect(&latchd, "");
    assert!(try_lock(&mut con, b"a", 500).unwrap());
    assert!(!try_lock(&mut con, b"b", 500).unwrap());
    assert_eq!(unlock(&mut con, b"b").unwrap(), 0);
    thread::sleep(Duration::from_millis(510));
    assert!(try_lock(&mut con, b"b", 500).unwrap());
}

#[test]
fn the_handshake_carries_password_and_database() {
    let latchd = Latchd::start();
    connect(&latchd, "")
        .req_command(redis::cmd("CONFIG").arg(&["SET", "requirepass", "secret"]))
        .unwrap();
    for protocol in ["2", "3"] {
        let url = format!(
            "redis://default:secret@127.0.0.1:{}/5?protocol={protocol}",
            latchd.port
        );
        let mut con = Client::open(url).unwrap().get_connection().unwrap();
        let info: String = redis::cmd("CLIENT").arg("INFO").query(&mut con).unwrap();
        for part in [
            " db=5 ",
            " lib-name=redis-rs ",
            &format!(" resp={protocol}"),
        ] {
            assert!(info.contains(part), "{part:?} in {info}");
        }
    }

    let wrong = format!("redis://:wrong@127.0.0.1:{}/", latchd.port);
    let error = Client::open(wrong).unwrap().get_connection().err().unwrap();
    assert_eq!(error.kind(), ErrorKind::AuthenticationFailed);
}

#[test]
fn scripts_come_back_after_a_restart() {
    let mut latchd = Latchd::start();
    for _ in 0..2 {
        let mut con = connect(&latchd, "");
        assert!(try_lock(&mut con, b"a", 5000).unwrap());
        assert_eq!(unlock(&mut con, b"a").unwrap(), 1);
        latchd.restart();
    }
}

#[test]
fn optimistic_transactions_lose_no_update() {
    let latchd = Latchd::start();
    thread::scope(|scope| {
        for _ in 0..4 {
            let mut con = connect(&latchd, "");
            scope.spawn(move || {
                for _ in 0..20 {
                    redis::transaction(&mut con, &["counter"], |con, pipe| {
                        let seen: u32 = con.get::<_, Option<u32>>("counter")?.unwrap_or(0);
                        pipe.set("counter", seen + 1)
                            .ignore()
                            .query::<Option<()>>(con)
                    })
                    .unwrap();
                }
            });
        }
    });
    assert_eq!(connect(&latchd, "").get::<_, u32>("counter").unwrap(), 80);
}

#[test]
fn messages_arrive_by_channel_and_by_pattern() {
    let latchd = Latchd::start();
    let (mut publisher, mut con) = (connect(&latchd, ""), connect(&latchd, ""));
    let mut subscriber = con.as_pubsub();
    subscriber.subscribe("lock:a").unwrap();
    subscriber.psubscribe("lock:*").unwrap();
    assert_eq!(publisher.publish::<_, _, u32>("lock:a", "free").unwrap(), 2);

    let (first, second) = (
        subscriber.get_message().unwrap(),
        subscriber.get_message().unwrap(),
    );
    assert_eq!(first.get_channel_name(), "lock:a");
    assert!(!first.from_pattern() && second.from_pattern());
    assert_eq!(second.get_payload::<String>().unwrap(), "free");
}

#[test]
fn an_expiring_lock_is_announced() {
    let latchd = Latchd::start();
    let (mut holder, mut con) = (connect(&latchd, ""), connect(&latchd, "?protocol=resp3"));
    holder
        .req_command(redis::cmd("CONFIG").arg(&["SET", "notify-keyspace-events", "Kx"]))
        .unwrap();
    let mut subscriber = con.as_pubsub();
    subscriber.subscribe("__keyspace@0__:lock").unwrap();
    assert!(try_lock(&mut holder, b"a", 10).unwrap());
    assert_eq!(
        subscriber
            .get_message()
            .unwrap()
            .get_payload::<String>()
            .unwrap(),
        "expired"
    );
}

#[test]
fn a_blocked_pop_is_woken_by_a_push() {
    let latchd = Latchd::start();
    let (mut waiter, mut pusher) = (connect(&latchd, ""), connect(&latchd, ""));
    thread::scope(|scope| {
        let popped =
            scope.spawn(move || waiter.blpop::<_, (String, String)>("signal", 5.0).unwrap());
        while !redis::cmd("INFO")
            .arg("clients")
            .query::<String>(&mut pusher)
            .unwrap()
            .contains("blocked_clients:1")
        {
            thread::yield_now();
        }
        pusher.rpush::<_, _, ()>("signal", "go").unwrap();
        assert_eq!(popped.join().unwrap(), ("signal".into(), "go".into()));
    });
}

#[test]
fn a_scan_meets_every_key() {
    let latchd = Latchd::start();
    let mut con = connect(&latchd, "");
    let mut pipe = redis::pipe();
    for i in 0..300 {
        pipe.set(format!("lock:{i}"), i).ignore();
    }
    pipe.query::<()>(&mut con).unwrap();
    let mut keys: Vec<String> = con
        .scan_match("lock:*")
        .unwrap()
        .map(Result::unwrap)
        .collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 300);
}
