//! redis-rs on tokio: one multiplexed connection that many tasks share.

use futures::StreamExt;
use latchd_clients::{Latchd, Section};
use redis::aio::{ConnectionLike, ConnectionManager, ConnectionManagerConfig};
use redis::caching::CacheConfig;
use redis::{
    AsyncCommands, AsyncConnectionConfig, Client, PushInfo, PushKind, RedisResult, Script, Value,
};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::sleep;

const COMPARE_AND_DELETE: &str =
    "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0";

async fn lock(con: &mut impl ConnectionLike, token: &str) -> RedisResult<()> {
    let mut set = redis::cmd("SET");
    set.arg("lock").arg(token).arg("NX").arg("PX").arg(5000);
    while set.query_async::<Value>(con).await? != Value::Okay {
        sleep(Duration::from_millis(1)).await;
    }
    Ok(())
}

async fn unlock(con: &mut impl ConnectionLike, token: &str) -> RedisResult<u32> {
    Script::new(COMPARE_AND_DELETE)
        .key("lock")
        .arg(token)
        .invoke_async(con)
        .await
}

async fn lock_and_count(con: impl ConnectionLike + Clone + Send + Sync + 'static) {
    let section = Arc::new(Section::default());
    let workers = (0..8).map(|worker| {
        let (section, mut con) = (section.clone(), con.clone());
        tokio::spawn(async move {
            for round in 0..10 {
                let token = format!("{worker} {round}");
                lock(&mut con, &token).await.unwrap();
                let inside = section.enter();
                sleep(Duration::from_millis(1)).await;
                drop(inside);
                assert_eq!(unlock(&mut con, &token).await.unwrap(), 1);
            }
        })
    });
    futures::future::try_join_all(workers).await.unwrap();
    section.assert_exclusive(80);
}

#[tokio::test(flavor = "multi_thread")]
async fn tasks_on_one_connection_exclude_each_other() {
    let latchd = Latchd::start();
    for query in ["?protocol=resp2", "?protocol=resp3"] {
        let client = Client::open(latchd.url() + query).unwrap();
        lock_and_count(client.get_multiplexed_async_connection().await.unwrap()).await;
    }
}

#[tokio::test]
async fn a_managed_connection_comes_back_after_a_restart() {
    let mut latchd = Latchd::start();
    let config = ConnectionManagerConfig::new().set_min_delay(Duration::from_millis(10));
    let client = Client::open(latchd.url()).unwrap();
    let mut con = ConnectionManager::new_with_config(client, config)
        .await
        .unwrap();
    lock(&mut con, "a").await.unwrap();

    latchd.restart();
    while con.get::<_, Option<String>>("lock").await.is_err() {} // what was under way is lost, and said to be
    lock_and_count(con).await; // the lock of old is gone, and so are the scripts
}

#[tokio::test]
async fn messages_arrive_by_channel_and_by_pattern() {
    let latchd = Latchd::start();
    let client = Client::open(latchd.url()).unwrap();
    let (mut sink, mut messages) = client.get_async_pubsub().await.unwrap().split();
    sink.subscribe("lock:a").await.unwrap();
    sink.psubscribe("lock:*").await.unwrap();
    let mut publisher = client.get_multiplexed_async_connection().await.unwrap();
    assert_eq!(
        publisher
            .publish::<_, _, u32>("lock:a", "free")
            .await
            .unwrap(),
        2
    );
    for from_pattern in [false, true] {
        let message = messages.next().await.unwrap();
        assert_eq!(message.from_pattern(), from_pattern);
        assert_eq!(message.get_payload::<String>().unwrap(), "free");
    }
}

#[tokio::test]
async fn in_resp3_messages_share_the_connection_with_commands() {
    let latchd = Latchd::start();
    let client = Client::open(latchd.url() + "?protocol=resp3").unwrap();
    let (sender, mut pushed) = mpsc::unbounded_channel::<PushInfo>();
    let config = AsyncConnectionConfig::new().set_push_sender(sender);
    let mut con = client
        .get_multiplexed_async_connection_with_config(&config)
        .await
        .unwrap();
    con.subscribe("released").await.unwrap();
    assert_eq!(
        con.publish::<_, _, u32>("released", "lock").await.unwrap(),
        1
    );
    assert_eq!(con.incr::<_, _, u32>("n", 1).await.unwrap(), 1);
    assert_eq!(pushed.recv().await.unwrap().kind, PushKind::Subscribe);
    let message = pushed.recv().await.unwrap();
    assert_eq!(message.kind, PushKind::Message);
    assert_eq!(message.data[1], Value::BulkString(b"lock".into()));
}

#[tokio::test]
async fn client_side_caching_is_told_when_a_lock_goes() {
    let latchd = Latchd::start();
    let client = Client::open(latchd.url() + "?protocol=resp3").unwrap();
    let mut plain = client.get_multiplexed_async_connection().await.unwrap();
    let config = AsyncConnectionConfig::new().set_cache_config(CacheConfig::new());
    let mut cached = client
        .get_multiplexed_async_connection_with_config(&config)
        .await
        .unwrap();

    lock(&mut plain, "a").await.unwrap();
    for _ in 0..3 {
        assert_eq!(cached.get::<_, String>("lock").await.unwrap(), "a");
    }
    assert_eq!(cached.get_cache_statistics().unwrap().hit, 2);
    unlock(&mut plain, "a").await.unwrap();
    while cached
        .get::<_, Option<String>>("lock")
        .await
        .unwrap()
        .is_some()
    {
        sleep(Duration::from_millis(1)).await;
    }
    assert_eq!(cached.get_cache_statistics().unwrap().invalidate, 1);
}

#[tokio::test]
async fn atomic_pipelines_run_whole() {
    let latchd = Latchd::start();
    let client = Client::open(latchd.url()).unwrap();
    let mut con = client.get_multiplexed_async_connection().await.unwrap();
    let (count, holder): (u32, String) = redis::pipe()
        .atomic()
        .hset("lock", "holder", "a")
        .ignore()
        .hincr("lock", "count", 1)
        .hget("lock", "holder")
        .query_async(&mut con)
        .await
        .unwrap();
    assert_eq!((count, holder.as_str()), (1, "a"));
}
