<?php
require __DIR__ . '/harness.php';

function connect(): Redis
{
    $redis = new Redis();
    $redis->connect('127.0.0.1', port());
    return $redis;
}

// EVALSHA first, and EVAL when the server does not know the script: how phpredis programs do it.
function unlock(Redis $redis, string $key, string $token): int
{
    $deleted = $redis->evalSha(sha1(COMPARE_AND_DELETE), [$key, $token], 1);
    if ($deleted === false && str_starts_with((string) $redis->getLastError(), 'NOSCRIPT')) {
        $deleted = $redis->eval(COMPARE_AND_DELETE, [$key, $token], 1);
    }
    return $deleted;
}

$redis = connect();

check('SET NX PX and a compare-and-delete script exclude', fn () => exclusive(function (callable $work) {
    $redis = connect();
    for ($i = 0; $i < 10; $i++) {
        $token = getmypid() . " $i";
        while (!$redis->set('lock', $token, ['nx', 'px' => 5000])) {
            usleep(1000);
        }
        $work();
        same(1, unlock($redis, 'lock', $token));
    }
}));

check('a stranger cannot unlock, and a lease ends', function () use ($redis) {
    same(true, $redis->set('lock', 'a', ['nx', 'px' => 500]));
    same(false, $redis->set('lock', 'b', ['nx', 'px' => 500]));
    same(0, unlock($redis, 'lock', 'b'));
    usleep(510_000);
    same(true, $redis->set('lock', 'b', ['nx', 'px' => 500]));
});

check('scripts that are gone are found out', function () use ($redis) {
    $redis->script('flush');
    $redis->set('lock', 'a');
    same(1, unlock($redis, 'lock', 'a'));
});

check('a password and a database', function () use ($redis) {
    $redis->config('SET', 'requirepass', 'secret');
    $other = new Redis();
    $other->connect('127.0.0.1', port());
    try {
        same(false, @$other->auth('wrong'));
    } catch (RedisException $refused) {
        same(true, str_starts_with($refused->getMessage(), 'WRONGPASS'));
    }
    same(true, $other->auth(['default', 'secret']));
    same(true, $other->select(5));
    $redis->config('SET', 'requirepass', '');
    $other->set('k', 'five');
    same(false, $redis->get('k'));
});

check('persistent connections are used again', function () {
    $ids = [];
    foreach ([1, 2] as $_) {
        $redis = new Redis();
        $redis->pconnect('127.0.0.1', port(), 1.0, 'locks');
        $ids[] = $redis->client('id');
        unset($redis);
    }
    same($ids[0], $ids[1]);
});

check('transactions run whole, and give way when a watched key changes', function () use ($redis) {
    $redis->del('n');
    same([true, 2, '2'], $redis->multi()->set('n', 1)->incr('n')->get('n')->exec());
    $redis->watch('n');
    connect()->set('n', 'theirs');
    same(false, $redis->multi()->set('n', 'mine')->exec());
});

check('messages arrive', function () {
    if (pcntl_fork() === 0) {
        $publisher = connect();
        while ($publisher->publish('released', 'lock') === 0) {
            usleep(1000);
        }
        posix_kill(getmypid(), SIGKILL);
    }
    $subscriber = connect();
    $subscriber->setOption(Redis::OPT_READ_TIMEOUT, 1); // unsubscribing does not end the loop of this version
    $heard = [];
    try {
        $subscriber->subscribe(['released'], function ($redis, ...$message) use (&$heard) {
            $heard = $message;
        });
    } catch (RedisException $silence) {
        same(['released', 'lock'], $heard);
    }
    pcntl_wait($status);
});

check('a scan meets every key', function () use ($redis) {
    $redis->flushAll();
    $redis->mset(array_combine(array_map(fn ($i) => "lock:$i", range(1, 300)), range(1, 300)));
    $redis->setOption(Redis::OPT_SCAN, Redis::SCAN_RETRY);
    $seen = [];
    $cursor = null;
    while ($keys = $redis->scan($cursor, 'lock:*', 50)) {
        $seen += array_flip($keys);
    }
    same(300, count($seen));
});

check('sessions are locked while a request runs', fn () => exclusive(function (callable $work) {
    ini_set('session.save_handler', 'redis');
    ini_set('session.save_path', 'tcp://127.0.0.1:' . port());
    ini_set('session.use_cookies', '0');
    ini_set('session.cache_limiter', '');
    ini_set('redis.session.locking_enabled', '1');
    ini_set('redis.session.lock_retries', '-1');
    ini_set('redis.session.lock_wait_time', '1000');
    for ($i = 0; $i < 10; $i++) {
        session_id('visitor');
        session_start();
        $work();
        $_SESSION['visits'] = ($_SESSION['visits'] ?? 0) + 1;
        session_write_close();
    }
}));

check('no visit of a session was lost', fn () => same('visits|i:40;', $redis->get('PHPREDIS_SESSION:visitor')));
