//! rslock: Redlock over one server and over three.

use latchd_clients::{Latchd, Section};
use redis::Client;
use rslock::{LockError, LockManager};
use std::sync::Arc;
use std::time::Duration;
use tokio::time::sleep;

const LEASE: Duration = Duration::from_secs(5);

fn ms(n: u64) -> Duration {
    Duration::from_millis(n)
}

fn servers(n: usize) -> Vec<Latchd> {
    (0..n).map(|_| Latchd::start()).collect()
}

fn manager(servers: &[Latchd]) -> LockManager {
    let mut manager = LockManager::new(servers.iter().map(Latchd::url).collect());
    manager.set_retry(3, ms(5));
    manager
}

async fn lock_and_count(manager: LockManager) {
    let section = Arc::new(Section::default());
    let workers = (0..6).map(|_| {
        let (section, manager) = (section.clone(), manager.clone());
        tokio::spawn(async move {
            for _ in 0..8 {
                let guard = manager.acquire("lock", LEASE).await.unwrap();
                let inside = section.enter();
                sleep(ms(1)).await;
                drop(inside);
                guard.release().await;
            }
        })
    });
    futures::future::try_join_all(workers).await.unwrap();
    section.assert_exclusive(48);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_server_excludes() {
    let servers = servers(1);
    lock_and_count(manager(&servers)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_servers_exclude() {
    let servers = servers(3);
    lock_and_count(manager(&servers)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_of_three_servers_exclude_and_one_is_too_few() {
    let mut servers = servers(3);
    let manager = manager(&servers);
    manager.lock("lock", LEASE).await.unwrap().release().await;
    servers[2].stop();
    lock_and_count(manager.clone()).await;
    servers[1].stop();
    assert!(matches!(
        manager.lock("lock", LEASE).await,
        Err(LockError::Unavailable)
    ));
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_in_resp3_exclude() {
    let servers = servers(3);
    let clients = servers
        .iter()
        .map(|latchd| Client::open(latchd.url() + "?protocol=resp3").unwrap())
        .collect();
    let mut manager = LockManager::from_clients(clients);
    manager.set_retry(3, ms(5));
    lock_and_count(manager).await;
}

#[tokio::test]
async fn a_held_lock_is_refused_until_it_is_released() {
    let servers = servers(3);
    let (mine, yours) = (manager(&servers), manager(&servers));
    let lock = mine.lock("lock", LEASE).await.unwrap();
    assert!(!mine.is_freed(&lock).await.unwrap());
    assert!(matches!(
        yours.lock("lock", LEASE).await,
        Err(LockError::Unavailable)
    ));
    mine.unlock(&lock).await;
    assert!(matches!(
        mine.is_freed(&lock).await,
        Err(LockError::RedisKeyNotFound)
    ));
    yours.lock("lock", LEASE).await.unwrap().release().await;
}

#[tokio::test]
async fn an_extended_lock_outlives_its_first_lease() {
    let servers = servers(3);
    let manager = manager(&servers);
    let lock = manager.lock("lock", ms(1000)).await.unwrap();
    let lock = manager.extend(&lock, LEASE).await.unwrap();
    assert!(lock.validity_time > 4000);
    sleep(ms(1050)).await;
    assert!(!manager.is_freed(&lock).await.unwrap());
    lock.release().await;
}

#[tokio::test]
async fn a_lost_lock_can_neither_be_extended_nor_released() {
    let servers = servers(1); // of three, one may still have had the old lock when two gave the new one
    let manager = manager(&servers);
    let lost = manager.lock("lock", ms(50)).await.unwrap();
    let held = manager.acquire_no_guard("lock", LEASE).await.unwrap();
    assert!(manager.extend(&lost, LEASE).await.is_err());
    assert!(matches!(
        manager.is_freed(&lost).await,
        Err(LockError::RedisKeyMismatch)
    ));
    manager.unlock(&lost).await;
    assert!(!manager.is_freed(&held).await.unwrap());
}

#[tokio::test]
async fn using_extends_the_lock_while_the_work_lasts() {
    let servers = servers(3);
    let (manager, other) = (manager(&servers), manager(&servers));
    let answer = manager
        .using(b"lock", ms(1500), async || {
            sleep(ms(1800)).await;
            assert!(matches!(
                other.lock("lock", LEASE).await,
                Err(LockError::Unavailable)
            ));
            42
        })
        .await
        .unwrap();
    assert_eq!(answer, 42);
    assert_eq!(
        manager.query_redis_for_key_value(b"lock").await.unwrap(),
        None
    );
}

#[tokio::test]
async fn locks_go_on_after_a_restart() {
    let mut servers = servers(1);
    let manager = manager(&servers);
    manager.lock("lock", LEASE).await.unwrap().release().await;
    servers[0].restart();
    let lock = manager.acquire_no_guard("lock", LEASE).await.unwrap();
    let lock = manager.extend(&lock, LEASE).await.unwrap();
    lock.release().await;
    assert_eq!(
        manager.query_redis_for_key_value(b"lock").await.unwrap(),
        None
    );
}
